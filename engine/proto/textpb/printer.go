package textpb

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// indentWidth is how many spaces a nested message is indented.
const indentWidth = 2

// fieldsCapacity is how many populated fields, over all levels, can be printed without growing the
// stack of fields. Config files have fewer.
const fieldsCapacity = 24

// anyName is the name of the message type that Python prints expanded.
const anyName protoreflect.FullName = "google.protobuf.Any"

// printer writes one message.
type printer struct {
	text   []byte
	indent int // spaces

	// fields is a stack of populated fields. The fields of the present message lie on top of those
	// of the enclosing messages, so that one buffer serves all levels.
	fields  []field
	collect func(protoreflect.FieldDescriptor, protoreflect.Value) bool // appendField, bound once
}

// field is a populated field of a message.
type field struct {
	desc  protoreflect.FieldDescriptor
	value protoreflect.Value
}

// appendField puts a field on the stack.
func (p *printer) appendField(desc protoreflect.FieldDescriptor, value protoreflect.Value) bool {
	p.fields = append(p.fields, field{desc: desc, value: value})
	return true
}

// printMessage writes the populated fields of a message in the order of their numbers.
func (p *printer) printMessage(m protoreflect.Message) error {
	if m.Descriptor().FullName() == anyName {
		if content, err := expandAny(m); err != nil {
			return err
		} else if content != nil {
			p.startLine("[" + anyURL(m) + "]")
			return p.printNested(content)
		}
	}

	base := len(p.fields)
	m.Range(p.collect)
	fields := p.fields[base:]
	slices.SortFunc(fields, func(a, b field) int { return cmp.Compare(a.desc.Number(), b.desc.Number()) })
	for _, f := range fields {
		if err := p.printField(f.desc, f.value); err != nil {
			return err
		}
	}
	p.fields = p.fields[:base]
	return nil
}

// printField writes every element of a field, each on lines of its own.
func (p *printer) printField(desc protoreflect.FieldDescriptor, value protoreflect.Value) error {
	switch {
	case desc.IsMap():
		return p.printMap(desc, value.Map())
	case desc.IsList():
		list := value.List()
		for i := range list.Len() {
			if err := p.printElement(desc, list.Get(i)); err != nil {
				return err
			}
		}
		return nil
	default:
		return p.printElement(desc, value)
	}
}

// printElement writes one value with the name of its field.
func (p *printer) printElement(desc protoreflect.FieldDescriptor, value protoreflect.Value) error {
	p.startLine(desc.TextName())
	if desc.Message() != nil {
		return p.printNested(value.Message())
	}
	p.text = append(p.text, ": "...)
	p.text = appendScalar(p.text, desc, value)
	p.text = append(p.text, '\n')
	return nil
}

// printMap writes the entries by key, each as a message of key and value.
func (p *printer) printMap(desc protoreflect.FieldDescriptor, entries protoreflect.Map) error {
	keys := make([]protoreflect.MapKey, 0, entries.Len())
	entries.Range(func(key protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, key)
		return true
	})
	slices.SortFunc(keys, compareKeys)
	for _, key := range keys {
		p.startLine(desc.TextName())
		p.open()
		if err := p.printEntry(desc, key.Value(), entries.Get(key)); err != nil {
			return err
		}
		p.close()
	}
	return nil
}

// printEntry writes the key and the value of a map entry. A scalar with its default value is left
// out, because Python makes a message of the entry, in which such a field is unset.
func (p *printer) printEntry(desc protoreflect.FieldDescriptor, key, value protoreflect.Value) error {
	if !isDefault(desc.MapKey(), key) {
		if err := p.printElement(desc.MapKey(), key); err != nil {
			return err
		}
	}
	if isDefault(desc.MapValue(), value) {
		return nil
	}
	return p.printElement(desc.MapValue(), value)
}

// printNested writes a message in braces, after its name.
func (p *printer) printNested(m protoreflect.Message) error {
	p.open()
	if err := p.printMessage(m); err != nil {
		return err
	}
	p.close()
	return nil
}

// startLine writes the indent and a name.
func (p *printer) startLine(name string) {
	for range p.indent {
		p.text = append(p.text, ' ')
	}
	p.text = append(p.text, name...)
}

// open starts a nested message.
func (p *printer) open() {
	p.text = append(p.text, " {\n"...)
	p.indent += indentWidth
}

// close ends a nested message.
func (p *printer) close() {
	p.indent -= indentWidth
	p.startLine("}\n")
}

// anyURL returns the type_url of an Any.
func anyURL(m protoreflect.Message) string {
	return m.Get(m.Descriptor().Fields().ByName("type_url")).String()
}

// expandAny returns the message inside an Any. It returns nil if the type is unknown or the URL has
// no slash (text_format.py, _TryPrintAsAnyMessage).
func expandAny(m protoreflect.Message) (protoreflect.Message, error) {
	url := anyURL(m)
	slash := strings.LastIndexByte(url, '/')
	if slash < 0 {
		return nil, nil
	}
	contentType, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(url[slash+1:]))
	if err != nil {
		return nil, nil // the type is unknown, and Python then prints type_url and value
	}
	content := contentType.New()
	value := m.Get(m.Descriptor().Fields().ByName("value")).Bytes()
	if err := proto.Unmarshal(value, content.Interface()); err != nil {
		return nil, fmt.Errorf("value of google.protobuf.Any with type_url %q: found bytes that are no %s", url, contentType.Descriptor().FullName())
	}
	return content, nil
}

// compareKeys orders map keys as Python's sorted() does.
func compareKeys(a, b protoreflect.MapKey) int {
	switch x := a.Interface().(type) {
	case bool:
		if x == b.Bool() {
			return 0
		} else if x {
			return 1
		}
		return -1
	case int32, int64:
		return cmp.Compare(a.Int(), b.Int())
	case uint32, uint64:
		return cmp.Compare(a.Uint(), b.Uint())
	default:
		return cmp.Compare(a.String(), b.String())
	}
}
