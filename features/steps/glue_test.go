package steps

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// expressionsOf returns the step definitions in a glue file as regular expressions.
func expressionsOf(t *testing.T, language string) []*regexp.Regexp {
	var b bytes.Buffer
	if err := WriteGlue(&b, language, simulated()); err != nil {
		t.Fatal(err)
	}
	if b.Len() >= 32<<10 {
		t.Errorf("%s: found %d bytes, want less than 32 kB, which is all that the language service reads", language, b.Len())
	}
	types := map[string]string{}
	for _, m := range regexp.MustCompile(`defineParameterType\(\{ name: '(\w+)', regexp: /(.*)/ \}\)`).FindAllStringSubmatch(b.String(), -1) {
		types[m[1]] = strings.ReplaceAll(m[2], `\/`, "/")
	}
	var list []*regexp.Regexp
	if language == "go" {
		for _, m := range regexp.MustCompile("ctx\\.\\w+\\(`(.*?)`, nil\\)").FindAllStringSubmatch(b.String(), -1) {
			list = append(list, regexp.MustCompile(m[1]))
		}
		return list
	}
	for _, m := range regexp.MustCompile(`(?m)^(?:Given|When|Then)\("(.*?)", \(\) =>`).FindAllStringSubmatch(b.String(), -1) {
		list = append(list, cucumberExpression(t, m[1], types))
	}
	return list
}

// cucumberExpression converts a Cucumber expression into a regular expression. It knows only the
// parts of the language that the glue uses.
func cucumberExpression(t *testing.T, text string, types map[string]string) *regexp.Regexp {
	pattern := ""
	for i, part := range strings.Split(text, " ") {
		if i > 0 && !strings.HasPrefix(part, "each)") {
			pattern += " "
		}
		part = regexp.QuoteMeta(part)
		part = regexp.MustCompile(`\\\{(\w+)\\\}`).ReplaceAllStringFunc(part, func(p string) string {
			name := strings.Trim(p, `\{}`)
			if types[name] == "" {
				t.Errorf("%q: found no parameter type %s", text, name)
			}
			return types[name]
		})
		part = regexp.MustCompile(`\\\((\w+)\\\)`).ReplaceAllString(part, "(?:$1)?")
		if regexp.MustCompile(`^\w+/\w+$`).MatchString(part) {
			part = "(?:" + strings.ReplaceAll(part, "/", "|") + ")"
		}
		part = strings.ReplaceAll(part, `s\(`, "s(?: ") // replicas( each)
		part = strings.ReplaceAll(part, `\(`, "(?: ")
		part = strings.ReplaceAll(part, `each\)`, "each)?")
		pattern += part
	}
	return regexp.MustCompile("^" + pattern + "$")
}

// Goal: every step of the shipped scenarios matches exactly one step definition of the glue.
func TestGlueSaysEveryShippedStepOnce(t *testing.T) {
	for _, language := range []string{"go", "typescript"} {
		list := expressionsOf(t, language)
		if least := len(known); len(list) < least {
			t.Errorf("%s: found %d definitions, want %d or more", language, len(list), least)
		}
		for _, o := range sayings() {
			n := 0
			for _, e := range list {
				if e.MatchString(o.text) {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%s: %s: %q says %d definitions, want 1", language, o.where, o.text, n)
			}
		}
	}
	if err := WriteGlue(&bytes.Buffer{}, "rust", nil); err == nil {
		t.Error("a language that nobody knows is taken")
	}
}
