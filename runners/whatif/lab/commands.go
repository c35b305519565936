package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/cmd/monosim/whatif"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/runners/whatif/lab/calibrate"
	"github.com/monosim/monosim/runners/whatif/lab/observe"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// loadFlags holds the flags of commands that run real processes.
type loadFlags struct{ warm, saturate, roundTrip time.Duration }

func (f *loadFlags) add(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&f.warm, "warm", 2*time.Second, "part of the horizon at its begin that does not count")
	cmd.Flags().DurationVar(&f.roundTrip, "round-trip", 0, "what each call takes on its way there and back beside the loopback's time; replay adds it, calibrate leaves it out")
	cmd.Flags().DurationVar(&f.saturate, "saturate", 5*time.Second, "for how long, before the load, half as much again is asked as the servers can do, for the throughput's knee; 0 for not at all")
}

// found returns the options with the path of the program monosim filled in.
func (f *loadFlags) found(cmd *cobra.Command) (o observe.Options, err error) {
	o = f.options(cmd)
	o.Monosim, err = command.FindProgram("monosim", "make lab builds both")
	return o, err
}

// options returns the options of a run that prints its progress to standard error.
func (f *loadFlags) options(cmd *cobra.Command) observe.Options {
	return observe.Options{Warm: f.warm, Saturate: f.saturate, RoundTrip: f.roundTrip, Progress: func(step string) { fmt.Fprintln(cmd.ErrOrStderr(), step) }}
}

func newObserve() *cobra.Command {
	var f loadFlags
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "observe PLAN -o FILE",
		Short: "Run the fleet of a plan as real processes under load, and write down what was measured",
		Long: `Start a cluster of processes on the loopback for a plan: ZooKeeper, agents of version 1
and monosim tfserving, whose models take as long as service.ps.cpu says (det, uniform,
lognormal, or affine by the items of a request), service.ps.threads requests at once. The load is open: requests come when those
of the simulation of the plan come, and latencies count from then on, whether the servers
keep up or not. The load generator is the fleet's entry: it chooses among the replicas that
an agent lists, calls all PS, tries again and hedges after a time, as override and client
say. Events happen as they say: kills and slow-downs of PS, versions that are published
(with override.fs_poll_ps), outages of ZooKeeper and lost leaders.

The file has every request and every call, with how long it waited and was worked on by the
server's account, how long killed containers were still listed and how long each took to
serve a version, the memory of the servers, and whether others had the machine meanwhile.
What the plan asks and no cluster of processes can be is refused, all of it by its name: a
dense tier and agents of version 3 (the load generator is an entry of version 1), packets that
are lost and partitions (the network is the loopback, which loses nothing), hedging after a
quantile, other service laws than those above, closed loops, several models.`,
		Example: `  monosim-lab observe plan.yaml -o observed.json
  monosim-lab calibrate observed.json -o plan.profile
  monosim-lab replay plan.yaml observed.json`,
		Args: command.OneArgument("plan file"),
		RunE: func(cmd *cobra.Command, args []string) error { return runObserve(cmd, args[0], out, &f, asJSON) },
	}
	f.add(cmd)
	cmd.Flags().StringVarP(&out, "output", "o", "", "file for what was measured")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was measured, in short, as JSON instead of text; problems of the plan, too")
	return cmd
}

func runObserve(cmd *cobra.Command, path, out string, f *loadFlags, asJSON bool) error {
	if out == "" {
		return command.BadInput(errors.New("-o: found no file, want one for what is measured"))
	}
	p, err := whatif.ReadPlan(cmd, path, asJSON)
	if err != nil {
		return err
	}
	if err := observe.Supported(p, f.options(cmd)); err != nil {
		return command.BadInput(fmt.Errorf("%s:\n%w", path, err))
	}
	file, err := wholefile.Create(out)
	if err != nil {
		return command.BadInput(err)
	}
	defer file.Discard()
	ctx, stop := command.UntilSignal(cmd.Context())
	defer stop()
	options, err := f.found(cmd)
	if err != nil {
		return err
	}
	o, err := observe.Run(ctx, p, options)
	if ctx.Err() != nil {
		return command.InterruptedBy(ctx, "before all was measured; nothing is written")
	}
	if err != nil {
		return err
	}
	if err := errors.Join(o.Write(file), file.Close()); err != nil {
		return err
	}
	if asJSON {
		return command.PrintJSON(cmd, o.Summary(out))
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", out, o.String())
	return nil
}

func newCalibrate() *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "calibrate OBSERVATION... -o PROFILE",
		Short: "Fit service times and overheads to what was observed, for service.profile of plans",
		Long: `Fit laws to files of monosim-lab observe: the work of PS (log-normal, gamma,
exponential or uniform, whichever is nearest, or else a histogram beside the profile; where
requests had items, a time for a call, one for each of its items, and by how much both vary),
what a call takes beyond it, and how late the entry begins. Every parameter has an interval of 95 %.
A plan with service: {profile: FILE} takes all of it, and TRUST of its reports says what it
was calibrated on.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.BadInput(errors.New("found no observation, want one or more files of monosim-lab observe"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runCalibrate(cmd, args, out, asJSON) },
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file for the profile")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the parameters as JSON instead of text")
	return cmd
}

func runCalibrate(cmd *cobra.Command, files []string, out string, asJSON bool) error {
	if out == "" {
		return command.BadInput(errors.New("-o: found no file, want one for the profile"))
	}
	var list []*observe.Observation
	for _, name := range files {
		o, err := observe.Read(name)
		if err != nil {
			return command.BadInput(err)
		}
		list = append(list, o)
	}
	p, err := calibrate.Fit(list)
	if err != nil {
		return command.BadInput(err)
	}
	if err := p.Write(out); err != nil {
		return command.BadInput(err)
	}
	if asJSON {
		return command.PrintJSON(cmd, p.All())
	}
	return p.Print(cmd.OutOrStdout())
}

func newReplay() *cobra.Command {
	var into string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay PLAN OBSERVATION",
		Short: "Simulate a plan with the arrivals that were observed, and print both side by side",
		Long: `Simulate a plan twenty times with the arrivals of a file of monosim-lab observe, and print
latencies, the share of answers and the knee of the throughput beside what was measured. The
plan has to be the one that was observed, but for its service times and its network, which
may come from a profile. The exit code is 1 when p50 is off by more than 5 %, p99 by more than
10 %, the knee by more than 5 % or the share of answers by more than a percentage point.

--into adds the errors to a profile, whose plans then say in TRUST how well the simulation
foretold what the profile was not made of.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return command.BadInput(fmt.Errorf("found %d arguments, want a plan and a file of monosim-lab observe", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runReplay(cmd, args[0], args[1], into, asJSON) },
	}
	cmd.Flags().StringVar(&into, "into", "", "profile that the errors are added to")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text")
	return cmd
}

func runReplay(cmd *cobra.Command, path, observed, into string, asJSON bool) error {
	p, err := whatif.ReadPlan(cmd, path, false)
	if err != nil {
		return err
	}
	o, err := observe.Read(observed)
	if err != nil {
		return command.BadInput(err)
	}
	if into != "" {
		if _, err := plan.ReadProfile(into); err != nil {
			return command.BadInput(err)
		}
	}
	ctx, stop := command.UntilSignal(cmd.Context())
	defer stop()
	c, err := calibrate.Replay(ctx, p, o)
	if ctx.Err() != nil {
		return command.InterruptedBy(ctx, "before all was simulated")
	}
	if err != nil {
		return command.BadInput(err)
	}
	if into != "" {
		if err := calibrate.Record(into, []*calibrate.Comparison{c}); err != nil {
			return command.BadInput(err)
		}
	}
	if asJSON {
		err = command.PrintJSON(cmd, c)
	} else {
		err = c.Write(cmd.OutOrStdout())
	}
	if n := len(c.Missed()); err == nil && n > 0 {
		return &command.ExitError{Code: command.ExitFailed, Err: fmt.Errorf("%d numbers of the simulation are further from the measurement than is aimed at", n)}
	}
	return err
}

// fidelityFlags holds the flags of the command bench.
type fidelityFlags struct {
	loadFlags
	json         bool
	horizon      time.Duration
	keep, record string
}

func newBench() *cobra.Command {
	var f fidelityFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Hold the simulation to real processes (goal G9), and say which aims are reached",
		Long: `Observe fourteen clusters of processes under load, fit a profile to three of them, and hold
the simulation to the others; then have agents roll out versions. That takes the machine for a
quarter of an hour; what others do on it meanwhile is in the figures, and whether it was: on a
machine that others use, give it priority (chrt -r 10).`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runFidelity(cmd, &f) },
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.horizon, "horizon", 30*time.Second, "how long each load is")
	flags.StringVar(&f.keep, "keep", "", "folder in which observations and profile stay")
	flags.StringVar(&f.record, "record", "", "file for the errors that TRUST of reports prints")
	flags.BoolVar(&f.json, "json", false, "print JSON instead of text")
	f.add(cmd)
	return cmd
}

func runFidelity(cmd *cobra.Command, f *fidelityFlags) error {
	options, err := f.found(cmd)
	if err != nil {
		return err
	}
	dir := f.keep
	if dir == "" {
		made, err := os.MkdirTemp("", "monosim-fidelity-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		dir = made
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return command.BadInput(err)
	}
	ctx, stop := command.UntilSignal(cmd.Context())
	defer stop()
	r, err := calibrate.Bench(ctx, calibrate.BenchOptions{Observe: options, Horizon: f.horizon, Dir: dir, Story: calibrate.DefaultStory})
	if ctx.Err() != nil {
		return command.InterruptedBy(ctx, "before all was measured")
	}
	if err != nil {
		return err
	}
	if f.record != "" {
		text, err := json.MarshalIndent(r.Fidelity(), "", "  ")
		if err == nil {
			err = wholefile.Write(f.record, append(text, '\n'))
		}
		if err != nil {
			return command.BadInput(err)
		}
	}
	if f.json {
		err = command.PrintJSON(cmd, r)
	} else {
		err = r.Write(cmd.OutOrStdout())
	}
	if _, missed := r.Aimed(); err == nil && missed > 0 {
		return &command.ExitError{Code: command.ExitFailed, Err: fmt.Errorf("%d aims missed", missed)}
	}
	return err
}
