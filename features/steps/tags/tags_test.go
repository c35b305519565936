package tags

import (
	"strings"
	"testing"
)

func TestTagExpressions(t *testing.T) {
	for _, c := range []struct {
		text string
		tags string
		want bool
	}{
		{"", "@a", true},
		{"@a", "@a @b", true},
		{"@a", "@ab", false},
		{"@a && ~@b", "@a", true},
		{"@a && ~@b", "@a @b", false},
		{"@a and not @b", "@a @b", false},
		{"@a or @b and @c", "@a", true},
		{"(@a or @b) and @c", "@a", false},
		{"(@a or @b) and @c", "@b @c", true},
		{"not @a or @b", "@c", true},
		{"not (@a or @b)", "@b", false},
		{"not not @a", "@a", true},
		{"@a AND NOT @b", "@a", true},
		{"~(@a or @b)", "@c", true},
		{`@x\(1\) or @y`, "@x(1)", true},
		{`@a\\b`, `@a\b`, true},
		{"@a~b && ~@c", "@a~b", true},
		{"(@p+q)", "@p+q", true},
	} {
		f, err := Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := f(strings.Fields(c.tags)); got != c.want {
			t.Errorf("%q of a scenario with %s: got %t, want %t", c.text, c.tags, got, c.want)
		}
	}
}

// Goal: any tag that a file may have can be selected, written by Escape.
func TestEveryTagCanBeSelected(t *testing.T) {
	for _, tag := range strings.Fields(`@über @a/b @k=v @x(1) @a,b @sévère @p+q @日本 @#7 @a\b @a~b @100% @and @a.b:c-d @( @\ @!`) {
		f, err := Parse("not @other and " + Escape(tag))
		if err != nil || !f([]string{tag}) || f([]string{tag + "x"}) {
			t.Errorf("%s as %s: got %v, want this tag alone", tag, Escape(tag), err)
		}
	}
}

func TestFaultsOfTagExpressionsAreTold(t *testing.T) {
	for text, want := range map[string]string{
		"@a or":      "found the end, want a tag",
		"@a @b":      `found "@b", want and, or, or the end`,
		"(@a and @b": "found the end, want )",
		"@a,@b":      `found "@a,@b", want a tag`,
		"smoke":      `found "smoke", want a tag`,
		"not ":       "found the end, want a tag",
		`@a\b`:       `found "@a\\b", want a tag`,
		`@a\`:        `found "@a\\", want a tag`,
		"@a(1)":      `found "(", want and, or, or the end`,
		"@a || @b":   `found "||", want and, or, or the end`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want %q in it", text, err, want)
		}
	}
}
