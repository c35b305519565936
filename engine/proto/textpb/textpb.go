// Package textpb prints the protobuf text format the way Python's
// google.protobuf.text_format does. Agents write model and platform config
// files in it, so the bytes are observable. Go's own prototext varies its
// spacing on purpose and cannot be used for that. Who reads a text has a
// grammar of its own: Python's is engine/pysem/textformat, the model server's
// sim/tfserving/textformat.
//
// The two things to use first:
//
//	text, err := textpb.Marshal(config)       // text_format.MessageToString(config)
//	line, err := textpb.MarshalLine(config)   // with as_one_line=True
//
// To change the layout (indent, order, maps, Any) look in printer.go; how a
// single value is written, scalar.go. The expected texts in
// testdata/python.json come from a real Python; record.py there records them
// again.
//
// Unstable: any commit may change it.
package textpb

import (
	"strings"

	"google.golang.org/protobuf/proto"
)

// Marshal returns the text of a message as Python's text_format.MessageToString(message) prints it
// by default: one field a line, two spaces of indent, fields by number, non-ASCII bytes as octal
// escapes, and a trailing newline. The text of an empty message is "".
//
// A google.protobuf.Any is expanded if its type is linked into the program. Marshal fails only for
// an Any of such a type whose value is malformed, as Python does.
func Marshal(message proto.Message) (string, error) {
	text, err := Append(nil, message)
	return string(text), err
}

// MarshalLine prints a message on one line, as Python's as_one_line does.
func MarshalLine(message proto.Message) (string, error) {
	text, err := Marshal(message)
	var words []string
	for line := range strings.Lines(text) {
		words = append(words, strings.TrimSpace(line))
	}
	return strings.Join(words, " "), err
}

// Append appends the text of a message, as Marshal returns it, to a slice.
func Append(text []byte, message proto.Message) ([]byte, error) {
	p := printer{text: text, fields: make([]field, 0, fieldsCapacity)}
	p.collect = p.appendField
	err := p.printMessage(message.ProtoReflect())
	return p.text, err
}
