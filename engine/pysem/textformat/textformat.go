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

// Parse reads the fields of a text into a message (text_format.py:696 of 3.20.3). A second value
// for a field that can have only one is an error, and so is an unknown field. Errors are
// [pysem.Error]s. Nearly all are ParseErrors whose message begins with line and column.
func Parse(text string, message proto.Message) error {
	return Parser{}.Parse(text, message)
}

// Merge works as [Parse], but if a field has several values, it takes the last one
// (text_format.py:740).
func Merge(text string, message proto.Message) error {
	return Parser{Overwrite: true}.Parse(text, message)
}

// Parser holds options for reading a text. The zero Parser reads as [Parse] does.
type Parser struct {
	// Overwrite makes the last of several values count, as in Merge.
	Overwrite bool
	// Hides reports whether a field of our protos does not exist in the program whose reader is
	// imitated here. In a text such a field is an error. nil hides no field.
	Hides func(protoreflect.FieldDescriptor) bool
	// Native says that the descriptors are in C++, as in the protobuf of a TensorFlow. They look up the
	// value of a closed enum by the lower 32 bits of an integer, so that 4294967296 finds the value 0.
	Native bool
}

// Parse reads a text as the function Parse does, with these options.
func (o Parser) Parse(text string, message proto.Message) error {
	p := parser{tokenizer: newTokenizer(text), Parser: o}
	for !p.atEnd() {
		if err := p.field(message.ProtoReflect()); err != nil {
			return err
		}
	}
	return nil
}

// parseError returns a ParseError without line and column.
func parseError(format string, args ...any) error { return pysem.Raise("ParseError", format, args...) }
