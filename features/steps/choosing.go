package steps

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"

	"github.com/monosim/monosim/runners"
)

// choosing is where the runs of a suite have made choices, and how many at most in one
// run. Its size is that of the largest cluster.
type choosing struct {
	mu   sync.Mutex
	most map[string]uint64 // by "node/site"
}

func newChoosing() *choosing { return &choosing{most: map[string]uint64{}} }

// add takes the places of one run.
func (c *choosing) add(sites []runners.ChoiceSite) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range sites {
		name := s.Node + "/" + s.Site
		c.most[name] = max(c.most[name], s.Times)
	}
}

// unmade has an [*InputError] for each choice that no run has made: fixing it changed
// nothing.
func (c *choosing) unmade(choices []runners.Choice) error {
	if c == nil || len(c.most) == 0 {
		return nil
	}
	var all []error
	for _, choice := range choices {
		name := choice.Node + "/" + choice.Site
		times, known := c.most[name]
		switch {
		case !known:
			all = append(all, &InputError{
				Where: fmt.Sprintf("--choice %v", choice),
				Text:  fmt.Sprintf("found no choice at %s in any run, want one of those that were made, as at %s", name, strings.Join(c.near(name), ", ")),
			})
		case choice.K >= times:
			all = append(all, &InputError{
				Where: fmt.Sprintf("--choice %v", choice),
				Text:  fmt.Sprintf("found no choice #%d at %s in any run, want #0 to #%d", choice.K, name, times-1),
			})
		}
	}
	return errors.Join(all...)
}

// near are the three names with the least edits away.
func (c *choosing) near(name string) []string {
	names := slices.Sorted(maps.Keys(c.most))
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(levenshtein.ComputeDistance(a, name), levenshtein.ComputeDistance(b, name))
	})
	return names[:min(len(names), 3)]
}
