package steps

import (
	"fmt"

	"github.com/monosim/monosim/runners"
)

// compare runs an execution's job again and makes a failure of a difference between the
// traces.
func (s *Suite) compare(first *execution) {
	second := s.execute(first.job, s.overlay(0, 0))
	defer second.world.close()
	if c, ok := second.world.cluster.(runners.Chooser); ok && s.choosing != nil {
		s.choosing.add(c.ChoiceSites())
	}
	a, b := &first.result, &second.result
	if a.Stats.TraceHash == b.Stats.TraceHash && a.Status == b.Status {
		return
	}
	a.Status = Failed
	a.Err = fmt.Errorf("two runs of one seed differ: trace %016x after %d events, then %016x after %d\n%s",
		a.Stats.TraceHash, a.Stats.Events, b.Stats.TraceHash, b.Stats.Events, s.difference(first, second))
}

// overlay fixes the suite's choices, and records the events of a stretch that is
// not empty.
func (s *Suite) overlay(from, to uint64) func(*runners.Spec) {
	return func(spec *runners.Spec) {
		spec.Choices = append(spec.Choices, s.Choices...)
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

// difference finds the first event that differs: where it is by the checkpoints of
// the two runs, and what it is by two more that record that stretch.
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
