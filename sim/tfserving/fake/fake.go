// Package fake is the reference's FakeTFServing (mocked_tfserving.py), faults included. It is
// the machine of a model server with the profile python-fake.
//
// Two things to use first:
//
//   - [New] makes a [Fake] on a timer queue, as a tfserving.Server of the profile does.
//     [Fake.Call] answers gRPC; [Fake.Status] and [Fake.Fields] answer without messages.
//   - [NewModels] makes a manager whose thread the caller moves step by step.
//
// To change:
//
//   - how models are loaded: fake.go
//   - how versions move through their states: events.go
//   - the new version every 30 s: growth.go
//   - what it answers: calls.go, status.go, metadata.go
//
// Items are those of TFS-17.1 in SPEC.md of tfserving.
//
// Unstable: any commit may change it.
package fake

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem/pyset"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// These are the times of the fake's thread. hopTime is the duration of one iteration, which handles
// one event and then reads the wall clock (mocked_tfserving.py:203-224). The reference's thread
// loops without a pause.
const (
	hopTime = 10 * time.Microsecond
	// growthTime is the interval of new versions. The reference waits until more than 30 s have
	// passed, which takes one iteration longer.
	growthTime = 30*time.Second + hopTime
)

// ListenHost and Workers are the address and the number of threads of the reference's grpc-python
// server (TFS-17.1 item 22; mocked_tfserving.py:363,379-390). A server that runs the fake uses
// them.
const (
	ListenHost = "[::]"
	Workers    = 10
)

// Fake is the reference's FakeTFServing (TFS-17). It invents versions from the policies, and moves
// them through their states by one queue of events.
//
// Cost: a model that is drawn gets one more version each 30 s, and only a removal takes versions
// away. So its versions and status answers grow with time. The reference's thread polls its queue
// without a pause, which costs one core for each fake. This one is only scheduled for events and
// for new versions.
type Fake struct {
	timers *timerqueue.Queue
	host   Host
	Options
	models []*entry // models is in the order of the reference's dict
	queue  []transition
	python *env.Python // python draws its hash seed when first needed; nil before
	broken bool        // broken is true once the thread has died of a TypeError (TFS-17.1 item 4)
	hop    timerqueue.Timer
	growth timerqueue.Timer
	from   time.Duration // from is the instant from which intervals of growth are counted
}

// entry corresponds to the reference's ModelMeta. latest is true for version_policy 'latest', and
// unlimited for a version_data of None.
type entry struct {
	config    modelconfig.ModelConfig
	latest    bool
	unlimited bool
	data      uint32
	numbers   []int64
	versions  []servable
	answer    []env.ModelVersionStatus // answer caches the status answer; nil after a version has changed
	unloading bool
}

type servable struct {
	version int64
	state   env.ModelState
	label   *string // label is nil for None; the reference never sets one
}

// transition is an event that moves a version to a state. model is the entry that was current when
// the event was queued. The reference looks the name up again, which is TFS-17.1 item 18.
type transition struct {
	name    string
	model   *entry
	version int64
	state   env.ModelState
}

// Host is what a fake needs from the program that contains it.
type Host interface {
	// Choose returns a number in [0, n); 0 is the default outcome.
	Choose(site string, n int) int
	// Publish is called at every change of a version's state, in order.
	Publish(model string, version int64, state env.ModelState)
	// Log writes a log line. A line that begins with Uncaught is a traceback of the reference.
	Log(level env.Level, format string, args ...any)
}

// Uncaught is the beginning of the text that Python prints for an exception that ends a thread.
const Uncaught = "Exception in thread "

// Options selects between behaviours of the reference.
type Options struct {
	// Bugs keeps the faulty behaviours of the reference. False repairs them.
	Bugs bool
	// Switches lets the fake's thread run in the middle of a call, whenever the call has queued an
	// event. Python's interpreter may do that, because calls do not hold the lock (Q229). If false,
	// a call is never interrupted.
	Switches bool
}

// New makes a fake without models, whose thread runs on the timer queue t.
func New(t *timerqueue.Queue, host Host, o Options) *Fake {
	f := &Fake{timers: t, host: host, Options: o}
	f.hop = timerqueue.Timer{Rank: timerqueue.Thread, Fn: f.takeEvent}
	f.growth = timerqueue.Timer{Rank: timerqueue.Manager, Fn: f.grow}
	return f
}

// Open creates the models of a config immediately, as the reference's constructor does (TFS-17.1
// item 24).
func (f *Fake) Open(config modelconfig.ServerConfig) {
	f.from = f.timers.Now()
	f.load(config.Models)
}

// load adds models, as the reference's ModelMgr.load does (mocked_tfserving.py:96-123). A name
// that is listed twice is loaded twice, and the last entry wins (TFS-17.1 item 16).
func (f *Fake) load(models []modelconfig.ModelConfig) {
	for i := range models {
		if f.Bugs {
			models[i].Policy.SortInPlace()
		}
		config := models[i]
		m := newEntry(config)
		invented := slices.Clone(m.versions)
		if len(m.versions) == 0 {
			m.versions = []servable{{}}
		}
		if i := f.index(config.Name); i >= 0 {
			f.models[i] = m
		} else {
			f.models = append(f.models, m)
		}
		f.host.Log(env.Info, "start load a new model %s", config.Name)
		for _, v := range invented {
			f.put(transition{config.Name, m, v.version, env.StateStart})
		}
	}
	f.planGrowth()
}

// newEntry creates a model and invents its versions (TFS-17.1 items 1, 3 and 4).
func newEntry(config modelconfig.ModelConfig) *entry {
	m := &entry{config: config}
	switch config.Policy.Kind {
	case modelconfig.Latest:
		m.latest, m.data = true, config.Policy.NumVersions
		for i := range config.Policy.NumVersions {
			m.versions = append(m.versions, servable{version: int64(i) + 1})
		}
	case modelconfig.All:
		m.latest, m.unlimited = true, true
		m.versions = []servable{{version: 1}}
	default:
		m.numbers = slices.Clone(config.Policy.Versions)
		slices.Sort(m.numbers)
		for _, v := range m.numbers {
			m.versions = append(m.versions, servable{version: v})
		}
	}
	return m
}

func (f *Fake) index(name string) int {
	return slices.IndexFunc(f.models, func(m *entry) bool { return m.config.Name == name })
}

// Reload handles a HandleReloadConfigRequest. It compares names only and always succeeds (TFS-17.1
// items 13 to 15). It removes the missing names in the order of Python's set.
func (f *Fake) Reload(config modelconfig.ServerConfig) {
	alive := f.alive()
	wanted := make([]string, len(config.Models))
	for i := range config.Models {
		wanted[i] = config.Models[i].Name
	}
	for _, name := range f.gone(alive, wanted) {
		f.remove(f.models[f.index(name)])
	}
	f.load(slices.DeleteFunc(slices.Clone(config.Models), func(m modelconfig.ModelConfig) bool {
		return slices.Contains(alive, m.Name)
	}))
}

// gone returns the alive names that are not in wanted, in the order of the reference's set
// old_names - new_names. For a single name the order needs no hash seed, so none is drawn.
func (f *Fake) gone(alive, wanted []string) []string {
	h := pyset.Hashing{}
	if slices.ContainsFunc(alive, func(name string) bool { return !slices.Contains(wanted, name) }) && len(alive) > 1 {
		h = f.hashing()
	}
	return pyset.Strings(h, alive...).Minus(pyset.Strings(h, wanted...)).Keys()
}

// alive returns the names of the models that are not being unloaded, in the order of Python's
// dict.
func (f *Fake) alive() []string {
	return lists.Select(f.models, func(m *entry) (string, bool) { return m.config.Name, !m.unloading })
}

// hashing returns the hash function of the fake's Python. The host chooses the hash seed. Choice 0,
// the default, orders sets by their keys.
func (f *Fake) hashing() pyset.Hashing {
	if f.python == nil {
		f.python = &env.Python{HashSeed: uint32(f.host.Choose("python.hashseed", env.HashSeeds))}
	}
	return pyset.HashingOf(*f.python)
}

// remove queues the unloads of all versions of a model, whatever their state (TFS-17.1 item 17).
// The thread deletes versions from the same list, so if it runs in the middle, remove skips a
// version.
func (f *Fake) remove(m *entry) {
	m.unloading = true
	f.host.Log(env.Info, "start remove the model %s", m.config.Name)
	for i := 0; i < len(m.versions); i++ {
		f.put(transition{m.config.Name, m, m.versions[i].version, env.StateUnloading})
		f.switchThreads()
	}
}

// switchThreads lets the fake's thread handle all queued events in the middle of a call, if the
// option Switches is set.
func (f *Fake) switchThreads() {
	if !f.Switches {
		return
	}
	for len(f.queue) > 0 && !f.broken {
		f.takeEvent()
	}
	f.timers.Unset(&f.hop)
}
