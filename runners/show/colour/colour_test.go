package colour_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/monosim/monosim/runners/show/colour"
)

func TestColoursAreForTerminalsUnlessAskedFor(t *testing.T) {
	for _, c := range []struct {
		when          string
		terminal      bool
		noColor, term string
		want          bool
	}{
		{"auto", true, "", "xterm", true},
		{"auto", false, "", "xterm", false},
		{"auto", true, "1", "xterm", false},
		{"auto", true, "", "dumb", false},
		{"always", false, "1", "dumb", true},
		{"never", true, "", "xterm", false},
	} {
		got, err := colour.Wanted(c.when, c.terminal, func(name string) string {
			return map[string]string{"NO_COLOR": c.noColor, "TERM": c.term}[name]
		})
		if err != nil || got != c.want {
			t.Errorf("%+v: got %t, %v", c, got, err)
		}
	}
	if _, err := colour.Wanted("sometimes", true, os.Getenv); err == nil || err.Error() != `found "sometimes", want auto, always or never` {
		t.Errorf("sometimes: got %v", err)
	}
}

// This writes the same text in colour for a writer marked by On, and without colour for another
// writer.
func Example() {
	var b bytes.Buffer
	fmt.Printf("%q\n", colour.For(&b).Bad("1 failed"))
	fmt.Printf("%q\n", colour.For(colour.On(&b)).Bad("1 failed"))

	// Output:
	// "1 failed"
	// "\x1b[31m1 failed\x1b[0m"
}
