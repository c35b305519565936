package runner

import (
	"fmt"
	"maps"
	"slices"
)

// Health is the health of a service.
type Health int

// These are the states of health. HealthUnknown is the state of a service that has not reported its
// health.
const (
	HealthUnknown Health = iota
	Healthy
	Unhealthy
	Starting
	Stopping
)

// These are the keys of a service's metadata.
const (
	// KeyAddr is the key of a process's address. KeyIndex is the key of its index.
	KeyAddr  = "addr"
	KeyIndex = "index"
	// KeyAllowUpdate is the key that, when "true", allows a service to be registered again.
	KeyAllowUpdate = "allow_update"
)

// Service is a registered process.
type Service struct {
	ID, Name, Type string
	Host           string
	Port           int
	Metadata       map[string]string
	Health         Health
}

// Address returns the service's host:port.
func (s Service) Address() string { return fmt.Sprintf("%s:%d", s.Host, s.Port) }

func (s Service) clone() Service {
	s.Metadata = maps.Clone(s.Metadata)
	return s
}

// Services is a registry in which processes register and are found by their type.
type Services interface {
	Connect() error
	Disconnect() error
	Register(s Service) error
	// Discover lists the services of a type, in no particular order.
	Discover(typ string) ([]Service, error)
	Deregister(id string) error
	// Heartbeat reports that a service is still running.
	Heartbeat(id string) error
}

// NotFoundError is returned for a service that is not registered.
type NotFoundError struct{ ID string }

// Error returns the Rust port's text.
func (e *NotFoundError) Error() string { return "Service not found: " + e.ID }

// AlreadyRegisteredError is returned for a service that is registered and does not allow updates.
type AlreadyRegisteredError struct{ ID string }

// Error returns the Rust port's text.
func (e *AlreadyRegisteredError) Error() string { return "Service already registered: " + e.ID }

// Change is the kind of an Event.
type Change int

// These are the kinds of changes.
const (
	Added Change = iota
	Updated
	Removed
)

// Event is one change of a service. For a removed service only the id is set.
type Event struct {
	Change  Change
	Service Service
}

// watchCapacity is how many events a watcher keeps. Beyond that it drops the oldest.
const watchCapacity = 100

// Watcher receives the events of services of one type.
type Watcher struct {
	events []Event
	missed int
}

// Take returns the events since the last call, and how many were dropped because nobody took them.
func (w *Watcher) Take() (events []Event, missed int) {
	events, missed = w.events, w.missed
	w.events, w.missed = nil, 0
	return events, missed
}

func (w *Watcher) add(e Event) {
	w.events = append(w.events, e)
	if len(w.events) > watchCapacity {
		w.events = w.events[1:]
		w.missed++
	}
}

// Memory implements Services in memory, without connections or heartbeats.
type Memory struct {
	services map[string]Service
	watchers map[string][]*Watcher
}

// NewMemory makes a Memory without services.
func NewMemory() *Memory {
	return &Memory{services: map[string]Service{}, watchers: map[string][]*Watcher{}}
}

// Connect does nothing.
func (m *Memory) Connect() error { return nil }

// Disconnect does nothing.
func (m *Memory) Disconnect() error { return nil }

// Heartbeat does nothing.
func (m *Memory) Heartbeat(string) error { return nil }

func (m *Memory) tell(typ string, e Event) {
	for _, w := range m.watchers[typ] {
		w.add(Event{Change: e.Change, Service: e.Service.clone()})
	}
}

// Register adds a service. If its id is registered already, it returns an AlreadyRegisteredError,
// unless the metadata of the new service allow the update.
func (m *Memory) Register(s Service) error {
	change := Added
	if _, ok := m.services[s.ID]; ok {
		if s.Metadata[KeyAllowUpdate] != "true" {
			return &AlreadyRegisteredError{ID: s.ID}
		}
		change = Updated
	}
	m.services[s.ID] = s.clone()
	m.tell(s.Type, Event{Change: change, Service: s})
	return nil
}

// Discover returns the services of a type, sorted by id.
func (m *Memory) Discover(typ string) ([]Service, error) {
	list := []Service{}
	for _, id := range slices.Sorted(maps.Keys(m.services)) {
		if s := m.services[id]; s.Type == typ {
			list = append(list, s.clone())
		}
	}
	return list, nil
}

// Deregister removes a service. For an unknown id it returns a NotFoundError.
func (m *Memory) Deregister(id string) error {
	s, ok := m.services[id]
	if !ok {
		return &NotFoundError{ID: id}
	}
	delete(m.services, id)
	m.tell(s.Type, Event{Change: Removed, Service: Service{ID: id}})
	return nil
}

// UpdateHealth sets the health of a service. For an unknown id it returns a NotFoundError.
func (m *Memory) UpdateHealth(id string, health Health) error {
	s, ok := m.services[id]
	if !ok {
		return &NotFoundError{ID: id}
	}
	s.Health = health
	m.services[id] = s
	m.tell(s.Type, Event{Change: Updated, Service: s})
	return nil
}

// Clear removes all services, in the order of their ids.
func (m *Memory) Clear() {
	for _, id := range slices.Sorted(maps.Keys(m.services)) {
		typ := m.services[id].Type
		delete(m.services, id)
		m.tell(typ, Event{Change: Removed, Service: Service{ID: id}})
	}
}

// Watch makes a watcher, which receives later events of services of a type.
func (m *Memory) Watch(typ string) *Watcher {
	w := &Watcher{}
	m.watchers[typ] = append(m.watchers[typ], w)
	return w
}
