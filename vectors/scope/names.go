package scope

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// namesName is the file with the public names that were recorded from the reference.
const namesName = "names.json"

//go:embed names.json
var namesJSON []byte

//go:embed names.yaml
var namesYAML []byte

// ModuleNames holds the public names of one file of the reference, in the order of its text.
type ModuleNames struct {
	// File is a bare file name if the file is in monolith/agent_service. Otherwise it is a path
	// from the reference's root.
	File string `json:"file"`
	// Program is true if the file can be run as a program.
	Program bool `json:"program"`
	// Code counts the lines of code, without lines that hold only a comment or docstring.
	Code  int    `json:"code"`
	Names []Name `json:"names"`
}

// Name is a public name of the reference, with the Go code that ports it or the reason why none
// does.
type Name struct {
	// Name is the name itself. A member's name begins with its class, as in ZKMirror.create.
	Name string `json:"name"`
	// Kind is function, class, constant, method, property or attribute.
	Kind string `json:"kind"`
	Line int    `json:"line"`
	// Go lists the Go names that port it, such as engine/agent.ZKMirror.Create. If there are none,
	// Reason says why.
	Go     []string `json:"-"`
	Reason string   `json:"-"`
	// Later is true if the name is still to be ported.
	Later bool `json:"-"`
}

// Names lists the public names of the reference's modules, and which Go code ports each name.
func Names() ([]ModuleNames, error) { return parseNames(namesJSON, namesYAML) }

func parseNames(recorded, mapped []byte) ([]ModuleNames, error) {
	var modules []ModuleNames
	if err := json.Unmarshal(recorded, &modules); err != nil {
		return nil, fmt.Errorf("%s: %w", namesName, err)
	}
	var sections []nameSection
	if err := decode("names.yaml", mapped, &sections); err != nil {
		return nil, err
	}
	if len(sections) != len(modules) {
		return nil, fmt.Errorf("names.yaml: found %d files, want the %d of %s", len(sections), len(modules), namesName)
	}
	for i, s := range sections {
		m := &modules[i]
		if s.File != m.File {
			return nil, fmt.Errorf("names.yaml: found %s as file %d, want %s", s.File, i+1, m.File)
		}
		if err := s.fill(m.Names); err != nil {
			return nil, fmt.Errorf("names.yaml: %s: %w", m.File, err)
		}
	}
	return modules, nil
}
