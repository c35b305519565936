package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/runners/sim"
)

// simFiles holds the files that a run of `monosim sim` writes. They are opened before the
// run, so that one that cannot be written ends it at once.
type simFiles struct {
	files []*wholefile.File
	forms []func(*sim.Report, io.Writer) error
}

func (s *simFlags) open() (*simFiles, error) {
	list := &simFiles{}
	for _, f := range []struct {
		name string
		form func(*sim.Report, io.Writer) error
	}{{s.series, (*sim.Report).WriteSeries}, {s.html, (*sim.Report).WriteHTML}} {
		if f.name == "" {
			continue
		}
		file, err := wholefile.Create(f.name)
		if err != nil {
			list.discard()
			return nil, err
		}
		list.files, list.forms = append(list.files, file), append(list.forms, f.form)
	}
	return list, nil
}

func (l *simFiles) write(report *sim.Report) error {
	var errs []error
	for i, file := range l.files {
		errs = append(errs, l.forms[i](report, file), file.Close())
	}
	return errors.Join(errs...)
}

func (l *simFiles) discard() {
	for _, file := range l.files {
		file.Discard()
	}
}

// swept lists the flags that --sweep can vary.
var swept = []string{
	"for", "load-speed", "memory-limit", "model-server", "policy", "publish-after", "quirks", "replicas", "restart-after", "seed", "shards", "zookeeper",
}

// sweepAxis is a flag with the values that it takes in turn.
type sweepAxis struct {
	name   string
	values []string
}

func (s *simFlags) axes(cmd *cobra.Command) ([]sweepAxis, error) {
	for _, other := range []string{"html", "json", "series", "trace", "fail-unless-available"} {
		if cmd.Flags().Changed(other) {
			return nil, fmt.Errorf("--sweep: found it with --%s, which is for one run, want one of them", other)
		}
	}
	var axes []sweepAxis
	for _, text := range s.sweep {
		name, list, ok := strings.Cut(text, "=")
		switch {
		case !ok || list == "":
			return nil, fmt.Errorf("--sweep: found %q, want a flag and its values, as replicas=10,100,300", text)
		case !slices.Contains(swept, name):
			return nil, fmt.Errorf("--sweep: found %q, want one of %s", name, strings.Join(swept, ", "))
		case slices.ContainsFunc(axes, func(a sweepAxis) bool { return a.name == name }):
			return nil, fmt.Errorf("--sweep: found %s twice, want it once with all its values", name)
		}
		axes = append(axes, sweepAxis{name, strings.Split(list, ",")})
	}
	return axes, nil
}

// points returns all combinations of the values.
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

// sweepAll runs once for each point and prints a row for each. All points are read before
// the first one runs.
func (s *simFlags) sweepAll(ctx context.Context, cmd *cobra.Command) error {
	axes, err := s.axes(cmd)
	if err != nil {
		return command.BadInput(err)
	}
	set := func(point []string) error {
		for i, a := range axes {
			if err := cmd.Flags().Set(a.name, point[i]); err != nil {
				return fmt.Errorf("--sweep: %w", err)
			}
		}
		return nil
	}
	all := points(axes)
	for _, point := range all {
		err := set(point)
		if err == nil {
			_, err = s.read()
		}
		if err != nil {
			return command.BadInput(err)
		}
	}
	w := csv.NewWriter(cmd.OutOrStdout())
	head := lists.MapOrNil(axes, func(a sweepAxis) string { return a.name })
	_ = w.Write(append(head, sim.SweepColumns...)) // Error has it
	w.Flush()
	for i, point := range all {
		if err := set(point); err != nil {
			return command.BadInput(err)
		}
		report, failure := s.once(ctx, cmd)
		if report == nil {
			return command.BadInput(failure)
		}
		if err := s.outcome(ctx, report, failure); report.Failure != "" {
			return fmt.Errorf("run %d of %d, %s: %w", i+1, len(all), strings.Join(point, ", "), err)
		}
		_ = w.Write(append(slices.Clone(point), report.SweepRow()...))
		w.Flush()
	}
	return w.Error()
}

// groupCounts is a number for all groups of pods, or one for each of some.
type groupCounts struct {
	all int
	of  map[string]int
}

// Set reads a number, or GROUP=N, several with commas between them.
func (c *groupCounts) Set(text string) error {
	for _, part := range strings.Split(text, ",") {
		name, number, grouped := strings.Cut(part, "=")
		if !grouped {
			name, number = "", part
		}
		n, err := strconv.Atoi(number)
		switch {
		case err != nil:
			return fmt.Errorf("found %q, want a number, or GROUP=N", part)
		case !grouped:
			c.all = n
		case c.of == nil:
			c.of = map[string]int{name: n}
		default:
			c.of[name] = n
		}
	}
	return nil
}

func (c *groupCounts) String() string {
	list := []string{strconv.Itoa(c.all)}
	for _, name := range slices.Sorted(maps.Keys(c.of)) {
		list = append(list, fmt.Sprintf("%s=%d", name, c.forGroup(name)))
	}
	return strings.Join(list, ",")
}

// Type is what help calls such a value.
func (c *groupCounts) Type() string { return "int" }

// forGroup returns the number of a group.
func (c *groupCounts) forGroup(name string) int {
	if n, ok := c.of[name]; ok {
		return n
	}
	return c.all
}

var groupConf = regexp.MustCompile(`^([a-z][a-z0-9-]*)=(.+)$`)

// group puts the confs, shards and replicas of the flags into options: one conf for all pods, or
// one for each group.
func (s *simFlags) group(o *sim.Options) error {
	o.Shards, o.Replicas = s.shards.all, s.replicas.all
	for _, text := range s.confs {
		m := groupConf.FindStringSubmatch(text)
		switch {
		case m != nil:
			o.Groups = append(o.Groups, sim.Group{Name: m[1], Conf: m[2], Shards: s.shards.forGroup(m[1]), Replicas: s.replicas.forGroup(m[1])})
		case o.Conf != "":
			return fmt.Errorf("--conf: found %s and %s, want one for all pods, or GROUP=FILE for each group", o.Conf, text)
		default:
			o.Conf = text
		}
	}
	for _, counts := range []map[string]int{s.shards.of, s.replicas.of} {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			if !slices.ContainsFunc(o.Groups, func(g sim.Group) bool { return g.Name == name }) {
				return fmt.Errorf("found a number for the group %s, want one that --conf %s=FILE names", name, name)
			}
		}
	}
	return nil
}
