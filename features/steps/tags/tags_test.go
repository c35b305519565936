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

func TestFaultsOfTagExpressionsAreTold(t *testing.T) {
	for text, want := range map[string]string{
		"@a or":      "found the end, want a tag",
		"@a @b":      `found "@b", want and, or, or the end`,
		"(@a and @b": "found the end, want )",
		"@a,@b":      `found "@a,@b", want a tag`,
		"smoke":      `found "smoke", want a tag`,
		"not ":       "found the end, want a tag",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want %q in it", text, err, want)
		}
	}
}
