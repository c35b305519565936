package conformance

import (
	"encoding/hex"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// Parting is one difference between an answer and the expected answer. What describes the
// difference in words that do not depend on the case, and Path says where in the answer it is.
type Parting struct {
	What, Path string
	// Instead is the class of the exception that was expected here, "" if none was.
	Instead string
}

// These texts begin Parting.What. --ignore selects kinds of differences by some of them.
const (
	blanksOfJSON = "blanks of JSON"
	linesOfLogs  = "log lines"
	textOfErrors = "text of "
	noAnswer     = "no answer"

	answerInPlaceOf  = "an answer in place of "
	inPlaceOfAnswer  = " in place of an answer"
	inPlaceOfAnother = " in place of another exception"

	writingOfJSON  = "how JSON writes texts or numbers"
	orderOfKeys    = "order of keys in JSON"
	orderOfEntries = "order of entries"
)

// partingsOf returns all differences between an answer and the expected one, or none if they are
// equal.
func partingsOf(op string, want, got testee.Answer) []Parting {
	if got.Kind == testee.Broken {
		if got.Lack == "" {
			return []Parting{{What: noAnswer}}
		}
		return []Parting{{What: noAnswer + ": " + got.Lack}}
	}
	var p parter
	p.part("", canonicalAnswer(op, want), canonicalAnswer(op, got))
	slices.SortFunc(p.found, func(a, b Parting) int {
		return strings.Compare(a.What+a.Path+a.Instead, b.What+b.Path+b.Instead)
	})
	return slices.Compact(p.found)
}

// parter compares two answers and collects their differences in found.
type parter struct{ found []Parting }

func (p *parter) add(path, format string, args ...any) {
	p.found = append(p.found, Parting{What: fmt.Sprintf(format, args...), Path: path})
}

// addInstead is as add, where an exception of a class was expected.
func (p *parter) addInstead(class, path, format string, args ...any) {
	p.found = append(p.found, Parting{What: fmt.Sprintf(format, args...), Path: path, Instead: class})
}

// part records how the value b differs from the expected value a, both at path.
func (p *parter) part(path string, a, b any) {
	if equal(a, b) {
		return
	}
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			p.objects(path, a, b)
			return
		}
	case []any:
		if b, ok := b.([]any); ok {
			p.lists(path, a, b)
			return
		}
	case canonFailure:
		if b, ok := b.(canonFailure); ok {
			p.failures(path, a, b)
			return
		}
	case string:
		if b, ok := b.(string); ok {
			p.texts(path, a, b)
			return
		}
	}
	shape, came := shapeOf(a), shapeOf(b)
	if isBool(a) != isBool(b) { // whether it is true or false says nothing about the cause
		shape, came = kindOf(a), kindOf(b)
	}
	if shape != came {
		p.add(path, "%s in place of %s", came, shape)
	} else {
		p.add(path, "another %s", strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(shape, "an "), "a "), "another "))
	}
}

// raisedBy returns the raised error in an answer, or in one attempt of an answer. ok is false for
// none.
func raisedBy(m map[string]any) (canonFailure, bool) {
	for _, key := range []string{"error", "e", "ctor"} {
		if f, ok := m[key].(canonFailure); ok {
			return f, true
		}
	}
	return canonFailure{}, false
}

func (p *parter) objects(path string, a, b map[string]any) {
	wanted, wantsFailure := raisedBy(a)
	came, hasFailure := raisedBy(b)
	switch {
	case hasFailure && !wantsFailure:
		p.add(path, "%s"+inPlaceOfAnswer, came.Type)
		p.besides(path, a, b)
		return
	case wantsFailure && !hasFailure:
		p.addInstead(wanted.Type, path, answerInPlaceOf+"%s", wanted.Type)
		p.besides(path, a, b)
		return
	}
	if x, y, ok := bytesOf(a, b); ok {
		if x == y { // equal bytes, or digits that are none
			p.add(path, "bytes not in the protocol's form")
			return
		}
		p.texts(path, x, y)
		return
	}
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, key := range slices.Sorted(maps.Keys(both)) {
		_, inA := a[key]
		_, inB := b[key]
		switch {
		case path == "" && slices.Contains(testee.Beside, key): // further down it is a field as any other
			p.beside(key, a[key], b[key])
		case !inB:
			p.add(path+"."+key, "field missing")
		case !inA:
			p.add(path+"."+key, "field too many")
		default:
			p.part(path+"."+key, a[key], b[key])
		}
	}
}

// besides compares the additional fields of two answers: logs, metrics and waits. Only a whole
// answer has them.
func (p *parter) besides(path string, a, b map[string]any) {
	if path != "" {
		return
	}
	for _, key := range testee.Beside {
		p.beside(key, a[key], b[key])
	}
}

func (p *parter) beside(key string, a, b any) {
	if equal(a, b) {
		return
	}
	what := map[string]string{"logs": linesOfLogs, "metrics": "metrics", "waits": "waits"}[key]
	x, _ := a.([]any)
	switch y, given := b.([]any); {
	case len(x) == 0 && !given: // an empty list is wanted where there is nothing to tell
		p.add("."+key, "%s: field missing", what)
	case key == "logs" && slices.EqualFunc(x, y, sameLine):
		p.add("."+key, "%s at another level", what)
	case len(x) == len(y) && lessOf(x, y) == 0:
		p.add("."+key, "%s in another order", what)
	case len(x) > len(y) && within(y, x):
		p.add("."+key, "%s missing", what)
	case len(x) < len(y) && within(x, y):
		p.add("."+key, "%s too many", what)
	default:
		p.add("."+key, "%s differ", what)
	}
}

// within reports whether the longer list has all entries of the shorter one, in their order.
func within(shorter, longer []any) bool {
	for _, x := range longer {
		if len(shorter) > 0 && equal(shorter[0], x) {
			shorter = shorter[1:]
		}
	}
	return len(shorter) == 0
}

// sameLine reports whether two log lines of the form [level, text] have the same text.
func sameLine(a, b any) bool {
	x, _ := a.([]any)
	y, _ := b.([]any)
	return len(x) == 2 && len(y) == 2 && equal(x[1], y[1])
}

// bytesOf decodes two values that both stand for bytes. ok is false if either of them does not. Digits of
// the second that cannot be decoded give the bytes of the first.
func bytesOf(a, b map[string]any) (x, y string, ok bool) {
	digits, isBytes := a["$hex"].(string)
	others, areBytes := b["$hex"].(string)
	first, err := hex.DecodeString(digits)
	second, failed := hex.DecodeString(others)
	if failed != nil {
		second = first
	}
	return string(first), string(second), isBytes && areBytes && err == nil
}

func (p *parter) failures(path string, a, b canonFailure) {
	if a.Type != b.Type {
		p.addInstead(a.Type, path, "%s"+inPlaceOfAnother, b.Type)
		return
	}
	p.add(path, textOfErrors+"%s", a.Type)
}

// lists compares two lists. Lists of key-value pairs are compared key by key.
func (p *parter) lists(path string, a, b []any) {
	if x, ok := pairsOf(a); ok {
		if y, ok := pairsOf(b); ok {
			p.pairs(path, x, y)
			return
		}
	}
	missing, extra := lessOf(a, b), lessOf(b, a)
	switch {
	case missing == 0 && extra == 0:
		p.add(path, orderOfEntries)
	case len(a) == len(b):
		for i := range a {
			p.part(path+"[]", a[i], b[i])
		}
	case extra == 0:
		p.add(path, "entries missing")
	case missing == 0:
		p.add(path, "entries too many")
	default:
		p.add(path, "other entries")
	}
}

// lessOf counts the entries of a that are missing in b.
func lessOf(a, b []any) int {
	left, n := slices.Clone(b), 0
	for _, x := range a {
		if i := slices.IndexFunc(left, func(y any) bool { return equal(x, y) }); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			n++
		}
	}
	return n
}

// pair is an entry of a mapping that was written as a list, because the order of its keys matters.
type pair struct {
	key   string
	value any
}

// pairsOf reads a list as a mapping (see pair). ok is false for a list in which a key comes twice,
// as in a list of calls with their arguments.
func pairsOf(list []any) (pairs []pair, ok bool) {
	keys := map[string]bool{}
	for _, x := range list {
		entry, ok := x.([]any)
		if !ok || len(entry) != 2 {
			return nil, false
		}
		key, ok := entry[0].(string)
		if !ok || keys[key] {
			return nil, false
		}
		keys[key] = true
		pairs = append(pairs, pair{key, entry[1]})
	}
	return pairs, true
}

func (p *parter) pairs(path string, a, b []pair) {
	value := func(pairs []pair, key string) (any, bool) {
		i := slices.IndexFunc(pairs, func(x pair) bool { return x.key == key })
		if i < 0 {
			return nil, false
		}
		return pairs[i].value, true
	}
	var order, other []string
	for _, x := range a {
		if y, ok := value(b, x.key); ok {
			order = append(order, x.key)
			p.part(path+"[]", x.value, y)
		} else {
			p.add(path, "entries missing")
		}
	}
	for _, y := range b {
		if _, ok := value(a, y.key); ok {
			other = append(other, y.key)
		} else {
			p.add(path, "entries too many")
		}
	}
	if !slices.Equal(order, other) {
		p.add(path, orderOfEntries)
	}
}

// texts compares two texts. If both hold a JSON object or list, it compares their JSON values.
// Otherwise it describes which words differ.
func (p *parter) texts(path, a, b string) {
	x, y := jsonIn(a), jsonIn(b)
	if x == nil || y == nil {
		for _, change := range changesOf(a, b) {
			p.add(path, "%s", change)
		}
		return
	}
	before := len(p.found)
	hasPlaces := strings.ContainsAny(a, ",:") && strings.ContainsAny(b, ",:")
	if hasPlaces && compact(a) == a != (compact(b) == b) || blankEnd(a) != blankEnd(b) {
		p.add(path, blanksOfJSON)
	}
	p.json(path+"{}", x, y)
	switch {
	case len(p.found) > before:
	case compact(a) == compact(b):
		p.add(path, blanksOfJSON)
	default:
		p.add(path, writingOfJSON)
	}
}

// blankEnd returns the blanks at the end of a text.
func blankEnd(text string) string { return text[len(strings.TrimRight(text, " \t\r\n")):] }

// jsonIn parses a text that holds a JSON object or list. It returns nil for any other text.
func jsonIn(text string) any {
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return nil
	}
	v, err := pysem.ParseJSON(text)
	if err != nil {
		return nil
	}
	return v
}

// compact removes the blanks of a JSON text, except those within JSON strings.
func compact(text string) string {
	var b strings.Builder
	quoted, escaped := false, false
	for i := range len(text) {
		c := text[i]
		if quoted || c > ' ' {
			b.WriteByte(c)
		}
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		}
	}
	return b.String()
}

// json compares two JSON values, and if they are equal, the order of the keys in their objects.
func (p *parter) json(path string, a, b any) {
	switch x := a.(type) {
	case *pysem.Dict:
		if y, ok := b.(*pysem.Dict); ok {
			p.jsonObjects(path, x, y)
			return
		}
	case []any:
		if y, ok := b.([]any); ok && equal(plainJSON(x), plainJSON(y)) {
			for i := range x {
				p.json(path+"[]", x[i], y[i])
			}
			return
		}
	}
	p.part(path, plainJSON(a), plainJSON(b))
}

func (p *parter) jsonObjects(path string, a, b *pysem.Dict) {
	var order, other []string
	for _, item := range a.Items {
		if value, ok := b.Get(item.Key); ok {
			order = append(order, item.Key)
			p.json(path+"."+item.Key, item.Value, value)
		} else {
			p.add(path+"."+item.Key, "entries missing")
		}
	}
	for _, item := range b.Items {
		if _, ok := a.Get(item.Key); ok {
			other = append(other, item.Key)
		} else {
			p.add(path+"."+item.Key, "entries too many")
		}
	}
	if !slices.Equal(order, other) {
		p.add(path, orderOfKeys)
	}
}

// plainJSON converts a parsed JSON value to the canonical form in which answers are compared.
func plainJSON(v any) any {
	switch v := v.(type) {
	case *pysem.Dict:
		return lists.ToMap(v.Items, func(item pysem.Item) (string, any) { return item.Key, plainJSON(item.Value) })
	case []any:
		return lists.Map(v, plainJSON)
	case float64:
		return canonFloat(pysem.FloatRepr(v))
	}
	return v
}

// changesOf describes how two texts differ. It names the differing words if nothing else differs.
func changesOf(a, b string) []string {
	if strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "") {
		return []string{"blanks of a text"}
	}
	switch {
	case b != "" && strings.HasPrefix(a, b):
		return []string{"a text cut off"}
	case a != "" && strings.HasPrefix(b, a):
		return []string{"a text that goes on"}
	}
	if !utf8.ValidString(a) || !utf8.ValidString(b) {
		return []string{"another text"} // of bytes, or with a lone surrogate: neither has words or cases
	}
	if strings.EqualFold(a, b) {
		return []string{"upper and lower case of a text"}
	}
	x, y := betweenWords.Split(a, -1), betweenWords.Split(b, -1)
	if !slices.Equal(betweenWords.FindAllString(a, -1), betweenWords.FindAllString(b, -1)) {
		return []string{"another text"}
	}
	var changes []string
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		if len(x[i]) > mostOfWord || len(y[i]) > mostOfWord {
			return []string{"another text"}
		}
		change := "another word in a text"
		if slices.Contains(words, x[i]) {
			change = fmt.Sprintf("another word in place of %s in a text", x[i])
		}
		changes = append(changes, change)
	}
	return changes
}

// betweenWords matches a character that separates words. Only words of at most mostOfWord bytes are
// named in a difference.
var betweenWords = regexp.MustCompile(`[^0-9A-Za-z_]`)

const mostOfWord = 8

// words lists the words that Python writes for None, booleans and special floats.
var words = []string{"None", "True", "False", "nan", "inf"}

func isBool(v any) bool {
	_, ok := v.(bool)
	return ok
}

// kindOf is as [shapeOf], without telling true from false.
func kindOf(v any) string {
	if isBool(v) {
		return "a boolean"
	}
	return shapeOf(v)
}

// shapeOf names the type of a canonical value, for example "null".
func shapeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(v)
	case int, *big.Int:
		return "an integer"
	case canonBare: // such as 1.5, which the protocol wants as {"$f64":"1.5"}
		return "a number not in the protocol's form"
	case canonFloat:
		return "a float"
	case canonMessage, canonText:
		return "a message"
	case canonSet:
		return "a set"
	case string:
		if v == "" {
			return "an empty text"
		}
		return "a text"
	case []any:
		if len(v) == 0 {
			return "an empty list"
		}
		return "a list"
	case map[string]any:
		if _, ok := v["$f64"]; ok {
			return "a float"
		}
		if _, ok := v["$int"]; ok {
			return "a long integer"
		}
		return "an object"
	}
	return "another value"
}

// raisesOf returns the classes of the exceptions in an answer, each once.
func raisesOf(a testee.Answer) []string {
	if a.Kind == testee.Raised {
		return []string{a.Type}
	}
	return appendRaises(nil, a.Out)
}

func appendRaises(classes []string, v any) []string {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			classes = appendRaises(classes, x)
		}
	case *pysem.Dict:
		if class, _, ok := testee.FailureFields(v); ok && !slices.Contains(classes, class) {
			return append(classes, class)
		}
		for _, item := range v.Items {
			classes = appendRaises(classes, item.Value)
		}
	}
	return classes
}
