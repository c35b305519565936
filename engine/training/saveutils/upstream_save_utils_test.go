package saveutils_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/sessionrunhooks"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: the timer and the retention of checkpoints pass the reference's own tests
// (save_utils_test.py), except tests that need values of variables. Method: as there, a clock that
// the test moves.

// handClock is a clock that only the test moves.
type handClock struct {
	env.Clock
	now time.Time
}

func (c *handClock) Now() time.Time { return c.now }

// withClock runs a test with a clock that stands at this hour of a day.
func withClock(t *testing.T, hour int, test func(c *worldtest.Case, e *env.Env, clock *handClock)) {
	t.Helper()
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		e := *c.Env
		clock := &handClock{Clock: e.Clock, now: time.Date(2012, 1, 14, hour, 0, 0, 0, time.UTC)}
		e.Clock = clock
		test(c, &e, clock)
	})
}

// triggers makes a timer of 10 s trigger at a step. It then asks twice, after the times first and
// second, and wants the timer to be due only the second time.
func triggers(t *testing.T, hour int, interval saveutils.Interval, first, second time.Duration) {
	t.Helper()
	withClock(t, hour, func(c *worldtest.Case, e *env.Env, clock *handClock) {
		interval.Seconds = 10
		timer, err := saveutils.NewTimer(e, interval)
		c.Must(err)
		timer.UpdateLastTriggeredStep(5)
		for i, passed := range []time.Duration{first, second} {
			clock.now = clock.now.Add(passed)
			if due, err := timer.ShouldTriggerForStep(10); due != (i == 1) || err != nil {
				t.Errorf("question %d: got %v, error %v, want %v", i+1, due, err, i == 1)
			}
		}
	})
}

// fromOneToThree returns an interval with a window from 1 to 3 o'clock, and 5 s outside of it.
func fromOneToThree() saveutils.Interval {
	return saveutils.Interval{TideSeconds: 5, Tide: sessionrunhooks.Tide{
		StartHour: 1, StartMinute: 0, EndHour: 3, EndMinute: 0, Quirks: quirks.Python,
	}}
}

func TestUpstreamSecondOrStepTimerWithTideSetting_testNoTideSetting(t *testing.T) {
	triggers(t, 2, saveutils.Interval{}, 5*time.Second, 10*time.Second)
}

func TestUpstreamSecondOrStepTimerWithTideSetting_testTideAvailable(t *testing.T) {
	triggers(t, 2, fromOneToThree(), 5*time.Second, 10*time.Second)
}

func TestUpstreamSecondOrStepTimerWithTideSetting_testTideNotAvailable(t *testing.T) {
	triggers(t, 4, fromOneToThree(), 2*time.Second, 7*time.Second)
}

// expectLast compares the checkpoints that a saver remembers.
func expectLast(t *testing.T, saver *saveutils.PartialRecoverySaver, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), append([]string{}, saver.LastCheckpoints()...)); diff != "" {
		t.Errorf("last checkpoints (-want +got):\n%s", diff)
	}
}

func TestUpstreamRecoverLastCheckpoints_test_recover_last_checkpoints(t *testing.T) {
	withClock(t, 2, func(c *worldtest.Case, e *env.Env, _ *handClock) {
		c.Must(e.Files.MkdirAll("m"))
		saver := func() *saveutils.PartialRecoverySaver {
			return saveutils.NewPartialRecoverySaver(e, indexFiles{e.Files}, saveutils.SaverOptions{MaxToKeep: 10, KeepEvery: 10000 * time.Hour})
		}
		listed := func(want ...string) {
			state, err := checkpoints.State(e, "m", checkpoints.Filename)
			c.Must(err)
			if state.ModelCheckpointPath != want[len(want)-1] || !slices.Equal(state.AllModelCheckpointPaths, want) {
				t.Errorf("got %s and %v, want %v", state.ModelCheckpointPath, state.AllModelCheckpointPaths, want)
			}
		}
		first := saver()
		expectLast(t, first)
		for step := range int64(3) {
			c.Must(first.Save(nil, "m/ckpt", step+1, true))
		}
		all := []string{"m/ckpt-1", "m/ckpt-2", "m/ckpt-3"}
		expectLast(t, first, all...)
		listed(all...)
		second := saver()
		second.RecoverLastCheckpoints(all)
		expectLast(t, second, all...)
		c.Must(e.Files.Remove("m/ckpt-1.index"))
		third := saver()
		third.RecoverLastCheckpoints(all)
		expectLast(t, third, all[1:]...)
		c.Must(third.Save(nil, "m/ckpt", 4, true))
		listed("m/ckpt-2", "m/ckpt-3", "m/ckpt-4")
	})
}

func TestUpstreamKeepCheckpointEveryNHours_testNonSharded(t *testing.T) {
	withClock(t, 2, func(c *worldtest.Case, e *env.Env, clock *handClock) {
		c.Must(e.Files.MkdirAll("m"))
		saver := saveutils.NewPartialRecoverySaver(e, indexFiles{e.Files}, saveutils.SaverOptions{MaxToKeep: 2, KeepEvery: 700 * time.Millisecond})
		clock.now = clock.now.Add(time.Second)
		for i, want := range [][]string{{"m/s-1"}, {"m/s-1", "m/s-2"}, {"m/s-2", "m/s-3"}, {"m/s-3", "m/s-4"}} {
			c.Must(saver.Save(nil, "m/s", int64(i+1), true))
			expectLast(t, saver, want...)
		}
		for i, want := range []bool{true, false, true, true} {
			path := fmt.Sprintf("m/s-%d", i+1)
			if got := checkpoints.Exists(e.Files, path); got != want {
				t.Errorf("%s: got there %v, want %v", path, got, want)
			}
		}
	})
}
