package textpb

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
)

// Parse is Unmarshal of a text that Python's text_format.Parse reads: all white space of Unicode
// is between tokens, and a sign stands right before its number. A model server reads its files
// by Unmarshal.
func Parse(text string, message proto.Message) error {
	text, err := fromPython(text)
	if err != nil {
		return fmt.Errorf("text of %s: %w", message.ProtoReflect().Descriptor().FullName(), err)
	}
	return unmarshal(prototext.UnmarshalOptions{}, text, message)
}

// fromPython returns a text with the white space that the library knows.
func fromPython(text string) (string, error) {
	var out []byte // nil while nothing had to change
	quote, comment, sign := rune(0), false, false
	for i, r := range text {
		before := i > 0 && text[i-1] == '\\' && !escaped(text[:i-1])
		switch {
		case comment:
			comment = r != '\n'
		case quote != 0:
			if r == '\n' || r == quote && !before {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote, sign = r, false
		case isSpace(r):
			if sign {
				return "", errors.New("found a sign alone, want a number behind it")
			}
			if !strings.ContainsRune(" \t\r\n", r) {
				if out == nil {
					out = []byte(text)
				}
				for n := range len(string(r)) {
					out[i+n] = ' '
				}
			}
		default:
			comment, sign = r == '#', r == '-'
		}
	}
	if out != nil {
		return string(out), nil
	}
	return text, nil
}

// escaped reports whether what comes after the text has a backslash before it.
func escaped(text string) bool {
	n := len(text) - len(strings.TrimRight(text, `\`))
	return n%2 == 1
}

func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
