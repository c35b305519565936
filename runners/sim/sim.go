// Package sim runs a simulated cluster that is built from a user's own agent.conf and
// exported models, and sums up what happened.
//
// Two things to use first:
//
//   - [Read] makes a [Cluster] of [Options], or says what is wrong with the files.
//   - [Cluster.Run] runs it in virtual time and returns a [Report], which [Report.Print] prints.
//
// To change:
//
//   - what is read of a conf: conf.go
//   - which exported models are found: models.go
//   - when they are published: run.go
//   - how often a run can be watched: pace.go
//   - the forecast of a run: package outlook
//   - what the report holds: story.go and report.go
//   - how it is printed: print.go
//
// Unstable: any commit may change it.
package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// Options describes a simulated run: its cluster, its length, and what is recorded of it.
type Options struct {
	// Conf is the path of the agent.conf that every pod gets. Models is a folder of exported
	// models.
	Conf, Models string
	// Shards is the number of shards, 0 for the number in the conf.
	Shards, Replicas int
	// Groups, unless empty, replaces Conf, Shards and Replicas: each group of pods has a conf of
	// its own.
	Groups []Group
	// For is the length of the run in virtual time.
	For  time.Duration
	Seed uint64
	// Policy is the version policy that models are declared with. PublishAfter is the virtual
	// time at which they are published. Both matter to agents of version 3 only.
	Policy       string
	PublishAfter time.Duration
	// Locations lists locations as "idc:cluster". Replicas are assigned to them in turn
	// (round-robin).
	Locations []string
	// ZooKeeper and ModelServer name profiles. Quirks and RestartAfter are as in runners.Spec.
	ZooKeeper, ModelServer, Quirks string
	RestartAfter                   time.Duration
	// MemoryLimitBytes is the memory at which a model server is killed, 0 for no limit.
	// LoadBytesPerSecond is the speed at which a model server reads models, 0 for the default.
	MemoryLimitBytes, LoadBytesPerSecond int64
	// Every is the virtual time between samples of the time series. 0 divides the run into some
	// 500 samples.
	Every time.Duration
	// Trace, when set, names a file that all events are written to. Package
	// runners/show/timeline describes its format.
	Trace string
	// NoLeaps has the meaning of runners.Spec.NoLeaps.
	NoLeaps bool
	// Replay is the command line that repeats the run, for the report.
	Replay string
}

// Group is a group of pods with an agent.conf of their own, as entry and PS containers have.
type Group struct {
	// Name is the prefix of the pods' names. Conf is the path of the group's agent.conf.
	Name, Conf string
	// Shards is the number of shards, 0 for the number in the conf. Entry and dense containers
	// belong to no shard, so for them Replicas alone gives the number of pods.
	Shards, Replicas int
}

// Cluster is the cluster that the files and options describe.
type Cluster struct {
	options   Options
	conf      string
	values    confValues
	shards    int
	groups    []runners.Group
	locations []runners.Location
	models    []runners.Model
	script    []runners.Act

	// Warnings lists the mistakes in the files that the reference ignores silently.
	Warnings []string
}

// publishes reports whether agents serve only published models, as agents of version 3 do.
func (c *Cluster) publishes() bool { return c.values.version == 3 }

// Policies lists the version policies that can be declared.
var Policies = []string{"latest", "latest_once", "all", "specific"}

// Read reads the files and checks the options. Its errors are written for the user. A
// [ConfError] means that no agent would start with this agent.conf.
func Read(o Options) (*Cluster, error) {
	switch {
	case o.Conf == "" && len(o.Groups) == 0:
		return nil, errors.New("--conf: found nothing, want an agent.conf")
	case o.Conf != "" && len(o.Groups) > 0:
		return nil, fmt.Errorf("--conf: found %s and one for %s, want a group for each or one for all", o.Conf, o.Groups[0].Name)
	case o.Models == "":
		return nil, errors.New("--models: found nothing, want a directory of exported models")
	case o.For <= 0:
		return nil, fmt.Errorf("--for: found %s, want a time above 0", o.For)
	case o.Replicas < 1 && len(o.Groups) == 0:
		return nil, fmt.Errorf("--replicas: found %d, want 1 or more", o.Replicas)
	case !slices.Contains(Policies, o.Policy):
		return nil, fmt.Errorf("--policy: found %q, want %s", o.Policy, strings.Join(Policies, ", "))
	}
	c := &Cluster{options: o}
	if err := c.readConfs(); err != nil {
		return nil, err
	}
	if err := c.readLocations(o.Locations); err != nil {
		return nil, err
	}
	graphs, err := readModels(o.Models)
	if err != nil {
		return nil, err
	}
	for _, g := range graphs {
		for _, v := range g.Incomplete {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s/%s/%d: found neither saved_model.pb nor saved_model.pbtxt, without which no server loads a version", o.Models, g.dir, v))
		}
	}
	c.place(graphs)
	return c, nil
}

func (c *Cluster) readLocations(words []string) error {
	for _, w := range words {
		idc, cluster, ok := strings.Cut(w, ":")
		if !ok || idc == "" || cluster == "" {
			return fmt.Errorf("--location: found %q, want idc:cluster", w)
		}
		c.locations = append(c.locations, runners.Location{IDC: idc, Cluster: cluster})
	}
	return nil
}

// place assigns each graph to a model and gives it a base path: below the conf's base_path
// for version 1, below /models for version 3.
func (c *Cluster) place(graphs []exportedGraph) {
	index := map[string]int{}
	for _, g := range graphs {
		name := c.values.baseName
		base := c.values.basePath
		if c.publishes() {
			name = g.modelOf(c.values.baseName)
			base = "/models/" + name
		}
		i, ok := index[name]
		if !ok {
			i = len(c.models)
			index[name] = i
			c.models = append(c.models, runners.Model{Name: name, BasePath: base})
		}
		c.models[i].SubGraphs = append(c.models[i].SubGraphs, g.SubGraph)
	}
}
