package pyos

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
)

// ReadTextProto reads the file at name into message, in protobuf's text form. A file that
// cannot be read is the exception of open, one that cannot be parsed a ParseError.
func ReadTextProto(files env.Files, name string, message proto.Message) error {
	text, err := ReadText(files, name)
	if err != nil {
		return err
	}
	if err := textpb.Parse(text, message); err != nil {
		return pysem.Raise("ParseError", "%v", err)
	}
	return nil
}
