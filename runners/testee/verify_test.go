package testee

import (
	"testing"

	"github.com/monosim/monosim/vectors"
)

// The verdict diverge is about the engine. The reference agrees with what was
// recorded from it, and so may other ports.
func TestAgreeingIsNoFailureWhateverTheVerdict(t *testing.T) {
	parse := func(line string) Answer {
		t.Helper()
		_, a, err := ParseAnswer(line)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	same, other := parse(`{"id":"utils.isabs/a","out":true}`), parse(`{"id":"utils.isabs/a","out":false}`)
	for _, test := range []struct {
		name, verdict string
		got           Answer
		known         bool
		want          Status
	}{
		{"match, agrees", vectors.Match, same, false, Passed},
		{"match, differs", vectors.Match, other, false, Failed},
		{"diverge, agrees", vectors.Diverge, same, false, Passed},
		{"diverge, differs", vectors.Diverge, other, false, Explained},
		{"known, agrees", vectors.Match, same, true, Failed},
		{"known, differs", vectors.Match, other, true, Explained},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &vectors.Case{Question: vectors.Question{ID: "utils.isabs/a", Op: "utils.isabs"}, Verdict: test.verdict}
			if got, text := judge(c, &Vector{Want: same}, test.got, test.known); got != test.want {
				t.Errorf("got %v (%s), want %v", got, text, test.want)
			}
		})
	}
}
