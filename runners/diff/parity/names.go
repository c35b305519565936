package parity

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/vectors/scope"
)

// nameCount counts public names of the reference: those ported, those that need no port, and those
// that are still to be ported.
type nameCount struct {
	ported, none int
	later        []scope.Name
}

func countNames(names []scope.Name) (c nameCount) {
	for _, n := range names {
		switch {
		case n.Later:
			c.later = append(c.later, n)
		case len(n.Go) > 0:
			c.ported++
		default:
			c.none++
		}
	}
	return c
}

// box returns box G1 of a module. It is ticked if no name of the module is still to be ported.
func (c nameCount) box() box {
	total := lists.Counted(c.ported+c.none+len(c.later), "name")
	if len(c.later) == 0 {
		return box{boxTicked, fmt.Sprintf("%s: %d ported, %d none (reasons in %s)", total, c.ported, c.none, toFile(namesFile))}
	}
	return box{boxOpen, fmt.Sprintf("%s: %d ported, %d none, %d later: %s", total, c.ported, c.none, len(c.later), c.laterText())}
}

// laterText lists the names still to be ported, grouped by the reason why they wait.
func (c nameCount) laterText() string {
	var reasons []string
	byReason := map[string][]string{}
	for _, n := range c.later {
		if byReason[n.Reason] == nil {
			reasons = append(reasons, n.Reason)
		}
		byReason[n.Reason] = append(byReason[n.Reason], "`"+n.Name+"`")
	}
	for i, r := range reasons {
		reasons[i] = strings.Join(byReason[r], ", ") + " (" + r + ")"
	}
	return strings.Join(reasons, "; ")
}

// namesOf returns the public names of a file.
func (p *evidence) namesOf(file string) []scope.Name {
	i := slices.IndexFunc(p.names, func(m scope.ModuleNames) bool { return m.File == file })
	if i < 0 {
		return nil
	}
	return p.names[i].Names
}

// allNames returns the public names of all files.
func (p *evidence) allNames() (all []scope.Name) {
	for _, m := range p.names {
		all = append(all, m.Names...)
	}
	return all
}

// namesFile maps each public name of the reference to what ports it, or to why nothing does.
const namesFile = "vectors/scope/names.yaml"

func (p *evidence) writeNames(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## %s\n\n", namesTitle)
	fmt.Fprintf(b, "Functions, classes and constants, and the members of classes, of monolith/agent_service, of the files that the rows of A, C, D and E are about, and of those that are ported beside them. %s says what ports each of them, or why nothing does; %s are the names as they were recorded.\n\n",
		toFile(namesFile), toFile("vectors/scope/names.json"))
	fmt.Fprintf(b, "| file | names | ported | none | later | which are later |\n|---|---|---|---|---|---|\n")
	for _, m := range p.names {
		c := countNames(m.Names)
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %s |\n", m.File, len(m.Names), c.ported, c.none, len(c.later), cell(c.laterText()))
	}
}
