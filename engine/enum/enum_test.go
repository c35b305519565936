package enum_test

import (
	"fmt"
	"testing"

	"github.com/monosim/monosim/engine/enum"
)

type colour uint8

var colours = []string{"red", "green"}

func Example() {
	fmt.Println(enum.Listed(colours, colour(1)))
	_, err := enum.Parse[colour](colours, "colour", "blue")
	fmt.Println(err)
	// Output:
	// green
	// colour: got "blue", want one of ["red" "green"]
}

// Goal: a value gives its name, a value without a name gives its type and number, and a name gives
// its value. Method: values at and beyond the ends of a slice, and of a map with a gap and a
// negative value.
func TestNames(t *testing.T) {
	type state int32
	table := map[state]string{-1: "none", 10: "start"}
	for _, c := range []struct {
		v    state
		want string
	}{{-1, "none"}, {10, "start"}, {0, "state(0)"}, {-2, "state(-2)"}} {
		if got := enum.Name(table, c.v); got != c.want {
			t.Errorf("Name of %d: got %q, want %q", c.v, got, c.want)
		}
	}
	for v, want := range []string{"red", "colour(1)", "green", "colour(3)"} {
		if got := enum.Listed([]string{"red", 2: "green"}, colour(v)); got != want {
			t.Errorf("Listed of %d: got %q, want %q", v, got, want)
		}
	}
	if got := enum.Listed(colours, state(-1)); got != "state(-1)" {
		t.Errorf("Listed of -1: got %q, want state(-1)", got)
	}
	if got, err := enum.Parse[colour](colours, "colour", "green"); got != 1 || err != nil {
		t.Errorf("Parse: got %d, %v, want 1", got, err)
	}
}
