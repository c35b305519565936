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

// Options says what to run.
type Options struct {
	// Conf is the file that is every pod's agent.conf, and Models a folder of exported models.
	Conf, Models string
	// Shards is 0 for the number in the conf.
	Shards, Replicas int
	// Groups, unless empty, are groups of pods with a conf each, in the place of Conf, Shards and
	// Replicas.
	Groups []Group
	// For is the length of the run in virtual time.
	For  time.Duration
	Seed uint64
	// Policy is the version policy to declare and PublishAfter the time of publishing. Both
	// are for agents of version 3.
	Policy       string
	PublishAfter time.Duration
	// Locations lists idc:cluster of the replicas, used in turn.
	Locations []string
	// ZooKeeper and ModelServer name profiles. Quirks and RestartAfter are as in runners.Spec.
	ZooKeeper, ModelServer, Quirks string
	RestartAfter                   time.Duration
	// MemoryLimitBytes is the memory with which a model server is killed, and LoadBytesPerSecond
	// the speed at which it reads models. 0 means no limit and the usual speed.
	MemoryLimitBytes, LoadBytesPerSecond int64
	// Every is the distance between samples of the time series; 0 means some 500 samples in all.
	Every time.Duration
	// Trace, when set, names a file to write all events into; see runners/show/timeline.
	Trace string
	// NoLeaps is as in runners.Spec.
	NoLeaps bool
	// Replay is the command that repeats the run.
	Replay string
}

// Group is a group of pods with an agent.conf of their own, as entry and PS containers have.
type Group struct {
	// Name is what the pods' names begin with, and Conf the file.
	Name, Conf string
	// Shards is 0 for the number in the conf. An entry and a dense container belong to no shard, and
	// Replicas says how many there are.
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

	// Warnings lists mistakes that the reference ignores silently.
	Warnings []string
}

// publishes reports whether models must be published to be served.
func (c *Cluster) publishes() bool { return c.values.version == 3 }

// Policies lists the version policies that can be declared.
var Policies = []string{"latest", "latest_once", "all", "specific"}

// Read reads the files and checks the options. Its error is written for the user. It is a
// [ConfError] for an agent.conf with which no agent starts.
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

// place assigns the graphs to models and their base paths: below the conf's base_path for
// version 1, below /models for version 3.
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
