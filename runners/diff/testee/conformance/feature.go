package conformance

import (
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// hangsOnInput reports whether a kind of difference, named by what, depends on the input of the
// case. Differences in blanks, for example, do not.
func hangsOnInput(what string) bool {
	return strings.HasSuffix(what, inPlaceOfAnswer) || strings.HasSuffix(what, inPlaceOfAnother) || strings.HasPrefix(what, answerInPlaceOf)
}

// feature is a property of inputs that implementations are known to treat differently, such as NaN.
type feature struct {
	name string
	has  func(in input) bool
}

// input holds the values that a case sends, in the form in which features look at them.
type input struct {
	texts []string // texts, keys and bytes of the input, and the contents of its files
	plain []string // other values of the input, as JSON writes them
}

var (
	notFinite = regexp.MustCompile(`\b(NaN|-?Infinity|nan|-?inf)\b`)
	negatives = regexp.MustCompile(`^-[0-9]`)
	manyTimes = regexp.MustCompile(`[0-9]{19}`)
	floats    = regexp.MustCompile(`[0-9](\.[0-9]|[eE][-+]?[0-9])`)
)

// features lists all known features. If several features are equally good at separating failures
// from other cases, the first of them names the input.
var features = []feature{
	{"bytes that are not UTF-8", anyText(func(s string) bool { return !utf8.ValidString(s) })},
	{"NaN or Infinity", anyText(notFinite.MatchString)},
	{"a list in place of an object", anyText(func(s string) bool { _, ok := jsonOf(s).([]any); return ok })},
	{"a text or number in place of an object", anyText(isScalarJSON)},
	{"an empty text", anyText(func(s string) bool { return s == "" })},
	{"an integer of many digits", func(in input) bool { return anyOf(in, manyTimes.MatchString) }},
	{"a line break", anyText(func(s string) bool { return strings.Contains(s, "\n") && jsonOf(s) == nil })},
	{"a text that is not ASCII", anyText(func(s string) bool { return strings.Trim(s, "\x00") != s || !isASCII(s) })},
	{"a negative number", func(in input) bool { return anyOf(in, negatives.MatchString) }},
	{"a number with a fraction or exponent", func(in input) bool { return anyOf(in, floats.MatchString) }},
	{"null", func(in input) bool { return anyOf(in, func(s string) bool { return strings.Contains(s, "null") }) }},
	{"a key twice", anyText(func(s string) bool { return strings.HasPrefix(s, "{") && repeatsKey(s) })},
}

func anyText(has func(string) bool) func(input) bool {
	return func(in input) bool {
		return slices.ContainsFunc(in.texts, has)
	}
}

func anyOf(in input, has func(string) bool) bool {
	return anyText(has)(input{texts: append(append([]string{}, in.texts...), in.plain...)})
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// jsonOf parses a text as JSON and returns its value, or nil if the text is not JSON.
func jsonOf(s string) any {
	v, err := pysem.ParseJSON(s)
	if err != nil {
		return nil
	}
	return v
}

func isScalarJSON(s string) bool {
	switch jsonOf(s).(type) {
	case nil, []any, *pysem.Dict:
		return strings.TrimSpace(s) == "null"
	}
	return len(s) > 0
}

// repeatsKey reports whether a JSON object has a key twice. It compares the number of colons before
// and after parsing, which drops repeated keys.
func repeatsKey(s string) bool {
	d, ok := jsonOf(s).(*pysem.Dict)
	return ok && strings.Count(s, ":") > strings.Count(string(pysem.AppendJSON(nil, d)), ":")
}

// Features says which of the known features an input has, by a bit for each of them.
type Features uint32

func (s Features) has(i int) bool { return s&(1<<i) != 0 }

// featuresOf returns which features the input of a case has.
func featuresOf(c *testee.Case) (set Features) {
	asked, ok := jsonOf(c.Line()).(*pysem.Dict)
	if !ok {
		return 0
	}
	var in input
	for _, name := range []string{"in", "files"} {
		if v, ok := asked.Get(name); ok {
			in.collect(v)
		}
	}
	for i, f := range features {
		if f.has(in) {
			set |= 1 << i
		}
	}
	return set
}

func (in *input) collect(v any) {
	switch v := v.(type) {
	case string:
		in.texts = append(in.texts, v)
	case []any:
		for _, x := range v {
			in.collect(x)
		}
	case *pysem.Dict:
		for _, item := range v.Items {
			digits, ok := item.Value.(string)
			switch data, err := hex.DecodeString(digits); {
			case item.Key == "$hex" && ok && err == nil:
				in.texts = append(in.texts, string(data))
			case item.Key == "$int" || item.Key == "$f64":
				in.plain = append(in.plain, digits)
			default:
				in.texts = append(in.texts, item.Key)
				in.collect(item.Value)
			}
		}
	default:
		in.plain = append(in.plain, string(pysem.AppendJSON(nil, v)))
	}
}
