package textpb

import (
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Merge is Parse that takes a value which is there twice, the last of them, as
// text_format.Merge does; Python's Parse, and the library here, have an error for it.
func Merge(text string, message proto.Message) error {
	text, err := fromPython(text)
	if err == nil {
		err = unmarshal(prototext.UnmarshalOptions{}, text, message)
	}
	if err == nil || !strings.Contains(err.Error(), "is repeated") {
		return err
	}
	f := &finder{text: text}
	f.fields(message.ProtoReflect().Descriptor(), "")
	if len(f.stale) == 0 {
		return err
	}
	kept := []byte(text)
	for _, s := range f.stale {
		if err := unmarshal(prototext.UnmarshalOptions{}, text[s.begin:s.end], dynamicpb.NewMessage(s.of)); err != nil {
			return err
		}
		for i := s.begin; i < s.end; i++ {
			if kept[i] != '\n' { // errors tell lines
				kept[i] = ' '
			}
		}
	}
	return unmarshal(prototext.UnmarshalOptions{}, string(kept), message)
}

// span is a field of a message in a text, from its name to the end of its value.
type span struct {
	of         protoreflect.MessageDescriptor
	begin, end int
}

// finder finds the values that later ones take the place of. What is no text form it reads to
// its end somehow: the library tells what is wrong.
type finder struct {
	text  string
	at    int
	stale []span
}

// fields reads those of a message, to the token that closes it. desc is nil for a message of
// which nothing is known.
func (f *finder) fields(desc protoreflect.MessageDescriptor, closing string) {
	last := map[string]span{}
	for {
		begin, name := f.token()
		if name == "" || name == closing {
			return
		}
		field, inner := fieldOf(desc, name)
		after, next := f.token()
		if next == ":" {
			after, next = f.token()
		}
		switch next {
		case "{":
			f.fields(inner, "}")
		case "<":
			f.fields(inner, ">")
		case "[":
			f.list(inner)
		default:
			f.at = after
			f.scalar()
		}
		end := f.at
		if field != nil && inner == nil && field.Cardinality() != protoreflect.Repeated {
			if old, twice := last[name]; twice {
				f.stale = append(f.stale, old)
			}
			last[name] = span{desc, begin, end}
		}
		if after, next := f.token(); next != ";" && next != "," {
			f.at = after
		} else if s, ok := last[name]; ok && s.end == end {
			last[name] = span{desc, s.begin, f.at}
		}
	}
}

// fieldOf returns a field by name, and the message that it has as a value; nil for none.
func fieldOf(desc protoreflect.MessageDescriptor, name string) (field protoreflect.FieldDescriptor, value protoreflect.MessageDescriptor) {
	if desc != nil {
		field = desc.Fields().ByTextName(name)
	}
	if field != nil {
		value = field.Message()
	}
	return field, value
}

// list reads to the end of a list.
func (f *finder) list(of protoreflect.MessageDescriptor) {
	for {
		switch _, token := f.token(); token {
		case "", "]":
			return
		case "{":
			f.fields(of, "}")
		case "<":
			f.fields(of, ">")
		}
	}
}

// scalar reads a value: a word, with a sign before it, or texts one after the other.
func (f *finder) scalar() {
	_, token := f.token()
	for token == "-" {
		_, token = f.token()
	}
	for isText(token) {
		end := f.at
		if _, token = f.token(); !isText(token) {
			f.at = end
		}
	}
}

func isText(token string) bool { return token != "" && (token[0] == '"' || token[0] == '\'') }

// token returns the next one and where it begins, "" at the end.
func (f *finder) token() (begin int, token string) {
	for f.at < len(f.text) {
		c, rest := f.text[f.at], f.text[f.at:]
		switch {
		case c == '#':
			if line := strings.IndexByte(rest, '\n'); line >= 0 {
				f.at += line
			} else {
				f.at = len(f.text)
			}
		case strings.IndexByte(" \t\r\n\v\f", c) >= 0:
			f.at++
		default:
			begin = f.at
			f.at += f.length(c)
			return begin, f.text[begin:f.at]
		}
	}
	return f.at, ""
}

// length is that of the token that begins with a character.
func (f *finder) length(first byte) int {
	rest := f.text[f.at:]
	switch {
	case strings.IndexByte("{}<>[]:;,-", first) >= 0:
		return 1
	case first == '"' || first == '\'':
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case first:
				return i + 1
			}
		}
		return len(rest)
	}
	if end := strings.IndexAny(rest, " \t\r\n\v\f{}<>[]:;,#\"'"); end > 0 {
		return end
	}
	return len(rest)
}
