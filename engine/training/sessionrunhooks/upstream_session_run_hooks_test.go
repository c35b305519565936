package sessionrunhooks_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/sessionrunhooks"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: the hooks pass the reference's own tests (session_run_hooks_test.py). Method: as there, a
// clock that stands still, and sleeps that advance the global step.

// tide returns a window from one full hour to another.
func tide(start, end int) sessionrunhooks.Tide {
	return sessionrunhooks.Tide{StartHour: start, StartMinute: 0, EndHour: end, EndMinute: 0, Quirks: quirks.Python}
}

// atTen returns an environment whose clock always shows ten o'clock.
func atTen(c *worldtest.Case) *env.Env {
	e := *c.Env
	e.Clock = stopped{}
	return &e
}

type stopped struct{ envtest.Clock }

func (stopped) Now() time.Time { return time.Date(2012, 1, 14, 10, 0, 0, 0, time.UTC) }

// wait makes a hook that waits for step until, and calls it once. It returns whether the hook
// requested the end of training.
func wait(c *worldtest.Case, e *env.Env, s session.Session, step *session.Variable, until int, window sessionrunhooks.Tide) bool {
	c.T.Helper()
	h, err := sessionrunhooks.NewCustomGlobalStepWaiterHook(e, step, until, window, sessionrunhooks.DefaultMaxNonTideWaitMinutes)
	c.Must(err)
	c.Must(h.Begin())
	run := &session.RunContext{Session: s}
	_, err = h.BeforeRun(run)
	c.Must(err)
	return run.StopRequested()
}

// waking is tasks whose n-th sleep takes no time and calls then(n).
type waking struct {
	env.Tasks
	sleeps int
	then   func(sleep int)
}

func (t *waking) Sleep(time.Duration) {
	t.sleeps++
	t.then(t.sleeps)
}

// never returns tasks that fail the test at the first sleep.
func never(c *worldtest.Case) *waking {
	return &waking{Tasks: c.Env.Tasks, then: func(int) { c.T.Fatal("it waits, want none") }}
}

func TestUpstreamGlobalStepWaiterHook_test_not_wait_for_step_zero(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		e := *c.Env
		e.Tasks = never(c)
		wait(c, &e, session.NewMemory(), session.GlobalStep(), 0, sessionrunhooks.Tide{})
	})
}

func TestUpstreamGlobalStepWaiterHook_test_not_wait_if_tide_not_available(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		e := atTen(c)
		e.Tasks = never(c)
		wait(c, e, session.NewMemory(), session.GlobalStep(), 0, tide(1, 5))
	})
}

func TestUpstreamGlobalStepWaiterHook_test_wait_for_step(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		e, s, step := *c.Env, session.NewMemory(), session.GlobalStep()
		tasks := &waking{Tasks: c.Env.Tasks}
		tasks.then = func(sleep int) {
			if sleep > 2 {
				t.Fatal("it sleeps a third time, want an end after the second")
			}
			c.Must(session.Do(s, session.Assign(step, []int64{500, 1100}[sleep-1])))
		}
		e.Tasks = tasks
		wait(c, &e, s, step, 1000, sessionrunhooks.Tide{})
		if tasks.sleeps != 2 {
			t.Errorf("got %d sleeps, want 2", tasks.sleeps)
		}
	})
}

// stops returns whether the stopping hook requests the end of training at ten o'clock.
func stops(t *testing.T, window sessionrunhooks.Tide) (stopped bool) {
	t.Helper()
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		h := sessionrunhooks.NewTideStoppingHook(atTen(c), window)
		c.Must(h.Begin())
		run := &session.RunContext{}
		_, err := h.BeforeRun(run)
		c.Must(err)
		stopped = run.StopRequested()
	})
	return stopped
}

func TestUpstreamTideStoppingHook_test_stop_if_tide_not_available(t *testing.T) {
	if !stops(t, tide(1, 5)) {
		t.Error("got no stop at 10:00 with a window from 1 to 5")
	}
}

func TestUpstreamTideStoppingHook_test_do_not_stop_if_tide_available(t *testing.T) {
	if stops(t, tide(1, 12)) {
		t.Error("got a stop at 10:00 with a window from 1 to 12")
	}
}
