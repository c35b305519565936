package explore

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/features/explore"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/timeline"
)

// output prints the failures that a hunt finds, and saves them as scenarios.
type output struct {
	cmd      *cobra.Command
	o        *options
	out      io.Writer
	begin    time.Time
	progress *command.Progress
	// names counts how often each file name was used, to number the repeated ones.
	names map[string]int
	// files holds the scenarios that were found, and found describes what each of them shows. Both
	// are keyed by file name.
	files fstest.MapFS
	found map[string]*explore.Found
}

func newOutput(cmd *cobra.Command, o *options) *output {
	u := &output{cmd: cmd, o: o, out: cmd.OutOrStdout(), begin: time.Now(), names: map[string]int{}, files: fstest.MapFS{}, found: map[string]*explore.Found{}}
	if o.json {
		u.out = io.Discard
	}
	return u
}

// open prints what will be explored, and makes the folder that --save names.
func (u *output) open() error {
	if u.o.save != "" {
		if err := os.MkdirAll(u.o.save, 0o777); err != nil {
			return fmt.Errorf("--save: %w", err)
		}
	}
	names := namesOf(u.o.hunt.Worlds)
	if len(names) > 12 {
		names = append(names[:12], "and others")
	}
	fmt.Fprintf(u.out, "exploring from seed %d: %s\n", u.o.hunt.Seed, strings.Join(names, ", "))
	total := int64(-1)
	if u.o.hunt.Seeds > 0 {
		total = int64(u.o.hunt.Seeds * len(u.o.hunt.Worlds))
	}
	var last explore.Tally
	u.progress = command.NewProgress(u.cmd.ErrOrStderr(), total, "stories", func(int64) string {
		return fmt.Sprintf("%d stories, %d told in all, %d kinds of failures", last.Stories, last.Told, len(last.Found))
	})
	u.o.hunt.Progress = func(t *explore.Tally) {
		last = *t
		u.progress.At(int64(t.Stories))
	}
	u.o.hunt.Tell = u.tell
	return nil
}

// tell prints one failure or quirk that the hunt has found.
func (u *output) tell(f *explore.Found) error {
	name := f.Name
	if u.names[f.Name]++; u.names[f.Name] > 1 {
		name += fmt.Sprintf("-%d", u.names[f.Name])
	}
	name += ".feature"
	u.found[name] = f
	u.files[name] = &fstest.MapFile{Data: []byte(f.Scenario)}
	u.progress.Done()
	fmt.Fprintf(u.out, "\n%s: %s\n%s\n%s", f.What, cause(f), indent(f.Err), indent(f.Scenario))
	if f.Moment != nil {
		fmt.Fprintf(u.out, "\n%s", indent(moment(f)))
	}
	if u.o.save == "" {
		return nil
	}
	path := filepath.Join(u.o.save, name)
	if err := wholefile.Write(path, []byte(f.Scenario)); err != nil {
		return err
	}
	fmt.Fprintf(u.out, "  %s\n", again(path, f))
	return nil
}

// again returns the command that runs a saved scenario again.
func again(path string, f *explore.Found) string {
	text := "monosim test " + path
	if !f.Story.Plain {
		text += fmt.Sprintf(" --seed %d", f.Seed)
	}
	return text
}

// longestThen limits the text that says what happened after the decisive moment of a failure, in
// characters.
const longestThen = 120

// moment describes the random choice that decided the failure. It returns "" if nobody asked for
// it.
func moment(f *explore.Found) string {
	if f.Moment == nil {
		return ""
	}
	return f.Moment.Text(func(o *runners.Observation) string { return timeline.Shorten(timeline.Phrase(o), longestThen) })
}

// cause says in words why a story failed: it names the quirk whose repair would make the story
// pass, if there is one.
func cause(f *explore.Found) string {
	if f.Cause == "" {
		return "no repair makes it pass"
	}
	return "by " + f.Cause
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

// close prints the totals of the hunt. t is nil if the hunt was broken off.
func (u *output) close(t *explore.Tally) error {
	u.progress.Done()
	if t == nil {
		return nil
	}
	if u.o.json {
		return u.printJSON(t)
	}
	if len(t.Found) > 0 {
		fmt.Fprintln(u.out)
		table := tabwriter.NewWriter(u.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "what\tcause\ttimes\tafter\tworld\tacts")
		for _, f := range t.Found {
			events := len(f.Story.Acts)
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%d\n", f.What, cmp.Or(f.Cause, "-"), f.Times, f.After, f.World, events)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if find := u.o.hunt.Find; len(find) > 0 {
		missing := u.o.hunt.Missing()
		fmt.Fprintf(u.out, "found %d of %d quirks", len(find)-len(missing), len(find))
		if len(missing) > 0 {
			fmt.Fprintf(u.out, "; not found: %s", strings.Join(missing, ", "))
		}
		fmt.Fprintln(u.out)
	}
	wall := time.Since(u.begin)
	fmt.Fprintf(u.out, "%d stories (%d failed, %d kinds, %d of them without a cause", t.Stories, t.Failed, len(t.Found), t.Unknown())
	if t.Left > 0 {
		fmt.Fprintf(u.out, ", %d not looked at", t.Left)
	}
	if t.Lost > 0 {
		fmt.Fprintf(u.out, ", %d lost", t.Lost)
	}
	fmt.Fprintf(u.out, "), %d told in all, %d again without leaps, %v virtual in %v wall, %.0f a second\n",
		t.Told, t.Again, t.Virtual.Round(time.Minute), wall.Round(time.Millisecond), float64(t.Told)/wall.Seconds())
	return nil
}

// printJSON prints the totals of the hunt as JSON.
func (u *output) printJSON(t *explore.Tally) error {
	type found struct {
		What     string `json:"what"`
		Cause    string `json:"cause"`
		Error    string `json:"error"`
		Times    int    `json:"times"`
		After    int    `json:"after"`
		World    string `json:"world"`
		Seed     uint64 `json:"seed"`
		Plain    bool   `json:"plain"`
		Choices  int    `json:"choices"`
		Scenario string `json:"scenario"`
		Moment   string `json:"moment,omitempty"`
	}
	list := []found{}
	for _, f := range t.Found {
		list = append(list, found{f.What, f.Cause, f.Err, f.Times, f.After, f.World, f.Seed, f.Story.Plain, len(f.Story.Choices), f.Scenario, moment(f)})
	}
	return command.PrintJSON(u.cmd, map[string]any{
		"missing": append([]string{}, u.o.hunt.Missing()...), "stories": t.Stories, "failed": t.Failed, "told": t.Told, "again": t.Again, "lost": t.Lost, "left": t.Left,
		"virtual_seconds": t.Virtual.Seconds(), "wall_seconds": time.Since(u.begin).Seconds(), "found": list,
	})
}

// report runs the found scenarios as `monosim test` would, to write the reports of --format.
func (u *output) report(t *explore.Tally, to steps.Listener, runner runners.Runner) error {
	if len(t.Found) == 0 {
		summary := steps.NewSummary(steps.Plan{Glue: &steps.Glue{}})
		if err := to.Begin(summary.Plan); err != nil {
			return err
		}
		return to.End(summary)
	}
	s := &steps.Suite{Runner: runner, FS: u.files, Paths: []string{"."}, Seed: t.Found[0].Seed, Quirks: u.o.hunt.Quirks, Jobs: u.o.hunt.Jobs, Instants: u.instants}
	_, err := s.Stream(context.Background(), to)
	return err
}

// instants returns the moment at which a random choice decided that the scenario in a file fails.
// It returns nil if no single choice decided.
func (u *output) instants(path string) []timeline.Instant {
	f := u.found[path]
	if f == nil || f.Moment == nil || f.Moment.Always {
		return nil
	}
	return []timeline.Instant{{At: f.Moment.At, Who: f.Moment.Choice.Node, Text: moment(f)}}
}

// printWorlds lists the worlds.
func (o *options) printWorlds(cmd *cobra.Command) error {
	type world struct {
		Name   string   `json:"name"`
		Shapes []string `json:"shapes"`
	}
	list := lists.Map(o.hunt.Worlds, func(w *explore.World) world { return world{w.Name, w.Shapes} })
	if o.json {
		return command.PrintJSON(cmd, list)
	}
	for _, w := range list {
		fmt.Fprintf(cmd.OutOrStdout(), "%s\n  %s\n", w.Name, strings.Join(w.Shapes, "\n  "))
	}
	return nil
}
