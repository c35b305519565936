package command

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/engine/lists"
)

// Sweep runs a command once for each combination of flag values. Each run prints one row of CSV.
type Sweep struct {
	// Values are the arguments of --sweep. Example shows in messages what they look like. Columns
	// are the columns of a CSV row that follow the swept values.
	Values  []string
	Example string
	Columns []string
	// Known returns an error if the named setting cannot be swept. Set gives it a value.
	Known func(name string) error
	Set   func(name, value string) error
	// Read checks the values that are set. Run then runs with them and returns the CSV row.
	Read func() error
	Run  func() ([]string, error)
}

// OneOf returns an error unless a name is one of a list.
func OneOf(name string, list []string) error {
	if slices.Contains(list, name) {
		return nil
	}
	return fmt.Errorf("found %q, want one of %s", name, strings.Join(list, ", "))
}

// sweepAxis is a swept setting with the values that it takes in turn.
type sweepAxis struct {
	name   string
	values []string
}

// axes parses the values of --sweep. It refuses the flags in single, which make sense only for a
// single run.
func (s Sweep) axes(cmd *cobra.Command, single []string) (axes []sweepAxis, err error) {
	for _, other := range single {
		if cmd.Flags().Changed(other) {
			return nil, fmt.Errorf("found it with --%s, which is for one run, want one of them", other)
		}
	}
	for _, text := range s.Values {
		name, list, ok := strings.Cut(text, "=")
		if !ok || list == "" {
			return nil, fmt.Errorf("found %q, want %s", text, s.Example)
		}
		if err := s.Known(name); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(axes, func(a sweepAxis) bool { return a.name == name }) {
			return nil, fmt.Errorf("found %s twice, want it once with all its values", name)
		}
		axes = append(axes, sweepAxis{name, strings.Split(list, ",")})
	}
	return axes, nil
}

// points returns all combinations of the axes' values, one value of each axis.
func points(axes []sweepAxis) [][]string {
	all := [][]string{nil}
	for _, a := range axes {
		var longer [][]string
		for _, p := range all {
			for _, v := range a.values {
				longer = append(longer, append(slices.Clone(p), v))
			}
		}
		all = longer
	}
	return all
}

// All runs the command once for each combination of values. It checks all combinations before the
// first run starts.
func (s Sweep) All(cmd *cobra.Command, single ...string) error {
	axes, err := s.axes(cmd, single)
	if err != nil {
		return BadInput(fmt.Errorf("--sweep: %w", err))
	}
	set := func(point []string) error {
		for i, a := range axes {
			if err := s.Set(a.name, point[i]); err != nil {
				return fmt.Errorf("--sweep: %w", err)
			}
		}
		return nil
	}
	all := points(axes)
	for _, point := range all {
		err := set(point)
		if err == nil {
			err = s.Read()
		}
		if err != nil {
			return BadInput(err)
		}
	}
	w := csv.NewWriter(cmd.OutOrStdout())
	head := lists.Map(axes, func(a sweepAxis) string { return a.name })
	_ = w.Write(append(head, s.Columns...)) // Error has it
	w.Flush()
	for i, point := range all {
		if err := set(point); err != nil {
			return BadInput(err)
		}
		row, err := s.Run()
		if err != nil {
			return fmt.Errorf("run %d of %d, %s: %w", i+1, len(all), strings.Join(point, ", "), err)
		}
		_ = w.Write(append(slices.Clone(point), row...))
		w.Flush()
	}
	return w.Error()
}
