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

// These are the decisions about a quirk.
const (
	Match   = "match"   // the engine does the same
	Fix     = "fix"     // the same, and a toggle repairs it
	Diverge = "diverge" // it does something else, for a reason
	Later   = "later"   // it waits for something
)

// Quirk is a surprise or a fault of the reference.
type Quirk struct {
	// ID is Q and a number, from 1 and ascending; there may be gaps.
	ID string `yaml:"id"`
	// Where lists the lines of the reference as file:line or file:line-line. A bare file
	// name is in monolith/agent_service, other paths start at the reference's root.
	Where    []string `yaml:"where"`
	Effect   string   `yaml:"effect"`
	Decision string   `yaml:"decision"`
	// Marks has X if it was seen in a run of the reference, Z if it was seen on a real ZooKeeper.
	Marks []string `yaml:"marks"`
	// Reason gives the reason of Diverge, or what Later waits for.
	Reason string `yaml:"reason"`
	// Repaired says what happens instead when a Fix is switched on.
	Repaired string `yaml:"repaired"`
	// Forms says what happens instead in other variants of the quirk, by name.
	Forms map[string]string `yaml:"forms"`
	// Differs lists where runs of a scenario differ because of it.
	Differs []DiffersOn `yaml:"differs"`
	// Unshown says why no test, case or scenario shows a Match or a Diverge.
	Unshown string `yaml:"unshown"`
}

// DiffersOn says where the log of a runner differs from the simulation's.
type DiffersOn struct {
	// Runner is "real" or "python".
	Runner string `yaml:"runner"`
	// Track is a regular expression for names of tracks (runners/test/deeds).
	Track string `yaml:"track"`
}

// Number returns the number in its id, 0 for an id that has none.
func (q Quirk) Number() int {
	n, err := strconv.Atoi(strings.TrimPrefix(q.ID, "Q"))
	if err != nil || q.ID != fmt.Sprintf("Q%d", n) {
		return 0
	}
	return n
}

// Line returns the quirk on one line: its id, the decision, and its effect.
func (q Quirk) Line() string { return fmt.Sprintf("%s (%s): %s", q.ID, q.Decision, q.Effect) }

// Quirks lists the register in the order of its numbers.
func Quirks() ([]Quirk, error) {
	list, err := register()
	return slices.Clone(list), err
}

var register = sync.OnceValues(func() ([]Quirk, error) { return parseQuirks(vectors.QuirksYAML) })

// FindQuirk returns the entry of an id, as "Q152", "q152" or "152". The error for an unknown one names
// the nearest.
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

// QuirkIDs returns the ids of the register that text names, in its order and each once.
func QuirkIDs(text string) []string {
	var ids []string
	for _, id := range quirkID.FindAllString(text, -1) {
		if _, err := FindQuirk(id); err == nil && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// QuirkLines returns the lines of the quirks whose ids text names, in the order of text and
// each once. Ids that the register does not have are left out.
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

// CheckToggles returns an error unless text chooses quirks for agents: "python", "fixed",
// ids to keep as "Q22,Q117", or ids to repair as "-Q22,-Q117", each of a repairable quirk.
//
// After a comma, or alone, may stand one quirk in another variant than the reference's and
// the repaired one, as "Q25=fork".
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

var sourceLines = regexp.MustCompile(`^[\w./]+\.(py|conf):[1-9]\d*(-[1-9]\d*)?$`)

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
