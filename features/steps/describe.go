package steps

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/monosim/monosim/runners"
)

// Described describes a sentence for people who look it up.
type Described struct {
	// Sentence is its readable form: {word} is a placeholder, (text) may be left out, and
	// of a/b one is said.
	Sentence string `json:"sentence"`
	// Kind is Given, When or Then.
	Kind string `json:"kind"`
	// Placeholders lists the placeholders of the sentence, each once.
	Placeholders []Placeholder `json:"placeholders"`
	// Example is a text that says the sentence.
	Example string `json:"example"`
	// Passes says when cluster time passes while the sentence is said, "" for never. It
	// begins with "never" for a sentence that sets how long something lasts.
	Passes string `json:"passes,omitempty"`
}

// Placeholder is a word in braces.
type Placeholder struct {
	Name    string `json:"name"`
	Accepts string `json:"accepts"`
	Example string `json:"example"`
}

// Describe describes the sentences that scenarios may say to a runner with these faults,
// in the order of [Vocabulary].
func Describe(faults []runners.FaultKind) []Described {
	var list []Described
	for _, s := range newVocabulary(faults) {
		list = append(list, s.describe())
	}
	return list
}

func (s *Sentence) describe() Described {
	d := Described{Sentence: s.readable(), Kind: s.keyword, Example: s.keyword + " " + s.example(), Passes: s.waits, Placeholders: []Placeholder{}}
	seen := map[string]bool{}
	for _, name := range lenientOf(s).words {
		if !seen[name] {
			d.Placeholders = append(d.Placeholders, Placeholder{name, words[name].accepts, words[name].examples[0]})
		}
		seen[name] = true
	}
	return d
}

// readable returns the text with the prefix and suffix of every sentence of its kind.
func (s *Sentence) readable() string {
	switch s.kind {
	case anAssertion:
		return "(within|for {duration} )" + s.text
	case aCondition, anOnset:
		return s.text + "( for {duration})"
	}
	return s.text
}

// example returns a text that says the sentence.
func (s *Sentence) example() string {
	text := s.text
	used := map[string]int{}
	text = strings.ReplaceAll(text, "{duration} pass(es)", "{duration} pass")
	text = token.ReplaceAllStringFunc(text, func(part string) string {
		m := token.FindStringSubmatch(part)
		switch {
		case m[1] != "":
			examples := words[m[1]].examples
			used[m[1]]++
			return examples[(used[m[1]]-1)%len(examples)]
		case m[2] != "":
			return m[2]
		}
		first, _, _ := strings.Cut(part, "/")
		return first
	})
	switch s.kind {
	case anAssertion:
		return "within 30s " + text
	case aCondition, anOnset:
		return text + " for 10m"
	}
	return text
}

// pieces splits the readable form and writes a regular expression for each part: words by
// the function word, (text) optional, a/b one of the two. names lists the words.
func pieces(text string, word func(name string) string) (pattern string, names []string) {
	var b strings.Builder
	rest := 0
	for _, m := range token.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[rest:m[0]]))
		rest = m[1]
		switch {
		case m[2] >= 0:
			name := text[m[2]:m[3]]
			if _, ok := words[name]; !ok {
				panic(fmt.Sprintf("sentence %q: no word %q", text, name))
			}
			names = append(names, name)
			b.WriteString(word(name))
		case m[4] >= 0:
			b.WriteString(`(?:` + regexp.QuoteMeta(text[m[4]:m[5]]) + `)?`)
		default:
			b.WriteString(`(?:` + strings.ReplaceAll(text[m[0]:m[1]], "/", "|") + `)`)
		}
	}
	return b.String() + regexp.QuoteMeta(text[rest:]), names
}
