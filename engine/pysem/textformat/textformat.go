// Package textformat reads the protobuf text format as Python's google.protobuf.text_format does,
// in protobuf 3.20.3 and pure Python. Agents and clients read with it. The model server is C++,
// which has another grammar: sim/tfserving/textformat. Both are printed by engine/proto/textpb.
//
// The two things to use first:
//
//	err := textformat.Parse(text, config)       // text_format.Parse(text, config)
//	err := textformat.Merge(text, state)        // text_format.Merge(text, state)
//
// What only Python does: \xff in a string is an error, \u00e9 is the byte e9, \q and \u4e00 stay
// as they are written, 1_0, +1 and 0o17 are integers, 08 and nanf are floats, white space is that
// of Unicode, and a text may end in the middle of nothing but a message.
//
// To change
//
//   - what a token is: tokenizer.go
//   - fields, messages and maps: parser.go
//   - numbers and names as values: scalar.go
//   - the escapes of strings: unescape.go
//
// testdata/python.jsonl is recorded by record.py beside it.
//
// Unstable: any commit may change it.
package textformat

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/monosim/monosim/engine/pysem"
)

// Parse adds the fields of a text to a message. A field of one value that has one already is an
// error, and so is a field that the message has not. Errors are [pysem.Error]s, nearly always
// ParseErrors whose message begins with line and column; text_format.py:696 (3.20.3).
func Parse(text string, message proto.Message) error {
	return Parser{}.Parse(text, message)
}

// Merge is [Parse] that takes a value which is there twice, the last of them (text_format.py:740).
func Merge(text string, message proto.Message) error {
	return Parser{Overwrite: true}.Parse(text, message)
}

// Parser holds what readers differ in. The zero Parser reads as [Parse] does.
type Parser struct {
	// Overwrite has the last of several values count, as Merge does.
	Overwrite bool
	// Hides reports whether the program whose reader this imitates lacks a field of our protos. In
	// a text such a field is an error. nil hides no field.
	Hides func(protoreflect.FieldDescriptor) bool
}

// Parse reads a text as the package's function does.
func (o Parser) Parse(text string, message proto.Message) error {
	p := parser{tokenizer: newTokenizer(text), Parser: o}
	for !p.atEnd() {
		if err := p.field(message.ProtoReflect()); err != nil {
			return err
		}
	}
	return nil
}

// parseError returns a ParseError without a place.
func parseError(format string, args ...any) error { return pysem.Raise("ParseError", format, args...) }
