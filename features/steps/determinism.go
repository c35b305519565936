package steps

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"

	"github.com/monosim/monosim/runners"
)

// compare runs the job of an execution a second time. If the two traces differ, the run fails.
func (s *Suite) compare(first *execution) {
	second := s.execute(first.job, s.overlay(0, 0))
	defer second.world.close()
	if c, ok := second.world.cluster.(runners.Chooser); ok && s.choosing != nil {
		s.choosing.add(c.ChoiceSites())
	}
	a, b := &first.result, &second.result
	if a.Stats.TraceHash == b.Stats.TraceHash && a.Status == b.Status {
		if text := s.uncounted(first, second); text != "" {
			a.Status = Failed
			a.Err = fmt.Errorf("two runs of one seed have the same trace %016x and differ in %s", a.Stats.TraceHash, text)
		}
		return
	}
	a.Status = Failed
	a.Err = fmt.Errorf("two runs of one seed differ: trace %016x after %d events, then %016x after %d\n%s",
		a.Stats.TraceHash, a.Stats.Events, b.Stats.TraceHash, b.Stats.Events, s.difference(first, second))
}

// uncounted describes a difference between two runs in their counts, or in how often choices were
// made. It returns "" if there is none. If the suite fixes choices, it compares only the counts,
// because the second run may then make other choices.
func (s *Suite) uncounted(first, second *execution) string {
	a, b := &first.result.Stats, &second.result.Stats
	if !reflect.DeepEqual(a.Counts, b.Counts) {
		return fmt.Sprintf("counts: %+v, then %+v", a.Counts, b.Counts)
	}
	c, ok := first.world.cluster.(runners.Chooser)
	d, also := second.world.cluster.(runners.Chooser)
	if !ok || !also || len(s.Choices) > 0 {
		return ""
	}
	sites, others := c.ChoiceSites(), d.ChoiceSites()
	for i := range min(len(sites), len(others)) {
		if sites[i] != others[i] {
			return fmt.Sprintf("choices: %+v, then %+v", sites[i], others[i])
		}
	}
	if len(sites) != len(others) {
		return fmt.Sprintf("the sites of choices: %d, then %d", len(sites), len(others))
	}
	return ""
}

// overlay returns a function that sets the suite's fixed choices in a spec. It also records the
// events from number from up to number to, if that range is not empty.
func (s *Suite) overlay(from, to uint64) func(*runners.Spec) {
	return func(spec *runners.Spec) {
		spec.Choices = append(spec.Choices, s.Choices...)
		spec.NoLeaps = s.NoLeaps
		record(from, to)(spec)
	}
}

func record(from, to uint64) func(*runners.Spec) {
	return func(spec *runners.Spec) {
		if to > from {
			spec.Record, spec.RecordFrom, spec.RecordTo = true, from, to
		}
	}
}

// difference describes the first event in which two runs differ. The checkpoints of the runs show
// in which part the event lies. Two further runs record the events of that part.
func (s *Suite) difference(first, second *execution) string {
	text, from, to, equal := divergence(first.world, second.world)
	if equal || to <= from {
		return text
	}
	a := s.execute(first.job, record(from, to))
	defer a.world.close()
	b := s.execute(first.job, s.overlay(from, to))
	defer b.world.close()
	text, _, _, _ = divergence(a.world, b.world)
	return text
}

func divergence(a, b *World) (text string, from, to uint64, equal bool) {
	tracer, ok := a.cluster.(runners.Tracer)
	if !ok || b.cluster == nil {
		return "this runner cannot say where", 0, 0, false
	}
	return tracer.Divergence(b.cluster)
}

// choosing records the sites at which the runs of a suite have made choices. For each site it keeps
// the largest number of choices in one run. Its size depends on the largest cluster, not on the
// number of runs.
type choosing struct {
	mu   sync.Mutex
	most map[string]uint64 // largest number of choices in one run, by "node/site"
}

func newChoosing() *choosing { return &choosing{most: map[string]uint64{}} }

// add adds the sites at which one run has made choices.
func (c *choosing) add(sites []runners.ChoiceSite) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range sites {
		name := s.Node + "/" + s.Site
		c.most[name] = max(c.most[name], s.Times)
	}
}

// unmade returns an [*InputError] for each fixed choice that no run has made. Fixing such a choice
// had no effect.
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

// near returns the three known sites whose names have the smallest edit distance to name.
func (c *choosing) near(name string) []string {
	names := slices.Sorted(maps.Keys(c.most))
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(levenshtein.ComputeDistance(a, name), levenshtein.ComputeDistance(b, name))
	})
	return names[:min(len(names), 3)]
}
