package scope

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"

	"github.com/monosim/monosim/vectors"
)

// These are the possible decisions about a quirk of the reference.
const (
	Match   = "match"   // the engine behaves as the reference does
	Fix     = "fix"     // the engine behaves as the reference does, and a toggle repairs it
	Diverge = "diverge" // the port deliberately behaves differently
	Later   = "later"   // the decision waits for something
)

// Quirk is a surprising or faulty behaviour of the reference, with the decision about it.
type Quirk struct {
	// ID is "Q" and a number from 1. The numbers ascend in the register and may have gaps.
	ID string `yaml:"id"`
	// Where lists the lines of the reference as file:line or file:line-line. A bare file
	// name is in monolith/agent_service, other paths start at the reference's root.
	Where    []string `yaml:"where"`
	Effect   string   `yaml:"effect"`
	Decision string   `yaml:"decision"`
	// Marks contains "X" if the quirk was seen in a run of the reference. It contains "Z" if the
	// quirk was seen on a real ZooKeeper.
	Marks []string `yaml:"marks"`
	// Reason is the reason for the decision Diverge. For Later it says what the decision waits for.
	Reason string `yaml:"reason"`
	// Repaired says what the engine does instead if the repair of a Fix is switched on.
	Repaired string `yaml:"repaired"`
	// Forms describes the other variants of the quirk. It maps each variant's name to what the
	// engine does in that variant.
	Forms map[string]string `yaml:"forms"`
	// Differs lists logs of scenarios in which the quirk makes a runner differ from the simulation.
	Differs []DiffersOn `yaml:"differs"`
	// Unshown says why no test, golden case or scenario shows the quirk. Only quirks with the
	// decision Match or Diverge may have it.
	Unshown string `yaml:"unshown"`
}

// DiffersOn says where a runner's log of a scenario differs from the simulation's log.
type DiffersOn struct {
	// Runner is "real" or "python".
	Runner string `yaml:"runner"`
	// Track is a regular expression for the names of log tracks (runners/test/deeds).
	Track string `yaml:"track"`
}

// Number returns the number in the quirk's id; 0 for an id that is not valid.
func (q Quirk) Number() int {
	n, err := strconv.Atoi(strings.TrimPrefix(q.ID, "Q"))
	if err != nil || q.ID != fmt.Sprintf("Q%d", n) {
		return 0
	}
	return n
}

// Line returns the quirk on one line: its id, the decision, and its effect.
func (q Quirk) Line() string { return fmt.Sprintf("%s (%s): %s", q.ID, q.Decision, q.Effect) }

// Quirks lists all quirks of the register, in the order of their numbers.
func Quirks() ([]Quirk, error) {
	list, err := register()
	return slices.Clone(list), err
}

var register = sync.OnceValues(func() ([]Quirk, error) { return parseQuirks(vectors.QuirksYAML) })

// FindQuirk returns the quirk with an id, such as "Q152", "q152" or "152". The error for an unknown
// id names the nearest known one.
func FindQuirk(text string) (Quirk, error) {
	id := "Q" + strings.TrimLeft(text, "qQ")
	list, err := Quirks()
	if err != nil {
		return Quirk{}, err
	}
	nearest, edits := "", -1
	for _, q := range list {
		if q.ID == id {
			return q, nil
		}
		if d := levenshtein.ComputeDistance(id, q.ID); edits < 0 || d < edits {
			nearest, edits = q.ID, d
		}
	}
	return Quirk{}, fmt.Errorf("quirk: found %q, want an id of the register (Q1 to %s); the nearest is %s", text, list[len(list)-1].ID, nearest)
}

// QuirkIDs returns the ids of quirks that occur in text, each once, in the order of text. Ids that
// are not in the register are left out.
func QuirkIDs(text string) []string {
	var ids []string
	for _, id := range quirkID.FindAllString(text, -1) {
		if _, err := FindQuirk(id); err == nil && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// QuirkLines returns a line for each quirk whose id occurs in text, in the order of text. Each
// quirk appears once. Ids that are not in the register are left out.
func QuirkLines(text string) []string {
	var lines []string
	for _, id := range QuirkIDs(text) {
		if q, err := FindQuirk(id); err == nil {
			lines = append(lines, q.Line())
		}
	}
	return lines
}

var (
	quirkID   = regexp.MustCompile(`\bQ\d+\b`)
	quirkList = regexp.MustCompile(`^(?:Q\d+(?:,Q\d+)*|-Q\d+(?:,-Q\d+)*)$`)
	quirkForm = regexp.MustCompile(`^(?:(.*),)?(Q\d+)=(\w+)$`)
)

// CheckToggles returns an error unless text is a valid choice of quirks for agents. Valid choices
// are "python", "fixed", ids to keep as "Q22,Q117", or ids to repair as "-Q22,-Q117". Each id must
// be of a repairable quirk.
//
// One quirk may have a variant other than the reference's and the repaired one, written as
// "Q25=fork". It may be the whole text, or it follows one of the choices above and a comma.
func CheckToggles(text string) error {
	if m := quirkForm.FindStringSubmatch(text); m != nil {
		q, err := FindQuirk(m[2])
		if err != nil {
			return err
		}
		if q.Forms[m[3]] == "" {
			return fmt.Errorf("quirk: found %s=%s, want one of the forms that monosim quirks %s lists", m[2], m[3], m[2])
		}
		text = m[1]
	}
	if text == "" || text == "python" || text == "fixed" {
		return nil
	}
	if !quirkList.MatchString(text) {
		return fmt.Errorf("found %q, want python, fixed, ids to keep as Q22,Q117, or ids to repair as -Q22,-Q117", text)
	}
	for _, id := range quirkID.FindAllString(text, -1) {
		q, err := FindQuirk(id)
		if err != nil {
			return err
		}
		if q.Decision != Fix {
			return fmt.Errorf("quirk: found %s, want one that can be repaired; its decision is %s", id, q.Decision)
		}
	}
	return nil
}

func parseQuirks(text []byte) ([]Quirk, error) {
	var list []Quirk
	if err := decode("quirks.yaml", text, &list); err != nil {
		return nil, err
	}
	last := 0
	for i, q := range list {
		n := q.Number()
		if n <= last {
			return nil, fmt.Errorf("quirks.yaml: found %q as entry %d, want Q and a number above %d", q.ID, i+1, last)
		}
		last = n
		if err := q.check(); err != nil {
			return nil, fmt.Errorf("quirks.yaml: %s: %w", q.ID, err)
		}
	}
	return list, nil
}

var sourceLines = regexp.MustCompile(`^[\w./]+\.(py|cc|conf):[1-9]\d*(-[1-9]\d*)?$`)

func (q Quirk) check() error {
	if len(q.Where) == 0 || q.Effect == "" {
		return fmt.Errorf("found %d places and effect %q, want one of each at least", len(q.Where), q.Effect)
	}
	for _, w := range q.Where {
		if !sourceLines.MatchString(w) {
			return fmt.Errorf("found place %q, want file:line or file:line-line", w)
		}
	}
	for _, m := range q.Marks {
		if m != "X" && m != "Z" {
			return fmt.Errorf("found mark %q, want X or Z", m)
		}
	}
	for _, d := range q.Differs {
		if _, err := regexp.Compile(d.Track); err != nil || d.Track == "" || d.Runner == "" {
			return fmt.Errorf("found differs of runner %q and track %q, want a name and a regular expression", d.Runner, d.Track)
		}
	}
	if len(q.Forms) > 0 && q.Decision != Fix {
		return fmt.Errorf("found decision %s with forms, want them for fix only", q.Decision)
	}
	return q.checkDecision()
}

// checkDecision returns an error unless the quirk has exactly the texts that its decision needs.
func (q Quirk) checkDecision() error {
	needsReason, needsRepaired, mayBeUnshown := false, false, false
	switch q.Decision {
	case Match:
		mayBeUnshown = true
	case Fix:
		needsRepaired = true
	case Diverge:
		needsReason, mayBeUnshown = true, true
	case Later:
		needsReason = true
	default:
		return fmt.Errorf("found decision %q, want match, fix, diverge or later", q.Decision)
	}
	if needsReason != (q.Reason != "") {
		return fmt.Errorf("found decision %s with reason %q, want one for diverge and later only", q.Decision, q.Reason)
	}
	if needsRepaired != (q.Repaired != "") {
		return fmt.Errorf("found decision %s with repaired %q, want one for fix only", q.Decision, q.Repaired)
	}
	if q.Unshown != "" && !mayBeUnshown {
		return fmt.Errorf("found decision %s with unshown %q, want it for match and diverge only", q.Decision, q.Unshown)
	}
	return nil
}
