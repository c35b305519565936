package compare

import (
	"encoding/json"
	"fmt"
	"slices"
)

// ParseMatrix parses a matrix that Marshal has written.
func ParseMatrix(text []byte) (*Matrix, error) {
	m := &Matrix{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("recorded comparison: %w", err)
	}
	for _, r := range m.Scenarios {
		if len(r.Cells) != len(m.Runners) {
			return nil, fmt.Errorf("recorded comparison: %s: %s: found %d cells, want one for each of %v", r.Path, r.Name, len(r.Cells), m.Runners)
		}
	}
	return m, nil
}

// Marshal writes a matrix with a line for each scenario, so that a diff shows what changed.
func (m *Matrix) Marshal() ([]byte, error) {
	runners, err := json.Marshal(m.Runners)
	if err != nil {
		return nil, err
	}
	text := fmt.Appendf(nil, "{\"runners\": %s, \"scenarios\": [", runners)
	for i, r := range m.Scenarios {
		line, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(text, "\n  "...), line...)
	}
	return append(text, "\n]}\n"...), nil
}

// Cell returns the result of a scenario on a runner, or the zero value if there is none.
func (m *Matrix) Cell(path, name, runner string) Cell {
	k := slices.Index(m.Runners, runner)
	i := slices.IndexFunc(m.Scenarios, func(r Row) bool { return r.Path == path && r.Name == name })
	if i < 0 || k < 0 {
		return Cell{}
	}
	return m.Scenarios[i].Cells[k]
}

// Over returns an older matrix, updated with the results of this one. It keeps only the scenarios
// for which listed returns true, in the order that listed gives. For a runner that is missing in
// this matrix, it keeps the older results.
func (m *Matrix) Over(older *Matrix, listed func(path, name string) (order int, ok bool)) *Matrix {
	made := &Matrix{Runners: slices.Clone(older.Runners), Scenarios: []Row{}}
	for _, name := range m.Runners {
		if !slices.Contains(made.Runners, name) {
			made.Runners = append(made.Runners, name)
		}
	}
	for _, side := range []*Matrix{older, m} {
		for _, r := range side.Scenarios {
			made.put(r, side.Runners)
		}
	}
	made.Scenarios = slices.DeleteFunc(made.Scenarios, func(r Row) bool {
		_, ok := listed(r.Path, r.Name)
		return !ok
	})
	slices.SortStableFunc(made.Scenarios, func(a, b Row) int {
		x, _ := listed(a.Path, a.Name)
		y, _ := listed(b.Path, b.Name)
		return x - y
	})
	return made
}

// put copies a row's cells into the row of the same scenario, which it adds if it is missing.
func (m *Matrix) put(r Row, runners []string) {
	i := slices.IndexFunc(m.Scenarios, func(o Row) bool { return o.Path == r.Path && o.Name == r.Name })
	if i < 0 {
		i = len(m.Scenarios)
		m.Scenarios = append(m.Scenarios, Row{Feature: r.Feature, Path: r.Path, Name: r.Name, Cells: make([]Cell, len(m.Runners))})
	}
	m.Scenarios[i].Line = r.Line
	for k, name := range runners {
		switch r.Cells[k].Verdict {
		case Unfinished, Busy, Kept:
			continue // the new result has no verdict, so the older one stays
		}
		m.Scenarios[i].Cells[slices.Index(m.Runners, name)] = r.Cells[k]
	}
}
