package conformance

import (
	"math/big"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// explanation is a quirk in which implementations may differ on purpose. Its field even is a
// function that rewrites an answer so that differences due to the quirk disappear. If no other
// difference is left between two answers, the quirk explains the case.
type explanation struct {
	quirk string
	// ops lists patterns (globs) of operations. An empty list means all operations.
	ops  []string
	even func(v any) any
}

var explanations = []explanation{
	{quirk: "Q217", ops: []string{"zk_mirror.*"}, even: func(v any) any { return sortRuns(v, "events", isPublish) }},
	{quirk: "Q226", even: saturate},
}

// Explain names the quirk, or quirks, that account for all differences between two answers. If
// other differences are left, it returns "".
func Explain(op string, want, got testee.Answer) string {
	if quirk := refusalIn(got); quirk != "" {
		return quirk
	}
	if want.Kind != got.Kind {
		return ""
	}
	a, b := canonicalAnswer(op, want), canonicalAnswer(op, got)
	var quirks []string
	for _, e := range explanations {
		if !e.covers(op) {
			continue
		}
		evenA, evenB := e.even(a), e.even(b)
		if !equal(evenA, a) || !equal(evenB, b) {
			quirks = append(quirks, e.quirk)
		}
		a, b = evenA, evenB
	}
	if !equal(a, b) {
		return ""
	}
	return strings.Join(quirks, ", ")
}

// refusalIn names the quirk by which an answer, or one of its attempts, refuses to evaluate an
// expression. The rest of such an answer may depend on the value, and so need not be equal.
func refusalIn(a testee.Answer) string {
	if a.Kind == testee.Raised {
		return refusalQuirk(a.Type, a.Message)
	}
	quirk := ""
	eachObject(a.Out, func(d *pysem.Dict) {
		if failure, ok := d.Get("e"); ok {
			if typ, message, ok := testee.FailureFields(failure); ok && quirk == "" {
				quirk = refusalQuirk(typ, message)
			}
		}
	})
	return quirk
}

// refusalQuirk returns the id of the quirk in the message of a refusal, or "" for other errors.
func refusalQuirk(typ, message string) string {
	if typ != pysem.RefusedType {
		return ""
	}
	return refusingQuirk.FindString(message)
}

// refusingQuirk matches the id of a quirk in the message of a refusal. The name of a field may come
// before it.
var refusingQuirk = regexp.MustCompile(`\bQ\d+\b`)

// eachObject calls do with every object in a value.
func eachObject(v any, do func(*pysem.Dict)) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			eachObject(x, do)
		}
	case *pysem.Dict:
		do(v)
		for _, item := range v.Items {
			eachObject(item.Value, do)
		}
	}
}

func (e explanation) covers(op string) bool {
	return e.ops == nil || slices.ContainsFunc(e.ops, func(glob string) bool {
		ok, err := path.Match(glob, op)
		return ok && err == nil
	})
}

// sortRuns looks at every list under key in a value. It sorts each run of neighbouring items for
// which take returns true.
func sortRuns(v any, key string, take func(item []any) bool) any {
	return rebuild(v, func(v any) any {
		m, ok := v.(map[string]any)
		if !ok {
			return v
		}
		list, ok := m[key].([]any)
		if !ok {
			return v
		}
		list = slices.Clone(list)
		for from := 0; from < len(list); from++ {
			to := from
			for to < len(list) && taken(list[to], take) {
				to++
			}
			slices.SortFunc(list[from:to], func(a, b any) int {
				return strings.Compare(pysem.Repr(a), pysem.Repr(b))
			})
			from = max(from, to-1)
		}
		m[key] = list
		return m
	})
}

func taken(item any, take func([]any) bool) bool {
	list, ok := item.([]any)
	return ok && take(list)
}

// isPublish reports whether an event of a mirror has the form [path, "PUBLISH", data].
func isPublish(item []any) bool { return len(item) == 3 && item[1] == "PUBLISH" }

// manyDigits matches, within a text, a number with so many digits that it may not fit 64 bits.
var manyDigits = regexp.MustCompile(`-?[0-9]{19,}`)

// saturate replaces every number that does not fit 64 bits by the nearest one that does, in texts
// too.
func saturate(v any) any {
	return rebuild(v, func(v any) any {
		switch v := v.(type) {
		case string:
			return manyDigits.ReplaceAllStringFunc(v, nearest)
		case map[string]any:
			if digits, ok := v["$int"].(string); ok && len(v) == 1 {
				v["$int"] = nearest(digits)
			}
		}
		return v
	})
}

func nearest(digits string) string {
	n, ok := new(big.Int).SetString(digits, 10)
	if !ok || n.IsInt64() {
		return digits
	}
	return big.NewInt(int64(pysem.Saturate(n))).String()
}

// rebuild copies a canonical value and applies change to each value in it, innermost values first.
func rebuild(v any, change func(any) any) any {
	switch old := v.(type) {
	case []any:
		return change(lists.Map(old, func(x any) any { return rebuild(x, change) }))
	case map[string]any:
		m := make(map[string]any, len(old))
		for k, x := range old {
			m[k] = rebuild(x, change)
		}
		return change(m)
	}
	return change(v)
}
