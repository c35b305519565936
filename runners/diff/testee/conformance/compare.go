package conformance

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// Compare returns how got differs from the expected answer to a case of an operation, or "" if they
// are equal by section 4 of PROTOCOL.md. The text has the place of the first difference, and both
// answers as JSON: lines with - are only in want, lines with + only in got. Neither answer may be
// Skipped. A Broken answer is never equal, and the text then says why it is broken.
func Compare(op string, want, got testee.Answer) string {
	switch {
	case want.Kind == testee.Broken:
		return "the expected answer is broken: " + want.Why
	case got.Kind == testee.Broken:
		return got.Why
	}
	a, b := canonicalAnswer(op, want), canonicalAnswer(op, got)
	if equal(a, b) {
		return ""
	}
	text := diffOf(linesOf(shown(a)), linesOf(shown(b)))
	if at := firstAt(a, b); strings.Contains(at, "[") {
		text = "first at " + at[1:] + "\n" + text
	}
	return text
}

// equal reports whether two canonical forms are equal. Texts that do not count are always equal. An
// empty list does not equal nil.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && (a == nil) == (b == nil) && maps.EqualFunc(a, b, equal)
	case []any:
		b, ok := b.([]any)
		return ok && equalLists(a, b)
	case canonSet:
		b, ok := b.(canonSet)
		return ok && equalLists(a, b)
	case canonFailure:
		b, ok := b.(canonFailure)
		return ok && a.Type == b.Type && equal(a.Message, b.Message)
	case canonLoose:
		_, ok := b.(canonLoose)
		return ok
	}
	return reflect.DeepEqual(a, b)
}

func equalLists(a, b []any) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, equal)
}

// firstAt returns the place of the first difference between two canonical forms, as a path of .key
// and [index]. Keys are compared in sorted order.
func firstAt(a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return ""
		}
		both := maps.Clone(a)
		maps.Copy(both, b)
		for _, key := range slices.Sorted(maps.Keys(both)) {
			_, inA := a[key]
			_, inB := b[key]
			if inA != inB || !equal(a[key], b[key]) {
				return "." + key + firstAt(a[key], b[key])
			}
		}
	case []any:
		b, ok := b.([]any)
		if !ok {
			return ""
		}
		for i := range max(len(a), len(b)) {
			if i >= len(a) || i >= len(b) {
				return fmt.Sprintf("[%d]", i)
			}
			if !equal(a[i], b[i]) {
				return fmt.Sprintf("[%d]", i) + firstAt(a[i], b[i])
			}
		}
	}
	return ""
}

// canonicalAnswer returns the canonical form of an answer's object, without its id.
func canonicalAnswer(op string, a testee.Answer) any {
	all := map[string]any{}
	if a.Beside != nil {
		for _, item := range a.Beside.Items {
			all[item.Key] = (&canon{op: op}).value(item.Value, "")
		}
	}
	if a.Kind == testee.Raised {
		all["error"] = canonicalFailure(op, a.Type, a.Message)
	} else {
		all["out"] = (&canon{op: op, texts: textFields[op]}).value(a.Out, "")
	}
	return all
}

// Canonical forms are plain Go values, which the function equal compares. Objects are maps, lists
// are slices, and other values have the types below. compare_show.go writes them as JSON.
type (
	canonFloat   string                             // Python's repr of the number; all nan are equal
	canonBare    string                             // a number that does not have the protocol's form
	canonMessage struct{ Name, Hex string }         // Hex has the message's deterministic bytes, or the given bytes if they cannot be parsed
	canonText    struct{ Name, Hex, Broken string } // the text of a message; Broken holds a text that does not parse
	canonSet     []any                              // sorted by how the members are shown
	canonLoose   string                             // a text that is shown but never compared
)

// canon converts the values of one answer into canonical forms.
type canon struct {
	op    string
	texts []textField
}

// value returns the canonical form of a value. path is its place in the answer, with a dot before
// each key.
func (c *canon) value(v any, path string) any {
	switch v := v.(type) {
	case []any:
		return lists.Map(v, func(x any) any { return c.value(x, path) })
	case *pysem.Dict:
		return c.object(v, path)
	case string:
		if message := c.textAt(path); message != "" {
			return canonicalText(message, v)
		}
	case *big.Int:
		return canonBare(v.String())
	case float64:
		return canonBare(pysem.AppendJSONFloat(nil, v))
	}
	return v
}

func (c *canon) object(d *pysem.Dict, path string) any {
	if special, ok := c.special(d, path); ok {
		return special
	}
	m := make(map[string]any, len(d.Items))
	for _, item := range d.Items {
		if item.Key == "e" || item.Key == "ctor" || item.Key == "error" {
			if typ, message, ok := testee.FailureFields(item.Value); ok {
				m[item.Key] = canonicalFailure(c.op, typ, message)
				continue
			}
		}
		m[item.Key] = c.value(item.Value, path+"."+item.Key)
	}
	if _, ok := m["code"].(string); ok && len(m) == 2 {
		if details, ok := m["details"].(string); ok && !comparesDetails(details) {
			m["details"] = canonLoose(details)
		}
	}
	return m
}

// special converts objects that stand for other values, such as {"$hex"}. For any other object ok
// is false.
func (c *canon) special(d *pysem.Dict, path string) (any, bool) {
	if len(d.Items) == 0 || d.Items[0].Key == "" || d.Items[0].Key[0] != '$' {
		return nil, false
	}
	if name, ok := testee.TextOf(d, "$pb"); ok {
		if digits, ok := testee.TextOf(d, "hex"); ok {
			return canonicalMessage(name, digits), true
		}
	}
	if len(d.Items) != 1 {
		return nil, false
	}
	switch key, v := d.Items[0].Key, d.Items[0].Value; key {
	case "$f64":
		if text, ok := v.(string); ok {
			return canonicalFloat(text), true
		}
	case "$hex":
		if digits, ok := v.(string); ok {
			if message := c.textAt(path); message != "" {
				return canonicalHexText(message, digits), true
			}
		}
	case "$set", "$dict":
		if list, ok := v.([]any); ok {
			return map[string]any{key: c.unordered(list, path)}, true
		}
	}
	return nil, false
}

// unordered returns the canonical forms of the items of a set, in the order of their JSON.
func (c *canon) unordered(list []any, path string) canonSet {
	items := make(canonSet, len(list))
	for i, x := range list {
		items[i] = c.value(x, path)
	}
	slices.SortFunc(items, func(a, b any) int {
		return strings.Compare(textOfLines(linesOf(shown(a))), textOfLines(linesOf(shown(b))))
	})
	return items
}

// canonicalFloat returns one text for each float. So 1e22 and 1e+22 are equal, but -0.0 and 0.0 are
// not.
func canonicalFloat(text string) any {
	f, err := pysem.ParseFloat(text)
	if err != nil {
		return map[string]any{"$f64": text} // a text that is no float stays unchanged
	}
	if math.IsNaN(f) {
		return canonFloat("nan")
	}
	return canonFloat(pysem.FloatRepr(f))
}
