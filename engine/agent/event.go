package agent

import "fmt"

// PublishType says what a [PublishMeta] asks for.
type PublishType int

// The publish types.
const (
	PublishLoad   PublishType = 1
	PublishUnload PublishType = 2
)

func (t PublishType) String() string {
	switch t {
	case PublishLoad:
		return "LOAD"
	case PublishUnload:
		return "UNLOAD"
	}
	return fmt.Sprintf("PublishType(%d)", int(t))
}

// EventType says who an [Event] is for.
type EventType int

// The event types. The reference's UNKNOWN has the value of PORTAL and is thereby
// the same member: a default event is a portal event (Q72).
const (
	EventPortal   EventType = 1
	EventService  EventType = 2
	EventPublish  EventType = 3
	EventResource EventType = 4

	EventUnknown = EventPortal
)

func (t EventType) String() string {
	switch t {
	case EventPortal:
		return "PORTAL"
	case EventService:
		return "SERVICE"
	case EventPublish:
		return "PUBLISH"
	case EventResource:
		return "RESOURCE"
	}
	return fmt.Sprintf("EventType(%d)", int(t))
}

// Event is what a mirror of ZooKeeper tells its handlers.
type Event struct {
	Path  OptString
	Data  []byte
	EType EventType

	odd *oddValues
}

var eventClass = dataClass[Event]{
	defaults: DefaultEvent,
	odd:      func(m *Event) **oddValues { return &m.odd },
	fields: []classField[Event]{
		{"path", func(m *Event) any { return &m.Path }},
		{"data", func(m *Event) any { return &m.Data }},
		{"etype", func(m *Event) any { return &m.EType }},
	},
}

// DefaultEvent has the reference's defaults.
func DefaultEvent() Event { return Event{Data: []byte{}, EType: EventUnknown} }

// ParseEvent reads an event whose data is null; any other is an
// AttributeError, whatever Serialize wrote (Q73).
func ParseEvent(data []byte) (Event, error) { return eventClass.decodeValue(data) }

// Serialize is the JSON form, with the data as a list of ints.
func (m *Event) Serialize() []byte { return eventClass.appendJSON(nil, m) }

// Set assigns a Python value to the field of that name.
func (m *Event) Set(name string, value any) error { return eventClass.set(m, name, value) }

// Fields lists all fields with their Python values.
func (m *Event) Fields() []Field { return eventClass.list(m) }

// Equal is the dataclass's ==.
func (m *Event) Equal(other *Event) bool { return eventClass.equal(m, other) }
