package steps

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/monosim/monosim/runners"
)

// Glue is the vocabulary in the form that Cucumber's own tools use: parameter types, and step
// definitions as Cucumber expressions. In a Cucumber expression, optional text cannot contain a
// parameter. So a sentence with an optional time has two step definitions.
type Glue struct {
	Types []ParameterType
	// Expressions holds the step definitions, such as "{duration} pass(es)".
	Expressions []string

	keywords []string // Gherkin keyword of each expression
	patterns func() []gluePattern
}

// ParameterType is a placeholder in expressions. Pattern is a regular expression with one group.
type ParameterType struct{ Name, Pattern string }

// Argument is the part of a step's text that stands in the place of a placeholder.
type Argument struct {
	Group Group  `json:"group"`
	Type  string `json:"parameterTypeName"`
}

// Group is a part of a text. Start counts UTF-16 units, as Cucumber does.
type Group struct {
	Start    int     `json:"start"`
	Value    string  `json:"value"`
	Children []Group `json:"children,omitempty"`
}

// gluePattern is a Cucumber expression as a regular expression. Each parameter has two groups: an
// outer group for the whole text of the parameter, and inside it the group of the type's own
// pattern.
type gluePattern struct {
	expr  *regexp.Regexp
	types []string
}

func newGlue(known vocabulary) *Glue {
	g := &Glue{}
	for _, name := range slices.Sorted(maps.Keys(words)) {
		g.Types = append(g.Types, ParameterType{name, words[name].pattern})
	}
	for _, s := range known {
		for _, e := range s.expressions() {
			g.Expressions, g.keywords = append(g.Expressions, e), append(g.keywords, s.keyword)
		}
	}
	g.patterns = sync.OnceValue(func() (list []gluePattern) {
		for _, e := range g.Expressions {
			pattern, types := pieces(e, func(name string) string { return "(" + words[name].pattern + ")" })
			list = append(list, gluePattern{regexp.MustCompile("^" + pattern + "$"), types})
		}
		return list
	})
	return g
}

// Match finds the step definition that matches a text, as an index in Expressions, and the text's
// arguments. The index is -1 if none matches.
func (g *Glue) Match(text string) (definition int, arguments []Argument) {
	for i, p := range g.patterns() {
		at := p.expr.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		group := func(n int) Group {
			from, until := at[2*n], at[2*n+1]
			return Group{Start: len(utf16.Encode([]rune(text[:from]))), Value: text[from:until]}
		}
		arguments = []Argument{}
		for k, name := range p.types {
			a := Argument{group(2*k + 1), name}
			a.Group.Children = append(a.Group.Children, group(2*k+2))
			arguments = append(arguments, a)
		}
		return i, arguments
	}
	return -1, nil
}

// expressions returns the Cucumber expressions of a sentence.
func (s *Sentence) expressions() []string {
	switch s.kind {
	case anAssertion:
		return []string{s.text, "within/for {duration} " + s.text}
	case aCondition, anOnset:
		return []string{s.text, s.text + " for {duration}"}
	}
	return []string{s.text}
}

// WriteGlue writes step definitions of all sentences for an editor: "typescript" as Cucumber
// expressions for cucumber-js, "go" as regular expressions for godog. The Cucumber language service
// reads them to complete and underline steps. Nothing runs them. The file has no comments and short
// patterns, because the service ignores files larger than 32 kB.
func WriteGlue(w io.Writer, language string, faults []runners.FaultKind) error {
	known := newVocabulary(faults)
	var b strings.Builder
	switch language {
	case "typescript":
		typescriptGlue(&b, newGlue(known))
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

func typescriptGlue(b *strings.Builder, g *Glue) {
	fmt.Fprintf(b, glueHead, "typescript")
	b.WriteString("import { defineParameterType, Given, Then, When } from '@cucumber/cucumber'\n\n")
	for _, t := range g.Types {
		fmt.Fprintf(b, "defineParameterType({ name: '%s', regexp: /%s/ })\n", t.Name, strings.ReplaceAll(t.Pattern, "/", `\/`))
	}
	b.WriteString("\n")
	for i, expression := range g.Expressions {
		fmt.Fprintf(b, "%s(\"%s\", () => {})\n", g.keywords[i], expression)
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
