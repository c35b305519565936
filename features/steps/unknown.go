package steps

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// unknown says what is wrong with a text that no sentence says: a placeholder's value
// where all else fits, and what is nearest where not.
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

// badValue is a text at the place of a placeholder that does not fit it.
type badValue struct{ word, found string }

// badValues are the values of a text that the sentence would say with others; nil when
// it says something else whatever they are.
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

// lenient is a sentence with anything in the places of its words.
type lenient struct {
	expr  *regexp.Regexp
	words []string // of its groups
}

var lenients sync.Map // from *Sentence to lenient

// anyDuration is what people write for a time.
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

// ungrouped is the pattern of a word without its group.
func ungrouped(pattern string) string {
	open := strings.Index(pattern, "(")
	return pattern[:open] + "(?:" + pattern[open+1:]
}

// wordExpr is what fits a word.
func wordExpr(name string) *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + words[name].pattern + `)$`)
}
