package ops

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// unicodeOps holds the operations between strings and code points.
var unicodeOps = map[string]Kernel{
	"UnicodeDecode": unicodeDecode, "UnicodeDecodeWithOffsets": unicodeDecode,
	"UnicodeEncode": unicodeEncode, "UnicodeTranscode": unicodeTranscode,
}

// character is a code point that was read. If wrong is true, it stands for bytes that are no
// character.
type character struct {
	code  int
	size  int // size is the number of bytes read
	wrong bool
}

const replacement = utf8.RuneError

// characters reads all of s in an encoding; false if this package does not know the encoding. Among
// bytes that are no character, each part that could begin one counts as one wrong character, as in
// ICU's converters.
func characters(s, encoding string) ([]character, bool) {
	read, ok := decoders[strings.ToUpper(encoding)]
	if !ok {
		return nil, false
	}
	var list []character
	for s != "" {
		one := read(s)
		list, s = append(list, one), s[one.size:]
	}
	return list, true
}

// decoders read the first character of a string, which is not empty.
var decoders = map[string]func(string) character{
	"UTF-8": utf8Character, "UTF8": utf8Character,
	"UTF-16-BE": utf16Character, "UTF-16BE": utf16Character,
	"UTF-32-BE": utf32Character, "UTF-32BE": utf32Character,
	"ISO-8859-1": latinCharacter, "LATIN1": latinCharacter,
	"US-ASCII": asciiCharacter, "ASCII": asciiCharacter,
}

func wrongBytes(size int) character { return character{replacement, size, true} }

func utf8Character(s string) character {
	if r, size := utf8.DecodeRuneInString(s); r != utf8.RuneError || size > 1 {
		return character{code: int(r), size: size}
	}
	size, _ := pysem.BadUTF8([]byte(s[:min(len(s), utf8.UTFMax)])) // ICU, too, takes these bytes together as one error
	return wrongBytes(size)
}

func utf16Character(s string) character {
	if len(s) < 2 {
		return wrongBytes(len(s))
	}
	unit := rune(s[0])<<8 | rune(s[1])
	if !utf16.IsSurrogate(unit) {
		return character{code: int(unit), size: 2}
	}
	if len(s) >= 4 {
		if r := utf16.DecodeRune(unit, rune(s[2])<<8|rune(s[3])); r != replacement {
			return character{code: int(r), size: 4}
		}
	}
	if unit < 0xdc00 && len(s) == 3 {
		return wrongBytes(3)
	}
	return wrongBytes(2)
}

func utf32Character(s string) character {
	if len(s) < 4 {
		return wrongBytes(len(s))
	}
	r := rune(s[0])<<24 | rune(s[1])<<16 | rune(s[2])<<8 | rune(s[3])
	if !utf8.ValidRune(r) {
		return wrongBytes(4)
	}
	return character{code: int(r), size: 4}
}

func latinCharacter(s string) character { return character{code: int(s[0]), size: 1} }

func asciiCharacter(s string) character {
	if s[0] > 0x7f {
		return wrongBytes(1)
	}
	return latinCharacter(s)
}

// unicodeErrors is what an operation does about wrong characters.
type unicodeErrors struct {
	drops, refuses bool
	controls       bool // controls are wrong, too
	instead        int
}

func (c *Call) unicodeErrors() unicodeErrors {
	policy := c.Text("errors")
	return unicodeErrors{policy == "ignore", policy == "strict", c.Flag("replace_control_characters"), c.Number("replacement_char")}
}

func (e unicodeErrors) wrong(x character) bool { return x.wrong || e.controls && x.code <= 0x1f }

// read returns the code points of a string after wrong characters were dropped or replaced, and the
// byte offset at which each begins.
func (c *Call) read(s string, e unicodeErrors) (codes, starts []int, err error) {
	list, ok := characters(s, c.Text("input_encoding"))
	if !ok {
		return nil, nil, c.Unsupported("the encoding %s", c.Text("input_encoding"))
	}
	at, transcodes := 0, c.Op == "UnicodeTranscode"
	for _, x := range list {
		start, code := at, x.code
		at += x.size
		if e.wrong(x) {
			switch {
			case e.refuses && (x.wrong || transcodes):
				return nil, nil, Invalidf("Invalid formatting on input string")
			case e.drops:
				continue
			}
			code = e.instead
		}
		codes, starts = append(codes, code), append(starts, start)
	}
	return codes, starts, nil
}

func unicodeDecode(c *Call) ([]Value, error) {
	e := c.unicodeErrors()
	splits, codes, starts := []int{0}, []int{}, []int{}
	for _, s := range c.In[0].S() {
		some, places, err := c.read(s, e)
		if err != nil {
			return nil, err
		}
		codes, starts = append(codes, some...), append(starts, places...)
		splits = append(splits, len(codes))
	}
	if _, err := c.Room(value.Int64, []int{len(codes)}); err != nil {
		return nil, err
	}
	out := []Value{value.Sizes(c.TypeOf("Tsplits"), splits), value.Sizes(value.Int32, codes)}
	if c.Op == "UnicodeDecodeWithOffsets" {
		if c.TypeOf("Tsplits") != value.Int64 {
			return nil, c.Unsupported("splits of 32 bits, which end the process")
		}
		out = append(out, value.Sizes(value.Int64, starts))
	}
	return out, nil
}

func unicodeTranscode(c *Call) ([]Value, error) {
	e := c.unicodeErrors()
	list := make([]string, c.In[0].Len())
	for i, s := range c.In[0].S() {
		codes, _, err := c.read(s, e)
		if err != nil {
			return nil, err
		}
		if list[i], err = c.encode(codes); err != nil {
			return nil, err
		}
	}
	return c.strings(c.In[0].Shape(), list)
}

// encode returns a text with the given code points, in the encoding that the attribute
// output_encoding names. A code beyond Unicode is left out.
func (c *Call) encode(codes []int) (string, error) {
	var units []uint16
	for _, code := range codes {
		if code >= 0 && code <= 0xffff {
			units = append(units, uint16(code)) // a surrogate, too
		} else if code > 0 && code <= utf8.MaxRune {
			units = utf16.AppendRune(units, rune(code))
		}
	}
	var out []byte
	switch encoding := c.Text("output_encoding"); encoding {
	case "UTF-8":
		return string(utf16.Decode(units)), nil
	case "UTF-16-BE":
		for _, unit := range units {
			out = append(out, byte(unit>>8), byte(unit))
		}
	case "UTF-32-BE":
		for _, r := range utf16.Decode(units) {
			out = append(out, byte(r>>24), byte(r>>16), byte(r>>8), byte(r))
		}
	default:
		return "", c.Unsupported("the encoding %s", encoding)
	}
	return string(out), nil
}

// isCharacter reports whether a code point is a character: neither a surrogate nor one of Unicode's
// noncharacters.
func isCharacter(code int) bool {
	return code >= 0 && utf8.ValidRune(rune(code)) && code <= utf8.MaxRune && (code < 0xfdd0 || code > 0xfdef) && code&0xfffe != 0xfffe
}

func unicodeEncode(c *Call) ([]Value, error) {
	codes, splits := wholeInts(c.In[0].I()), wholeInts(c.In[1].I())
	switch {
	case c.In[0].Rank() != 1 || c.In[1].Rank() != 1:
		return nil, Invalidf("Both the input_tensor and input_splits should be of rank 1. ")
	case len(splits) == 0:
		return nil, Invalidf("Input_splits should contain elements, but given input_values has 0 elements")
	case splits[0] != 0:
		return nil, Invalidf("First value in input_splits must be zero.")
	case splits[len(splits)-1] != len(codes):
		return nil, Invalidf("Last value in input_splits must be equal to length of input_tensor.")
	case slices.Max(splits) > len(codes):
		return nil, c.Unsupported("splits behind the values, which read other memory")
	}
	e := c.unicodeErrors()
	list, at := []string{}, 0
	for _, end := range splits[1:] {
		var row []int
		for ; at < end; at++ {
			code := codes[at]
			if !isCharacter(code) && e.refuses {
				return nil, Invalidf("Code point is out of range for Unicode, or a noncharacter.")
			}
			if !isCharacter(code) && !e.drops {
				code = e.instead
			}
			row = append(row, code)
		}
		text, err := c.encode(row)
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return c.strings([]int{len(list)}, list)
}
