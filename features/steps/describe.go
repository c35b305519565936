package steps

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/steps/meaning"
	"github.com/monosim/monosim/runners"
)

// Described describes a sentence for its users.
type Described struct {
	// Sentence is the sentence in readable form. {word} is a placeholder, (text) is optional, and
	// a/b means either of the two.
	Sentence string `json:"sentence"`
	// Kind is Given, When or Then.
	Kind string `json:"kind"`
	// Does says in one line what the sentence does, or what must hold.
	Does string `json:"does"`
	// Placeholders lists the placeholders of the sentence. One that occurs twice is listed once.
	Placeholders []Placeholder `json:"placeholders"`
	// Example is a text that matches the sentence. Where names the place of this text in the
	// shipped scenarios. It is "" for a caller's own sentence.
	Example string `json:"example"`
	Where   string `json:"where,omitempty"`
	// Passes says when cluster time passes during the sentence, "" for never. For a sentence that
	// sets how long something lasts it begins with "never".
	Passes string `json:"passes,omitempty"`
}

// Placeholder is a word in braces that stands for a text.
type Placeholder struct {
	Name    string `json:"name"`
	Accepts string `json:"accepts"`
	Example string `json:"example"`
}

// Describe describes the sentences that scenarios can use with a runner that has these faults, in
// the order of [Vocabulary].
func Describe(faults []runners.FaultKind) []Described {
	return lists.MapOrNil(newVocabulary(faults), func(s *Sentence) Described { return s.describe() })
}

func (s *Sentence) describe() Described {
	d := Described{Sentence: s.readable(), Kind: s.keyword, Does: cmp.Or(s.does, meaning.Of[s.text]), Example: s.keyword + " " + s.example(), Passes: s.waits, Placeholders: []Placeholder{}}
	if o, ok := s.shown(); ok {
		d.Example, d.Where = s.keyword+" "+o.text, o.where
	}
	seen := map[string]bool{}
	for _, name := range lenientOf(s).words {
		if !seen[name] {
			d.Placeholders = append(d.Placeholders, Placeholder{name, words[name].accepts, words[name].examples[0]})
		}
		seen[name] = true
	}
	return d
}

// readable returns the sentence's text, with the prefix and suffix that all sentences of its kind
// may have.
func (s *Sentence) readable() string {
	switch s.kind {
	case anAssertion:
		return "(within|for {duration} )" + s.text
	case aCondition, anOnset:
		return s.text + "( for {duration})"
	}
	return s.text
}

// example returns a text that matches the sentence, with example words for its placeholders.
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

// pieces converts the readable form into a regular expression. word gives the expression for each
// placeholder, (text) is optional, and a/b matches either. names lists the placeholders.
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

// shownFile has steps for the sentences that no scenario of package features uses.
//
//go:embed examples.gherkin
var shownFile embed.FS

const shownName = "examples.gherkin"

// saying is a step of a shipped scenario that serves as an example of a sentence.
type saying struct{ text, where string }

// sayings lists the steps of all shipped scenarios, each text once.
var sayings = sync.OnceValue(func() []saying {
	var list []saying
	seen := map[string]bool{}
	for _, in := range []struct {
		files fs.FS
		name  string
		under string
	}{{features.FS, ".", "features/"}, {shownFile, shownName, "features/steps/"}} {
		s := Suite{FS: in.files, Paths: []string{in.name}}
		found, err := s.find()
		if err != nil {
			return nil
		}
		for _, sc := range found {
			for _, c := range sc.cases {
				for _, st := range c.steps {
					if !seen[st.text] {
						seen[st.text] = true
						list = append(list, saying{st.text, in.under + lineOf(sc.path, st.line)})
					}
				}
			}
		}
	}
	return list
})

// shown returns the first step of a shipped scenario that uses the sentence. It prefers a step that
// waits ("within"). ok is false for a caller's own sentence.
func (s *Sentence) shown() (saying, bool) {
	all := sayings()
	says := func(o saying) bool { return s.expr.MatchString(o.text) }
	i := slices.IndexFunc(all, func(o saying) bool {
		return says(o) && (s.kind != anAssertion || strings.HasPrefix(o.text, "within ")) && !strings.Contains(o.text, notExported)
	})
	if i < 0 {
		i = slices.IndexFunc(all, says)
	}
	if i < 0 {
		return saying{}, false
	}
	return all[i], true
}

func lineOf(path string, line int) string { return path + ":" + strconv.Itoa(line) }
