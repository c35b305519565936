package conformance

import (
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// shown converts a canonical form into JSON, in pysem's types. Keys are sorted, so that two answers
// can be compared line by line.
func shown(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return shownObject(v)
	case []any:
		return shownList(v)
	case canonSet:
		return shownList(v)
	case canonFloat:
		return &pysem.Dict{Items: []pysem.Item{{Key: "$f64", Value: string(v)}}}
	case canonMessage:
		return shownMessage("$pb", v.Name, v.Hex)
	case canonText:
		if v.Broken != "" {
			return v.Broken
		}
		return shownMessage("text of", v.Name, v.Hex)
	case canonFailure:
		return &pysem.Dict{Items: []pysem.Item{{Key: "type", Value: v.Type}, {Key: "message", Value: v.Message}}}
	}
	return v
}

func shownList(list []any) []any {
	return lists.Map(list, shown)
}

func shownObject(m map[string]any) *pysem.Dict {
	d := &pysem.Dict{}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		d.Set(key, shown(m[key]))
	}
	if digits, ok := testee.TextOf(d, "$hex"); ok && len(m) == 1 {
		if text, ok := readableText(digits); ok {
			return &pysem.Dict{Items: []pysem.Item{{Key: "$hex of", Value: text}}}
		}
	}
	return d
}

// readableText returns bytes as text. ok is false if they are not text that people can read.
func readableText(digits string) (string, bool) {
	data, err := hex.DecodeString(digits)
	if err != nil || len(data) == 0 || !utf8.Valid(data) {
		return "", false
	}
	unreadable := func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }
	return string(data), !strings.ContainsFunc(string(data), unreadable)
}

// line is one line of JSON that is laid out for people to read.
type line struct {
	text string
	// compared is the part of the text that counts when two lines are compared.
	compared string
}

// These decide whether an object or list is written on one line: the line may have at most widest
// bytes, and the value may nest at most deepest levels.
const (
	widest  = 72
	deepest = 2
)

// linesOf writes JSON on several lines. A short value, such as most steps of a sequence, is on one
// line.
func linesOf(v any) []line {
	w := &lineWriter{}
	w.value("", v, "")
	return w.lines
}

type lineWriter struct {
	lines []line
	level int
}

// add adds a line. end is the comma after it, which does not count in comparisons.
func (w *lineWriter) add(text, end string) {
	text = strings.Repeat("  ", w.level) + text
	w.lines = append(w.lines, line{text: text + end, compared: text})
}

// value writes a value, with its key in front.
func (w *lineWriter) value(key string, v any, end string) {
	if loose, ok := v.(canonLoose); ok {
		w.add(key, string(pysem.AppendJSONString(nil, string(loose)))+end)
		return
	}
	if text, ok := inOneLine(v, deepest); ok {
		w.add(key+text, end)
		return
	}
	switch v := v.(type) {
	case []any:
		w.add(key+"[", "")
		w.items(len(v), func(i int) (string, any) { return "", v[i] })
		w.add("]", end)
	case *pysem.Dict:
		w.add(key+"{", "")
		w.items(len(v.Items), func(i int) (string, any) { return keyOf(v.Items[i].Key), v.Items[i].Value })
		w.add("}", end)
	}
}

func (w *lineWriter) items(n int, item func(i int) (key string, v any)) {
	w.level++
	for i := range n {
		end := ","
		if i == n-1 {
			end = ""
		}
		key, v := item(i)
		w.value(key, v, end)
	}
	w.level--
}

func keyOf(key string) string { return string(pysem.AppendJSONString(nil, key)) + ": " }

// inOneLine writes a value on one line. It returns false if the value is too long or nests deeper
// than depth. It also returns false for an object with several keys that contains other objects.
func inOneLine(v any, depth int) (string, bool) {
	if text, ok := plain(v); ok {
		return text, true
	}
	if _, loose := v.(canonLoose); loose || depth == 0 {
		return "", false
	}
	var parts []string
	fits := true
	add := func(key string, v any) {
		text, ok := inOneLine(v, depth-1)
		parts = append(parts, key+text)
		fits = fits && ok
	}
	open, end := "[", "]"
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			add("", x)
		}
	case *pysem.Dict:
		open, end = "{", "}"
		if len(v.Items) > 1 {
			depth = 1
		}
		for _, item := range v.Items {
			add(keyOf(item.Key), item.Value)
		}
	}
	text := open + strings.Join(parts, ", ") + end
	return text, fits && len(text) <= widest
}

// plain writes a value that contains no other values. ok is false for any other.
func plain(v any) (string, bool) {
	switch v := v.(type) {
	case canonLoose:
		return "", false
	case canonBare:
		return string(v), true
	case []any:
		return "[]", len(v) == 0
	case *pysem.Dict:
		if len(v.Items) == 0 {
			return "{}", true
		}
		if len(v.Items) > 1 || !strings.HasPrefix(v.Items[0].Key, "$") {
			return "", false
		}
		text, ok := plain(v.Items[0].Value)
		return "{" + keyOf(v.Items[0].Key) + text + "}", ok
	}
	return string(pysem.AppendJSON(nil, v)), true
}

func textOfLines(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}
