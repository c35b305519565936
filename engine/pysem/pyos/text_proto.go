package pyos

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/textformat"
)

// ReadTextProto reads a file in protobuf's text format into message. Errors are those of Python's
// open, or a ParseError.
func ReadTextProto(files env.Files, name string, message proto.Message) error {
	text, err := ReadText(files, name)
	if err != nil {
		return err
	}
	return textformat.Parse(text, message)
}
