package steps

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
)

// vocabulary holds all sentences that scenarios may use with one runner.
type vocabulary []*Sentence

// newVocabulary inserts the sentences about a runner's faults into the others. The sentences of a
// topic come where faults(topic) marks their place. Topics without a mark come after these, and the
// caller's own sentences come last.
func newVocabulary(kinds []runners.FaultKind, own ...*Sentence) vocabulary {
	ofTopic := map[string][]*Sentence{}
	var topics []string
	for _, k := range kinds {
		if !slices.Contains(topics, k.Topic()) {
			topics = append(topics, k.Topic())
		}
		ofTopic[k.Topic()] = append(ofTopic[k.Topic()], faultSentences(k)...)
	}
	var v vocabulary
	for _, s := range sentences {
		if s.kind != someFaults {
			v = append(v, s)
			continue
		}
		v = append(v, ofTopic[s.text]...)
		delete(ofTopic, s.text)
	}
	for _, topic := range topics {
		v = append(v, ofTopic[topic]...)
	}
	return append(v, own...)
}

// match returns all sentences that match a text. More than one is a mistake in the vocabulary.
func (v vocabulary) match(text string) (found []*Sentence) {
	return lists.Filter(v, func(s *Sentence) bool { return s.expr.MatchString(text) })
}

// Vocabulary lists the sentences that scenarios may use with a runner that has these faults, in
// readable form: {word} is a placeholder, (text) is optional, and a/b means either of the two.
// words.go says which texts match a placeholder.
func Vocabulary(faults []runners.FaultKind) []string {
	return newVocabulary(faults).readable()
}

// FaultSentences lists the sentences about one kind of fault, in their readable form.
func FaultSentences(k runners.FaultKind) []string { return vocabulary(faultSentences(k)).readable() }

func (v vocabulary) readable() []string {
	return lists.Map(v, (*Sentence).readable)
}

// unknown describes what is wrong with a text that matches no sentence. If only the values of
// placeholders are wrong, it names these. Otherwise it suggests the nearest sentence.
func (v vocabulary) unknown(text string) string {
	var best []badValue
	var of *Sentence
	for _, s := range v {
		bad := s.badValues(text)
		if bad != nil && (of == nil || len(bad) < len(best) || len(bad) == len(best) && s.plainLetters() > of.plainLetters()) {
			best, of = bad, s
		}
	}
	if of == nil {
		return fmt.Sprintf("no sentence says\n    %s\n  did you mean\n    %s", text, v.nearest(text))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "no sentence says\n    %s\n  but for a value it is\n    %s", text, of.readable())
	for _, bad := range best {
		fmt.Fprintf(&b, "\n  {%s} takes %s: found %q, want as %s", bad.word, words[bad.word].accepts, bad.found, words[bad.word].examples[0])
	}
	return b.String()
}

// badValue is a text in a step that the placeholder in its place does not accept.
type badValue struct{ word, found string }

// badValues returns the values in a text that the sentence's placeholders do not accept. If the
// text does not match the sentence with any values, it returns nil.
func (s *Sentence) badValues(text string) []badValue {
	l := lenientOf(s)
	m := l.expr.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	var bad []badValue
	for i, name := range l.words {
		if found := m[i+1]; found != "" && !wordExpr(name).MatchString(found) {
			bad = append(bad, badValue{name, found})
		}
	}
	return bad
}

// plainLetters counts the letters of a sentence outside of its placeholders.
func (s *Sentence) plainLetters() int { return len(token.ReplaceAllString(s.text, "")) }

// lenient holds an expression that matches a sentence with any text in the places of its
// placeholders. words holds the names of the placeholders, one for each group.
type lenient struct {
	expr  *regexp.Regexp
	words []string // placeholder of each group
}

var lenients sync.Map // lenient expressions, by *Sentence

// anyDuration matches durations as people write them, also in forms that scenarios do not accept.
const anyDuration = `(` + durationText + `|\d\S*(?: ?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|days?))?|\S+)`

func lenientOf(s *Sentence) lenient {
	if l, ok := lenients.Load(s); ok {
		return l.(lenient)
	}
	pattern, names := pieces(s.text, func(name string) string {
		if name == "duration" {
			return anyDuration
		}
		return `(` + ungrouped(words[name].pattern) + `|.+?)`
	})
	switch s.kind {
	case anAssertion:
		pattern, names = `(?:(?:within|for) `+anyDuration+` )?`+pattern, append([]string{"duration"}, names...)
	case aCondition, anOnset:
		pattern, names = pattern+`(?: for `+anyDuration+`)?`, append(names, "duration")
	}
	l := lenient{regexp.MustCompile(`^` + pattern + `$`), names}
	lenients.Store(s, l)
	return l
}

// ungrouped returns a placeholder's pattern with its group made non-capturing.
func ungrouped(pattern string) string {
	open := strings.Index(pattern, "(")
	return pattern[:open] + "(?:" + pattern[open+1:]
}

// wordExpr returns an expression that matches what a placeholder accepts.
func wordExpr(name string) *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + words[name].pattern + `)$`)
}

var prefixWords = regexp.MustCompile(`^(?:within|for) ` + durationText + ` `)

// nearest returns the sentence with the smallest edit distance from text, counted in words. A valid
// value in the place of a placeholder adds no distance.
func (v vocabulary) nearest(text string) string {
	asked := strings.Fields(prefixWords.ReplaceAllString(text, ""))
	best, bestDistance := "", -1
	for _, s := range v {
		d := distance(asked, strings.Fields(s.text))
		if bestDistance < 0 || d < bestDistance {
			best, bestDistance = s.text, d
		}
	}
	return best
}

// editCost is the cost of adding, removing or replacing a whole word. Replacing a word by a similar
// one costs less.
const editCost = 4

// distance returns the least cost of changing the words of a into those of b.
func distance(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j * editCost
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = (i + 1) * editCost
		for j, y := range b {
			replaced := diagonal + unlike(x, y)
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+editCost, diagonal+editCost)
		}
	}
	return row[len(b)]
}

// unlike compares said, a word of a step, with known, the word in the same place of a sentence. It
// returns the cost of their difference: 0 if said fits, and up to editCost otherwise.
func unlike(said, known string) int {
	if known == said {
		return 0
	}
	if strings.ContainsAny(known, "{(/") {
		if regexp.MustCompile(`^(?:` + fitting(known) + `)$`).MatchString(said) {
			return 0
		}
		if strings.HasPrefix(known, "{") {
			return editCost - 1
		}
	}
	switch letters := levenshtein.ComputeDistance(said, known); {
	case letters <= 2 && letters < len(known):
		return 1
	case letters*2 <= len(known):
		return 2
	}
	return editCost
}

// fitting returns an expression for one word of a sentence. For placeholders that accept lists or
// phrases, it matches any single word of these.
func fitting(known string) string {
	switch known {
	case "{pods}", "{agents}", "{servers}", "{server}", "{places}":
		return `(?:` + podName + `),?`
	case "{text}":
		return `"[^"]*"?`
	}
	return expression(known)
}
