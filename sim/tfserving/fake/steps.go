package fake

import (
	"errors"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// Models is the ModelMgr of python-fake, with a thread that the caller advances one event at a
// time. Tests use it to compare the profile with the reference step by step.
type Models struct{ f *Fake }

// NewModels makes a ModelMgr without models, whose clock never advances. log receives the log
// lines.
func NewModels(log func(level env.Level, format string, args ...any)) *Models {
	host := stopped{log}
	return New(timerqueue.New(host), host, Options{Bugs: true}).Models()
}

// Models returns the fake's ModelMgr.
func (f *Fake) Models() *Models { return &Models{f} }

// stopped is a Host whose clock never advances.
type stopped struct {
	log func(level env.Level, format string, args ...any)
}

func (stopped) Now() time.Duration                          { return 0 }
func (stopped) After(time.Duration, func()) (cancel func()) { return func() {} }
func (stopped) Choose(string, int) int                      { return 0 }
func (stopped) Publish(string, int64, env.ModelState)       {}

func (s stopped) Log(level env.Level, format string, args ...any) { s.log(level, format, args...) }

// These errors stand for exceptions that the reference raises in the methods of Models.
var (
	// ErrNoModel is the KeyError for an unknown model.
	ErrNoModel = errors.New("KeyError: the fake has no such model")
	// ErrUnlimited is the TypeError for policy all (TFS-17.1 item 4). In the reference it ends the
	// fake's thread.
	ErrUnlimited = errors.New("TypeError: '>' not supported between instances of 'int' and 'NoneType'")
	// ErrNoVersion is the IndexError for a version that the model does not have.
	ErrNoVersion = errors.New("IndexError: list index out of range")
)

// Model describes the present state of one model.
type Model struct {
	Name, BasePath string
	// Policy is "latest" or "specific".
	Policy string
	// Unlimited means that the reference's version_data is None. With policy latest, NumVersions is
	// the number of versions to keep. With policy specific, Versions lists the versions.
	Unlimited   bool
	NumVersions uint32
	Versions    []int64
	Unloading   bool
	States      []Version
}

// Version describes one version of a Model.
type Version struct {
	Version int64
	Label   *string // Label is nil for None
	State   env.ModelState
}

// Event describes one queued change of a version's state.
type Event struct {
	Model   string
	Version int64
	State   env.ModelState
}

// Models lists the models in the order of the Python dict.
func (m *Models) Models() []Model {
	return lists.MapOrNil(m.f.models, (*entry).view)
}

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

// Model returns the model with a name, or ErrNoModel.
func (m *Models) Model(name string) (Model, error) {
	model, err := m.entry(name)
	if err != nil {
		return Model{}, err
	}
	return model.view(), nil
}

// Queue lists the queued events, first to last.
func (m *Models) Queue() []Event {
	list := lists.MapOrNil(m.f.queue, func(e transition) Event { return Event{Model: e.name, Version: e.version, State: e.state} })
	return list
}

// Died reports whether ErrUnlimited has ended the fake's thread.
func (m *Models) Died() bool { return m.f.broken }

// Load adds models and queues the events of their first versions, as ModelMgr.load does.
func (m *Models) Load(models []modelconfig.ModelConfig) {
	m.f.timers.Request(func() { m.f.load(models) })
}

// Remove unloads models by name, as ModelMgr.remove does. At the first unknown name it stops with
// ErrNoModel. The models before that name stay removed.
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

// Handle removes the first event from the queue and handles it. It returns false if the queue is
// empty. It returns the same errors as HandleEvent.
func (m *Models) Handle() (bool, error) {
	if len(m.f.queue) == 0 {
		return false, nil
	}
	event := m.f.queue[0]
	m.f.queue = m.f.queue[1:]
	return true, m.handle(event)
}

// HandleEvent handles an event as if it came from the queue. It returns ErrUnlimited if the event
// would end the reference's thread.
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

// Grow gives the named model a new version, whatever its policy. The reference does so every 30 s
// for one model (TFS-17.1 item 19).
func (m *Models) Grow(name string) error {
	model, err := m.entry(name)
	if err == nil {
		m.f.growModel(model)
	}
	return err
}

// SetLabel sets the label of the version at index; nil stands for None. No call of the reference
// sets labels.
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
