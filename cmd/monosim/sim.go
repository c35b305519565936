package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/simrun"
)

// simOptions are the flags of `monosim sim`.
type simOptions struct {
	conf, models     string
	shards, replicas int
	length           time.Duration
	seed             uint64
	json             bool
	policy           string
	publishAfter     time.Duration
	locations        []string
	zooKeeper        string
	modelServer      string
	quirks           string
	restartAfter     time.Duration
}

func newSimCommand() *cobra.Command {
	var o simOptions
	cmd := &cobra.Command{
		Use:   "sim --conf FILE --models DIR",
		Short: "Run a cluster built from your own agent.conf and exported models",
		Long: `Build a cluster from an agent.conf as the reference reads it and from a directory
of exported models, run it in virtual time, and print what happened.

There is one pod for each replica of each shard. The models directory holds
version directories at any depth, as <sub_graph>/<version>/saved_model.pb or
<model>/exported_models/<sub_graph>/<version>/...; only names and sizes count.
An agent of version 1 finds the sub-graphs below its base_path. For an agent of
version 3 every sub-graph is declared and published to the configured layout.`,
		Example: `  monosim sim --conf agent.conf --shards 2 --replicas 2 --models exported --for 24h
  monosim sim --conf agent.conf --models exported --for 1h --seed 7 --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.conf, "conf", "", "agent.conf of every pod (required)")
	f.StringVar(&o.models, "models", "", "directory of exported models (required)")
	f.IntVar(&o.shards, "shards", 0, "number of shards (default: num_shard of the conf, else 1)")
	f.IntVar(&o.replicas, "replicas", 1, "number of replicas of each shard")
	f.DurationVar(&o.length, "for", 24*time.Hour, "virtual time to run for, as 90s, 12h")
	f.Uint64Var(&o.seed, "seed", 1, "what every choice of the run follows from")
	f.BoolVar(&o.json, "json", false, "print one JSON object instead of text")
	f.StringVar(&o.policy, "policy", "latest", "version policy to declare for agents of version 3: latest, latest_once, all or specific")
	f.DurationVar(&o.publishAfter, "publish-after", 10*time.Second, "when to publish for agents of version 3")
	f.StringSliceVar(&o.locations, "location", nil, "idc:cluster of the replicas in turn, repeatable (default lf:default)")
	f.StringVar(&o.zooKeeper, "zookeeper", "zookeeper-3.8", "profile of ZooKeeper: zookeeper-3.8 or zookeeper-3.9")
	f.StringVar(&o.modelServer, "model-server", "tfs-2.4", "profile of TF Serving: tfs-2.4, tfs-head or python-fake")
	f.StringVar(&o.quirks, "quirks", "python", "faults of the reference to keep: python (all), fixed (none), a list as Q22,Q109, or all but a list as -Q22,-Q109")
	f.DurationVar(&o.restartAfter, "restart-after", 10*time.Second, "how long after its end a pod starts again; 0 for never")
	return cmd
}

func (o *simOptions) run(cmd *cobra.Command) error {
	input, err := o.read()
	if err != nil {
		return badInput(err)
	}
	for _, warning := range input.warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning: "+warning)
	}
	story := newStory(input)
	cluster, err := (&simrun.Runner{KeepLog: 1, OnObservation: story.observe}).Build(o.spec(input))
	if err != nil {
		return badInput(err)
	}
	defer cluster.Close()
	begin := time.Now()
	failure := o.live(cmd, cluster, input)
	report := story.report(cluster, time.Since(begin), o, failure)
	if o.json {
		encoder := json.NewEncoder(cmd.OutOrStdout())
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(report); err != nil {
			return err
		}
	} else {
		report.print(cmd.OutOrStdout())
	}
	return failure
}

// spec is the cluster of the input.
func (o *simOptions) spec(input *simInput) runners.Spec {
	spec := runners.Spec{
		Seed: o.seed, Conf: input.conf, ConfName: o.conf, Shards: input.shards, Replicas: o.replicas,
		Locations: input.locations, Models: input.models,
		ZooKeeper: o.zooKeeper, ModelServer: o.modelServer, Quirks: o.quirks, RestartAfter: o.restartAfter,
		Replay: "monosim " + strings.Join(quoted(os.Args[1:]), " "),
	}
	return spec
}

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

// live starts the cluster, publishes and lets the rest of the time pass.
func (o *simOptions) live(cmd *cobra.Command, cluster runners.Cluster, input *simInput) error {
	if err := cluster.Start(); err != nil {
		return err
	}
	end := o.length
	if input.publishes() && o.publishAfter < end {
		if err := pass(cmd, cluster, o.publishAfter, end); err != nil {
			return err
		}
		if err := o.publish(cluster, input); err != nil {
			return err
		}
	}
	return pass(cmd, cluster, end, end)
}

// publish declares and publishes everything.
func (o *simOptions) publish(cluster runners.Cluster, input *simInput) error {
	for _, m := range input.models {
		for _, g := range m.SubGraphs {
			if err := cluster.Declare(m.Name, g.Name, m.BasePath+"/"+g.Name, o.policy); err != nil {
				return fmt.Errorf("declare %s:%s: %w", m.Name, g.Name, err)
			}
		}
	}
	for _, m := range input.models {
		for _, g := range m.SubGraphs {
			if err := cluster.Publish("", m.Name, g.Name); err != nil {
				return fmt.Errorf("publish %s:%s: %w", m.Name, g.Name, err)
			}
		}
	}
	return nil
}

// pass lets time pass until an instant, with progress on the way to end.
func pass(cmd *cobra.Command, cluster runners.Cluster, until, end time.Duration) error {
	progress := newProgress(cmd.ErrOrStderr(), int64(end/time.Second), "virtual seconds", func(done int64) string {
		return fmt.Sprintf("t+%s of %s", time.Duration(done)*time.Second, end)
	})
	defer progress.done()
	// Many small steps, so that progress shows; they do not change the run.
	step := max(end/500, time.Second)
	for now := cluster.Now(); now < until; now = cluster.Now() {
		if _, err := cluster.Pass(min(step, until-now), nil); err != nil {
			return err
		}
		progress.at(int64(cluster.Now() / time.Second))
	}
	return nil
}

// simInput is what the files and flags say.
type simInput struct {
	conf      string
	values    confValues
	shards    int
	locations []runners.Location
	models    []runners.Model
	warnings  []string
}

// publishes says whether models must be published to be served.
func (in *simInput) publishes() bool { return in.values.version == 3 }

func (o *simOptions) read() (*simInput, error) {
	switch {
	case o.conf == "":
		return nil, errors.New("--conf: found nothing, want an agent.conf")
	case o.models == "":
		return nil, errors.New("--models: found nothing, want a directory of exported models")
	case o.length <= 0:
		return nil, fmt.Errorf("--for: found %s, want a time above 0", o.length)
	case o.replicas < 1:
		return nil, fmt.Errorf("--replicas: found %d, want 1 or more", o.replicas)
	}
	in := &simInput{}
	if err := in.readConf(o); err != nil {
		return nil, err
	}
	if err := in.readLocations(o.locations); err != nil {
		return nil, err
	}
	graphs, err := readModels(o.models)
	if err != nil {
		return nil, err
	}
	in.place(graphs)
	return in, nil
}

func (in *simInput) readLocations(words []string) error {
	for _, w := range words {
		idc, cluster, ok := strings.Cut(w, ":")
		if !ok || idc == "" || cluster == "" {
			return fmt.Errorf("--location: found %q, want idc:cluster", w)
		}
		in.locations = append(in.locations, runners.Location{IDC: idc, Cluster: cluster})
	}
	return nil
}

// place says where the store has the graphs: below the conf's base_path for
// version 1, below /models for version 3.
func (in *simInput) place(graphs []exportedGraph) {
	index := map[string]int{}
	for _, g := range graphs {
		name := in.values.baseName
		base := in.values.basePath
		if in.publishes() {
			name = g.modelOf(in.values.baseName)
			base = "/models/" + name
		}
		i, ok := index[name]
		if !ok {
			i = len(in.models)
			index[name] = i
			in.models = append(in.models, runners.Model{Name: name, BasePath: base})
		}
		in.models[i].SubGraphs = append(in.models[i].SubGraphs, g.SubGraph)
	}
}
