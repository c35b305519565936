package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/runners/timeline"
	"github.com/monosim/monosim/runners/whatif"
)

// newSimCommand makes `monosim sim`.
func newSimCommand() *cobra.Command {
	var o whatif.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sim --conf FILE --models DIR",
		Short: "Run a cluster built from your own agent.conf and exported models",
		Long: `Build a cluster from an agent.conf as the reference reads it and from a directory
of exported models, run it in virtual time, and print what happened.

There is one pod for each replica of each shard. The models directory holds
version directories at any depth, as <sub_graph>/<version>/saved_model.pb or
<model>/exported_models/<sub_graph>/<version>/...; only names and sizes count.
An agent of version 1 finds the sub-graphs below its base_path. For an agent of
version 3 every sub-graph is declared and published to the configured layout.

The exit code is 0 when the run came to its end, 1 when it broke off, and 2 when what
was asked for makes no sense: a conf with which no agent starts, a directory without
models. What is interrupted (Ctrl-C, SIGTERM) is reported up to there, with a whole file
of --trace, and the exit code is 128 and the number of the signal.`,
		Example: `  monosim sim --conf agent.conf --shards 2 --replicas 2 --models exported --for 24h
  monosim sim --conf agent.conf --models exported --for 1h --seed 7 --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return sim(cmd, o, asJSON) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Conf, "conf", "", "agent.conf of every pod (required)")
	f.StringVar(&o.Models, "models", "", "directory of exported models (required)")
	f.IntVar(&o.Shards, "shards", 0, "number of shards (default: num_shard of the conf, else 1)")
	f.IntVar(&o.Replicas, "replicas", 1, "number of replicas of each shard")
	f.DurationVar(&o.For, "for", 24*time.Hour, "virtual time to run for, as 90s, 12h")
	f.Uint64Var(&o.Seed, "seed", 1, "what every choice of the run follows from")
	f.StringVar(&o.Trace, "trace", "", "write everything that happened into a file: "+timeline.Help)
	f.BoolVar(&asJSON, "json", false, "print JSON instead of text")
	f.StringVar(&o.Policy, "policy", "latest", "version policy to declare for agents of version 3: latest, latest_once, all or specific")
	f.DurationVar(&o.PublishAfter, "publish-after", 10*time.Second, "when to publish for agents of version 3")
	f.StringSliceVar(&o.Locations, "location", nil, "idc:cluster of the replicas in turn (default lf:default); may be repeated")
	f.StringVar(&o.ZooKeeper, "zookeeper", "zookeeper-3.8", "profile of ZooKeeper: zookeeper-3.8 or zookeeper-3.9")
	f.StringVar(&o.ModelServer, "model-server", "tfs-2.4", "profile of TF Serving: tfs-2.4, tfs-head or python-fake")
	f.StringVar(&o.Quirks, "quirks", "python", quirksHelp)
	f.DurationVar(&o.RestartAfter, "restart-after", 10*time.Second, "how long after its end a pod starts again; 0 for never")
	return cmd
}

func sim(cmd *cobra.Command, o whatif.Options, asJSON bool) error {
	o.Replay = "monosim " + strings.Join(quoted(os.Args[1:]), " ")
	if err := checkQuirks(o.Quirks); err != nil {
		return badInput(err)
	}
	cluster, err := whatif.Read(o)
	var conf whatif.ConfError
	if errors.As(err, &conf) {
		err = errors.New(strings.Join(conf, "\nmonosim: ")) // each as main prints an error
	}
	if err != nil {
		return badInput(err)
	}
	for _, warning := range cluster.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning: "+warning)
	}
	progress := newProgress(cmd.ErrOrStderr(), int64(o.For/time.Second), "virtual seconds", func(done int64) string {
		return fmt.Sprintf("t+%s of %s", time.Duration(done)*time.Second, o.For)
	})
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	report, failure := cluster.Run(ctx, func(now time.Duration) { progress.at(int64(now / time.Second)) })
	progress.done()
	if report == nil {
		return badInput(failure)
	}
	if err := printSim(cmd.OutOrStdout(), report, asJSON); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return interruptedBy(ctx, fmt.Sprintf("after %vs of %v", report.VirtualSec, o.For))
	}
	return broken(failure)
}

func printSim(w io.Writer, report *whatif.Report, asJSON bool) error {
	if !asJSON {
		report.Print(w)
		return nil
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

// broken is a run that broke off, whatever it says of files of the cluster.
func broken(failure error) error {
	if failure == nil {
		return nil
	}
	return &exitError{code: exitFailed, err: failure}
}

// quoted are the arguments as a shell takes them.
func quoted(args []string) []string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = a
		if strings.ContainsAny(a, " '\"\\$*?;&|<>()") {
			list[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return list
}
