package textformat

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// parser parses text and sets the fields of messages (TextFormat::Parser::ParserImpl). Its methods
// record an error in found, and then return false.
type parser struct {
	tokenizer
	Parser
}

// fail records an error at the present token, and returns false.
func (p *parser) fail(format string, args ...any) bool {
	p.wrong(p.current.line, p.current.column, format, args...)
	return false
}

func (p *parser) lookingAt(text string) bool { return p.current.text == text }

func (p *parser) tryConsume(text string) bool {
	if !p.lookingAt(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) consume(text string) bool {
	return p.tryConsume(text) || p.fail(`Expected "%s", found "%s".`, text, p.current.text)
}

// consumeIdentifier consumes a name. If unknown fields are allowed, the name may be a number.
func (p *parser) consumeIdentifier() (name string, ok bool) {
	if p.current.kind != identifier && !(p.Skips && p.current.kind == integer) {
		return "", p.fail("Expected identifier, got: %s", p.current.text)
	}
	name = p.current.text
	p.next()
	return name, true
}

func (p *parser) dottedName() (name string, ok bool) {
	name, ok = p.consumeIdentifier()
	for ok && p.tryConsume(".") {
		var part string
		part, ok = p.consumeIdentifier()
		name += "." + part
	}
	return name, ok
}

// open consumes the bracket that opens a message, and returns the bracket that must close it.
func (p *parser) open() (closing string, ok bool) {
	if p.tryConsume("<") {
		return ">", true
	}
	return "}", p.consume("{")
}

// fields parses the fields of a message, up to the closing bracket.
func (p *parser) fields(m protoreflect.Message, closing string) bool {
	for !p.lookingAt(">") && !p.lookingAt("}") {
		if !p.field(m) {
			return false
		}
	}
	return p.consume(closing)
}

func (p *parser) separator() bool {
	if !p.tryConsume(";") {
		p.tryConsume(",")
	}
	return true
}

// field parses one field (ConsumeField) and the optional separator after it. No separator may
// follow a skipped field or an expanded Any.
func (p *parser) field(m protoreflect.Message) bool {
	of := m.Descriptor()
	if p.tryConsume("[") {
		if of.FullName() == "google.protobuf.Any" {
			return p.expandedAny(m)
		}
		return p.extension(of)
	}
	name, ok := p.consumeIdentifier()
	if !ok {
		return false
	}
	field := fieldNamed(of, name)
	if field != nil && p.Hides != nil && p.Hides(field) {
		field = nil
	}
	switch {
	case field == nil && !p.Skips && !of.ReservedNames().Has(protoreflect.Name(name)):
		return p.fail(`Message type "%s" has no field named "%s".`, of.FullName(), name)
	case field == nil:
		return p.skipContent()
	case field.Cardinality() != protoreflect.Repeated && m.Has(field):
		return p.fail(`Non-repeated field "%s" is specified multiple times.`, name)
	}
	if oneof := field.ContainingOneof(); oneof != nil && m.WhichOneof(oneof) != nil {
		return p.fail(`Field "%s" is specified along with field "%s", another member of oneof "%s".`, name, m.WhichOneof(oneof).Name(), oneof.Name())
	}
	return p.value(m, field) && p.separator()
}

// fieldNamed returns the field of a message with a name; nil if there is none. A group is found by
// the name of its type.
func fieldNamed(of protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	field := of.Fields().ByName(protoreflect.Name(name))
	if field == nil {
		if field = of.Fields().ByName(protoreflect.Name(strings.ToLower(name))); field != nil && field.Kind() != protoreflect.GroupKind {
			return nil
		}
	}
	if field != nil && field.Kind() == protoreflect.GroupKind && string(field.Message().Name()) != name {
		return nil
	}
	return field
}

// extension parses an extension. No extension is defined, so any extension is an error, or is
// skipped if Skips is set.
func (p *parser) extension(of protoreflect.MessageDescriptor) bool {
	name, ok := p.dottedName()
	if !ok || !p.consume("]") {
		return false
	}
	if !p.Skips {
		return p.fail(`Extension "%s" is not defined or is not an extension of "%s".`, name, of.FullName())
	}
	return p.skipContent()
}

// value parses what follows the name of a field: one value, or a list of values.
func (p *parser) value(m protoreflect.Message, field protoreflect.FieldDescriptor) bool {
	read := p.scalarField
	if field.Message() != nil {
		p.tryConsume(":")
		read = p.messageField
	} else if !p.consume(":") {
		return false
	}
	if field.Cardinality() != protoreflect.Repeated || !p.tryConsume("[") {
		return read(m, field)
	}
	return p.list(func() bool { return read(m, field) })
}

// list parses the rest of a list. read parses one element.
func (p *parser) list(read func() bool) bool { return p.tryConsume("]") || p.elements(read) }

// elements parses the rest of a list that is not empty.
func (p *parser) elements(read func() bool) bool {
	for read() {
		if p.tryConsume("]") {
			return true
		}
		if !p.consume(",") {
			break
		}
	}
	return false
}

func (p *parser) messageField(m protoreflect.Message, field protoreflect.FieldDescriptor) bool {
	closing, ok := p.open()
	switch {
	case !ok:
		return false
	case field.IsMap():
		return p.mapEntry(m, field, closing)
	case field.IsList():
		return p.fields(m.Mutable(field).List().AppendMutable().Message(), closing)
	}
	return p.fields(m.Mutable(field).Message(), closing)
}

func (p *parser) mapEntry(m protoreflect.Message, field protoreflect.FieldDescriptor, closing string) bool {
	entry := dynamicpb.NewMessage(field.Message())
	if !p.fields(entry, closing) {
		return false
	}
	all, value := m.Mutable(field).Map(), entry.Get(field.MapValue())
	if field.MapValue().Message() != nil {
		read := value.Message().Interface()
		value = all.NewValue()
		proto.Merge(value.Message().Interface(), read)
	}
	all.Set(entry.Get(field.MapKey()).MapKey(), value)
	return true
}

// expandedAny parses an Any that is given by the fields of its content, such as [<type.name>] { ...
// }. The opening bracket is already consumed.
func (p *parser) expandedAny(m protoreflect.Message) bool {
	prefix, ok := p.dottedName()
	if !ok || !p.consume("/") {
		return false
	}
	name, ok := p.dottedName()
	if !ok || !p.consume("]") {
		return false
	}
	p.tryConsume(":")
	content, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if err != nil || prefix != "type.googleapis.com" && prefix != "type.googleprod.com" {
		return p.fail(`Could not find type "%s/%s" stored in google.protobuf.Any.`, prefix, name)
	}
	closing, ok := p.open()
	inside := content.New()
	if !ok || !p.fields(inside, closing) {
		return false
	}
	url, value := m.Descriptor().Fields().ByName("type_url"), m.Descriptor().Fields().ByName("value")
	if m.Has(url) || m.Has(value) {
		return p.fail("Non-repeated Any specified multiple times.")
	}
	// Encoding fails only for strings that are not UTF-8. C++ encodes such strings and logs an
	// error.
	data, _ := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(inside.Interface())
	m.Set(url, protoreflect.ValueOfString(prefix+"/"+name))
	m.Set(value, protoreflect.ValueOfBytes(data))
	return true
}
