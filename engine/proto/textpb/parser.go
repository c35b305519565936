package textpb

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
)

// Unmarshal parses text into the message, which is cleared first. A field that
// the message does not have is an error, as it is for a model server's config
// file (TFS-15.1). An Any in expanded form needs its type linked into the
// program.
func Unmarshal(text string, message proto.Message) error {
	return unmarshal(prototext.UnmarshalOptions{}, text, message)
}

// UnmarshalKnown is Unmarshal that skips fields the message does not have. It is
// for formats of which only a part is declared here, such as the session options
// in a platform config file (TFS-15.1).
func UnmarshalKnown(text string, message proto.Message) error {
	return unmarshal(prototext.UnmarshalOptions{DiscardUnknown: true}, text, message)
}

func unmarshal(options prototext.UnmarshalOptions, text string, message proto.Message) error {
	if err := options.Unmarshal([]byte(text), message); err != nil {
		return fmt.Errorf("text of %s: %w", message.ProtoReflect().Descriptor().FullName(), plainError{err})
	}
	if err := unknownEnum(message.ProtoReflect()); err != nil {
		return fmt.Errorf("text of %s: %w", message.ProtoReflect().Descriptor().FullName(), err)
	}
	return nil
}

// plainError is an error of the protobuf library without its prefix, which has
// an ordinary space in some builds and a no-break space in others. What is left
// starts with the place: "(line 2:3): unknown field: alias2".
type plainError struct{ err error }

// Error answers the text without the prefix.
func (e plainError) Error() string {
	text := strings.ReplaceAll(e.err.Error(), "\u00a0", " ")
	return strings.TrimPrefix(text, "proto: ")
}

// Unwrap answers the library's error.
func (e plainError) Unwrap() error { return e.err }
