// Package textformat reads the protobuf text format as C++'s google::protobuf::TextFormat does, in
// protobuf 3.21, with which a model server reads its configuration files. The agents are Python,
// which has another grammar: engine/pysem/textformat.
//
// The two things to use first:
//
//	err := textformat.Unmarshal(text, config)        // TextFormat::ParseFromString(text, config)
//	err := textformat.UnmarshalKnown(text, config)   // the same with AllowUnknownField(true)
//
// [Parser] reads for a server whose messages lack some of our fields.
//
// What only C++ does:
//
//   - a sign is a token of its own, so blanks may follow a minus and there is no plus
//   - \u00e9 in a string is é and \uD800 the three bytes of a surrogate
//   - strings take any bytes, and 1.5F is a float, 010 none
//   - each byte that is not ASCII is an error of its own
//   - a reserved name of a message is skipped
//
// To change
//
//   - what a token is: tokenizer.go
//   - fields and messages: parser.go, and unknown ones: skip.go
//   - values: scalar.go, and the escapes of strings: unescape.go
//
// testdata/protoc.jsonl is recorded by record.py beside it.
//
// Unstable: any commit may change it.
package textformat

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Error lists the errors in a text, each with its line and column, in the form that the server
// logs: 2:12: Message type "tensorflow.serving.ModelConfig" has no field named "nmae".
type Error struct {
	Message string // full name of the message type
	Found   []string
}

// Error returns all errors of the text on one line.
func (e *Error) Error() string {
	return fmt.Sprintf("text of %s: %s", e.Message, strings.Join(e.Found, "; "))
}

// Unmarshal parses a text into a message, which is cleared first. An unknown field is an error.
// Errors are of type [*Error] (text_format.cc, TextFormat::Parser::Parse).
func Unmarshal(text string, message proto.Message) error { return Parser{}.Unmarshal(text, message) }

// UnmarshalKnown does what [Unmarshal] does, but skips unknown fields. It is for messages that are
// only partly declared here, such as a graph.
func UnmarshalKnown(text string, message proto.Message) error {
	return Parser{Skips: true}.Unmarshal(text, message)
}

// Parser parses texts for a server whose messages have fewer fields than ours. The zero value
// parses as [Unmarshal] does.
type Parser struct {
	// Hides reports whether the server's messages lack a field that ours have. If nil, they lack
	// none.
	Hides func(protoreflect.FieldDescriptor) bool
	// HidesValue reports the same of a value of an enum.
	HidesValue func(protoreflect.EnumValueDescriptor) bool
	// Skips says that unknown fields are skipped.
	Skips bool
}

// Unmarshal parses a text as the function Unmarshal does.
func (o Parser) Unmarshal(text string, message proto.Message) error {
	proto.Reset(message)
	p := parser{tokenizer: tokenizer{text: text}, Parser: o}
	p.next()
	for p.current.kind != end && p.field(message.ProtoReflect()) {
	}
	if len(p.found) > 0 {
		return &Error{Message: string(message.ProtoReflect().Descriptor().FullName()), Found: p.found}
	}
	return nil
}
