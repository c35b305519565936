package testee

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
)

// Compare says how got differs from the expected answer to a case of the
// operation, "" for not at all (section 4 of the protocol). Neither may be
// Skipped: that is no answer to compare. A Broken one never agrees.
func Compare(op string, want, got Answer) string {
	switch {
	case want.Kind == Broken:
		return "the expected answer is broken: " + want.Why
	case got.Kind == Broken:
		return got.Why
	case want.Kind != got.Kind:
		return fmt.Sprintf("found %s, want %s", summary(got), summary(want))
	}
	// cmp spaces its output with no-break spaces in some builds, so that nobody
	// relies on it; here people search in it.
	return strings.ReplaceAll(cmp.Diff(canonicalAnswer(op, want), canonicalAnswer(op, got)), "\u00a0", " ")
}

// summary is an answer of the wrong kind, cut short.
func summary(a Answer) string {
	const most = 400
	text := a.String()
	if len(text) > most {
		text = text[:most] + "…"
	}
	return text
}

func canonicalAnswer(op string, a Answer) any {
	if a.Kind == Raised {
		return canonicalFailure(a.Type, a.Message)
	}
	return (&canon{op: op, texts: textFields[op]}).value(a.Out, "")
}

// The canonical forms are plain Go values that cmp compares: maps for objects,
// slices for lists, and for the rest the value itself with its type.
type (
	canonFloat   string // repr; all nan are one
	canonMessage struct {
		Name   string
		Fields string // see messageFields
	}
	canonText   struct{ Text string } // a text proto, printed again
	canonSet    []string              // the items' JSON, sorted
	canonAnyMsg struct{}              // a message that does not count
)

// canon makes canonical forms of the values of one answer.
type canon struct {
	op    string
	texts []textField
}

// value makes the canonical form of a value; path is where it is, with a dot
// before each key.
func (c *canon) value(v any, path string) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = c.value(x, path)
		}
		return list
	case *pysem.Dict:
		return c.object(v, path)
	case string:
		if message := c.textAt(path); message != "" {
			return canonicalText(message, v)
		}
	case *big.Int:
		return v.String() + " (a bare int)"
	}
	return v
}

func (c *canon) object(d *pysem.Dict, path string) any {
	if special, ok := c.special(d, path); ok {
		return special
	}
	m := make(map[string]any, len(d.Items))
	for _, item := range d.Items {
		if item.Key == "e" || item.Key == "ctor" {
			if typ, message, ok := failureFields(item.Value); ok {
				m[item.Key] = canonicalFailure(typ, message)
				continue
			}
		}
		m[item.Key] = c.value(item.Value, path+"."+item.Key)
	}
	if _, ok := m["code"].(string); ok && len(m) == 2 {
		if details, ok := m["details"].(string); ok && !comparesDetails(details) {
			m["details"] = canonAnyMsg{}
		}
	}
	return m
}

// special takes the objects that stand for other values.
func (c *canon) special(d *pysem.Dict, path string) (any, bool) {
	if len(d.Items) == 0 || d.Items[0].Key == "" || d.Items[0].Key[0] != '$' {
		return nil, false
	}
	if name, ok := textOf(d, "$pb"); ok {
		if digits, ok := textOf(d, "hex"); ok {
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

// unordered sorts the canonical forms of items by what they print as.
func (c *canon) unordered(list []any, path string) canonSet {
	items := make([]string, len(list))
	for i, x := range list {
		items[i] = fmt.Sprintf("%#v", c.value(x, path))
	}
	sort.Strings(items)
	return items
}

func textOf(d *pysem.Dict, key string) (string, bool) {
	v, _ := d.Get(key)
	s, ok := v.(string)
	return s, ok
}

// canonicalFloat makes one text of each float: 1e22 and 1e+22 are equal, -0.0 and
// 0.0 are not.
func canonicalFloat(text string) any {
	f, err := pysem.ParseFloat(text)
	if err != nil {
		return canonFloat("not a float: " + text)
	}
	if math.IsNaN(f) {
		return canonFloat("nan")
	}
	return canonFloat(pysem.FloatRepr(f))
}
