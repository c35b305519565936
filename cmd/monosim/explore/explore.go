// Package explore has the command `monosim explore`, which looks for faults that no scenario shows.
//
// Two things to use first:
//
//   - [New] makes the command.
//   - Package features/explore draws random stories, and shortens those that fail.
//
// To change
//
//   - flags, and what they ask for: explore.go
//   - what is printed and saved: output.go
//
// Unstable: any commit may change it.
package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/explore"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/vectors/scope"
)

// Parts holds the functions that the command takes from the rest of the program.
type Parts struct {
	// Runner makes the runner that plays the randomly drawn stories.
	Runner func() runners.Runner
	// Suite makes a suite of the scenarios at some paths.
	Suite func(paths []string, runner runners.Runner) (*steps.Suite, error)
	// Reports makes a listener that writes the reports which --format asks for.
	Reports func(formats []string, out io.Writer) (steps.Listener, error)
}

// options holds the flags.
type options struct {
	hunt    explore.Hunt
	worlds  []string
	budget  time.Duration
	shard   string
	save    string
	record  string
	formats []string
	list    bool
	json    bool
}

// New makes the command.
func New(parts Parts) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "explore [WORLD.feature...]",
		Short: "Look for faults that no scenario shows, and cut them down to scenarios",
		Long: `Draw stories for clusters, tell them in virtual time, and hold what happens to invariants:
at any time, and once all faults are over. A failure is cut down to a short scenario that
monosim test runs, with every choice plain but for those that it needs. Its cause is the
smallest set of repairs of the reference with which the scenario passes.

Without an argument all worlds of --list are explored. WORLD.feature, also with :LINE, has scenarios
whose shape and story are taken, without what they assert; faults are put in. Pods and processes
that end start again, after 15 s or 20 s where the scenario does not say when.
builtin:features/rollout.feature names a file of this binary.

What is found is printed as it is found, one of each invariant and cause. The exit code is 0 when
each has a cause, 1 when one has none, and 2 when what was asked for makes no sense. With --find
it is 0 when all of these quirks were found, and else 1. A run that is interrupted ends in order, with 128 and the number of the signal.`,
		Example: `  monosim explore --for 60s
  monosim explore --quirks fixed --seeds 1000 --jobs 2
  monosim explore builtin:features/rollout.feature --seeds 200 --save found
  monosim explore --find Q208,Q43 --seeds 400
  monosim explore --world 'v3 1x3' --for 10m --format junit:found.xml --format html:found.html`,
		SilenceUsage: true,
		RunE:         func(cmd *cobra.Command, args []string) error { return o.run(cmd, args, parts) },
	}
	cmd.SetFlagErrorFunc(command.FlagError)
	f := cmd.Flags()
	f.Uint64Var(&o.hunt.Seed, "seed", 1, "what the first story of each world follows from")
	f.IntVar(&o.hunt.Seeds, "seeds", 0, "how many stories each world gets; 0 for as many as there is time for")
	f.DurationVar(&o.budget, "for", 0, "end after this time of the wall clock, as 60s (default 60s, without --seeds)")
	f.IntVar(&o.hunt.Jobs, "jobs", 0, "how many stories to tell at the same time, 0 for one for each core; changes nothing but the speed")
	f.StringVar(&o.shard, "shard", "", "tell one part of the stories, as 1/4 for the first of four")
	f.StringVar(&o.hunt.Quirks, "quirks", "", "which faults of the reference clusters have: python (default), fixed, ids to keep as Q22,Q117, or ids to repair as -Q22,-Q117")
	f.StringSliceVar(&o.hunt.Find, "find", nil, "end once each of these quirks, as Q208,Q43, was found as a cause; the exit code is 1 if one was not")
	f.BoolVar(&o.hunt.FailFast, "fail-fast", false, "end with the first failure that has no cause")
	f.BoolVar(&o.hunt.Moments, "moments", false, "say of each failure by which choice it was lost, and what happened then: up to 400 stories more each")
	f.StringArrayVar(&o.worlds, "world", nil, "explore only the world of this name; may be repeated")
	f.StringVar(&o.save, "save", "", "write each scenario into this folder")
	f.StringVar(&o.record, "record", "", "note in this file which quirks were found, after how many stories; the others in it stay")
	f.StringArrayVar(&o.formats, "format", nil, "report what was found as monosim test does: progress, pretty, junit, cucumber, messages or html, with :FILE into a file; may be repeated")
	f.BoolVar(&o.list, "list", false, "print the worlds with their shapes, and tell nothing")
	f.BoolVar(&o.json, "json", false, "print JSON, once at the end")
	return cmd
}

// check returns an error for flags that make no sense, and sets the defaults of omitted flags.
func (o *options) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	switch {
	case o.hunt.Seeds < 0 || given("seeds") && o.hunt.Seeds == 0:
		return fmt.Errorf("--seeds: found %d, want 1 or more", o.hunt.Seeds)
	case given("for") && o.budget <= 0:
		return fmt.Errorf("--for: found %v, want more than 0, as 60s", o.budget)
	case o.hunt.Jobs < 0:
		return fmt.Errorf("--jobs: found %d, want 1 or more, or 0 for one for each core", o.hunt.Jobs)
	}
	if o.hunt.Seeds == 0 && o.budget == 0 {
		o.budget = time.Minute
	}
	if o.record != "" {
		_, err := explore.ReadRecord(o.record)
		if errors.Is(err, fs.ErrNotExist) {
			if _, err = os.Stat(filepath.Dir(o.record)); err != nil {
				err = fmt.Errorf("%s: %w, want its folder to be there", o.record, err)
			}
		}
		if err != nil {
			return fmt.Errorf("--record: %w", err)
		}
	}
	if err := scope.CheckToggles(o.hunt.Quirks); err != nil {
		return fmt.Errorf("--quirks: %w", err)
	}
	for i, id := range o.hunt.Find {
		q, err := scope.FindQuirk(id)
		if err == nil && q.Decision != scope.Fix {
			err = fmt.Errorf("found %s, want one that can be repaired; its decision is %s", id, q.Decision)
		}
		if err != nil {
			return fmt.Errorf("--find: %w", err)
		}
		o.hunt.Find[i] = q.ID
	}
	var err error
	o.hunt.Shard, o.hunt.Shards, err = command.Shard(o.shard)
	return err
}

func namesOf(worlds []*explore.World) []string {
	return lists.Map(worlds, func(w *explore.World) string { return w.Name })
}

// choose finds the worlds.
func (o *options) choose(paths []string, parts Parts) error {
	all := explore.Worlds()
	if len(paths) > 0 {
		suite, err := parts.Suite(paths, o.hunt.Runner)
		if err != nil {
			return err
		}
		stories, err := steps.NewBook(o.hunt.Runner).Stories(suite)
		if err != nil {
			return err
		}
		all = nil
		var why error
		for _, s := range stories {
			w, err := explore.WorldOf(s.Name, s.Lines)
			if err != nil {
				why = err
				continue
			}
			all = append(all, w)
		}
		if len(all) == 0 {
			return why
		}
	}
	if len(o.worlds) == 0 {
		o.hunt.Worlds = all
		return nil
	}
	for _, name := range o.worlds {
		i := slices.IndexFunc(all, func(w *explore.World) bool { return w.Name == name })
		if i < 0 {
			return fmt.Errorf("--world: %w", command.OneOf(name, namesOf(all)))
		}
		o.hunt.Worlds = append(o.hunt.Worlds, all[i])
	}
	return nil
}

func (o *options) run(cmd *cobra.Command, paths []string, parts Parts) error {
	if err := o.check(cmd); err != nil {
		return command.BadInput(err)
	}
	o.hunt.Runner = parts.Runner()
	if err := o.choose(paths, parts); err != nil {
		return command.BadInput(err)
	}
	if o.list {
		return o.printWorlds(cmd)
	}
	var reports steps.Listener
	if len(o.formats) > 0 {
		var err error
		if reports, err = parts.Reports(o.formats, cmd.OutOrStdout()); err != nil {
			return command.BadInput(err)
		}
	}
	out := newOutput(cmd, o)
	if err := out.open(); err != nil {
		return command.BadInput(err)
	}
	ctx, stop := command.UntilSignal(cmd.Context())
	defer stop()
	work, end := ctx, context.CancelFunc(func() {})
	if o.budget > 0 {
		work, end = context.WithTimeout(ctx, o.budget)
	}
	defer end()
	tally, err := o.hunt.Run(work)
	if err != nil {
		return errors.Join(err, out.close(nil))
	}
	err = out.close(tally)
	if o.record != "" {
		err = errors.Join(err, explore.Record(o.record, tally))
	}
	if reports != nil {
		err = errors.Join(err, out.report(tally, reports, o.hunt.Runner))
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return command.InterruptedBy(ctx, fmt.Sprintf("after %d stories", tally.Stories))
	case len(o.hunt.Find) > 0:
		if missing := o.hunt.Missing(); len(missing) > 0 {
			return &command.ExitError{Code: command.ExitFailed}
		}
	case tally.Unknown() > 0:
		return &command.ExitError{Code: command.ExitFailed}
	}
	return nil
}
