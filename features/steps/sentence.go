package steps

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// kind is the purpose of a sentence.
type kind uint8

const (
	aShape kind = iota
	anAction
	aCondition
	// anOnset begins something that ends by itself if the sentence ends in a time.
	anOnset
	anAssertion
	// aQuestion and aFinding are about a recorded case; no cluster is built for them.
	aQuestion
	aFinding
	// someFaults marks the place in the vocabulary of the sentences about faults of one topic.
	someFaults
)

// Sentence is one thing that a scenario may say. Vocabulary lists those that every suite
// knows; Action and Assertion make a caller's own, for Suite.Sentences.
type Sentence struct {
	kind kind
	// text is the readable form, as "{duration} pass(es)".
	text string
	expr *regexp.Regexp
	// do is a function of the World and one argument for each word. Shapes, actions and
	// questions return an error, conditions a lasting, assertions and findings a check.
	do reflect.Value
	// check, when set, returns an error for words that cannot work, before anything runs.
	check func(words []string) error
	// ofBareServer and ofAgents are set for a sentence that names neither but is about the
	// model server without an agent, or about pods.
	ofBareServer, ofAgents bool
	// ofTraining is set for a sentence that is about the training job but names no process.
	ofTraining bool
	// declares is set for a sentence whose names need not be known before; exports for one
	// after which a version exists.
	declares, exports bool
	// lasts is set for a sentence that needs "for 3m", and whose check says what was seen since it was made.
	lasts bool
	// watches is set for a sentence about invariants, which are checked where one is said.
	watches bool
	// fault is the kind of fault that it begins or ends, "" for none.
	fault string
	// does says in a line what the sentence does, "" where meanings has it.
	does string
	// keyword is where the sentence belongs in a scenario: Given, When or Then.
	keyword string
	// waits says when time passes while the sentence is said, "" for never.
	waits string
}

// check looks once at the cluster. It returns nil if all is as the scenario says, else an
// error with what was wanted and what was found.
type check = func() error

// lasting is a condition that lasts from begin to end. sets begins it, and makes it end by
// itself after a duration.
type lasting struct {
	begin, end func() error
	sets       func(duration string) error
}

// onset begins something, which ends after the duration; "" means that it lasts until it is
// taken back.
type onset = func(duration string) error

func shape(text string, do any) *Sentence { return newSentence(aShape, text, do) }

// condition makes a sentence that may end in "for 12s".
func condition(text string, do any) *Sentence { return newSentence(aCondition, text, do) }

// question makes a sentence that asks a recorded case; finding makes one that looks at the answer.
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

// These are the prefix and suffix of every sentence of a kind.
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

// keywords has where sentences of each kind belong, waits when they let time pass.
var (
	keywords = map[kind]string{aShape: "Given", anAction: "When", aCondition: "When", anOnset: "When", anAssertion: "Then", aQuestion: "When", aFinding: "Then"}
	waits    = map[kind]string{
		anOnset:     "never: with \"for 12s\" at its end it is over by itself that much later",
		aCondition:  "with \"for 12s\" at its end: that time passes, then it is over",
		anAssertion: "with \"within 30s\" before it until it is so, with \"for 30s\" all that time",
	}
)

// takesTime marks a sentence that lets time pass though others of its kind do not; when says when.
func takesTime(when string, s *Sentence) *Sentence {
	s.waits = when
	return s
}

// predictWaits makes an assertion about the answer to a Predict.
func predictWaits(text string, do any) *Sentence {
	return takesTime("until the answer is there, and "+waits[anAssertion], Assertion(text, do))
}

// results has the types that the functions of each kind return.
var results = map[kind]reflect.Type{
	aShape: reflect.TypeFor[error](), anAction: reflect.TypeFor[error](), aQuestion: reflect.TypeFor[error](),
	aCondition: reflect.TypeFor[lasting](), anOnset: reflect.TypeFor[onset](), anAssertion: reflect.TypeFor[check](), aFinding: reflect.TypeFor[check](),
}

// checkFunction checks that do is a function of a World and an argument for each word.
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

// token finds what a sentence's readable form leaves open. A path as layouts/main is no choice of two words.
var token = regexp.MustCompile(`\{(\w+)\}|\(([^)]*)\)|\b(?:is/are|has/have|was/were)\b`)

// expression turns the readable form into a regular expression.
func expression(text string) string {
	pattern, _ := pieces(text, func(name string) string { return words[name].pattern })
	return pattern
}

// arguments reads the arguments of say from a text that says the sentence: the words of
// waitPrefix, those of the sentence, and that of timeSuffix. The error is about a number
// that is too large.
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
				group = strings.ReplaceAll(group, notExported, "") // behind members of a list
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

// say does what the sentence says in a world, with the arguments from that method.
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
