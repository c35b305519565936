// Package vectors holds what the project knows of the reference as data: golden
// cases recorded from it, its quirks, which of its modules are ported and by what,
// where each of its public names went, and the scope.
//
// Two things to use first:
//
//   - [Suites] lists the golden cases, a suite for each module of the reference.
//   - [Quirks] lists its surprises and faults with what is done about them.
//
// Golden cases are never written by hand: add inputs to cases/<suite>.jsonl and
// record them with `monosim vectors record --python`. To change the state of a module
// edit modules.yaml, of a row of the scope rows.yaml, what ports a name names.yaml,
// what is done about a quirk quirks.yaml; PARITY.md follows with `make parity`.
package vectors

import (
	_ "embed" // for modules.yaml
	"fmt"
)

//go:embed modules.yaml
var modulesYAML []byte

// Module is one file of the reference.
type Module struct {
	// ID is the scope row, as B10.
	ID   string `yaml:"id"`
	File string `yaml:"file"`
	// State is done, part, later or none.
	State string `yaml:"state"`
	// Go are the files or packages that port it.
	Go []string `yaml:"go"`
	// Note says what is missing, or why there is nothing.
	Note string `yaml:"note"`
}

var states = map[string]bool{"done": true, "part": true, "later": true, "none": true}

// Modules lists the reference's files in the order of their rows.
func Modules() ([]Module, error) {
	var list []Module
	if err := decode("modules.yaml", modulesYAML, &list); err != nil {
		return nil, err
	}
	for i, m := range list {
		if want := fmt.Sprintf("B%02d", i+1); m.ID != want {
			return nil, fmt.Errorf("modules.yaml: found %s as entry %d, want %s", m.ID, i+1, want)
		}
		if !states[m.State] {
			return nil, fmt.Errorf("modules.yaml: %s: found state %q, want done, part, later or none", m.ID, m.State)
		}
		if (m.State == "part" || m.State == "none") && m.Note == "" {
			return nil, fmt.Errorf("modules.yaml: %s: found state %s without a note, want one that says what is missing", m.ID, m.State)
		}
	}
	return list, nil
}
