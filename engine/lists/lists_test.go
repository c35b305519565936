package lists_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/lists"
)

// Goal: no item is lost or moved, and empty results are what callers that write JSON rely on.
// Method: lists with and without items.
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
