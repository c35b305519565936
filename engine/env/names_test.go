package env_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
)

func TestNamesKeepTheirNumbers(t *testing.T) {
	n := env.NewNames("/a")
	lists := [][]string{{"x", "y"}, {}, {"z", "x"}, nil, {"y"}}
	want := [][]string{{"/a/x", "/a/y"}, nil, {"/a/z", "/a/x"}, nil, {"/a/y"}}
	for range 2 {
		for i, names := range lists {
			for range 2 {
				if diff := cmp.Diff(want[i], n.Paths(names)); diff != "" {
					t.Errorf("paths of %q (-want +got):\n%s", names, diff)
				}
			}
		}
	}
	if diff := cmp.Diff([]uint32{2, 0}, n.Of(lists[2])); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if number, ok := n.Find("z"); !ok || n.Path(number) != "/a/z" {
		t.Errorf("z has the number %d, %t", number, ok)
	}
	if _, ok := n.Find("w"); ok {
		t.Error("found a name that nobody has seen")
	}
	for _, c := range []struct{ parent, want string }{{"/", "/"}, {"/a/b", "/a/b/"}} {
		if got := env.NewNames(c.parent).Prefix(); got != c.want {
			t.Errorf("prefix of %q: got %q, want %q", c.parent, got, c.want)
		}
	}
}

func TestValuesAreKeptByStamps(t *testing.T) {
	n := env.NewNames("/a")
	text := func(s string) *string { return &s }
	keep := func(number uint32, value *string) uint8 {
		return n.Keep(number, value, func(kept any) bool { return *kept.(*string) == *value })
	}
	first := keep(n.Number("x"), text("one"))
	if again := keep(n.Number("x"), text("one")); again != first || first == 0 {
		t.Errorf("an equal value has the stamp %d, want %d", again, first)
	}
	for i := range 100 {
		value := text(string(rune('a' + i)))
		stamp := keep(n.Number("y"), value)
		if stamp == 0 {
			if i < 10 {
				t.Errorf("%d values are too many", i)
			}
			continue
		}
		if got := n.Kept(n.Number("y"), stamp); got != value {
			t.Errorf("stamp %d is of %v, want %v", stamp, got, value)
		}
	}
	if got := *n.Kept(n.Number("x"), first).(*string); got != "one" || n.Name(n.Number("x")) != "x" {
		t.Errorf("the value is %q", got)
	}
}

// Goal: a child's followers keep their numbers, and there are so many that they fit into
// half a byte.
func TestFollowersKeepTheirNumbers(t *testing.T) {
	n := env.NewNames("/a")
	for round := range 2 {
		for _, number := range []uint32{3, 0} {
			for i := range uint32(20) {
				follower := n.Follower(number, 7*i)
				switch {
				case i >= 15 && follower != 0:
					t.Errorf("round %d: follower %d of %d has the number %d, want none", round, i, number, follower)
				case i < 15 && (follower != uint8(i+1) || n.Following(number, follower) != 7*i):
					t.Errorf("round %d: follower %d of %d has the number %d", round, i, number, follower)
				}
			}
		}
	}
}

// Goal: a name has one number, wherever its text lies. Method: thousands of names, far more than
// are remembered by their place, are looked up in a drawn order, by their own text and by
// copies of it; a map says what is right.
func TestNamesAreFoundByTextWhereverItLies(t *testing.T) {
	n, model := env.NewNames("/a"), map[string]uint32{}
	random := rand.New(rand.NewPCG(1, 2))
	texts := make([]string, 1000)
	for i := range texts {
		texts[i] = strconv.Itoa(i)
	}
	for range 50_000 {
		name := texts[random.IntN(1+random.IntN(len(texts)))]
		if random.IntN(2) == 0 {
			name = strings.Clone(name)
		}
		want, known := model[name]
		if got, ok := n.Find(name); ok != known || ok && got != want {
			t.Fatalf("found %q as %d, %t, want %d, %t", name, got, ok, want, known)
		}
		if !known {
			want = uint32(len(model))
			model[name] = want
		}
		if got := n.Number(name); got != want || n.Name(got) != name {
			t.Fatalf("%q has the number %d, which is %q, want %d", name, got, n.Name(got), want)
		}
	}
}
