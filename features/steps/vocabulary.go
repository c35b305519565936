package steps

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners"
)

// vocabulary holds all sentences that scenarios may say to one runner.
type vocabulary []*Sentence

// newVocabulary puts the sentences about a runner's faults among the others, each topic at
// its place, and topics without a place at the end. A caller's own come last.
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

// match returns the sentences that fit a text. More than one is a fault of the vocabulary,
// and all are reported.
func (v vocabulary) match(text string) (found []*Sentence) {
	for _, s := range v {
		if s.expr.MatchString(text) {
			found = append(found, s)
		}
	}
	return found
}

// Vocabulary lists the sentences that scenarios may say to a runner with these faults, in
// their readable form: {word} stands for a word, (text) may be left out, and of a/b one is
// said. words.go has the texts that fit a word.
func Vocabulary(faults []runners.FaultKind) []string {
	return newVocabulary(faults).readable()
}

// FaultSentences lists the sentences about one kind of fault, in their readable form.
func FaultSentences(k runners.FaultKind) []string { return vocabulary(faultSentences(k)).readable() }

func (v vocabulary) readable() []string {
	list := make([]string, len(v))
	for i, s := range v {
		list[i] = s.readable()
	}
	return list
}

// WriteGlue writes step definitions of all sentences for an editor: "typescript" for the
// Cucumber expressions of cucumber-js, "go" for the regular expressions of godog. The Cucumber
// language service reads them, and then completes and underlines steps. Nothing runs them. A file
// has no comments and short patterns, because the service reads none that is larger than 32 kB.
func WriteGlue(w io.Writer, language string, faults []runners.FaultKind) error {
	known := newVocabulary(faults)
	var b strings.Builder
	switch language {
	case "typescript":
		typescriptGlue(&b, known)
	case "go":
		goGlue(&b, known)
	default:
		return fmt.Errorf("glue: found %q, want one of go, typescript", language)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const glueHead = `// Step definitions of monosim's sentences, for editors: the Cucumber language service reads them.
// Made by: monosim steps --glue %s
`

func typescriptGlue(b *strings.Builder, known vocabulary) {
	fmt.Fprintf(b, glueHead, "typescript")
	b.WriteString("import { defineParameterType, Given, Then, When } from '@cucumber/cucumber'\n\n")
	for _, name := range slices.Sorted(maps.Keys(words)) {
		fmt.Fprintf(b, "defineParameterType({ name: '%s', regexp: /%s/ })\n", name, strings.ReplaceAll(words[name].pattern, "/", `\/`))
	}
	b.WriteString("\n")
	for _, s := range known {
		for _, expression := range s.expressions() {
			fmt.Fprintf(b, "%s(\"%s\", () => {})\n", s.keyword, expression)
		}
	}
}

func goGlue(b *strings.Builder, known vocabulary) {
	fmt.Fprintf(b, glueHead, "go")
	b.WriteString("\n//go:build never\n\npackage features\n\nimport \"github.com/cucumber/godog\"\n\nfunc initialize(ctx *godog.ScenarioContext) {\n")
	for _, s := range known {
		pattern := strings.ReplaceAll(s.expr.String(), durationText, `\d[\dhms.]*`)
		fmt.Fprintf(b, "\tctx.%s(`%s`, nil)\n", s.keyword, pattern)
	}
	b.WriteString("}\n")
}

// expressions returns the Cucumber expressions of a sentence: two for one with a time that may be
// left out, since what is optional holds no parameter there.
func (s *Sentence) expressions() []string {
	switch s.kind {
	case anAssertion:
		return []string{s.text, "within/for {duration} " + s.text}
	case aCondition, anOnset:
		return []string{s.text, s.text + " for {duration}"}
	}
	return []string{s.text}
}
