package env_test

import (
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
