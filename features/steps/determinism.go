package steps

import (
	"fmt"

	"github.com/monosim/monosim/runners"
)

// compare runs the cases of an execution again and makes a failure of every
// difference between the traces.
func (s *Suite) compare(first *execution) {
	second := s.execute(first.scenario, first.seed, s.overlay(0, 0))
	defer second.close()
	for i := range first.results {
		a, b := &first.results[i], &second.results[i]
		if a.Stats.TraceHash == b.Stats.TraceHash && a.Status == b.Status {
			continue
		}
		a.Status = Failed
		a.Err = fmt.Errorf("two runs of one seed differ: trace %016x after %d events, then %016x after %d\n%s",
			a.Stats.TraceHash, a.Stats.Events, b.Stats.TraceHash, b.Stats.Events, s.explain(first, second, i))
	}
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

// explain finds the first event that differs: where it is by the checkpoints of
// the two runs, and what it is by two more that record that stretch.
func (s *Suite) explain(first, second *execution, i int) string {
	text, from, to, equal := divergence(first.worlds[i], second.worlds[i])
	if equal || to <= from {
		return text
	}
	a := s.execute(first.scenario, first.seed, record(from, to))
	defer a.close()
	b := s.execute(first.scenario, first.seed, s.overlay(from, to))
	defer b.close()
	text, _, _, _ = divergence(a.worlds[i], b.worlds[i])
	return text
}

func divergence(a, b *World) (text string, from, to uint64, equal bool) {
	tracer, ok := a.cluster.(runners.Tracer)
	if !ok || b.cluster == nil {
		return "this runner cannot say where", 0, 0, false
	}
	return tracer.Divergence(b.cluster)
}
