package datadef

import (
	"github.com/monosim/monosim/engine/enum"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
)

// PublishType is what a [PublishMeta] asks for: to load or to unload.
type PublishType int

// The publish types.
const (
	PublishLoad   PublishType = 1
	PublishUnload PublishType = 2
)

var publishNames = []string{PublishLoad: "LOAD", PublishUnload: "UNLOAD"}

// String returns the member's name.
func (t PublishType) String() string { return enum.Listed(publishNames, t) }

// LoadPython returns the number of the member.
func (t *PublishType) LoadPython() any { return int(*t) }

// StorePython takes a number. exact is false for other values.
func (t *PublishType) StorePython(value any) (exact bool) {
	n, ok := value.(int)
	*t = PublishType(n)
	return ok
}

// DecodePython returns the number of the member with this value. A value of no member is a
// ValueError.
func (*PublishType) DecodePython(value any) (any, error) {
	return dataclass.DecodeEnum(value, "PublishType", int(PublishUnload))
}

// MemberPython returns the member with a number.
func (*PublishType) MemberPython(n int) any { return PublishType(n) }

// EventType tells which kind of znode an [Event] is about.
type EventType int

// The event types. The reference's UNKNOWN has the same value as PORTAL and so is the same member:
// a default event is a portal event (Q72).
const (
	EventPortal   EventType = 1
	EventService  EventType = 2
	EventPublish  EventType = 3
	EventResource EventType = 4

	EventUnknown = EventPortal
)

var eventNames = []string{EventPortal: "PORTAL", EventService: "SERVICE", EventPublish: "PUBLISH", EventResource: "RESOURCE"}

// String returns the member's name.
func (t EventType) String() string { return enum.Listed(eventNames, t) }

// LoadPython returns the number of the member.
func (t *EventType) LoadPython() any { return int(*t) }

// StorePython takes a number. exact is false for other values.
func (t *EventType) StorePython(value any) (exact bool) {
	n, ok := value.(int)
	*t = EventType(n)
	return ok
}

// DecodePython returns the number of the member with this value. A value of no member is a
// ValueError.
func (*EventType) DecodePython(value any) (any, error) {
	return dataclass.DecodeEnum(value, "EventType", int(EventResource))
}

// MemberPython returns the member with a number.
func (*EventType) MemberPython(n int) any { return EventType(n) }

// Event is what a mirror of ZooKeeper puts into its queue.
type Event struct {
	Path  pysem.OptString `py:"path"`
	Data  []byte          `py:"data"`
	EType EventType       `py:"etype" default:"1"` // UNKNOWN

	odd *dataclass.OddValues
}

var eventClass = dataclass.Of(func(m *Event) **dataclass.OddValues { return &m.odd })

// DefaultEvent returns an Event with the reference's defaults.
func DefaultEvent() Event { return eventClass.New() }

// ParseEvent reads an event whose data is null. Any other data is an AttributeError, even what
// Serialize wrote (Q73).
func ParseEvent(data []byte) (Event, error) { return eventClass.DecodeValue(data) }

// Serialize returns the JSON form, with the data as a list of ints.
func (m *Event) Serialize() []byte { return eventClass.AppendJSON(nil, m) }

// Set assigns a Python value of any type to a field by its Python name. An unknown name is a
// TypeError.
func (m *Event) Set(name string, value any) error { return eventClass.Set(m, name, value) }

// Fields lists all fields with their Python values.
func (m *Event) Fields() []dataclass.Field { return eventClass.List(m) }

// Equal reports whether all fields are equal, as the dataclass's == does.
func (m *Event) Equal(other *Event) bool { return eventClass.Equal(m, other) }
