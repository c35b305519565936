package fake

import (
	"errors"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// Models is the ModelMgr of the profile python-fake whose thread is moved by
// hand, one event at a time: for those who hold the profile against the reference
// step by step.
type Models struct{ f *Fake }

// NewModels makes a manager with no models, on a host on which no time passes and whose
// lines log takes.
func NewModels(log func(level env.Level, format string, args ...any)) *Models {
	host := stopped{log}
	return New(timerqueue.New(host), host, true).Models()
}

// Models returns the fake's ModelMgr.
func (f *Fake) Models() *Models { return &Models{f} }

// stopped is a host on which no time passes.
type stopped struct {
	log func(level env.Level, format string, args ...any)
}

func (stopped) Now() time.Duration                          { return 0 }
func (stopped) After(time.Duration, func()) (cancel func()) { return func() {} }
func (stopped) Choose(string, int) int                      { return 0 }
func (stopped) Publish(string, int64, env.ModelState)       {}

func (s stopped) Log(level env.Level, format string, args ...any) { s.log(level, format, args...) }

// What the reference raises from these calls.
var (
	// ErrNoModel is the KeyError of a model that is not there.
	ErrNoModel = errors.New("KeyError: the fake has no such model")
	// ErrUnlimited is the TypeError of policy all (item 4); in a real fake it
	// ends the thread.
	ErrUnlimited = errors.New("TypeError: '>' not supported between instances of 'int' and 'NoneType'")
	// ErrNoVersion is the IndexError of a model without that version.
	ErrNoVersion = errors.New("IndexError: list index out of range")
)

// Model is a model as it is now.
type Model struct {
	Name, BasePath string
	// Policy is latest or specific.
	Policy string
	// Unlimited stands for version data of None; NumVersions is that of latest, and
	// Versions that of specific.
	Unlimited   bool
	NumVersions uint32
	Versions    []int64
	Unloading   bool
	States      []Version
}

// Version is one version of a Model.
type Version struct {
	Version int64
	Label   *string // nil is None
	State   env.ModelState
}

// Event is one entry of the queue.
type Event struct {
	Model   string
	Version int64
	State   env.ModelState
}

// Models lists the models in the order of the Python dict.
func (m *Models) Models() []Model {
	var list []Model
	for _, model := range m.f.models {
		list = append(list, model.view())
	}
	return list
}

func (m *entry) view() Model {
	v := Model{
		Name: m.config.Name, BasePath: m.config.BasePath, Policy: "specific",
		Unlimited: m.unlimited, NumVersions: m.data, Versions: slices.Clone(m.numbers), Unloading: m.unloading,
	}
	if m.latest {
		v.Policy = "latest"
	}
	for _, version := range m.versions {
		v.States = append(v.States, Version{Version: version.version, Label: version.label, State: version.state})
	}
	return v
}

// Model returns the model of that name; ErrNoModel when there is none.
func (m *Models) Model(name string) (Model, error) {
	i := m.f.index(name)
	if i < 0 {
		return Model{}, ErrNoModel
	}
	return m.f.models[i].view(), nil
}

// Queue lists the events that wait, first to last.
func (m *Models) Queue() []Event {
	var list []Event
	for _, e := range m.f.queue {
		list = append(list, Event{Model: e.name, Version: e.version, State: e.state})
	}
	return list
}

// Died reports whether the thread ended of ErrUnlimited.
func (m *Models) Died() bool { return m.f.broken }

// Load adds models and queues the events of their first versions, as ModelMgr.load does.
func (m *Models) Load(models []modelconfig.ModelConfig) {
	m.f.timers.Request(func() { m.f.load(models) })
}

// Remove unloads models by name, as ModelMgr.remove does. An unknown name is ErrNoModel;
// the models named before it are removed all the same.
func (m *Models) Remove(names []string) (err error) {
	m.f.timers.Request(func() {
		for _, name := range names {
			i := m.f.index(name)
			if i < 0 {
				err = ErrNoModel
				return
			}
			m.f.remove(m.f.models[i])
		}
	})
	return err
}

// Handle takes the first event off the queue and handles it. It reports false when the
// queue is empty; the error is that of HandleEvent.
func (m *Models) Handle() (bool, error) {
	if len(m.f.queue) == 0 {
		return false, nil
	}
	event := m.f.queue[0]
	m.f.queue = m.f.queue[1:]
	return true, m.handle(event)
}

// HandleEvent handles an event that does not come from the queue.
func (m *Models) HandleEvent(e Event) error {
	return m.handle(transition{name: e.Model, version: e.Version, state: e.State})
}

func (m *Models) handle(event transition) error {
	m.f.handle(event)
	if m.f.broken {
		m.f.broken = false
		return ErrUnlimited
	}
	return nil
}

// Grow gives a model a new version, as the 30 s tick does for the one it chooses
// (item 19), whatever its policy.
func (m *Models) Grow(name string) error {
	i := m.f.index(name)
	if i < 0 {
		return ErrNoModel
	}
	m.f.growModel(m.f.models[i])
	return nil
}

// SetLabel labels a version, which no call of the reference does; nil is None.
func (m *Models) SetLabel(name string, index int, label *string) error {
	i := m.f.index(name)
	if i < 0 {
		return ErrNoModel
	}
	versions := m.f.models[i].versions
	if index < 0 || index >= len(versions) {
		return ErrNoVersion
	}
	versions[index].label = label
	return nil
}

// Call answers a gRPC call under the terms of [Fake.Call].
func (m *Models) Call(method string, request []byte) ([]byte, error) {
	return m.f.Call(method, request)
}

// Alive lists the names of the models that are not being unloaded, sorted.
func (m *Models) Alive() []string { return slices.Sorted(slices.Values(m.f.alive())) }
