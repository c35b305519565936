package barrierops_test

import (
	"slices"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/session/sessiontest"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: a barrier does not go on after an error of its session, whichever run it is, with its
// quirks and without. Method: each run of each call fails once.
func TestErrorsOfASessionEndTheBarrier(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		fixed, err := quirks.Parse("fixed")
		c.Must(err)
		for _, kept := range []quirks.Set{{}, fixed} {
			b := barrierops.MustBarrierOp(c.Env, 2, barrierops.Options{Quirks: kept})
			look := func(f func(session.Session) (bool, error)) func(session.Session) error {
				return func(s session.Session) error {
					_, err := f(s)
					return err
				}
			}
			for name, do := range map[string]func(session.Session) error{ //lint:ordered each by itself
				"place":        func(s session.Session) error { return b.PlaceBarrier(s, "Save") },
				"remove":       b.RemoveBarrier,
				"wait":         func(s session.Session) error { return b.WaitUntilBarrierRemoved(s, 1) },
				"all blocked":  look(b.IsAllBlocked),
				"none blocked": look(b.IsNoneBlocked),
				"placed":       look(b.IsBarrierPlaced),
				"removed":      look(b.IsBarrierRemoved),
			} {
				t.Run(name, func(t *testing.T) { sessiontest.EachFailure(t, nil, do) })
			}
		}
	})
}

// Goal: no barrier is made without a chief. Method: capacities around 0.
func TestABarrierWithoutAChiefIsNotMade(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		for capacity, want := range map[int]string{-7: "ValueError", -1: "ValueError", 0: "ValueError", 1: ""} { //lint:ordered each by itself
			b, err := barrierops.NewBarrierOp(c.Env, capacity, barrierops.Options{})
			if pysem.TypeOf(err) != want || (b != nil) != (want == "") {
				t.Errorf("capacity %d: got %v, %v, want %q", capacity, b, err, want)
			}
		}
	})
}

// Goal: with Q239 repaired the flag of a dead worker does not count, whichever it is, and the chief's own
// counts always.
func TestTheFlagsOfTheLivingCount(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		fixed, err := quirks.Parse("fixed")
		c.Must(err)
		flags := &session.Variable{Name: "barrier_var", First: make([]bool, 4)}
		for dead := range 4 {
			b := barrierops.MustBarrierOp(c.Env, 4, barrierops.Options{Quirks: fixed, Alive: func(worker int) bool { return worker != dead }})
			s := session.NewMemory()
			c.Must(b.PlaceBarrier(s, "Save"))
			for worker := 1; worker < 4; worker++ {
				c.Must(session.Do(s, session.AssignAt(flags, worker, true)))
			}
			blocked, err := b.BlockedIndices(s)
			c.Must(err)
			others, err := b.UnblockedIndices(s)
			c.Must(err)
			want, rest := []int{0, 1, 2, 3}, []int{}
			if dead > 0 {
				want, rest = slices.Delete(want, dead, dead+1), []int{dead}
			}
			if !slices.Equal(blocked, want) || !slices.Equal(others, rest) {
				t.Errorf("%d is dead: got %v blocked and %v not, want %v and %v", dead, blocked, others, want, rest)
			}
		}
	})
}
