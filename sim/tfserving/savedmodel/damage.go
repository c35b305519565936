package savedmodel

import (
	"errors"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// file is the content of a file. A span is a range of bytes in it.
type file []byte

type span struct{ from, to int }

func (f file) all() span           { return span{0, len(f)} }
func (f file) bytes(s span) []byte { return f[s.from:s.to] }

// damage is the error for an invalid wire format, with its position. truncated means that a field
// extends beyond the end of its message.
type damage struct {
	at        span
	truncated bool
}

func (d *damage) Error() string { return "wire format is broken" }

// walk calls visit for every field of a message. field is the content of a length-delimited field,
// and empty for other fields.
func (f file) walk(message span, visit func(number protowire.Number, field span) error) error {
	for at := message; at.from < at.to; {
		number, kind, n := protowire.ConsumeTag(f.bytes(at))
		if n < 0 {
			return broken(at, n)
		}
		content := span{at.from + n, at.to}
		size := protowire.ConsumeFieldValue(number, kind, f.bytes(content))
		if size < 0 {
			return broken(at, size)
		}
		at.from = content.from + size
		field := span{at.from, at.from}
		if kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(f.bytes(content))
			field.from -= len(value)
		}
		if err := visit(number, field); err != nil {
			return err
		}
	}
	return nil
}

func broken(at span, code int) error {
	return &damage{at: at, truncated: errors.Is(protowire.ParseError(code), io.ErrUnexpectedEOF)}
}

// slopBytes is how far protobuf's parser reads ahead, in bytes (EpsCopyInputStream).
const slopBytes = 16

// whatDamage converts damage to ErrTruncated or ErrDamaged, by the same rules as TensorFlow. The
// error is ErrTruncated where TensorFlow's parser asks for more data. It does so for a field that
// extends beyond the end of the file. It also does so for damage in the last slopBytes bytes,
// because it reads ahead. A tag of 0 or the end of a group stops the parser before it asks.
func (f file) whatDamage(err error) error {
	var d *damage
	if !errors.As(err, &d) {
		return err
	}
	rest := f[d.at.from:]
	pastEnd := d.truncated && d.at.to == len(f) || len(rest) <= slopBytes
	stops := len(rest) > 0 && (rest[0] == 0 || protowire.Type(rest[0]&7) == protowire.EndGroupType)
	if pastEnd && !stops {
		return ErrTruncated
	}
	return ErrDamaged
}
