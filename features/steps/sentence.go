package steps

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// kind says what a sentence is for.
type kind uint8

const (
	aShape kind = iota
	anAction
	aCondition
	// anOnset begins something. If the sentence has a time at its end, what began ends by itself
	// after that time.
	anOnset
	anAssertion
	// aQuestion and aFinding are about a recorded case, for which no cluster is built.
	aQuestion
	aFinding
	// someFaults marks the places in the vocabulary at which the sentences about faults of one
	// topic are inserted.
	someFaults
)

// Sentence is a form of step that scenarios may use. Vocabulary lists those that every suite knows.
// A caller makes sentences of its own with Action and Assertion, for Suite.Sentences.
type Sentence struct {
	kind kind
	// text is the readable form, such as "{duration} pass(es)".
	text string
	expr *regexp.Regexp
	// do is a function. Its arguments are the World and one argument for each placeholder. It
	// returns an error for shapes, actions and questions, a lasting for conditions, an onset for
	// onsets, and a check for assertions and findings.
	do reflect.Value
	// check, when set, returns an error if the texts for the placeholders cannot work, before
	// anything runs.
	check func(words []string) error
	// ofBareServer marks a sentence that is about the model server without an agent. ofAgents marks
	// a sentence that is about pods. Both are only for sentences without a placeholder for a server
	// or a pod.
	ofBareServer, ofAgents bool
	// ofTraining marks a sentence that is about the training job but names no process.
	ofTraining bool
	// declares marks a sentence that may use new names. exports marks one after which a version
	// exists.
	declares, exports bool
	// lasts marks a sentence that needs "for 3m". Its check reports what was seen since the check
	// was made.
	lasts bool
	// watches marks a sentence about invariants. A scenario with such a sentence has them checked.
	watches bool
	// fault is the kind of fault that the sentence begins or ends, "" for none.
	fault string
	// only is the role of the training processes that the fault can hit, "" for any.
	only string
	// does says in one line what the sentence does. It is "" if package meaning has that line.
	does string
	// keyword is the Gherkin keyword of steps that use the sentence: Given, When or Then.
	keyword string
	// waits says when cluster time passes during the sentence, "" for never.
	waits string
}

// check looks at the cluster once. It returns nil if all is as the scenario says, otherwise an
// error with what was expected and what was found.
type check = func() error

// lasting is a condition with functions that begin and end it. sets begins it, and makes it end by
// itself after a duration.
type lasting struct {
	begin, end func() error
	sets       func(duration string) error
}

// onset begins something that ends after a duration. With "" it lasts until a later step ends it.
type onset = func(duration string) error

func shape(text string, do any) *Sentence { return newSentence(aShape, text, do) }

// condition makes a sentence that may end with a duration, such as "for 12s".
func condition(text string, do any) *Sentence { return newSentence(aCondition, text, do) }

// question makes a sentence that runs a recorded case. finding makes one that checks the answer.
func question(text string, do any) *Sentence { return newSentence(aQuestion, text, do) }
func finding(text string, do any) *Sentence  { return newSentence(aFinding, text, do) }

// given makes the sentence that names the recorded case.
func given(text string, do any) *Sentence {
	s := question(text, do)
	s.keyword = "Given"
	return s
}

// Action makes a sentence that does something to the cluster, for Suite.Sentences.
//
// text is what scenarios say, without a final period. In it {word} stands for a value in
// the form that the word has in the vocabulary: {n} a number, {text} something in double
// quotes, {pod}, {duration}, {path}, {name}, {model} and the others of words.go; (text) may
// be left out, a/b is one of the two.
//
// do is called when a scenario says so. It has the signature
//
//	func(w *steps.World, one argument for each word) error
//
// with string arguments, or int and int64 for words that are numbers. By then the cluster
// is built (World.Cluster). Action panics for an unknown word in text or another signature
// of do, so that a mistake shows at once.
func Action(text string, do any) *Sentence { return newSentence(anAction, text, do) }

// Assertion makes a sentence that says what must be seen, for Suite.Sentences; text and
// words are as with Action. A scenario may put "within 30s" in front, to wait, or "for
// 30s", to check all that time. do has the signature
//
//	func(w *steps.World, one argument for each word) func() error
//
// The function that it returns looks once. It returns nil if all is as said, else an error
// with what was wanted and what was found. Assertion panics as Action does.
func Assertion(text string, do any) *Sentence { return newSentence(anAssertion, text, do) }

// waitPrefix and timeSuffix match the optional beginning of every assertion, and the optional end
// of every condition.
const (
	waitPrefix = `(?:(within|for) (` + durationText + `) )?`
	timeSuffix = `(?: for (` + durationText + `))?`
)

func newSentence(k kind, text string, do any) *Sentence {
	pattern := expression(text)
	switch k {
	case anAssertion:
		pattern = waitPrefix + pattern
	case aCondition, anOnset:
		pattern += timeSuffix
	}
	s := &Sentence{kind: k, text: text, expr: regexp.MustCompile(`^` + pattern + `$`), do: reflect.ValueOf(do), keyword: keywords[k], waits: waits[k]}
	if err := s.checkFunction(); err != nil {
		panic(err)
	}
	return s
}

// keywords holds the Gherkin keyword for each kind of sentence. waits says when sentences of a kind
// let time pass.
var (
	keywords = map[kind]string{aShape: "Given", anAction: "When", aCondition: "When", anOnset: "When", anAssertion: "Then", aQuestion: "When", aFinding: "Then"}
	waits    = map[kind]string{
		anOnset:     "never: with \"for 12s\" at its end it is over by itself that much later",
		aCondition:  "with \"for 12s\" at its end: that time passes, then it is over",
		anAssertion: "with \"within 30s\" before it until it is so, with \"for 30s\" all that time",
	}
)

// takesTime marks a sentence that lets time pass, unlike others of its kind. The text in when says
// when time passes.
func takesTime(when string, s *Sentence) *Sentence {
	s.waits = when
	return s
}

// predictWaits makes an assertion about the answer to a Predict request, for which it waits.
func predictWaits(text string, do any) *Sentence {
	return takesTime("until the answer is there, and "+waits[anAssertion], Assertion(text, do))
}

// results holds the type that the function of each kind of sentence returns.
var results = map[kind]reflect.Type{
	aShape: reflect.TypeFor[error](), anAction: reflect.TypeFor[error](), aQuestion: reflect.TypeFor[error](),
	aCondition: reflect.TypeFor[lasting](), anOnset: reflect.TypeFor[onset](), anAssertion: reflect.TypeFor[check](), aFinding: reflect.TypeFor[check](),
}

// checkFunction checks that do is a function of a World and one argument for each placeholder.
func (s *Sentence) checkFunction() error {
	words := s.expr.NumSubexp()
	switch s.kind {
	case anAssertion:
		words -= 2
	case aCondition, anOnset:
		words--
	}
	t := s.do.Type()
	if t.Kind() != reflect.Func || t.NumIn() != words+1 || t.In(0) != reflect.TypeFor[*World]() ||
		t.NumOut() != 1 || t.Out(0) != results[s.kind] {
		return fmt.Errorf("sentence %q: found %v, want a function of *steps.World and %d words that returns %v", s.text, t, words, results[s.kind])
	}
	return nil
}

// token matches the variable parts of a sentence's readable form. A path such as layouts/main is
// not a choice of two words.
var token = regexp.MustCompile(`\{(\w+)\}|\(([^)]*)\)|\b(?:is/are|has/have|was/were)\b`)

// expression converts the readable form into a regular expression.
func expression(text string) string {
	pattern, _ := pieces(text, func(name string) string { return words[name].pattern })
	return pattern
}

// arguments parses the arguments for say from a text that matches the sentence. They are the parts
// of waitPrefix, the texts for the placeholders, and the part of timeSuffix. A number that is too
// large is an error.
func (s *Sentence) arguments(text string) ([]reflect.Value, error) {
	groups := s.expr.FindStringSubmatch(text)[1:]
	args := make([]reflect.Value, len(groups))
	t := s.do.Type()
	before := 0
	if s.kind == anAssertion {
		before = 2
	}
	for i, group := range groups {
		word := i - before
		if word < 0 || word+1 >= t.NumIn() || t.In(word+1).Kind() == reflect.String {
			if !strings.HasPrefix(group, `"`) && word >= 0 {
				group = strings.ReplaceAll(group, notExported, "") // a member of a list may end with this mark
			}
			args[i] = reflect.ValueOf(group)
			continue
		}
		v := reflect.New(t.In(word + 1)).Elem()
		n, err := strconv.ParseInt(group, 10, v.Type().Bits())
		if err != nil {
			return nil, fmt.Errorf("found the number %s, want one that fits into %d bits", group, v.Type().Bits())
		}
		v.SetInt(n)
		args[i] = v
	}
	return args, nil
}

// say carries out the sentence in a world. args come from the method arguments.
func (s *Sentence) say(w *World, args []reflect.Value) error {
	switch {
	case s.kind == aQuestion || s.kind == aFinding:
	case s.kind != aShape:
		if err := w.ready(); err != nil {
			return w.outcome(err)
		}
	case w.cluster != nil:
		return fmt.Errorf("%q comes after the cluster was built: say it earlier", s.text)
	}
	switch s.kind {
	case anAssertion:
		mode, duration, c := args[0].String(), args[1].String(), s.call(w, args[2:]).(check)
		if s.lasts {
			return w.outcome(w.watchFor(duration, c))
		}
		return w.outcome(w.hold(mode, duration, c))
	case aFinding:
		return w.outcome(s.call(w, args).(check)())
	case aCondition:
		last := len(args) - 1
		return w.outcome(w.last(args[last].String(), s.call(w, args[:last]).(lasting)))
	case anOnset:
		last := len(args) - 1
		return w.outcome(s.call(w, args[:last]).(onset)(args[last].String()))
	}
	err, _ := s.call(w, args).(error)
	return w.outcome(err)
}

// call calls the sentence's function.
func (s *Sentence) call(w *World, args []reflect.Value) any {
	return s.do.Call(append([]reflect.Value{reflect.ValueOf(w)}, args...))[0].Interface()
}
