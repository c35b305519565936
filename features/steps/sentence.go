package steps

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// kind is what a sentence is for.
type kind uint8

const (
	aShape kind = iota
	anAction
	aCondition
	anAssertion
	// aQuestion and aFinding are about a recorded case; no cluster is built for them.
	aQuestion
	aFinding
)

// sentence is one thing that a scenario may say.
type sentence struct {
	kind kind
	// text is the form that people read, as "{duration} pass(es)".
	text string
	expr *regexp.Regexp
	// do takes the World and one argument for each word. Those of shapes and
	// actions and questions return an error, those of conditions a lasting, those of
	// assertions and findings a check.
	do reflect.Value
}

// check says whether something is seen; its error tells what was wanted and what
// is there.
type check func() error

// lasting is something that goes on from begin to end.
type lasting struct{ begin, end func() error }

func shape(text string, do any) *sentence  { return newSentence(aShape, text, do) }
func action(text string, do any) *sentence { return newSentence(anAction, text, do) }

// condition makes a sentence that may end in "for 12s".
func condition(text string, do any) *sentence { return newSentence(aCondition, text, do) }

// question has a recorded case answered; finding looks at the answer.
func question(text string, do any) *sentence { return newSentence(aQuestion, text, do) }
func finding(text string, do any) *sentence  { return newSentence(aFinding, text, do) }

// assertion makes a sentence that may begin with "within 30s" or "for 30s".
func assertion(text string, do any) *sentence { return newSentence(anAssertion, text, do) }

// Prefix and suffix that go with every sentence of a kind.
const (
	waitPrefix = `(?:(within|for) (` + durationText + `) )?`
	timeSuffix = `(?: for (` + durationText + `))?`
)

func newSentence(k kind, text string, do any) *sentence {
	pattern := expression(text)
	switch k {
	case anAssertion:
		pattern = waitPrefix + pattern
	case aCondition:
		pattern += timeSuffix
	}
	return &sentence{kind: k, text: text, expr: regexp.MustCompile(`^` + pattern + `$`), do: reflect.ValueOf(do)}
}

var token = regexp.MustCompile(`\{(\w+)\}|\(([^)]*)\)|\b\w+/\w+\b`)

// expression turns the readable form into a regular expression: words by the
// table, (text) optional, a/b one of the two.
func expression(text string) string {
	var b strings.Builder
	rest := 0
	for _, m := range token.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[rest:m[0]]))
		rest = m[1]
		switch {
		case m[2] >= 0:
			word, ok := words[text[m[2]:m[3]]]
			if !ok {
				panic(fmt.Sprintf("sentence %q: no word %q", text, text[m[2]:m[3]]))
			}
			b.WriteString(word)
		case m[4] >= 0:
			b.WriteString(`(?:` + regexp.QuoteMeta(text[m[4]:m[5]]) + `)?`)
		default:
			b.WriteString(`(?:` + strings.ReplaceAll(text[m[0]:m[1]], "/", "|") + `)`)
		}
	}
	return b.String() + regexp.QuoteMeta(text[rest:])
}

// handler is the function that godog calls for the sentence in one world: its
// arguments are those of do, and before them the words of waitPrefix, or after
// them that of timeSuffix.
func (s *sentence) handler(w *World) any {
	t := s.do.Type()
	var in []reflect.Type
	for i := 1; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	text := reflect.TypeFor[string]()
	switch s.kind {
	case anAssertion:
		in = append([]reflect.Type{text, text}, in...)
	case aCondition:
		in = append(in, text)
	}
	out := []reflect.Type{reflect.TypeFor[error]()}
	return reflect.MakeFunc(reflect.FuncOf(in, out, false), func(args []reflect.Value) []reflect.Value {
		err := s.say(w, args)
		return []reflect.Value{reflect.ValueOf(&err).Elem()}
	}).Interface()
}

// say does what the sentence says in a world.
func (s *sentence) say(w *World, args []reflect.Value) error {
	switch {
	case s.kind == aQuestion || s.kind == aFinding:
	case s.kind != aShape:
		if err := w.ready(); err != nil {
			return w.outcome(err)
		}
	case w.cluster != nil:
		return fmt.Errorf("%q comes after the cluster was built: say it earlier", s.text)
	}
	call := func(args []reflect.Value) any {
		return s.do.Call(append([]reflect.Value{reflect.ValueOf(w)}, args...))[0].Interface()
	}
	switch s.kind {
	case anAssertion:
		return w.outcome(w.hold(args[0].String(), args[1].String(), call(args[2:]).(check)))
	case aFinding:
		return w.outcome(call(args).(check)())
	case aCondition:
		last := len(args) - 1
		return w.outcome(w.last(args[last].String(), call(args[:last]).(lasting)))
	}
	err, _ := call(args).(error)
	return w.outcome(err)
}

// Vocabulary lists the sentences in their readable form.
func Vocabulary() []string {
	list := make([]string, len(sentences))
	for i, s := range sentences {
		list[i] = s.text
		switch s.kind {
		case anAssertion:
			list[i] = "(within|for {duration} )" + s.text
		case aCondition:
			list[i] += "( for {duration})"
		}
	}
	return list
}
