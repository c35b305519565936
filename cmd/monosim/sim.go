package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/show/timeline"
	"github.com/monosim/monosim/runners/sim"
	"github.com/monosim/monosim/runners/test/simrun"
	"github.com/monosim/monosim/runners/whatif/outlook"
)

// simFlags holds the flags of `monosim sim`.
type simFlags struct {
	options               sim.Options
	confs                 []string
	shards, replicas      groupCounts
	maxMemory, cost       string
	memoryLimit, loadRate string
	at, sweep             []string
	script, series, html  string
	asJSON, available     bool
	maxWall               time.Duration
}

// newSimCommand makes `monosim sim`.
func newSimCommand() *cobra.Command {
	var s simFlags
	cmd := &cobra.Command{
		Use:   "sim --conf FILE --models DIR",
		Short: "Run a cluster built from your own agent.conf and exported models",
		Long: `Build a cluster from an agent.conf as the reference reads it and from a directory
of exported models, run it in virtual time, and print what happened and what a planner
needs: watches held, requests a second, bytes, roll-outs, memory.

There is one pod for each replica of each shard. With --conf entry=a.conf --conf ps=b.conf
there are groups of pods with a conf each, whose names begin with the group's; an entry and
a dense container belong to no shard. --location has the places of a group's replicas in
turn. The models directory holds
version directories at any depth, as <sub_graph>/<version>/saved_model.pb or
<model>/exported_models/<sub_graph>/<version>/...; only names and sizes count.
An agent of version 1 finds the sub-graphs below its base_path. For an agent of
version 3 every sub-graph is declared and published to the configured layout.

--at and --script do something at a time of the run, in the sentences of scenarios:
monosim test --sentences lists them. A fault said with "for 10m" ends by itself, and an
assertion looks then. What fails is reported, and the run goes on.

--sweep runs once for each value of a flag, or of several, and prints a row of CSV for
each.

A long run says on standard error how far it is, what it costs and what it will need. One
that cannot fit into --max-memory ends as soon as that can be told, with the number that
makes it large.

The exit code is 0 when the run came to its end, 1 when it broke off, when an act failed, or
with --fail-unless-available when a model was missing at the end or was served by a pod
that the service map does not have, and 2 when what was asked for makes no sense: a conf
with which no agent starts, a directory without models. What --max-wall ends is reported
up to there, with exit code 3; what is interrupted (Ctrl-C, SIGTERM) likewise, with whole
files, and the exit code is 128 and the number of the signal.`,
		Example: `  monosim sim --conf agent.conf --shards 2 --replicas 2 --models exported --for 24h
  monosim sim --conf entry=entry.conf --conf ps=ps.conf --replicas entry=4,ps=2 --location lf:a,hl:a --models exported
  monosim sim --conf agent.conf --models exported --for 2h --at '1h: ZooKeeper goes down for 10m' --html run.html
  monosim sim --conf agent.conf --models exported --for 1h --sweep replicas=10,100,300`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	s.define(cmd.Flags())
	return cmd
}

func (s *simFlags) define(f *pflag.FlagSet) {
	o := &s.options
	s.replicas.all = 1
	f.StringArrayVar(&s.confs, "conf", nil, "agent.conf of every pod (required), or GROUP=FILE, that of a group of pods, as entry=a.conf; may be repeated")
	f.StringVar(&o.Models, "models", "", "directory of exported models (required)")
	f.Var(&s.shards, "shards", "number of shards (default: num_shard of the conf, else 1), or GROUP=N of some groups, as ps=4")
	f.Var(&s.replicas, "replicas", "number of replicas of each shard, or GROUP=N of some groups, as entry=2,ps=3")
	f.DurationVar(&o.For, "for", 24*time.Hour, "virtual time to run for, as 90s, 12h")
	f.Uint64Var(&o.Seed, "seed", 1, "what every choice of the run follows from")
	f.BoolVar(&o.NoLeaps, "no-leaps", false, noLeapsHelp)
	f.StringVar(&o.Trace, "trace", "", "write everything that happened into a file: "+timeline.Help)
	f.BoolVar(&s.asJSON, "json", false, "print JSON instead of text")
	f.StringVar(&o.Policy, "policy", "latest", "version policy to declare for agents of version 3: latest, latest_once, all or specific")
	f.DurationVar(&o.PublishAfter, "publish-after", 10*time.Second, "when to publish for agents of version 3")
	f.StringSliceVar(&o.Locations, "location", nil, "idc:cluster of the replicas in turn (default lf:default); may be repeated")
	f.StringVar(&o.ZooKeeper, "zookeeper", "zookeeper-3.8", "profile of ZooKeeper: zookeeper-3.8 or zookeeper-3.9")
	f.StringVar(&o.ModelServer, "model-server", "tfs-2.4", "profile of TF Serving: tfs-2.4, tfs-head or python-fake")
	f.StringVar(&o.Quirks, "quirks", "python", quirksHelp)
	f.DurationVar(&o.RestartAfter, "restart-after", 10*time.Second, "how long after its end a pod starts again; 0 for never")
	f.StringVar(&s.maxMemory, "max-memory", "", command.MemoryHelp)
	f.StringVar(&s.cost, "cost", "", "write into a file, as JSON, what a run that comes to its end has cost: time, events, reads, memory in use")
	f.DurationVar(&s.maxWall, "max-wall", 0, "end the run after so much time of the clock on the wall, with what there is then; 0 for never")
	f.StringArrayVar(&s.at, "at", nil, atHelp)
	f.StringVar(&s.script, "script", "", "a file of such lines")
	f.StringVar(&s.memoryLimit, "memory-limit", "", "memory that a model server may use before it is killed, as 8GiB (default: no limit)")
	f.StringVar(&s.loadRate, "load-speed", "", "how much of a model a server loads in a second, as 300MiB (default 300 MB)")
	f.BoolVar(&s.available, "fail-unless-available", false, "exit with 1 unless every model is available at the end wherever it should be")
	f.StringVar(&s.series, "series", "", "write a time series into a file, as CSV")
	f.DurationVar(&o.Every, "every", 0, "how far the rows of --series are apart (default: some 500 rows)")
	f.StringVar(&s.html, "html", "", "write a page into a file: what pods did, rates and memory over time")
	f.StringArrayVar(&s.sweep, "sweep", nil, "run once for each value of a flag, as replicas=10,100,300, and print CSV; may be repeated")
}

func (s *simFlags) run(cmd *cobra.Command) error {
	s.options.Replay = "monosim " + strings.Join(command.Quoted(os.Args[1:]), " ")
	ctx, stop := command.UntilSignal(cmd.Context())
	defer stop()
	if s.maxWall < 0 {
		return command.BadInput(fmt.Errorf("--max-wall: found %v, want a time above 0", s.maxWall))
	}
	if s.maxWall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.maxWall, errMaxWall)
		defer cancel()
	}
	if len(s.sweep) > 0 {
		return s.sweepAll(ctx, cmd)
	}
	files, err := s.open()
	if err != nil {
		return command.BadInput(err)
	}
	defer files.Discard()
	report, failure := s.once(ctx, cmd)
	if report == nil {
		return command.BadInput(failure)
	}
	if err := printSim(cmd.OutOrStdout(), report, s.asJSON); err != nil {
		return err
	}
	if err := files.Write(report); err != nil {
		return err
	}
	return s.outcome(ctx, report, failure)
}

// errMaxWall is the cancellation cause of a run that exceeded the wall time of --max-wall.
var errMaxWall = errors.New("--max-wall is over")

// outcome returns the error with which the command ends after its report was made.
func (s *simFlags) outcome(ctx context.Context, report *sim.Report, failure error) error {
	far := command.Far(report.VirtualSec, s.options.For)
	switch {
	case errors.Is(context.Cause(ctx), errMaxWall) && report.Failure != "":
		return &command.ExitError{Code: command.ExitUndecided, Err: fmt.Errorf("%w %s", errMaxWall, far)}
	case ctx.Err() != nil && report.Failure != "":
		return command.InterruptedBy(ctx, far)
	case failure != nil:
		return broken(failure)
	}
	failed := 0
	for _, a := range report.Acts {
		if a.Error != "" {
			failed++
		}
	}
	if failed > 0 {
		return broken(fmt.Errorf("%d of %d acts failed", failed, len(report.Acts)))
	}
	if s.available && len(report.Unavailable) > 0 {
		return broken(fmt.Errorf("--fail-unless-available: found %d models of pods that are not available, as %s", len(report.Unavailable), report.Unavailable[0]))
	}
	if s.available && len(report.Unlisted) > 0 {
		return broken(fmt.Errorf("--fail-unless-available: found %d models of pods that are served, but not in the service map of %s, as %s", len(report.Unlisted), report.Asked, report.Unlisted[0]))
	}
	return nil
}

// once runs the cluster one time. If it returns no report, the error is about the user's input.
func (s *simFlags) once(ctx context.Context, cmd *cobra.Command) (*sim.Report, error) {
	cluster, err := s.read()
	if err != nil {
		return nil, err
	}
	for _, warning := range cluster.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning: "+warning)
	}
	if s.cost != "" { // an unwritable file has to be reported before the run, not after it
		file, err := wholefile.Create(s.cost)
		if err != nil {
			return nil, err
		}
		file.Discard()
	}
	watch, err := newSimWatch(cmd.ErrOrStderr(), cluster.Size(), s.maxMemory, s.cost)
	if err != nil {
		return nil, err
	}
	defer watch.done()
	return cluster.Run(ctx, watch.at)
}

// read makes the cluster from the flags, and schedules the faults and other acts that they ask for.
func (s *simFlags) read() (*sim.Cluster, error) {
	o := s.options
	if err := checkQuirks(o.Quirks); err != nil {
		return nil, err
	}
	if err := s.group(&o); err != nil {
		return nil, err
	}
	for _, amount := range []struct {
		flag, text string
		to         *int64
	}{{"--memory-limit", s.memoryLimit, &o.MemoryLimitBytes}, {"--load-speed", strings.TrimSuffix(s.loadRate, "/s"), &o.LoadBytesPerSecond}} {
		if amount.text == "" {
			continue
		}
		n, err := outlook.ParseBytes(amount.text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", amount.flag, err)
		}
		*amount.to = n
	}
	cluster, err := sim.Read(o)
	if conf, ok := errors.AsType[sim.ConfError](err); ok {
		// each message gets a line of its own, with the prefix that main prints
		err = errors.New(strings.Join(conf, "\nmonosim: "))
	}
	if err != nil {
		return nil, err
	}
	return cluster, s.addScript(cluster)
}

// addScript schedules in the cluster what the lines of --at and --script say.
func (s *simFlags) addScript(cluster *sim.Cluster) error {
	var lines []steps.ScriptLine
	if s.script != "" {
		text, err := os.ReadFile(s.script)
		if err != nil {
			return err
		}
		lines = steps.ScriptLines(s.script, string(text))
	}
	acts, err := steps.ReadScript(atLines(lines, s.at), &simrun.Runner{}, cluster.Spec(), s.options.For)
	if err != nil {
		return err
	}
	cluster.Script(acts)
	return nil
}

// atHelp describes the values of --at.
const atHelp = `a time and a sentence, as "1h: ZooKeeper goes down for 10m"; may be repeated`

// atLines appends the values of --at to the lines of a script.
func atLines(lines []steps.ScriptLine, at []string) []steps.ScriptLine {
	for _, text := range at {
		lines = append(lines, steps.ScriptLine{Where: "--at", Text: text})
	}
	return lines
}

func printSim(w io.Writer, report *sim.Report, asJSON bool) error {
	if !asJSON {
		report.Print(w)
		return nil
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

// broken marks the error of a run that broke off. Such an error is never bad input, even if it is
// about a file of the cluster.
func broken(failure error) error {
	if failure == nil {
		return nil
	}
	return &command.ExitError{Code: command.ExitFailed, Err: failure}
}
