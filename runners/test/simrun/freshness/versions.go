package freshness

import (
	"cmp"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// Version says when an exported version passed each stage, from its checkpoint to the pods that
// serve it. Times are in seconds of the run, -1 for what has not happened.
type Version struct {
	// Model is the model's name on servers, or the sub-graph alone while no server has the version.
	Model   string `json:"model"`
	Version int64  `json:"version"`
	Step    int64  `json:"step"`
	// SavedSeconds is when the checkpoint was written. ExportedSeconds is when the version was
	// exported.
	SavedSeconds    float64 `json:"saved_s"`
	ExportedSeconds float64 `json:"exported_s"`
	// LoadedSeconds is when the first pod had the version AVAILABLE. LastLoadedSeconds is the same
	// for the pod that loaded it last.
	LoadedSeconds     float64 `json:"loaded_s"`
	LastLoadedSeconds float64 `json:"last_loaded_s"`
	// ServedSeconds is when a pod first had the version and was registered for the sub-graph.
	// LastServedSeconds is when the latest pod reached this state. Pods counts the pods that have
	// reached it.
	ServedSeconds     float64 `json:"served_s"`
	LastServedSeconds float64 `json:"last_served_s"`
	Pods              int     `json:"pods"`
}

// export is an exported version of a sub-graph, with the times of its stages.
type export struct {
	graph              string
	number, step       int64
	saved, exported    time.Duration
	model              string
	loaded, loadedLast time.Duration
	served, servedLast time.Duration
	// had holds the pods that have loaded the version. The value is true if the pod was also
	// registered for it. A pod that comes back with the version does not count again.
	had                  map[string]bool
	hasLoaded, hasServed bool
}

// versions follows the exports of a job.
type versions struct {
	list []*export
	// byName has the first export of each sub-graph's version.
	byName map[name]*export
	// saved is when the latest checkpoint was written.
	saved time.Duration
	// newest maps each place to the newest version that it serves. registered says whether the
	// place is registered.
	newest     map[place]*export
	registered map[place]bool
}

// name identifies a version of a sub-graph by the sub-graph and the version's number.
type name struct {
	graph  string
	number int64
}

// graphOf returns the sub-graph of a model's name on servers, such as ps_0 for ctr:ps_0.
func graphOf(model string) string { return model[strings.LastIndexByte(model, ':')+1:] }

func newVersions() versions {
	return versions{byName: map[name]*export{}, newest: map[place]*export{}, registered: map[place]bool{}}
}

// exported handles the writing of a checkpoint, or the export of one.
func (v *versions) exported(o runners.Observation) {
	if o.Op == "training.saved" {
		v.saved = o.At
		return
	}
	number, err := strconv.ParseInt(path.Base(o.Path), 10, 64)
	if err != nil {
		return
	}
	step, _ := strconv.ParseInt(strings.TrimPrefix(o.Note, "step "), 10, 64)
	e := &export{graph: path.Base(path.Dir(o.Path)), number: number, step: step, saved: v.saved, exported: o.At, had: map[string]bool{}}
	v.list = append(v.list, e)
	if n := (name{e.graph, number}); v.byName[n] == nil {
		v.byName[n] = e
	}
}

// find returns the export that made a server's version, nil if no export did.
func (v *versions) find(model string, number int64) *export {
	return v.byName[name{graphOf(model), number}]
}

// savedAt returns when the checkpoint of a version was written. For a version that no export of the
// run has made, it returns 0, the beginning of the run.
func (v *versions) savedAt(model string, number int64) time.Duration {
	if e := v.find(model, number); e != nil {
		return e.saved
	}
	return 0
}

// loaded handles a version that became AVAILABLE.
func (v *versions) loaded(p place, number int64, now time.Duration) {
	e := v.find(p.model, number)
	if e == nil || v.newest[p] != nil && v.newest[p].number >= number {
		return
	}
	e.model = p.model
	if !e.hasLoaded {
		e.hasLoaded, e.loaded = true, now
	}
	if _, ok := e.had[p.pod]; !ok {
		e.had[p.pod], e.loadedLast = false, now
	}
	v.newest[p] = e
	if v.registered[p] {
		e.serve(p.pod, now)
	}
}

// unloaded forgets what a pod serves.
func (v *versions) unloaded(pod string) {
	for p := range v.newest { //lint:ordered each by itself
		if p.pod == pod {
			delete(v.newest, p)
		}
	}
}

func (e *export) serve(pod string, now time.Duration) {
	if !e.hasServed {
		e.hasServed, e.served = true, now
	}
	if !e.had[pod] {
		e.had[pod], e.servedLast = true, now
	}
}

// pods returns how many pods have served the export.
func (e *export) pods() (n int) {
	for _, served := range e.had { //lint:ordered a sum
		if served {
			n++
		}
	}
	return n
}

// bound handles the creation or deletion of a pod's binding to a sub-graph
// (/<bzid>/binding/<model>/<sub_graph>:<container>).
func (v *versions) bound(o runners.Observation) {
	parts := strings.Split(o.Path, "/")
	if len(parts) != 5 || parts[2] != "binding" || o.Note != "ephemeral" && o.Note != "" && o.Note != "with its session" {
		return
	}
	graph, _, ok := strings.Cut(parts[4], ":")
	if !ok {
		return
	}
	p := place{o.Pod, parts[3] + ":" + graph}
	if o.Op == "zookeeper.delete" {
		delete(v.registered, p)
		return
	}
	if e := v.newest[p]; e != nil && !v.registered[p] {
		e.serve(o.Pod, o.At)
	}
	v.registered[p] = true
}

// Versions returns the exports of the run, in the order in which they were made.
func (m *Meter) Versions() []Version {
	list := make([]Version, 0, len(m.list))
	when := func(has bool, at time.Duration) float64 {
		if !has {
			return -1
		}
		return at.Seconds()
	}
	for _, e := range m.list {
		list = append(list, Version{
			Model: cmp.Or(e.model, e.graph), Version: e.number, Step: e.step, SavedSeconds: e.saved.Seconds(), ExportedSeconds: e.exported.Seconds(),
			LoadedSeconds: when(e.hasLoaded, e.loaded), LastLoadedSeconds: when(e.hasLoaded, e.loadedLast),
			ServedSeconds: when(e.hasServed, e.served), LastServedSeconds: when(e.hasServed, e.servedLast), Pods: e.pods(),
		})
	}
	return list
}
