package lists_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/lists"
)

// Goal: no item is lost or moved. Without items Map returns an empty list and the others return
// nil, on which callers that write JSON rely. Method: lists with and without items.
func TestLists(t *testing.T) {
	long := func(s string) bool { return len(s) > 1 }
	for _, c := range []struct {
		name                    string
		list                    []string
		mapped, orNil, filtered []string
	}{
		{"items", []string{"ab", "c", "de"}, []string{"AB", "C", "DE"}, []string{"AB", "C", "DE"}, []string{"ab", "de"}},
		{"nothing kept", []string{"a"}, []string{"A"}, []string{"A"}, nil},
		{"no items", []string{}, []string{}, nil, nil},
		{"nil", nil, []string{}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.mapped, lists.Map(c.list, strings.ToUpper)); diff != "" {
				t.Errorf("Map (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.orNil, lists.MapOrNil(c.list, strings.ToUpper)); diff != "" {
				t.Errorf("MapOrNil (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.filtered, lists.Filter(c.list, long)); diff != "" {
				t.Errorf("Filter (-want +got):\n%s", diff)
			}
		})
	}
}

// Goal: Select keeps the order and leaves out unwanted items. Find returns the first wanted item.
// Method: lists with several wanted items, and with none.
func TestSelectAndFind(t *testing.T) {
	long := func(s string) (int, bool) { return len(s), len(s) > 1 }
	if diff := cmp.Diff([]int{2, 3}, lists.Select([]string{"ab", "c", "def"}, long)); diff != "" {
		t.Errorf("Select (-want +got):\n%s", diff)
	}
	if got := lists.Select([]string{"a"}, long); got != nil {
		t.Errorf("Select of nothing that fits: got %v, want nil", got)
	}
	for _, c := range []struct {
		list []string
		want string
	}{{[]string{"a", "bc", "de"}, "bc"}, {[]string{"a"}, ""}} {
		if got := lists.Find(c.list, func(s string) bool { return len(s) > 1 }); got != c.want {
			t.Errorf("Find in %v: got %q, want %q", c.list, got, c.want)
		}
	}
	if diff := cmp.Diff(map[string]int{"a": 3, "b": 2}, lists.ToMap([]string{"a1", "b2", "a3"}, func(s string) (string, int) {
		return s[:1], int(s[1] - '0')
	})); diff != "" {
		t.Errorf("ToMap (-want +got):\n%s", diff)
	}
}

// Goal: a number of things reads as English. Method: none, one and several.
func TestCounted(t *testing.T) {
	for _, c := range []struct {
		n    int
		want string
	}{{0, "0 rows"}, {1, "1 row"}, {12, "12 rows"}} {
		if got := lists.Counted(c.n, "row"); got != c.want {
			t.Errorf("%d: got %q, want %q", c.n, got, c.want)
		}
	}
}
