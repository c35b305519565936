package train

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// Serving describes agents of version 3 that serve what the job exports. Each kind of pods has a
// group of its own, whose layout filters take its sub-graphs.
type Serving struct {
	Model              string        `yaml:"model" doc:"name of the model; default the last part of export_dir, else ctr"`
	Entry              int           `yaml:"entry" doc:"pods that serve the entry; default 1"`
	PSShards           int           `yaml:"ps_shards" doc:"shards of the pods that serve PS: of n shards, shard i has each ps_<k> with k % n = i; default 1"`
	PSReplicas         int           `yaml:"ps_replicas" doc:"pods of each shard; default 1"`
	Dense              int           `yaml:"dense" doc:"pods that serve the sub-graph dense; default 0"`
	RestartAfter       time.Duration `yaml:"restart_after" doc:"a pod that ends is started again after this time; default 0, never"`
	LoadBytesPerSecond int64         `yaml:"load_bytes_per_second" doc:"how fast model servers read exports; default that of TF Serving's profile"`
}

const (
	servingKey   = "serving"
	defaultModel = "ctr"
	defaultBZID  = "gip"
	layout       = "main"
	denseGraph   = "dense"
	// maxPods is the most pods of a plan. With more the program might run out of memory.
	maxPods = 20_000
)

// serving reads the agents of a plan, nil for none. Some defaults of the job depend on the agents,
// and serving sets these, too: the directory of the exports, and the exported sub-graphs.
func (d *reader) serving(n *yaml.Node, f *file) *Serving {
	at := find(n, servingKey)
	if at == n {
		if f.Job.ParameterSync {
			d.fault(find(find(n, "job"), "parameter_sync"), "job: parameter_sync: found true without %s, want agents to push to", servingKey)
		}
		return nil
	}
	s := &f.Serving
	for _, c := range []struct {
		name         string
		value, least int64
		unsaid       func()
	}{
		{"entry", int64(s.Entry), 1, func() { s.Entry = 1 }}, {"ps_shards", int64(s.PSShards), 1, func() { s.PSShards = 1 }},
		{"ps_replicas", int64(s.PSReplicas), 1, func() { s.PSReplicas = 1 }}, {"dense", int64(s.Dense), 0, nil},
		{"restart_after", int64(s.RestartAfter), 0, nil}, {"load_bytes_per_second", s.LoadBytesPerSecond, 1, func() {}},
	} {
		said := find(at, c.name)
		switch {
		case said == at && c.unsaid != nil:
			c.unsaid()
		case said != at && c.value < c.least && !slices.Contains(d.at, d.where(said)):
			d.fault(said, "%s: %s: found %s, want %d or more", servingKey, c.name, said.Value, c.least)
		}
	}
	if max(s.PSShards, s.PSReplicas, s.Entry, s.Dense) > maxPods || s.Pods() > maxPods {
		d.fault(at, "%s: found %d x %d PS pods, %d entry and %d dense, want %d pods or fewer", servingKey, s.PSShards, s.PSReplicas, s.Entry, s.Dense, maxPods)
	}
	job := &f.Job
	s.name(job)
	if job.ExportDir == "" {
		job.ExportDir = "/models/" + s.Model
	}
	if len(job.ExportGraphs) == 0 {
		job.ExportGraphs = []string{"entry"}
		for i := range min(job.PS, cluster.MaxTrainers) {
			job.ExportGraphs = append(job.ExportGraphs, fmt.Sprintf("ps_%d", i))
		}
		if s.Dense > 0 {
			job.ExportGraphs = append(job.ExportGraphs, denseGraph)
		}
	}
	if model := find(at, "model"); model != at && model.Value == "" || strings.ContainsAny(s.Model, "/: ") {
		d.fault(model, "%s: model: found %s, want a name as ctr", servingKey, shown(model))
	}
	return s
}

// name sets the name of the model, for the agents and for the job's parameter sync.
func (s *Serving) name(job *runners.TrainingSpec) {
	if s.Model == "" {
		s.Model = defaultModel
		if job.ExportDir != "" {
			s.Model = path.Base(job.ExportDir)
		}
	}
	if job.SyncModel == "" {
		job.SyncModel = s.Model
	}
}

// HasServing reports whether a place in a plan, such as serving.entry, belongs to the section on
// agents. Setting such a place gives the plan agents.
func HasServing(place string) bool {
	key, _, _ := strings.Cut(place, "=")
	return key == servingKey || strings.HasPrefix(key, servingKey+".")
}

// unheard returns notes on pods that have nothing to serve, and on a parameter sync that finds none
// of the agents.
func (s *Serving) unheard(job *runners.TrainingSpec) (notes []string) {
	if s == nil {
		return nil
	}
	idle := 0
	for shard := range min(s.PSShards, maxPods) {
		if !slices.ContainsFunc(job.ExportGraphs, func(graph string) bool {
			k, err := strconv.Atoi(strings.TrimPrefix(graph, "ps_"))
			return err == nil && k%s.PSShards == shard
		}) {
			idle++
		}
	}
	if idle > 0 {
		notes = append(notes, fmt.Sprintf("%s: %d of %s of PS pods have no sub-graph: the job exports %s", servingKey, idle, lists.Counted(s.PSShards, "shard"), strings.Join(job.ExportGraphs, ", ")))
	}
	for _, of := range []struct {
		graph string
		pods  int
	}{{"entry", s.Entry}, {denseGraph, s.Dense}} {
		if of.pods > 0 && !slices.Contains(job.ExportGraphs, of.graph) {
			notes = append(notes, fmt.Sprintf("%s: %s without a sub-graph: the job exports %s", servingKey, lists.Counted(of.pods, of.graph+" pod"), strings.Join(job.ExportGraphs, ", ")))
		}
	}
	if job.SaveEvery == 0 && job.SaveSteps == 0 && job.MaxSteps == 0 {
		notes = append(notes, fmt.Sprintf("%s: nothing to serve: the job has none of save_every, save_steps and max_steps, so that it saves and exports nothing", servingKey))
	}
	switch {
	case !job.ParameterSync:
	case !job.UnifiedServing:
		notes = append(notes, "parameter sync without unified_serving looks for agents of version 1, and serving has those of version 3: nothing is pushed")
	case job.SyncModel != s.Model:
		notes = append(notes, fmt.Sprintf("parameter sync looks for the model %s, and serving has %s: nothing is pushed", job.SyncModel, s.Model))
	}
	return notes
}

// groups returns the groups of pods. The bzid and the base name in their configurations are the
// job's, or defaults.
func (s *Serving) groups(job *runners.TrainingSpec) (list []runners.Group) {
	add := func(name, filter string, shards, replicas, hostShards int) {
		conf := fmt.Sprintf("bzid %s\ndeploy_type unified\nagent_version 3\nbase_name %s\nbase_path /models/%s\nlayout_pattern %s\nlayout_filters %s\nzk_servers zookeeper:2181\n",
			cmp.Or(job.BZID, defaultBZID), cmp.Or(job.BaseName, s.Model), s.Model, layout, filter)
		list = append(list, runners.Group{Name: name, Conf: conf, ConfName: name + ".conf", Shards: shards, Replicas: replicas, HostShards: hostShards})
	}
	add("entry", "entry;True", 1, s.Entry, s.PSShards)
	add("ps", "ps_{i};i % ${shard_num} == ${shard_id}", s.PSShards, s.PSReplicas, s.PSShards)
	if s.Dense > 0 {
		add(denseGraph, denseGraph+";True", 1, s.Dense, s.PSShards)
	}
	return list
}

// Pods returns the number of pods.
func (s *Serving) Pods() int { return s.Entry + s.PSShards*s.PSReplicas + s.Dense }

// in adds the agents to a spec.
func (s *Serving) in(spec *runners.Spec) {
	spec.Groups = s.groups(spec.Training)
	spec.Conf, spec.ConfName, spec.Shards = spec.Groups[0].Conf, spec.Groups[0].ConfName, s.PSShards
	spec.RestartAfter, spec.Serving.LoadBytesPerSecond = s.RestartAfter, s.LoadBytesPerSecond
}

// start starts the agents and publishes what the job will export.
func (s *Serving) start(c *simrun.Cluster, job *runners.TrainingSpec) error {
	if err := c.Start(); err != nil {
		return err
	}
	for _, graph := range job.ExportGraphs {
		if err := c.Declare(s.Model, graph, path.Join(job.ExportDir, graph), "latest"); err != nil {
			return err
		}
	}
	return c.Publish("", s.Model, job.ExportGraphs...)
}

// String describes the pods for the report.
func (s *Serving) String() string {
	parts := []string{lists.Counted(s.Entry, "entry pod"), fmt.Sprintf("%d x %d PS pods", s.PSShards, s.PSReplicas)}
	if s.Dense > 0 {
		parts = append(parts, lists.Counted(s.Dense, "dense pod"))
	}
	return s.Model + " on " + strings.Join(parts, ", ")
}
