package scope

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
)

//go:embed absences.yaml
var absencesYAML []byte

// These are the subjects that a module of the reference may lack. A subject that is absent has
// nothing to compare.
const (
	Settings = "settings" // environment, flags, configuration
	Threads  = "threads"  // threads, locks, callbacks
	Logs     = "logs"     // log lines, metrics
	Formats  = "formats"  // data formats of its own
	Errors   = "errors"   // exceptions that are raised or caught
	// Functions are functions and classes. A module without them has nothing that could be called.
	Functions = "functions"
)

// Absence says which subjects a module of the reference lacks, such as threads or logs.
type Absence struct {
	File    string   `yaml:"file"`
	Without []string `yaml:"without"`
	// Why maps a lacking subject to a reason. It is needed where the module's text looks as if the
	// subject were present, and says why that text does not count.
	Why map[string]string `yaml:"why"`
}

// Absences lists the modules of the reference that lack some subject.
func Absences() ([]Absence, error) {
	modules, err := allModules()
	if err != nil {
		return nil, err
	}
	return parseAbsences(absencesYAML, modules)
}

func parseAbsences(text []byte, modules []Module) ([]Absence, error) {
	var list []Absence
	if err := decode("absences.yaml", text, &list); err != nil {
		return nil, err
	}
	words := []string{Settings, Threads, Logs, Formats, Errors, Functions}
	seen := map[string]bool{}
	for _, a := range list {
		if seen[a.File] || !slices.ContainsFunc(modules, func(m Module) bool { return m.File == a.File }) {
			return nil, fmt.Errorf("absences.yaml: found file %q, want one of modules.yaml or boxed.yaml, once", a.File)
		}
		seen[a.File] = true
		for _, w := range a.Without {
			if !slices.Contains(words, w) {
				return nil, fmt.Errorf("absences.yaml: %s: found %q, want settings, threads, logs, formats, errors or functions", a.File, w)
			}
		}
		for _, w := range slices.Sorted(maps.Keys(a.Why)) {
			if !slices.Contains(a.Without, w) {
				return nil, fmt.Errorf("absences.yaml: %s: found a reason for %q, want one for what it is without", a.File, w)
			}
		}
	}
	return list, nil
}
