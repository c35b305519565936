package rest

import (
	"cmp"
	"encoding/base64"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// printer writes messages as protobuf's C++ MessageToJsonString does with add_whitespace and
// always_print_primitive_fields. It indents by one space, writes each element on its own line, and
// prints fields without presence even if empty. It sorts maps by key, where upstream has the order
// of a hash table. Go's protojson is not suitable: it varies its white space on purpose, and orders
// fields in another way.
type printer struct {
	out        []byte
	depth      int
	protoNames bool
	old        bool // old selects protobuf 3.9.2, used by tfs-2.4
}

// notInOld holds the fields that TensorFlow 2.4 does not have. They are not printed for tfs-2.4.
var notInOld = map[protoreflect.FullName]bool{"tensorflow.SignatureDef.defaults": true}

func (p *printer) document(m proto.Message) {
	p.message(m.ProtoReflect())
	p.out = append(p.out, '\n')
}

func (p *printer) message(m protoreflect.Message) {
	if isWrapper(m.Descriptor()) {
		field := m.Descriptor().Fields().ByNumber(1)
		p.scalar(field, m.Get(field))
		return
	}
	fields := p.fields(m)
	p.list('{', '}', len(fields), func(i int) {
		p.quoted(p.name(fields[i]))
		p.out = append(p.out, ": "...)
		p.field(fields[i], m.Get(fields[i]))
	})
}

// list prints count elements between the brackets open and last, each element on its own line.
func (p *printer) list(open, last byte, count int, element func(i int)) {
	p.out = append(p.out, open)
	p.depth++
	for i := range count {
		if i > 0 {
			p.out = append(p.out, ',')
		}
		p.newLine()
		element(i)
	}
	p.depth--
	if count > 0 {
		p.newLine()
	}
	p.out = append(p.out, last)
}

func (p *printer) newLine() {
	p.out = append(p.out, '\n')
	for range p.depth {
		p.out = append(p.out, ' ')
	}
}

func (p *printer) name(field protoreflect.FieldDescriptor) string {
	if p.protoNames {
		return string(field.Name())
	}
	return field.JSONName()
}

// fields returns the fields to print, in order. Current protobuf orders them by number. Version
// 3.9.2 keeps the order of declaration, but moves wrappers and the scalars of a oneof to the end
// (util/internal/default_value_objectwriter.cc, PopulateChildren).
func (p *printer) fields(m protoreflect.Message) []protoreflect.FieldDescriptor {
	var fields, late []protoreflect.FieldDescriptor
	for i := range m.Descriptor().Fields().Len() {
		field := m.Descriptor().Fields().Get(i)
		switch {
		case p.old && notInOld[field.FullName()] || field.HasPresence() && !m.Has(field):
		case p.old && field.HasPresence() && !hasMembers(field):
			late = append(late, field)
		default:
			fields = append(fields, field)
		}
	}
	byNumber := func(a, b protoreflect.FieldDescriptor) int { return cmp.Compare(a.Number(), b.Number()) }
	slices.SortFunc(late, byNumber)
	if !p.old {
		slices.SortFunc(fields, byNumber)
	}
	return append(fields, late...)
}

func hasMembers(field protoreflect.FieldDescriptor) bool {
	return field.Message() != nil && !isWrapper(field.Message())
}

// isWrapper reports whether a message type is defined in google/protobuf/wrappers.proto, such as
// Int64Value.
func isWrapper(m protoreflect.MessageDescriptor) bool {
	return m.ParentFile().Path() == "google/protobuf/wrappers.proto"
}

func (p *printer) field(field protoreflect.FieldDescriptor, value protoreflect.Value) {
	switch {
	case field.IsMap():
		p.mapField(field, value.Map())
	case field.IsList():
		list := value.List()
		p.list('[', ']', list.Len(), func(i int) { p.singular(field, list.Get(i)) })
	default:
		p.singular(field, value)
	}
}

func (p *printer) mapField(field protoreflect.FieldDescriptor, values protoreflect.Map) {
	keys := make([]protoreflect.MapKey, 0, values.Len())
	for key := range values.Range {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b protoreflect.MapKey) int { return cmp.Compare(a.String(), b.String()) })
	p.list('{', '}', len(keys), func(i int) {
		p.quoted(keys[i].String())
		p.out = append(p.out, ": "...)
		p.singular(field.MapValue(), values.Get(keys[i]))
	})
}

func (p *printer) singular(field protoreflect.FieldDescriptor, value protoreflect.Value) {
	if field.Message() != nil {
		p.message(value.Message())
		return
	}
	p.scalar(field, value)
}

// scalar prints a value. It quotes 64-bit integers. It prints an enum by name, or by number if the
// value has no name.
func (p *printer) scalar(field protoreflect.FieldDescriptor, value protoreflect.Value) {
	switch field.Kind() {
	case protoreflect.StringKind:
		p.quoted(value.String())
	case protoreflect.BytesKind:
		p.out = append(p.out, '"')
		p.out = base64.StdEncoding.AppendEncode(p.out, value.Bytes())
		p.out = append(p.out, '"')
	case protoreflect.EnumKind:
		p.enum(field.Enum(), value.Enum())
	case protoreflect.FloatKind:
		p.out = append(p.out, realText(value.Float(), 32)...)
	case protoreflect.DoubleKind:
		p.out = append(p.out, realText(value.Float(), 64)...)
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind,
		protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		p.quoted(value.String())
	default:
		p.out = append(p.out, value.String()...)
	}
}

func (p *printer) enum(enum protoreflect.EnumDescriptor, number protoreflect.EnumNumber) {
	if value := enum.Values().ByNumber(number); value != nil {
		p.quoted(string(value.Name()))
		return
	}
	p.out = strconv.AppendInt(p.out, int64(number), 10)
}

// realText formats a float as protobuf's SimpleDtoa or SimpleFtoa does. It writes 15 digits, or 6
// for 32 bits. If these do not parse to the same number, it writes more.
func realText(value float64, bits int) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return `"` + decimal(value, bits) + `"`
	}
	digits := 15
	if bits == 32 {
		digits = 6
	}
	return digitsOf(value, digits, bits)
}
