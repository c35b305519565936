package textformat

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

const anyName = "google.protobuf.Any"

// parser reads fields from a text into messages (class _Parser of text_format.py).
type parser struct {
	*tokenizer
	Parser
}

// fields reads the fields of a message, up to the token in end, which closes the message.
func (p *parser) fields(m protoreflect.Message, end string) error {
	for !p.tryConsume(end) {
		if p.atEnd() {
			return p.failBefore(`Expected "%s".`, end)
		}
		if err := p.field(m); err != nil {
			return err
		}
	}
	return nil
}

// field reads one field, beginning with its name (_MergeField).
func (p *parser) field(m protoreflect.Message) error {
	if p.tryConsume("[") {
		if m.Descriptor().FullName() == anyName {
			return p.expandedAny(m)
		}
		return p.extension(m)
	}
	name, err := p.consumeIdentifierOrNumber()
	if err != nil {
		return err
	}
	field := p.fieldNamed(m.Descriptor(), name)
	if field == nil {
		return p.failBefore(`Message type "%s" has no field named "%s".`, m.Descriptor().FullName(), name)
	}
	if err := p.checkOneof(m, field); err != nil {
		return err
	}
	if err := p.value(m, field); err != nil {
		return err
	}
	if !p.tryConsume(",") {
		p.tryConsume(";")
	}
	return nil
}

// fieldNamed returns the field of a message with the given name, or nil. A group has the name of
// its type.
func (p *parser) fieldNamed(of protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	field := of.Fields().ByName(protoreflect.Name(name))
	if field == nil {
		if field = of.Fields().ByName(protoreflect.Name(strings.ToLower(name))); field != nil && field.Kind() != protoreflect.GroupKind {
			return nil
		}
	}
	if field == nil || field.Kind() == protoreflect.GroupKind && string(field.Message().Name()) != name || p.Hides != nil && p.Hides(field) {
		return nil
	}
	return field
}

// extension reads the name of an extension and then fails, because no message here has extensions.
func (p *parser) extension(m protoreflect.Message) error {
	name, err := p.dottedName()
	if err != nil {
		return err
	}
	if m.Descriptor().ExtensionRanges().Len() == 0 {
		return p.failBefore(`Message type "%s" does not have extensions.`, m.Descriptor().FullName())
	}
	return p.failBefore(`Extension "%s" not registered. Did you import the _pb2 module which defines it? `+
		`If you are trying to place the extension in the MessageSet field of another message that is in an Any or `+
		`MessageSet field, that message's _pb2 module must be imported as well`, name)
}

func (p *parser) dottedName() (string, error) {
	name, err := p.consumeIdentifier()
	for err == nil && p.tryConsume(".") {
		var part string
		part, err = p.consumeIdentifier()
		name += "." + part
	}
	return name, err
}

func (p *parser) checkOneof(m protoreflect.Message, field protoreflect.FieldDescriptor) error {
	oneof := field.ContainingOneof()
	if p.Overwrite || oneof == nil {
		return nil
	}
	if set := m.WhichOneof(oneof); set != nil && set != field {
		return p.failBefore(`Field "%s" is specified along with field "%s", another member of oneof "%s" for message type "%s".`,
			field.Name(), set.Name(), oneof.Name(), m.Descriptor().FullName())
	}
	return nil
}

// value reads what follows the name of a field.
func (p *parser) value(m protoreflect.Message, field protoreflect.FieldDescriptor) error {
	read := p.scalarField
	if field.Message() != nil {
		p.tryConsume(":")
		read = p.messageField
	} else if err := p.consume(":"); err != nil {
		return err
	}
	if field.Cardinality() != protoreflect.Repeated || !p.tryConsume("[") {
		return read(m, field)
	}
	if p.tryConsume("]") {
		return nil
	}
	for {
		if err := read(m, field); err != nil || p.tryConsume("]") {
			return err
		}
		if err := p.consume(","); err != nil {
			return err
		}
	}
}

// open reads the token that opens a message, and returns the token that closes it.
func (p *parser) open() (end string, err error) {
	if p.tryConsume("<") {
		return ">", nil
	}
	return "}", p.consume("{")
}

// messageField reads a field that is a message (_MergeMessageField).
func (p *parser) messageField(m protoreflect.Message, field protoreflect.FieldDescriptor) error {
	end, err := p.open()
	switch {
	case err != nil:
		return err
	case field.IsMap():
		return p.mapEntry(m, field, end)
	case field.IsList():
		return p.fields(m.Mutable(field).List().AppendMutable().Message(), end)
	case !p.Overwrite && m.Has(field):
		return p.failTwice(m, field)
	}
	return p.fields(m.Mutable(field).Message(), end)
}

func (p *parser) mapEntry(m protoreflect.Message, field protoreflect.FieldDescriptor, end string) error {
	entry := dynamicpb.NewMessage(field.Message())
	if err := p.fields(entry, end); err != nil {
		return err
	}
	all, value := m.Mutable(field).Map(), entry.Get(field.MapValue())
	if field.MapValue().Message() != nil {
		read := value.Message().Interface()
		value = all.NewValue()
		proto.Merge(value.Message().Interface(), read)
	}
	all.Set(entry.Get(field.MapKey()).MapKey(), value)
	return nil
}

func (p *parser) failTwice(m protoreflect.Message, field protoreflect.FieldDescriptor) error {
	return p.failBefore(`Message type "%s" should not have multiple "%s" fields.`, m.Descriptor().FullName(), field.Name())
}

// expandedAny reads an Any that is written as the fields of the message in it. The bracket before
// the type's name was already read. No separator may follow the Any.
func (p *parser) expandedAny(m protoreflect.Message) error {
	prefix, name, err := p.typeURL()
	if err != nil {
		return err
	}
	p.tryConsume(":")
	end, err := p.open()
	if err != nil {
		return err
	}
	content, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if err != nil {
		return parseError("Type %s not found in descriptor pool", name)
	}
	inside := content.New()
	if err := p.fields(inside, end); err != nil {
		return err
	}
	data, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(inside.Interface())
	if err != nil {
		return err
	}
	fields := m.Descriptor().Fields()
	m.Set(fields.ByName("type_url"), protoreflect.ValueOfString(prefix+"/"+name))
	m.Set(fields.ByName("value"), protoreflect.ValueOfBytes(data))
	return nil
}

// typeURL reads the type of an Any: a.b.c/full.Name]. There are always three parts before the
// slash.
func (p *parser) typeURL() (prefix, name string, err error) {
	for _, behind := range []string{".", ".", "/"} {
		part, err := p.consumeIdentifier()
		if err == nil {
			err = p.consume(behind)
		}
		if err != nil {
			return "", "", err
		}
		prefix += part + behind
	}
	if name, err = p.dottedName(); err == nil {
		err = p.consume("]")
	}
	return strings.TrimSuffix(prefix, "/"), name, err
}
