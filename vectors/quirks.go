package vectors

import (
	_ "embed" // for quirks.yaml
	"fmt"
	"regexp"
)

//go:embed quirks.yaml
var quirksYAML []byte

// What is done about a quirk.
const (
	Match   = "match"   // the engine does the same
	Fix     = "fix"     // the same, and a toggle repairs it
	Diverge = "diverge" // it does otherwise, for a reason
	Later   = "later"   // it waits for something
)

// Quirk is a surprise or a fault of the reference.
type Quirk struct {
	// ID is Q and the number, counted from 1 without gaps.
	ID string `yaml:"id"`
	// Where are the lines of the reference as file:line or file:line-line. A bare
	// file name lies in monolith/agent_service, other paths count from the
	// reference's root.
	Where    []string `yaml:"where"`
	Effect   string   `yaml:"effect"`
	Decision string   `yaml:"decision"`
	// Marks are X for seen in a run of the reference, Z for seen on a real ZooKeeper.
	Marks []string `yaml:"marks"`
	// Reason says why for Diverge, and what is waited for with Later.
	Reason string `yaml:"reason"`
	// Repaired says what happens instead once a Fix is switched on.
	Repaired string `yaml:"repaired"`
	// Unshown says why no test, case or scenario shows a Match or a Diverge.
	Unshown string `yaml:"unshown"`
}

// Quirks lists the register in the order of its numbers.
func Quirks() ([]Quirk, error) { return parseQuirks(quirksYAML) }

func parseQuirks(text []byte) ([]Quirk, error) {
	var list []Quirk
	if err := decode("quirks.yaml", text, &list); err != nil {
		return nil, err
	}
	for i, q := range list {
		if want := fmt.Sprintf("Q%d", i+1); q.ID != want {
			return nil, fmt.Errorf("quirks.yaml: found %q as entry %d, want %s", q.ID, i+1, want)
		}
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
	return q.checkDecision()
}

// checkDecision insists on the text that a decision needs and on no other.
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
