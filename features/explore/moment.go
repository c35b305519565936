package explore

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
)

// Moment is the random choice that decides whether a story fails. After this choice, the story
// hardly ever passes.
type Moment struct {
	// Choice is the choice that decides. Before is the number of choices before it, and Of the
	// number of all choices.
	Choice     runners.Choice
	Before, Of int
	At         time.Duration
	// Without and With are the shares of runs that fail when later choices are drawn anew. Without
	// keeps the choices before this one, and With also this one.
	Without, With float64
	// Then is the first thing observed on the choice's node after the choice, or nil.
	Then *runners.Observation
	// Always says that no single choice decides. With is then the share of runs that fail with all
	// choices drawn anew, and the other fields are not set.
	Always bool
	// Runs counts how often the story ran during the search.
	Runs int
}

const (
	// drawnAnew is the number of runs from which one share is computed. A search by halving
	// computes two shares in each step, and needs runs to find a tape. Together these are some 300
	// runs for a tape of 3,000 choices.
	drawnAnew = 20
	// mostMomentRuns is the most runs of one search.
	mostMomentRuns = 400
	// hangs is the smallest difference between two shares from which the search concludes that
	// choices decide the failure.
	hangs = 0.25
)

// momentOf finds the choice that decides whether the story s fails by breaking what. known is the
// rule by which the reference breaks it, or "". ok is false if none of the recorded runs fails.
func momentOf(s *Story, what, known string) (m Moment, ok bool) {
	free := s.clone()
	free.Plain, free.Choices = false, nil
	sh := &shrinker{what: what, known: known, best: free}
	tell := func(seed uint64, how steps.Telling) *steps.Told {
		one := free.clone()
		one.Seed = seed
		m.Runs++
		return one.tell(how)
	}
	share := func(kept []runners.Choice) float64 {
		failed := 0
		for i := range uint64(drawnAnew) {
			if sh.broke(tell(s.Seed+1+i, steps.Telling{Choices: kept})) {
				failed++
			}
		}
		return float64(failed) / drawnAnew
	}
	m.With = share(nil)
	if m.With > 1-hangs {
		m.Always = true
		return m, true
	}
	var first *steps.Told
	for i := range uint64(drawnAnew) {
		told := tell(s.Seed+i, steps.Telling{Chance: runners.ChanceRecorded, Choices: s.Choices, Detail: true})
		if sh.broke(told) {
			first = told
			break
		}
	}
	if first == nil {
		return m, false
	}
	tape := first.Tape
	lo, hi := 0, len(tape) // with lo entries of the tape kept few of the runs fail, with hi entries many
	without, with := m.With, share(tape)
	if with-without < hangs {
		m.Always, m.With = true, without
		return m, true
	}
	middle := (without + with) / 2
	for hi-lo > 1 && m.Runs+drawnAnew <= mostMomentRuns {
		k := (lo + hi) / 2
		if p := share(tape[:k]); p < middle {
			lo, without = k, p
		} else {
			hi, with = k, p
		}
	}
	m.Choice, m.Before, m.Of, m.At, m.Without, m.With = tape[hi-1], hi-1, len(tape), first.TapeAt[hi-1], without, with
	m.Then = following(first.Log, &m)
	return m, true
}

// following returns the first observation of the choice's node after the choice, or nil.
func following(log []runners.Observation, m *Moment) *runners.Observation {
	for i := range log {
		if o := &log[i]; o.Pod == m.Choice.Node && o.At > m.At {
			return o
		}
	}
	return nil
}

// Text describes the moment in words. phrase puts an observation into words.
func (m *Moment) Text(phrase func(o *runners.Observation) string) string {
	percent := func(p float64) string { return fmt.Sprintf("%.0f %%", 100*p) }
	if m.Always {
		return "no choice decides: " + percent(m.With) + " fail with all choices drawn anew"
	}
	text := fmt.Sprintf("%s fail before the choice %s of %s, number %d of %d, and %s once it is %d", percent(m.Without), siteOf(m.Choice),
		runners.Stamp(m.At), m.Before+1, m.Of, percent(m.With), m.Choice.Value)
	if m.Then != nil {
		text += fmt.Sprintf("; then %s %s %s", runners.Stamp(m.Then.At), m.Then.Pod, phrase(m.Then))
	}
	return text
}
