package textpb_test

import (
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
)

// fill draws random values for some of a message's fields. Of a oneof it draws at most one member.
// It ends, because no message type in these tests contains itself.
func fill(t *rapid.T, m protoreflect.Message, label string) {
	if content, ok := m.Interface().(*anypb.Any); ok {
		fillAny(t, content, label)
		return
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		desc := fields.Get(i)
		if !rapid.Bool().Draw(t, label+"."+string(desc.Name())+"?") {
			continue
		}
		name := label + "." + string(desc.Name())
		switch {
		case desc.IsMap():
			for range rapid.IntRange(1, 3).Draw(t, name+" entries") {
				key := drawValue(t, desc.MapKey(), nil, name+" key").MapKey()
				m.Mutable(desc).Map().Set(key, drawValue(t, desc.MapValue(), m.Mutable(desc).Map().NewValue, name))
			}
		case desc.IsList():
			list := m.Mutable(desc).List()
			for range rapid.IntRange(1, 3).Draw(t, name+" elements") {
				list.Append(drawValue(t, desc, list.NewElement, name))
			}
		default:
			m.Set(desc, drawValue(t, desc, func() protoreflect.Value { return m.NewField(desc) }, name))
		}
	}
}

// drawValue draws one value of the field's type. If that is a message, newMessage makes an empty
// one to fill.
func drawValue(t *rapid.T, desc protoreflect.FieldDescriptor, newMessage func() protoreflect.Value, label string) protoreflect.Value {
	switch desc.Kind() {
	case protoreflect.MessageKind:
		value := newMessage()
		fill(t, value.Message(), label)
		return value
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(rapid.Int32Range(-1, 4).Draw(t, label)))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(t, label))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(rapid.String().Draw(t, label))
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(rapid.Int32().Draw(t, label))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(rapid.Int64().Draw(t, label))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(rapid.Uint32().Draw(t, label))
	case protoreflect.DoubleKind:
		v := rapid.Float64().Draw(t, label)
		if v == 0 {
			v = 0 // neither Python's messages nor textformat keep -0.0 in a singular field
		}
		return protoreflect.ValueOfFloat64(v)
	default:
		t.Fatalf("%s: no generator for a field of kind %s", label, desc.Kind())
		return protoreflect.Value{}
	}
}

// fillAny fills an Any with a message of a known type, which is printed expanded, or of an unknown
// type, which is not.
func fillAny(t *rapid.T, m *anypb.Any, label string) {
	if rapid.Bool().Draw(t, label+" known type?") {
		content := &config.LogCollectorConfig{}
		fill(t, content.ProtoReflect(), label)
		if err := m.MarshalFrom(content); err != nil {
			t.Fatal(err)
		}
		return
	}
	m.TypeUrl = "type.googleapis.com/no.such.Type"
	m.Value = rapid.SliceOf(rapid.Byte()).Draw(t, label+" value")
}
