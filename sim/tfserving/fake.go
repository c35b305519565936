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
	fakeHop    = 10 * time.Microsecond
	fakeGrowth = 30 * time.Second
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
	label   string // empty is None; nothing in the reference sets it
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
	config := ServerConfig{Kind: ModelList, Models: []ModelConfig{{
		Name: o.ModelName, BasePath: o.ModelBasePath,
		Policy: VersionPolicy{Kind: Latest, NumVersions: uint32(o.FakeNumVersions)},
	}}}
	switch {
	case o.InitialConfig != nil:
		config = *o.InitialConfig
	case o.ModelConfigFile != "":
		read, err := f.server.readConfigFile()
		if err != nil {
			f.server.exit(1, "")
			return
		}
		config = read
	}
	f.from = f.server.agenda.now()
	f.load(config.Models)
	f.server.open()
}

// load is ModelMgr.load (mocked_tfserving.py:96-123). A name listed twice is
// loaded twice; the last entry wins (item 16).
func (f *fake) load(models []ModelConfig) {
	for _, config := range models {
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

func (f *fake) put(event fakeEvent) {
	f.queue = append(f.queue, event)
	if !f.broken && !f.hop.queued {
		f.server.agenda.set(&f.hop, f.server.agenda.now()+fakeHop)
	}
}

// takeEvent is one turn of the thread.
func (f *fake) takeEvent() {
	event := f.queue[0]
	f.queue = f.queue[1:]
	f.handle(event)
	if len(f.queue) > 0 && !f.broken {
		f.server.agenda.set(&f.hop, f.server.agenda.now()+fakeHop)
	}
}

// handle is _event_handler (mocked_tfserving.py:226-306).
func (f *fake) handle(event fakeEvent) {
	i := f.index(event.name)
	if i < 0 {
		f.server.errorf("%s has removed!", event.name)
		return
	}
	m := f.models[i]
	if m != event.model && !f.server.options.FakeBugs {
		return // a stale event is dropped where the fault is repaired
	}
	j := slices.IndexFunc(m.versions, func(v fakeVersion) bool { return v.version == event.version })
	if j < 0 {
		return
	}
	state := m.versions[j].state
	switch {
	case event.state == env.StateStart && state == env.StateUnknown:
		f.enter(m, j, event, env.StateLoading)
	case event.state == env.StateLoading && state == env.StateStart:
		f.enter(m, j, event, env.StateAvailable)
	case event.state == env.StateAvailable && state == env.StateLoading:
		f.enter(m, j, event, env.StateUnknown)
		f.limit(m)
	case event.state == env.StateUnloading && state != env.StateUnloading:
		f.enter(m, j, event, env.StateEnd)
	case event.state == env.StateEnd:
		f.end(m, j, event)
	}
}

// enter sets the state and, unless next is UNKNOWN, queues the one that follows.
func (f *fake) enter(m *fakeModel, j int, event fakeEvent, next env.ModelState) {
	m.versions[j].state = event.state
	m.answer = nil
	f.server.publish(servable{event.name, event.version}, event.state, nil)
	if next != env.StateUnknown {
		f.put(fakeEvent{event.name, m, event.version, next})
	}
}

// limit unloads the oldest version when there are too many. With policy 'all'
// the limit is None and the comparison raises in the thread (item 4).
func (f *fake) limit(m *fakeModel) {
	switch {
	case m.unlimited && f.server.options.FakeBugs:
		f.broken = true
		f.server.agenda.unset(&f.hop)
		f.server.agenda.unset(&f.growth)
		f.server.errorf("TypeError: '>' not supported between instances of 'int' and 'NoneType'")
	case m.latest && !m.unlimited && len(m.versions) > int(m.data):
		f.put(fakeEvent{m.config.Name, m, m.versions[0].version, env.StateUnloading})
	}
}

// end deletes the version, and the model with its last one (item 12). The
// reference deletes it in any state (item 18).
func (f *fake) end(m *fakeModel, j int, event fakeEvent) {
	if m.versions[j].state == env.StateUnloading {
		f.server.publish(servable{event.name, event.version}, env.StateEnd, nil)
	}
	m.versions = slices.Delete(m.versions, j, j+1)
	m.answer = nil
	if len(m.versions) > 0 {
		return
	}
	i := f.index(event.name)
	f.models = slices.Delete(f.models, i, i+1)
	f.planGrowth()
}

// planGrowth keeps the 30 s timer running while there is a model that can grow;
// the draws of other times change nothing.
//
// Speed: what no event can change is not polled: the clock jumps to the next
// version.
func (f *fake) planGrowth() {
	grows := slices.ContainsFunc(f.models, func(m *fakeModel) bool { return m.latest })
	if !grows || f.broken {
		f.server.agenda.unset(&f.growth)
		return
	}
	if !f.growth.queued {
		turns := (f.server.agenda.now()-f.from)/fakeGrowth + 1
		f.server.agenda.set(&f.growth, f.from+turns*fakeGrowth)
	}
}

// grow gives one chosen model a new version, if its policy is not 'specific'
// (item 19).
func (f *fake) grow() {
	m := f.models[f.server.host.Choose("tfserving.fake.growth", len(f.models))]
	if m.latest {
		f.growModel(m)
	}
	f.planGrowth()
}

func (f *fake) growModel(m *fakeModel) {
	version := m.versions[len(m.versions)-1].version + 1
	m.versions = append(m.versions, fakeVersion{version: version})
	m.answer = nil
	f.put(fakeEvent{m.config.Name, m, version, env.StateStart})
}

// status is ModelMgr.get_status (mocked_tfserving.py:134-166): insertion order,
// labels never match, and what is not found is version -1 (items 8 to 11).
func (f *fake) status(spec env.ModelSpec) []env.ModelVersionStatus {
	if i := f.index(spec.Name); i >= 0 {
		m := f.models[i]
		answer := m.statuses()
		switch {
		case spec.HasVersion:
			j := slices.IndexFunc(m.versions, func(v fakeVersion) bool { return v.version == spec.Version })
			if j >= 0 {
				return answer[j : j+1 : j+1]
			}
		case spec.Label == "":
			return answer
		default:
			j := slices.IndexFunc(m.versions, func(v fakeVersion) bool { return v.label == spec.Label })
			if j >= 0 {
				return answer[j : j+1 : j+1]
			}
		}
	}
	return []env.ModelVersionStatus{{
		Version: -1,
		Status:  env.StatusProto{Code: env.NotFound, Message: spec.Name + " is not found"},
	}}
}

func (m *fakeModel) statuses() []env.ModelVersionStatus {
	if m.answer == nil {
		m.answer = make([]env.ModelVersionStatus, len(m.versions))
		for i, v := range m.versions {
			m.answer[i] = env.ModelVersionStatus{Version: v.version, State: v.state}
		}
	}
	return m.answer
}
