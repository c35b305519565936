// Package scope reads the registers of what the project covers: the rows of the scope, the modules
// of the reference and what ports them, where each public name went, and the quirks.
//
// Two things to use first:
//
//   - [Modules] lists the files of the reference with their state.
//   - [Quirks] lists its surprises and faults with what is done about them.
//
// To change
//
//   - the state of a module: modules.yaml, or boxed.yaml for one outside of agent_service
//   - the state of a row: rows.yaml
//   - what ports a name: names.yaml
//   - which files port a module, and how many lines they may have: lines.yaml
//   - why a module lacks something: absences.yaml
//   - what is done about a quirk: quirks.yaml one directory up
//
// PARITY.md follows with make parity.
//
// Unstable: any commit may change it.
package scope

import (
	_ "embed"
	"fmt"
)

//go:embed modules.yaml
var modulesYAML []byte

//go:embed boxed.yaml
var boxedYAML []byte

// Module is one file of the reference, with the state of its port.
type Module struct {
	// ID is the id of the file's row in the scope, such as B10.
	ID   string `yaml:"id"`
	File string `yaml:"file"`
	// State is the progress of the port: done, part, later or none.
	State string `yaml:"state"`
	// Go lists the Go files or packages that port the module.
	Go []string `yaml:"go"`
	// Commands lists the programs that replace the module when it is run as a program. It is empty
	// for other modules.
	Commands []string `yaml:"commands"`
	// Note says what is missing from the port, or why the module has no port.
	Note string `yaml:"note"`
	// Tests is set for a module of tests. It names the tested module, if that module has a
	// checklist.
	Tests string `yaml:"tests"`
}

// Boxed lists the modules with a checklist that are not in monolith/agent_service.
func Boxed() ([]Module, error) {
	var list []Module
	return list, decode("boxed.yaml", boxedYAML, &list)
}

// allModules returns the modules of Modules and those of Boxed.
func allModules() ([]Module, error) {
	modules, err := Modules()
	if err != nil {
		return nil, err
	}
	boxed, err := Boxed()
	return append(modules, boxed...), err
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
