package rapidjson

import (
	"math"
	"strconv"
)

// indentWidth is the number of spaces by which RapidJSON's PrettyWriter indents by default.
const indentWidth = 4

// Writer formats JSON as RapidJSON's PrettyWriter does. It writes each member of an object and
// each element of an array on its own line. Empty containers are {} and [].
type Writer struct {
	out        []byte
	levels     []level
	singleLine bool
}

type level struct {
	array bool
	count int // count is the number of values so far; a member counts as two
}

// NewWriter makes a Writer with no output yet.
func NewWriter() *Writer { return &Writer{} }

// SingleLineArrays selects whether arrays are written on one line, as SetFormatOptions does with
// kFormatSingleLineArray or kFormatDefault. It affects all later output, including the end of an
// open array.
func (w *Writer) SingleLineArrays(on bool) { w.singleLine = on }

// Bytes returns the output so far.
func (w *Writer) Bytes() []byte { return w.out }

// Null writes null.
func (w *Writer) Null() { w.Raw("null") }

// Bool writes true or false.
func (w *Writer) Bool(value bool) { w.Raw(strconv.FormatBool(value)) }

// Int writes a signed integer.
func (w *Writer) Int(value int64) {
	w.prefix()
	w.out = strconv.AppendInt(w.out, value, 10)
}

// Uint writes an unsigned integer.
func (w *Writer) Uint(value uint64) {
	w.prefix()
	w.out = strconv.AppendUint(w.out, value, 10)
}

// Double writes a double with RapidJSON's digits. For NaN and infinities it returns false and
// writes only the separator before the value, as RapidJSON does.
func (w *Writer) Double(value float64) bool {
	w.prefix()
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return false
	}
	w.out = appendReal(w.out, value)
	return true
}

// Raw writes text as one value, without escaping it.
func (w *Writer) Raw(text string) {
	w.prefix()
	w.out = append(w.out, text...)
}

// Key writes the name of a member, whose value must follow.
func (w *Writer) Key(name string) { w.String(name) }

// String writes a string. It escapes quotation marks, backslashes and bytes below 0x20, and
// nothing else. Bytes that are not UTF-8 are kept.
func (w *Writer) String(text string) {
	w.prefix()
	w.out = append(w.out, '"')
	start := 0
	for i := range len(text) {
		if isPlain(text[i]) {
			continue
		}
		w.out = append(w.out, text[start:i]...)
		w.out = appendEscape(w.out, text[i])
		start = i + 1
	}
	w.out = append(w.out, text[start:]...)
	w.out = append(w.out, '"')
}

func appendEscape(out []byte, b byte) []byte {
	if letter := ShortEscape(rune(b)); letter != 0 {
		return append(out, '\\', letter)
	}
	const hex = "0123456789ABCDEF"
	return append(out, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
}

// ShortEscape returns the letter of a character's two-byte escape in JSON, such as n for a newline.
// It returns 0 if the character has no such escape.
func ShortEscape(code rune) byte {
	switch code {
	case '"', '\\':
		return byte(code)
	case '\b':
		return 'b'
	case '\t':
		return 't'
	case '\n':
		return 'n'
	case '\f':
		return 'f'
	case '\r':
		return 'r'
	}
	return 0
}

// StartObject writes the opening brace of an object.
func (w *Writer) StartObject() { w.start('{', false) }

// EndObject closes the innermost open object.
func (w *Writer) EndObject() {
	if w.pop().count > 0 {
		w.newLine()
	}
	w.out = append(w.out, '}')
}

// StartArray writes the opening bracket of an array.
func (w *Writer) StartArray() { w.start('[', true) }

// EndArray closes the innermost open array.
func (w *Writer) EndArray() {
	if w.pop().count > 0 && !w.singleLine {
		w.newLine()
	}
	w.out = append(w.out, ']')
}

func (w *Writer) start(bracket byte, array bool) {
	w.prefix()
	w.levels = append(w.levels, level{array: array})
	w.out = append(w.out, bracket)
}

func (w *Writer) pop() level {
	last := w.levels[len(w.levels)-1]
	w.levels = w.levels[:len(w.levels)-1]
	return last
}

// prefix writes the separator and indentation before a value.
func (w *Writer) prefix() {
	if len(w.levels) == 0 {
		return
	}
	top := &w.levels[len(w.levels)-1]
	if top.array {
		w.prefixElement(top.count > 0)
	} else {
		w.prefixMember(top.count)
	}
	top.count++
}

func (w *Writer) prefixElement(more bool) {
	if more {
		w.out = append(w.out, ',')
	}
	switch {
	case !w.singleLine:
		w.newLine()
	case more:
		w.out = append(w.out, ' ')
	}
}

func (w *Writer) prefixMember(count int) {
	if count%2 == 1 {
		w.out = append(w.out, ": "...)
		return
	}
	if count > 0 {
		w.out = append(w.out, ',')
	}
	w.newLine()
}

func (w *Writer) newLine() {
	w.out = append(w.out, '\n')
	for range indentWidth * len(w.levels) {
		w.out = append(w.out, ' ')
	}
}

// Accept writes a value and reports whether it wrote all of it. It stops as soon as the output has
// limit bytes; 0 means no limit. It also stops at a NaN or infinity, and keeps the output before
// it.
func (w *Writer) Accept(v *Value, limit int) bool {
	if limit > 0 && len(w.out) >= limit {
		return false
	}
	switch v.Kind {
	case Object:
		return w.acceptObject(v, limit)
	case Array:
		return w.acceptArray(v, limit)
	case String:
		w.String(v.Text)
	case Number:
		return w.acceptNumber(v)
	case Null:
		w.Null()
	default:
		w.Bool(v.Kind == True)
	}
	return true
}

func (w *Writer) acceptObject(v *Value, limit int) bool {
	w.StartObject()
	for i := range v.Members {
		if limit > 0 && len(w.out) >= limit {
			return false
		}
		w.Key(v.Members[i].Name)
		if !w.Accept(&v.Members[i].Value, limit) {
			return false
		}
	}
	if limit > 0 && len(w.out) >= limit {
		return false
	}
	w.EndObject()
	return true
}

func (w *Writer) acceptArray(v *Value, limit int) bool {
	w.StartArray()
	for i := range v.List {
		if !w.Accept(&v.List[i], limit) {
			return false
		}
	}
	if limit > 0 && len(w.out) >= limit {
		return false
	}
	w.EndArray()
	return true
}

func (w *Writer) acceptNumber(v *Value) bool {
	if v.real {
		return w.Double(v.Float())
	}
	if v.minus {
		w.Int(int64(v.bits))
	} else {
		w.Uint(v.bits)
	}
	return true
}
