package tfserving

import (
	"errors"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// FakeModels is the ModelMgr of the profile python-fake whose thread is moved by
// hand, one event at a time: for those who hold the profile against the reference
// step by step.
type FakeModels struct{ f *fake }

// NewFakeModels makes a manager with no models.
func NewFakeModels() *FakeModels {
	options := DefaultOptions(ProfilePythonFake)
	options.FakeBugs = true
	return FakeModelsOf(New(options, stoppedHost{}))
}

// FakeModelsOf is the ModelMgr of a server of the profile python-fake.
func FakeModelsOf(s *Server) *FakeModels { return &FakeModels{s.fake} }

// stoppedHost is a host on which no time passes.
type stoppedHost struct{}

func (stoppedHost) Now() time.Duration                 { return 0 }
func (stoppedHost) After(time.Duration, func()) func() { return func() {} }
func (stoppedHost) Look(func(Storage), func())         {}
func (stoppedHost) Choose(string, int) int             { return 0 }
func (stoppedHost) Exit(int, string)                   {}
func (stoppedHost) Log(env.Level, string, ...any)      {}

func (stoppedHost) Watch(string, func()) (cancel func(), ok bool) { return nil, false }

// What the reference raises from these calls.
var (
	// ErrNoFakeModel is the KeyError of a model that is not there.
	ErrNoFakeModel = errors.New("KeyError: the fake has no such model")
	// ErrFakeUnlimited is the TypeError of policy all (item 4); in a real fake it
	// ends the thread.
	ErrFakeUnlimited = errors.New("TypeError: '>' not supported between instances of 'int' and 'NoneType'")
	// ErrNoFakeVersion is the IndexError of a model without that version.
	ErrNoFakeVersion = errors.New("IndexError: list index out of range")
)

// FakeModel is a model as it is now.
type FakeModel struct {
	Name, BasePath string
	// Policy is latest or specific.
	Policy string
	// Unlimited stands for version data of None; NumVersions is that of latest, and
	// Versions that of specific.
	Unlimited   bool
	NumVersions uint32
	Versions    []int64
	Unloading   bool
	States      []FakeVersion
}

// FakeVersion is one version of a FakeModel.
type FakeVersion struct {
	Version int64
	Label   *string // nil is None
	State   env.ModelState
}

// FakeEvent is one entry of the queue.
type FakeEvent struct {
	Model   string
	Version int64
	State   env.ModelState
}

// Models lists the models in the order of the Python dict.
func (m *FakeModels) Models() []FakeModel {
	var list []FakeModel
	for _, model := range m.f.models {
		list = append(list, model.view())
	}
	return list
}

func (m *fakeModel) view() FakeModel {
	v := FakeModel{
		Name: m.config.Name, BasePath: m.config.BasePath, Policy: "specific",
		Unlimited: m.unlimited, NumVersions: m.data, Versions: slices.Clone(m.numbers), Unloading: m.unloading,
	}
	if m.latest {
		v.Policy = "latest"
	}
	for _, version := range m.versions {
		v.States = append(v.States, FakeVersion{Version: version.version, Label: version.label, State: version.state})
	}
	return v
}

// Model is the model of that name.
func (m *FakeModels) Model(name string) (FakeModel, error) {
	i := m.f.index(name)
	if i < 0 {
		return FakeModel{}, ErrNoFakeModel
	}
	return m.f.models[i].view(), nil
}

// Queue lists the events that wait.
func (m *FakeModels) Queue() []FakeEvent {
	var list []FakeEvent
	for _, e := range m.f.queue {
		list = append(list, FakeEvent{Model: e.name, Version: e.version, State: e.state})
	}
	return list
}

// Died says whether the thread ended of ErrFakeUnlimited.
func (m *FakeModels) Died() bool { return m.f.broken }

// Load is load.
func (m *FakeModels) Load(models []ModelConfig) {
	m.f.server.agenda.request(func() { m.f.load(models) })
}

// Remove is remove; models before an unknown one are removed.
func (m *FakeModels) Remove(names []string) (err error) {
	m.f.server.agenda.request(func() {
		for _, name := range names {
			i := m.f.index(name)
			if i < 0 {
				err = ErrNoFakeModel
				return
			}
			m.f.remove(m.f.models[i])
		}
	})
	return err
}

// Handle takes one event off the queue and handles it; it reports false when
// there is none.
func (m *FakeModels) Handle() (bool, error) {
	if len(m.f.queue) == 0 {
		return false, nil
	}
	event := m.f.queue[0]
	m.f.queue = m.f.queue[1:]
	return true, m.handle(event)
}

// HandleEvent handles an event that does not come from the queue.
func (m *FakeModels) HandleEvent(e FakeEvent) error {
	return m.handle(fakeEvent{name: e.Model, version: e.Version, state: e.State})
}

func (m *FakeModels) handle(event fakeEvent) error {
	m.f.handle(event)
	if m.f.broken {
		m.f.broken = false
		return ErrFakeUnlimited
	}
	return nil
}

// Grow gives a model a new version, as the 30 s tick does for the one it chooses
// (item 19), whatever its policy.
func (m *FakeModels) Grow(name string) error {
	i := m.f.index(name)
	if i < 0 {
		return ErrNoFakeModel
	}
	m.f.growModel(m.f.models[i])
	return nil
}

// SetLabel labels a version, which no call of the reference does; nil is None.
func (m *FakeModels) SetLabel(name string, index int, label *string) error {
	i := m.f.index(name)
	if i < 0 {
		return ErrNoFakeModel
	}
	versions := m.f.models[i].versions
	if index < 0 || index >= len(versions) {
		return ErrNoFakeVersion
	}
	versions[index].label = label
	return nil
}

// Call answers a gRPC call, as Server.CallFake.
func (m *FakeModels) Call(method string, request []byte) ([]byte, error) {
	return m.f.server.CallFake(method, request)
}

// Alive are the models that are not being unloaded, sorted.
func (m *FakeModels) Alive() []string { return m.f.alive() }
