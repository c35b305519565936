package fake

import (
	"errors"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// Models is the ModelMgr of python-fake with a thread that the caller moves, one event at a
// time. It serves to compare the profile with the reference step by step.
type Models struct{ f *Fake }

// NewModels makes a manager without models, on a host where no time passes. log takes the
// log lines.
func NewModels(log func(level env.Level, format string, args ...any)) *Models {
	host := stopped{log}
	return New(timerqueue.New(host), host, true).Models()
}

// Models returns the fake's ModelMgr.
func (f *Fake) Models() *Models { return &Models{f} }

// stopped is a host where no time passes.
type stopped struct {
	log func(level env.Level, format string, args ...any)
}

func (stopped) Now() time.Duration                          { return 0 }
func (stopped) After(time.Duration, func()) (cancel func()) { return func() {} }
func (stopped) Choose(string, int) int                      { return 0 }
func (stopped) Publish(string, int64, env.ModelState)       {}

func (s stopped) Log(level env.Level, format string, args ...any) { s.log(level, format, args...) }

// These are the exceptions of the reference in these calls.
var (
	// ErrNoModel is the KeyError for an unknown model.
	ErrNoModel = errors.New("KeyError: the fake has no such model")
	// ErrUnlimited is the TypeError of policy all (item 4). In a real fake it ends the thread.
	ErrUnlimited = errors.New("TypeError: '>' not supported between instances of 'int' and 'NoneType'")
	// ErrNoVersion is the IndexError for a model without that version.
	ErrNoVersion = errors.New("IndexError: list index out of range")
)

// Model describes a model as it is now.
type Model struct {
	Name, BasePath string
	// Policy is "latest" or "specific".
	Policy string
	// Unlimited stands for version data of None. NumVersions is the version data of latest,
	// Versions that of specific.
	Unlimited   bool
	NumVersions uint32
	Versions    []int64
	Unloading   bool
	States      []Version
}

// Version describes one version of a Model.
type Version struct {
	Version int64
	Label   *string // nil is None
	State   env.ModelState
}

// Event describes one entry of the queue.
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

// entry returns the entry of a name, or ErrNoModel.
func (m *Models) entry(name string) (*entry, error) {
	if i := m.f.index(name); i >= 0 {
		return m.f.models[i], nil
	}
	return nil, ErrNoModel
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

// Model returns the model with a name; ErrNoModel when there is none.
func (m *Models) Model(name string) (Model, error) {
	model, err := m.entry(name)
	if err != nil {
		return Model{}, err
	}
	return model.view(), nil
}

// Queue lists the queued events, first to last.
func (m *Models) Queue() []Event {
	var list []Event
	for _, e := range m.f.queue {
		list = append(list, Event{Model: e.name, Version: e.version, State: e.state})
	}
	return list
}

// Died reports whether the thread has died of ErrUnlimited.
func (m *Models) Died() bool { return m.f.broken }

// Load adds models and queues the events of their first versions, as ModelMgr.load does.
func (m *Models) Load(models []modelconfig.ModelConfig) {
	m.f.timers.Request(func() { m.f.load(models) })
}

// Remove unloads models by name, as ModelMgr.remove does. An unknown name is ErrNoModel; the
// models named before it are removed all the same.
func (m *Models) Remove(names []string) (err error) {
	m.f.timers.Request(func() {
		for _, name := range names {
			var model *entry
			if model, err = m.entry(name); err != nil {
				return
			}
			m.f.remove(model)
		}
	})
	return err
}

// Handle takes the first event off the queue and handles it. It returns false when the queue
// is empty. The error is that of HandleEvent.
func (m *Models) Handle() (bool, error) {
	if len(m.f.queue) == 0 {
		return false, nil
	}
	event := m.f.queue[0]
	m.f.queue = m.f.queue[1:]
	return true, m.handle(event)
}

// HandleEvent handles an event that does not come from the queue. The error is ErrUnlimited
// when the thread would die of it.
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

// Grow gives a model a new version, whatever its policy, as the 30 s tick does for the model
// that it chooses (item 19).
func (m *Models) Grow(name string) error {
	model, err := m.entry(name)
	if err == nil {
		m.f.growModel(model)
	}
	return err
}

// SetLabel labels a version, which no call of the reference does; nil is None.
func (m *Models) SetLabel(name string, index int, label *string) error {
	model, err := m.entry(name)
	if err != nil {
		return err
	}
	versions := model.versions
	if index < 0 || index >= len(versions) {
		return ErrNoVersion
	}
	versions[index].label = label
	return nil
}

// Call answers a gRPC call as [Fake.Call] does.
func (m *Models) Call(method string, request []byte) ([]byte, error) {
	return m.f.Call(method, request)
}

// Alive lists the names of the models that are not being unloaded, sorted.
func (m *Models) Alive() []string { return slices.Sorted(slices.Values(m.f.alive())) }
