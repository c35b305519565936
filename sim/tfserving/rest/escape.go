package rest

import (
	"fmt"
	"unicode/utf16"

	"github.com/monosim/monosim/sim/tfserving/rest/rapidjson"
)

// quoted prints a string as protobuf does. Besides what JSON requires, it escapes <, > and
// invisible characters. For bytes that are not UTF-8 protobuf 3.9.2 prints nothing, and current
// protobuf a space.
func (p *printer) quoted(text string) {
	p.out = append(p.out, '"')
	for len(text) > 0 {
		code, size := p.decode(text)
		switch {
		case code == badCode && !p.old:
			p.out = append(p.out, ' ')
		case code == badCode:
		default:
			p.out = appendCode(p.out, code, text[:size])
		}
		text = text[size:]
	}
	p.out = append(p.out, '"')
}

const badCode = -1

// decode reads one character. It returns the character's length in bytes, whether valid or not. It
// accepts overlong sequences. Surrogates are valid only in current protobuf.
func (p *printer) decode(text string) (code rune, size int) {
	first := text[0]
	more := 0
	switch {
	case first < 0x80:
		return rune(first), 1
	case first < 0xc0 || first >= 0xf8:
		return badCode, 1
	case first < 0xe0:
		code, more = rune(first&0x1f), 1
	case first < 0xf0:
		code, more = rune(first&0x0f), 2
	default:
		code, more = rune(first&0x07), 3
	}
	for size = 1; more > 0; more-- {
		if size == len(text) {
			return badCode, size
		}
		next := text[size]
		size++
		if next&0xc0 != 0x80 {
			return badCode, size
		}
		code = code<<6 | rune(next&0x3f)
	}
	if code > 0x10ffff || p.old && utf16.IsSurrogate(code) {
		return badCode, size
	}
	return code, size
}

func appendCode(out []byte, code rune, utf8 string) []byte {
	if letter := rapidjson.ShortEscape(code); letter != 0 {
		return append(out, '\\', letter)
	}
	switch {
	case !invisible(code):
		return append(out, utf8...)
	case code > 0xffff:
		high, low := utf16.EncodeRune(code)
		return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(out, `\u%04x`, code)
}

// invisible reports whether protobuf escapes the character (protobuf json/internal/writer.cc,
// MustEscape).
func invisible(code rune) bool {
	switch code {
	case '<', '>', 0xad, 0x6dd, 0x70f, 0x17b4, 0x17b5, 0xfeff, 0xfff9, 0xfffa, 0xfffb, 0xe0001:
		return true
	}
	for _, r := range [...][2]rune{
		{0, 0x1f}, {0x7f, 0x9f}, {0x600, 0x603}, {0x200b, 0x200f}, {0x2028, 0x202e},
		{0x2060, 0x2064}, {0x206a, 0x206f}, {0x1d173, 0x1d17a}, {0xe0020, 0xe007f},
	} {
		if code >= r[0] && code <= r[1] {
			return true
		}
	}
	return false
}
