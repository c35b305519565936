package steps

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners"
)

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
