package main

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/sim"
)

// open opens the output files of a run, before the run begins.
func (s *simFlags) open() (*command.OutFiles[*sim.Report], error) {
	return command.OpenFiles(command.OutFile[*sim.Report]{Name: s.series, Form: (*sim.Report).WriteSeries}, command.OutFile[*sim.Report]{Name: s.html, Form: (*sim.Report).WriteHTML})
}

// swept lists the flags that --sweep can set to several values.
var swept = []string{
	"for", "load-speed", "memory-limit", "model-server", "policy", "publish-after", "quirks", "replicas", "restart-after", "seed", "shards", "zookeeper",
}

// sweepAll runs the cluster for each combination of the swept values, and prints a row for each
// run.
func (s *simFlags) sweepAll(ctx context.Context, cmd *cobra.Command) error {
	return command.Sweep{
		Values: s.sweep, Example: "a flag and its values, as replicas=10,100,300", Columns: sim.SweepColumns,
		Known: func(name string) error { return command.OneOf(name, swept) },
		Set:   func(name, value string) error { return cmd.Flags().Set(name, value) },
		Read: func() error {
			_, err := s.read()
			return err
		},
		Run: func() ([]string, error) {
			report, failure := s.once(ctx, cmd)
			if report == nil {
				return nil, command.BadInput(failure)
			}
			if err := s.outcome(ctx, report, failure); report.Failure != "" {
				return nil, err
			}
			return report.SweepRow(), nil
		},
	}.All(cmd, "html", "json", "series", "trace", "fail-unless-available")
}

// groupCounts holds a number for each group of pods. all applies to every group that the map of
// does not name.
type groupCounts struct {
	all int
	of  map[string]int
}

// Set parses a number or GROUP=N. Several can be given, separated by commas.
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

// Type is the name of the value's type in help texts.
func (c *groupCounts) Type() string { return "int" }

// forGroup returns the number for the named group, or else the number for all groups.
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
