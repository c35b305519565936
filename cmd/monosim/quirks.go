package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/vectors/golden"
	"github.com/monosim/monosim/vectors/scope"
)

// quirkShown is a quirk from the register, with the cases and scenarios that show it.
type quirkShown struct {
	ID       string   `json:"id"`
	Decision string   `json:"decision"`
	Effect   string   `json:"effect"`
	Where    []string `json:"where"`
	Marks    []string `json:"marks,omitempty"`
	Repaired string   `json:"repaired,omitempty"`
	// Forms describes other variants of the quirk, by name.
	Forms   map[string]string `json:"forms,omitempty"`
	Reason  string            `json:"reason,omitempty"`
	Unshown string            `json:"unshown,omitempty"`
	// Cases lists the golden cases that are flagged with the quirk. Scenarios lists the scenarios
	// that are tagged with it, as file:line and name.
	Cases     []string `json:"cases"`
	Scenarios []string `json:"scenarios"`
}

// newQuirksCommand makes `monosim quirks`.
func newQuirksCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "quirks [ID...]",
		Short: "List the quirks of the reference, or show some whole",
		Long: `List the surprises and faults of the reference, each with what is done about it:
match (the engine does the same), fix (the same, and --quirks fixed repairs it),
diverge (it does otherwise) or later. With ids show these whole: what they do, where
in the reference, what happens once repaired, and which recorded cases are flagged
and which scenarios are tagged with them. PARITY.md names the tests too.`,
		Example: `  monosim quirks
  monosim quirks Q152 Q117
  monosim quirks --json Q152`,
		ValidArgsFunction: completeWith(quirkIDs),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return runQuirks(cmd.OutOrStdout(), ids, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text")
	return cmd
}

func runQuirks(w io.Writer, ids []string, asJSON bool) error {
	list, err := scope.Quirks()
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		list = nil
	}
	for _, id := range ids {
		q, err := scope.FindQuirk(id)
		if err != nil {
			return command.BadInput(err)
		}
		list = append(list, q)
	}
	if len(ids) == 0 && !asJSON {
		for _, q := range list {
			if _, err := fmt.Fprintln(w, q.Line()); err != nil {
				return err
			}
		}
		return nil
	}
	shown, err := showQuirks(list)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(w, shown)
	}
	for i, q := range shown {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if _, err := io.WriteString(w, q.text()); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes a list as JSON with a line for each member.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// shownBy maps each quirk to the ids of the golden cases flagged with it, and to the scenarios
// tagged with it.
type shownBy struct{ cases, scenarios map[string][]string }

// quirksShownBy searches all cases and scenarios for quirks. It does so only once per process.
var quirksShownBy = sync.OnceValues(func() (by shownBy, err error) {
	by = shownBy{map[string][]string{}, map[string][]string{}}
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		return by, err
	}
	for _, suite := range suites {
		for i := range suite.Cases {
			for _, id := range suite.Cases[i].Flags {
				by.cases[id] = append(by.cases[id], suite.Cases[i].ID)
			}
		}
	}
	suite := &steps.Suite{Runner: newSimulation(), FS: featureFS{}, Paths: []string{builtin + featureDir}}
	scenarios, err := suite.List()
	for _, sc := range scenarios {
		for _, tag := range sc.Tags {
			id := strings.TrimPrefix(tag, "@")
			by.scenarios[id] = append(by.scenarios[id], fmt.Sprintf("%s:%d: %s", sc.Path, sc.Line, sc.Name))
		}
	}
	return by, err
})

// showQuirks adds to each quirk the cases and scenarios that show it.
func showQuirks(list []scope.Quirk) ([]quirkShown, error) {
	by, err := quirksShownBy()
	if err != nil {
		return nil, err
	}
	shown := []quirkShown{}
	for _, q := range list {
		s := quirkShown{ID: q.ID, Decision: q.Decision, Effect: q.Effect, Where: q.Where, Marks: q.Marks,
			Repaired: q.Repaired, Forms: q.Forms, Reason: q.Reason, Unshown: q.Unshown,
			Cases: append([]string{}, by.cases[q.ID]...), Scenarios: append([]string{}, by.scenarios[q.ID]...)}
		shown = append(shown, s)
	}
	return shown, nil
}

var markTexts = map[string]string{"X": "in a run of the reference", "Z": "on a real ZooKeeper"}

// text describes the quirk for people, a line for each fact.
func (q quirkShown) text() string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-10s %s\n", name, text)
		}
	}
	fmt.Fprintf(&b, "%s\n", q.ID)
	line("effect", q.Effect)
	line("where", strings.Join(q.Where, ", "))
	seen := lists.MapOrNil(q.Marks, func(m string) string { return markTexts[m] })
	line("seen", strings.Join(seen, ", "))
	line("decision", q.Decision)
	line("repaired", q.Repaired)
	for _, name := range slices.Sorted(maps.Keys(q.Forms)) {
		line("="+name, q.Forms[name])
	}
	line("reason", q.Reason)
	line("not shown", q.Unshown)
	line("cases", strings.Join(q.Cases, ", "))
	for i, sc := range q.Scenarios {
		name := "scenarios"
		if i > 0 {
			name = ""
		}
		line(name, sc)
	}
	if len(q.Cases)+len(q.Scenarios) == 0 && q.Unshown == "" {
		line("shown by", "no case or scenario under its id; see PARITY.md for tests")
	}
	return b.String()
}
