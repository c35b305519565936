package bulk_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/recipes/bulk"
)

func TestChildrenKeepTheirNumbers(t *testing.T) {
	n := bulk.NewNumbers("/a")
	lists := [][]string{{"x", "y"}, {}, {"z", "x"}, nil, {"y"}}
	want := [][]uint32{{0, 1}, nil, {2, 0}, nil, {1}}
	for range 2 {
		for i, names := range lists {
			for range 2 {
				if diff := cmp.Diff(want[i], n.Of(names)); diff != "" {
					t.Errorf("numbers of %q (-want +got):\n%s", names, diff)
				}
			}
		}
	}
	if number, ok := n.Find("z"); !ok || n.Path(number) != "/a/z" {
		t.Errorf("z is %d %v, want 2 with its path", number, ok)
	}
	if _, ok := n.Find("u"); ok {
		t.Error("a child has a number that nobody has seen")
	}
	if got := bulk.NewNumbers("/").Prefix(); got != "/" {
		t.Errorf("prefix below the root is %q", got)
	}
}
