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

// String returns the name of the enum member.
func (t PublishType) String() string { return enum.Listed(publishNames, t) }

// LoadPython returns the enum member as an int.
func (t *PublishType) LoadPython() any { return int(*t) }

// StorePython sets the type from an int. It returns false for a value of another type.
func (t *PublishType) StorePython(value any) (exact bool) {
	n, ok := value.(int)
	*t = PublishType(n)
	return ok
}

// DecodePython returns the number of the enum member with this value. If no member has the value,
// it is a ValueError.
func (*PublishType) DecodePython(value any) (any, error) {
	return dataclass.DecodeEnum(value, "PublishType", int(PublishUnload))
}

// MemberPython returns the enum member with the number n.
func (*PublishType) MemberPython(n int) any { return PublishType(n) }

// EventType is the kind of znode that an [Event] is about.
type EventType int

// In the reference UNKNOWN has the same value as PORTAL, so both are the same enum member.
// Therefore a default event is a portal event (Q72).
const (
	EventPortal   EventType = 1
	EventService  EventType = 2
	EventPublish  EventType = 3
	EventResource EventType = 4

	EventUnknown = EventPortal
)

var eventNames = []string{EventPortal: "PORTAL", EventService: "SERVICE", EventPublish: "PUBLISH", EventResource: "RESOURCE"}

// String returns the name of the enum member.
func (t EventType) String() string { return enum.Listed(eventNames, t) }

// LoadPython returns the enum member as an int.
func (t *EventType) LoadPython() any { return int(*t) }

// StorePython sets the type from an int. It returns false for a value of another type.
func (t *EventType) StorePython(value any) (exact bool) {
	n, ok := value.(int)
	*t = EventType(n)
	return ok
}

// DecodePython returns the number of the enum member with this value. If no member has the value,
// it is a ValueError.
func (*EventType) DecodePython(value any) (any, error) {
	return dataclass.DecodeEnum(value, "EventType", int(EventResource))
}

// MemberPython returns the enum member with the number n.
func (*EventType) MemberPython(n int) any { return EventType(n) }

// Event is an entry in the event queue of a ZKMirror.
type Event struct {
	Path  pysem.OptString `py:"path"`
	Data  []byte          `py:"data"`
	EType EventType       `py:"etype" default:"1"` // UNKNOWN

	odd *dataclass.OddValues
}

var eventClass = dataclass.Of(func(m *Event) **dataclass.OddValues { return &m.odd })

// DefaultEvent returns an Event with the reference's defaults.
func DefaultEvent() Event { return eventClass.New() }

// ParseEvent parses an event whose data is null. Any other data is an AttributeError, even if
// Serialize wrote it (Q73).
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
