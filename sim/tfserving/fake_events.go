package tfserving

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
)

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
	if event.stale(m) && !f.server.options.FakeBugs {
		return
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

// stale says whether the event would unload a version of another entry than it was
// made for. The other events that come late do no harm: of a name listed twice they
// belong to item 16.
func (e fakeEvent) stale(m *fakeModel) bool {
	return m != e.model && (e.state == env.StateUnloading || e.state == env.StateEnd)
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
