package gfile

import "testing"

// Goal: a pattern that is compared as text matches what its regular expression does. Method: all
// short patterns and names of a few characters.
func TestPlainPatternsMatchAsExpressionsDo(t *testing.T) {
	words := func(letters string, most int) []string {
		all, last := []string{""}, []string{""}
		for range most {
			var next []string
			for _, w := range last {
				for _, c := range letters {
					next = append(next, w+string(c))
				}
			}
			all, last = append(all, next...), next
		}
		return all
	}
	names, plains, matched := append(words("ab*", 4), "a\xff", "\\", "ü"), 0, 0
	for _, pattern := range append(words(`ab*\`, 4), "ü*", "a\xff*", `\`+"\xff") {
		expression := expression(pattern)
		if _, ok := plain(pattern); ok {
			plains++
		}
		match := fnmatch(pattern)
		for _, name := range names {
			want := expression.MatchString(name)
			if got := match(name); got != want {
				t.Fatalf("%q matches %q: %v, want %v", pattern, name, got, want)
			}
			if want {
				matched++
			}
		}
	}
	if plains < 200 || matched < 1000 {
		t.Errorf("%d patterns were plain and %d names matched, want more to compare", plains, matched)
	}
}
