package featurefile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	gherkin "github.com/cucumber/gherkin/go/v42"

	"github.com/monosim/monosim/engine/lists"
)

// Mistake is a place at which a file is not valid Gherkin.
type Mistake struct {
	Line, Column int
	// Text says what was found and what was wanted.
	Text string
}

func (m *Mistake) Error() string { return fmt.Sprintf("%d:%d: %s", m.Line, m.Column, m.Text) }

// Mistakes lists all mistakes in a file, in order. It is an error.
type Mistakes []*Mistake

func (list Mistakes) Error() string {
	lines := lists.MapOrNil(list, func(m *Mistake) string { return m.Error() })
	return strings.Join(lines, "\n")
}

var (
	mistakeLine    = regexp.MustCompile(`^\((\d+):(\d+)\): (.*)$`)
	unexpectedLine = regexp.MustCompile(`^(?:unexpected end of file, )?expected: (.*?)(?:, got '(.*)')?$`)
)

// wantedWords puts the parser's names of expected tokens into words.
var wantedWords = []struct{ token, words string }{
	{"#FeatureLine", "Feature:"}, {"#StepLine", "a step"}, {"#BackgroundLine", "Background:"}, {"#ScenarioLine", "Scenario:"}, {"#RuleLine", "Rule:"},
	{"#ExamplesLine", "Examples:"}, {"#TableRow", "a row of a table"}, {"#DocStringSeparator", "a doc string"}, {"#TagLine", "a tag"},
}

// mistakes converts the parser's error into a list of mistakes.
func mistakes(err error, text string) Mistakes {
	var list Mistakes
	for _, line := range strings.Split(err.Error(), "\n") {
		m := mistakeLine.FindStringSubmatch(line)
		if m == nil {
			continue // the heading
		}
		one := &Mistake{Text: m[3]}
		one.Line, _ = strconv.Atoi(m[1])
		one.Column, _ = strconv.Atoi(m[2])
		if u := unexpectedLine.FindStringSubmatch(m[3]); u != nil {
			if u[2] == "" && list != nil {
				break // if the file ends too early, that follows from an earlier mistake
			}
			one.Text = unexpected(strings.Split(u[1], ", "), strings.TrimFunc(u[2], blank), language(text))
		}
		list = append(list, one)
	}
	if list == nil {
		list = Mistakes{{Line: 1, Column: 1, Text: err.Error()}}
	}
	return list
}

// unexpected says what was expected in place of a line.
func unexpected(tokens []string, found, language string) string {
	var wanted []string
	for _, w := range wantedWords {
		if slices.Contains(tokens, w.token) {
			wanted = append(wanted, w.words)
		}
	}
	if last := len(wanted) - 1; last > 0 {
		wanted = append(wanted[:last-1], wanted[last-1]+" or "+wanted[last])
	}
	if found == "" {
		return "found the end of the file, want " + strings.Join(wanted, ", ")
	}
	said := fmt.Sprintf("found %q, want %s", found, strings.Join(wanted, ", "))
	if meant := Meant(found, language); meant != "" {
		said += fmt.Sprintf("; did you mean %q", meant)
	}
	return said
}

var languageLine = regexp.MustCompile(`(?m)^\s*#\s*language\s*:\s*([a-zA-Z\-_]+)\s*$`)

// language returns the language that a text declares, English by default.
func language(text string) string {
	if m := languageLine.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return gherkin.DefaultDialect
}

// Meant returns a line with its first word corrected to a similar keyword of a language. If no
// keyword is similar, it returns "".
func Meant(line, language string) string {
	dialect := gherkin.DialectsBuiltin().GetDialect(language)
	if dialect == nil {
		return ""
	}
	best, nearest := "", 3 // a word with three or more changed letters is taken for another word
	try := func(begin, keyword string) {
		if begin == "" || len([]rune(keyword)) < 4 {
			return
		}
		if d := levenshtein.ComputeDistance(strings.ToLower(begin), strings.ToLower(keyword)); d < nearest {
			best, nearest = keyword+strings.TrimPrefix(line, begin), d
		}
	}
	title, _, isTitle := strings.Cut(line, ":")
	word, _, _ := strings.Cut(line, " ")
	for _, kind := range []string{"feature", "rule", "background", "scenario", "scenarioOutline", "examples"} {
		for _, keyword := range dialect.Keywords[kind] {
			if isTitle {
				try(title, keyword)
			}
		}
	}
	for _, keyword := range dialect.StepKeywords() {
		try(word, strings.TrimSpace(keyword))
	}
	return best
}
