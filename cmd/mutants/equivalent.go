package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/lists"
)

// equivalentFile lists the mutants that have no visible effect, with the reasons.
const equivalentFile = "cmd/mutants/equivalent.yaml"

// equivalent is one reason, with the names of the mutants that it excuses.
type equivalent struct {
	Reason  string   `yaml:"reason"`
	Mutants []string `yaml:"mutants"`
}

// readEquivalents returns the reasons by the names of the mutants.
func readEquivalents(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []equivalent
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	reasons := map[string]string{}
	for i, e := range list {
		if e.Reason == "" || len(e.Mutants) == 0 {
			return nil, fmt.Errorf("%s: entry %d has no reason or no mutants, want both", path, i+1)
		}
		for _, name := range e.Mutants {
			if _, twice := reasons[name]; twice {
				return nil, fmt.Errorf("%s: %q is there twice", path, name)
			}
			reasons[name] = e.Reason
		}
	}
	return reasons, nil
}

// excuse marks the survivors that are equivalent. It returns an error for reasons that name
// no mutant, or a killed one.
func excuse(verdicts []verdict, all []*mutant, reasons map[string]string) (stale []string) {
	known := lists.ToMap(all, func(m *mutant) (string, bool) { return m.name(), true })
	for name := range reasons {
		if !known[name] {
			stale = append(stale, name+": no such mutant")
		}
	}
	for i := range verdicts {
		v := &verdicts[i]
		reason, ok := reasons[v.Mutant.name()]
		switch {
		case !ok:
		case v.Killed != "":
			stale = append(stale, fmt.Sprintf("%s: killed by %s %s", v.Mutant.name(), v.Killed, v.By))
		default:
			v.Reason = reason
		}
	}
	slices.Sort(stale)
	return stale
}
