package fake

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
)

// put appends an event to the queue, and schedules the fake's thread if it is idle.
func (f *Fake) put(event transition) {
	f.queue = append(f.queue, event)
	if !f.broken && !f.hop.Queued {
		f.timers.Set(&f.hop, f.timers.Now()+hopTime)
	}
}

// takeEvent handles the first event of the queue, as one iteration of the fake's thread does.
func (f *Fake) takeEvent() {
	event := f.queue[0]
	f.queue = f.queue[1:]
	f.handle(event)
	if len(f.queue) > 0 && !f.broken {
		f.timers.Set(&f.hop, f.timers.Now()+hopTime)
	}
}

// handle applies one event to the models, as the reference's _event_handler does
// (mocked_tfserving.py:226-306). An event for an unknown model is only logged.
func (f *Fake) handle(event transition) {
	i := f.index(event.name)
	if i < 0 {
		f.host.Log(env.Error, "%s has removed!", event.name)
		return
	}
	if !slices.Contains(known, event.state) {
		f.host.Log(env.Error, "unknown event")
		return
	}
	m := f.models[i]
	if event.stale(m) && !f.Bugs {
		return
	}
	j := slices.IndexFunc(m.versions, func(v servable) bool { return v.version == event.version })
	if j < 0 {
		return
	}
	state := m.versions[j].state
	entered := true
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
		entered = false
		f.end(m, j, event)
	default:
		entered = false
	}
	if entered && !f.broken {
		f.host.Log(env.Info, "%s-%d: state is %d", event.name, event.version, event.state)
	}
}

// known holds the states that an event can request.
var known = []env.ModelState{env.StateStart, env.StateLoading, env.StateAvailable, env.StateUnloading, env.StateEnd}

// stale reports whether the event would unload a version of a newer model that has the same name.
// Other late events are harmless. They occur only for a name that is listed twice (TFS-17.1 item
// 16).
func (e transition) stale(m *entry) bool {
	return m != e.model && (e.state == env.StateUnloading || e.state == env.StateEnd)
}

// enter sets the state of version j to the event's state. Unless next is UNKNOWN, it also queues an
// event that will move the version to the state in next.
func (f *Fake) enter(m *entry, j int, event transition, next env.ModelState) {
	m.versions[j].state = event.state
	m.answer = nil
	f.host.Publish(event.name, event.version, event.state)
	if next != env.StateUnknown {
		f.put(transition{event.name, m, event.version, next})
	}
}

// limit queues the unload of the oldest version if the model has more versions than its policy
// keeps. With policy 'all' the reference compares an int with None, which raises an exception and
// ends the thread (TFS-17.1 item 4).
func (f *Fake) limit(m *entry) {
	switch {
	case m.unlimited && f.Bugs:
		f.broken = true
		f.timers.Unset(&f.hop)
		f.timers.Unset(&f.growth)
		f.host.Log(env.Error, Uncaught+"Thread-1 (_poll): TypeError: '>' not supported between instances of 'int' and 'NoneType'")
	case m.latest && !m.unlimited && len(m.versions) > int(m.data):
		f.put(transition{m.config.Name, m, m.versions[0].version, env.StateUnloading})
	}
}

// end deletes a version. If it was the last one, end also deletes the model (TFS-17.1 item 12). The
// reference deletes the version in any state (TFS-17.1 item 18).
func (f *Fake) end(m *entry, j int, event transition) {
	if m.versions[j].state == env.StateUnloading {
		f.host.Publish(event.name, event.version, env.StateEnd)
		f.host.Log(env.Info, "%s-%d: state is END", event.name, event.version)
	}
	f.host.Log(env.Info, "%s-%d is removed!", event.name, event.version)
	m.versions = slices.Delete(m.versions, j, j+1)
	m.answer = nil
	if len(m.versions) > 0 {
		return
	}
	i := f.index(event.name)
	f.host.Log(env.Info, "%s is removed!", event.name)
	f.models = slices.Delete(f.models, i, i+1)
	f.planGrowth()
}
