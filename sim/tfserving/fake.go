package tfserving

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// The clocks of the python-fake profile: the fake's thread takes one event from
// its queue at a time in a busy loop, and looks at the wall clock in between
// (mocked_tfserving.py:203-224).
const (
	fakeHop = 10 * time.Microsecond
	// A version comes once more than 30 s have passed, which a turn later is so.
	fakeGrowth = 30*time.Second + fakeHop
)

// What grpc-python listens on and answers with (TFS-17.1 item 22), for whoever
// serves the fake (mocked_tfserving.py:363,379-390).
const (
	FakeListenHost = "[::]"
	FakeWorkers    = 10
)

// fake is the reference's FakeTFServing (TFS-17). It invents versions from the
// policies and moves them through their states by one queue of events.
type fake struct {
	server *Server
	models []*fakeModel // in the order of a Python dict
	queue  []fakeEvent
	broken bool // the thread died of a TypeError (item 4)
	hop    timer
	growth timer
	from   time.Duration // growth instants count from here
}

// fakeModel is a ModelMeta. latest is version_policy 'latest'; unlimited is
// version_data None.
type fakeModel struct {
	config    ModelConfig
	latest    bool
	unlimited bool
	data      uint32
	numbers   []int64
	versions  []fakeVersion
	answer    []env.ModelVersionStatus // nil when stale
	unloading bool
}

type fakeVersion struct {
	version int64
	state   env.ModelState
	label   *string // nil is None; nothing in the reference sets it
}

// fakeEvent moves a version to a state. model is the entry it was made for; the
// reference looks the name up again, which is the fault of item 18.
type fakeEvent struct {
	name    string
	model   *fakeModel
	version int64
	state   env.ModelState
}

func newFake(s *Server) *fake {
	f := &fake{server: s}
	f.hop = timer{rank: rankThread, fn: f.takeEvent}
	f.growth = timer{rank: rankManager, fn: f.grow}
	return f
}

// start constructs the fake from a config or a name (item 24) and opens the port
// at once (item 22). A config file that does not parse raises in the
// constructor.
func (f *fake) start() {
	o := f.server.options
	switch {
	case o.InitialConfig != nil:
		f.open(*o.InitialConfig)
	case o.ModelConfigFile != "":
		look(f.server, f.server.readConfigFile, func(file configFile) {
			if file.err != nil {
				f.server.exit(1, "")
				return
			}
			f.open(file.config)
		})
	default:
		f.open(ServerConfig{Kind: ModelList, Models: []ModelConfig{{
			Name: o.ModelName, BasePath: o.ModelBasePath,
			Policy: VersionPolicy{Kind: Latest, NumVersions: uint32(o.FakeNumVersions)},
		}}})
	}
}

func (f *fake) open(config ServerConfig) {
	f.from = f.server.agenda.now()
	f.load(config.Models)
	f.server.open()
}

// load is ModelMgr.load (mocked_tfserving.py:96-123). A name listed twice is
// loaded twice; the last entry wins (item 16).
func (f *fake) load(models []ModelConfig) {
	for i := range models {
		if f.server.options.FakeBugs {
			models[i].Policy.sortInPlace()
		}
		config := models[i]
		m := newFakeModel(config)
		invented := slices.Clone(m.versions)
		if len(m.versions) == 0 {
			m.versions = []fakeVersion{{}}
		}
		if i := f.index(config.Name); i >= 0 {
			f.models[i] = m
		} else {
			f.models = append(f.models, m)
		}
		for _, v := range invented {
			f.put(fakeEvent{config.Name, m, v.version, env.StateStart})
		}
	}
	f.planGrowth()
}

// sortInPlace is what the reference does to the caller's config: the list of versions
// is sorted in it, and with that it has a policy (item 4, mocked_tfserving.py:107-109).
func (p *VersionPolicy) sortInPlace() {
	if p.Kind == Latest || p.Kind == All {
		return
	}
	p.Kind = Specific
	slices.Sort(p.Versions)
}

// newFakeModel invents the versions (items 1, 3 and 4).
func newFakeModel(config ModelConfig) *fakeModel {
	m := &fakeModel{config: config}
	switch config.Policy.Kind {
	case Latest:
		m.latest, m.data = true, config.Policy.NumVersions
		for i := range config.Policy.NumVersions {
			m.versions = append(m.versions, fakeVersion{version: int64(i) + 1})
		}
	case All:
		m.latest, m.unlimited = true, true
		m.versions = []fakeVersion{{version: 1}}
	default:
		m.numbers = slices.Clone(config.Policy.Versions)
		slices.Sort(m.numbers)
		for _, v := range m.numbers {
			m.versions = append(m.versions, fakeVersion{version: v})
		}
	}
	return m
}

func (f *fake) index(name string) int {
	return slices.IndexFunc(f.models, func(m *fakeModel) bool { return m.config.Name == name })
}

// reload compares names only and always succeeds (items 13 to 15). The order of
// Python's set of names to remove is by name here.
func (f *fake) reload(config ServerConfig) {
	alive := f.alive()
	wanted := func(name string) bool {
		return slices.ContainsFunc(config.Models, func(m ModelConfig) bool { return m.Name == name })
	}
	for _, name := range alive {
		if !wanted(name) {
			f.remove(f.models[f.index(name)])
		}
	}
	f.load(slices.DeleteFunc(slices.Clone(config.Models), func(m ModelConfig) bool {
		return slices.Contains(alive, m.Name)
	}))
}

// alive are the models that are not being unloaded, by name.
func (f *fake) alive() []string {
	var alive []string
	for _, m := range f.models {
		if !m.unloading {
			alive = append(alive, m.config.Name)
		}
	}
	slices.Sort(alive)
	return alive
}

// remove unloads all versions at once, whatever their state (item 17).
func (f *fake) remove(m *fakeModel) {
	m.unloading = true
	for _, v := range m.versions {
		f.put(fakeEvent{m.config.Name, m, v.version, env.StateUnloading})
	}
}
