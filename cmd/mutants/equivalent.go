package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/lists"
)

// equivalentFile lists the mutants that change nothing that can be observed, with the reasons.
const equivalentFile = "cmd/mutants/equivalent.yaml"

// equivalent is one reason with the names of the mutants that it applies to.
type equivalent struct {
	Reason  string   `yaml:"reason"`
	Mutants []string `yaml:"mutants"`
}

// readEquivalents reads the file and returns a map from the names of a side's mutants to reasons.
func readEquivalents(path string, of side) (map[string]string, error) {
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
	maps.DeleteFunc(reasons, func(name, _ string) bool { return !within(name, of.mutated) })
	return reasons, nil
}

// excuse marks the surviving mutants that have a reason. It returns the reasons that no longer
// apply: the mutant does not exist, or it was killed.
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
