package pyre_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyre"
)

// Goal: no match runs for ever. Method: patterns that backtrack endlessly must be refused, with an
// error that names Q231.
func TestEndlessMatchesAreRefused(t *testing.T) {
	for _, c := range []struct{ pattern, text string }{
		{"(a+)+b", strings.Repeat("a", 40)},
		{"(a|aa)*b", strings.Repeat("a", 40)},
		{"(a*)*b", strings.Repeat("a", 40)},
		{"(?:a?){40}a{40}b", strings.Repeat("a", 40)},
		{`(\w+\s?)+$`, strings.Repeat("a", 40) + "!"},
	} {
		_, err := pyre.MatchText(c.pattern, c.text)
		if !pysem.IsRefused(err) || !strings.HasPrefix(err.(*pysem.Error).Message, "Q231: ") {
			t.Errorf("%s: got error %v, want a refusal by Q231", c.pattern, err)
		}
	}
}

func TestDeepPatternsAreRefused(t *testing.T) {
	_, err := pyre.Compile(strings.Repeat("(", 5000) + strings.Repeat(")", 5000))
	if !pysem.IsRefused(err) {
		t.Errorf("got error %v, want a refusal", err)
	}
}

func ExamplePattern_Match() {
	p, err := pyre.Compile(`ps_(?P<i>\d+)(?:_(?P<j>\d+))?`)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := p.Match("ps_12_backup")
	fmt.Println(m.Text, err)
	for _, g := range m.Named() {
		fmt.Printf("%s %q %v\n", g.Name, g.Text, g.Set)
	}
	// Output:
	// ps_12 <nil>
	// i "12" true
	// j "" false
}

func ExampleCompile() {
	_, err := pyre.Compile("ps_(?P<2>\\d+)")
	fmt.Println(err)
	// Output:
	// error: bad character in group name '2' at position 7
}

// BenchmarkMatch matches a sub-graph's name.
func BenchmarkMatch(b *testing.B) {
	p, err := pyre.Compile(`ps_(?P<i>\d+)`)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = p.Match("ps_12")
	}
}
