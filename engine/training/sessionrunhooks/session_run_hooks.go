// Package sessionrunhooks starts workers one after another, and stops them outside the hours in
// which there are machines for them: the port of native_training/session_run_hooks.py.
//
// Two things to use first:
//
//   - [TideAvailableNow] reports whether a time of day is in a [Tide].
//   - [NewCustomGlobalStepWaiterHook] makes the hook that waits for a worker's turn.
//
// A window over midnight never closes, and neither does a window of no length (TRN-2.12). To change
// how long a worker waits at most: [NewCustomGlobalStepWaiterHook].
//
// Cost: a waiting worker reads the step twice a second, which does not grow with the workers.
//
// Unstable: any commit may change it.
package sessionrunhooks

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/session"
)

// Tide is a daily window of hours in UTC, in which training runs. Each is a number of Python, or nil
// for None. Unless both hours are set there is no window.
type Tide struct {
	StartHour, StartMinute, EndHour, EndMinute any
	// Quirks is the set of the reference's faults that are kept.
	Quirks jobquirks.Set
}

// Set reports whether both hours of the window are set.
func (t Tide) Set() bool { return t.StartHour != nil && t.EndHour != nil }

// Before reports whether one time of day is before another (session_run_hooks.py:27). Hours and
// minutes are numbers of Python, among them inf and nan, or nil for None. It compares minutes only
// if the hours are equal. A minute of None is then a TypeError, or 0 if Q245 is repaired.
func Before(kept jobquirks.Set, hour1, minute1, hour2, minute2 any) (bool, error) {
	if earlier, err := pysem.Compare(hour1, "<", hour2); earlier || err != nil || !pysem.Equal(hour1, hour2) {
		return earlier, err
	}
	if !kept.Keeps(jobquirks.Q245) {
		minute1, minute2 = orZero(minute1), orZero(minute2)
	}
	return pysem.Compare(minute1, "<", minute2)
}

func orZero(minute any) any {
	if minute == nil {
		return 0
	}
	return minute
}

// TideAvailableNow reports whether now is in the window (session_run_hooks.py:34). A window that
// spans midnight never closes. With Q246 repaired it is closed from its end to its start.
func TideAvailableNow(now time.Time, t Tide) (bool, error) {
	hour, minute := now.UTC().Hour(), now.UTC().Minute()
	sameDay, err := Before(t.Quirks, t.StartHour, t.StartMinute, t.EndHour, t.EndMinute)
	if err != nil {
		return false, err
	}
	early, err := Before(t.Quirks, hour, minute, t.StartHour, t.StartMinute)
	keeps := t.Quirks.Keeps(jobquirks.Q246)
	if err != nil || early && (sameDay || keeps) {
		return early && !sameDay, err
	}
	beforeEnd, err := Before(t.Quirks, hour, minute, t.EndHour, t.EndMinute)
	if err != nil {
		return false, err
	}
	if !sameDay && !keeps {
		return overMidnight(early, beforeEnd), nil
	}
	return beforeEnd == sameDay, nil
}

// overMidnight reports whether a window that spans midnight is open. early means that now is before
// its start, and beforeEnd that now is before its end. If start and end are equal, it is always
// open.
func overMidnight(early, beforeEnd bool) bool { return !early || beforeEnd }

// closed reports whether there is a window and now is outside of it. If so, it logs that.
func closed(e *env.Env, t Tide) (bool, error) {
	if !t.Set() {
		return false, nil
	}
	now := e.Clock.Now().UTC()
	open, err := TideAvailableNow(now, t)
	if err != nil || open {
		return false, err
	}
	e.Log.Logf(env.Info, "Current UTC time: %d : %d", now.Hour(), now.Minute())
	e.Log.Logf(env.Info, "Last hour in tide queue. Saving ckpt...")
	return true, nil
}

const (
	waiterPoll = 500 * time.Millisecond
	// extraSeconds is the maximum number of seconds that are randomly added to the longest wait.
	extraSeconds = 600
)

// DefaultMaxNonTideWait is the longest time that a worker waits for its step. A random time is
// added to it (session_run_hooks.py:69).
const DefaultMaxNonTideWait = 10 * time.Minute

// CustomGlobalStepWaiterHook lets a worker begin once the job has reached a step, or has been
// running long enough (session_run_hooks.py:53).
type CustomGlobalStepWaiterHook struct {
	session.NoHook
	e          *env.Env
	until      int64
	tide       Tide
	maxWait    time.Duration
	globalStep *session.Variable
	running    time.Time // when it first saw the job make a step; zero before
	started    bool
	waits      session.Seldom
}

// NewCustomGlobalStepWaiterHook makes a hook that waits for step until. globalStep is nil if the
// graph has none. Up to 10 minutes are randomly added to maxWait.
func NewCustomGlobalStepWaiterHook(e *env.Env, globalStep *session.Variable, until int64, tide Tide, maxWait time.Duration) *CustomGlobalStepWaiterHook {
	extra := time.Duration(e.Random.Intn("slow-start", extraSeconds+1)) * time.Second
	return &CustomGlobalStepWaiterHook{e: e, globalStep: globalStep, until: until, tide: tide, maxWait: maxWait + extra}
}

// Begin returns a RuntimeError for a graph without a global step.
func (h *CustomGlobalStepWaiterHook) Begin() error {
	h.started = false
	if h.globalStep == nil {
		return pysem.Raise("RuntimeError", "Global step should be created to use _GlobalStepWaiterHook.")
	}
	return nil
}

// BeforeRun waits before the first step until the worker may begin. If the window is closed, it
// requests the end of training instead.
func (h *CustomGlobalStepWaiterHook) BeforeRun(run *session.RunContext) ([]session.Op, error) {
	if h.until <= 0 {
		h.started = true
	}
	for !h.started {
		over, err := closed(h.e, h.tide)
		if err != nil {
			return nil, err
		}
		if over {
			run.RequestStop()
			return nil, nil
		}
		step, err := session.Get[int64](run.Session, session.Read(h.globalStep))
		if err != nil {
			return nil, err
		}
		if h.started = h.isTurn(step); !h.started {
			h.e.Tasks.Sleep(waiterPoll)
		}
	}
	return nil, nil
}

// Steady reports whether the worker has begun, because from then on the hook does nothing.
func (h *CustomGlobalStepWaiterHook) Steady() bool { return h.started }

// isTurn reports whether the worker may begin: the job has reached the step, or has run long
// enough.
func (h *CustomGlobalStepWaiterHook) isTurn(step int64) bool {
	now := h.e.Clock.Now()
	if h.running.IsZero() && step > 1 {
		h.running = now
	}
	if step >= h.until {
		h.e.Log.Logf(env.Info, "Start training after waiting for %d global steps. Current step is %d.", h.until, step)
		return true
	}
	waited := "None"
	if !h.running.IsZero() {
		d := now.Sub(h.running)
		if d > h.maxWait {
			h.e.Log.Logf(env.Info, "Start training after waiting for %d seconds. Current step is %d.", h.maxWait/time.Second, step)
			return true
		}
		waited = pysem.FloatRepr(d.Seconds())
	}
	h.waits.Logf(h.e, "Waiting for global_step >= %d or waiting time > %d seconds before starting training. "+
		"Current step is %d, has been waiting for %s seconds already.", h.until, h.maxWait/time.Second, step, waited)
	return false
}

// TideStoppingHook requests the end of training when the daily window in which the job may use its
// machines closes (session_run_hooks.py:144).
type TideStoppingHook struct {
	session.NoHook
	e    *env.Env
	tide Tide
}

// NewTideStoppingHook makes the hook.
func NewTideStoppingHook(e *env.Env, tide Tide) *TideStoppingHook {
	return &TideStoppingHook{e: e, tide: tide}
}

// BeforeRun requests the end of training if now is outside the window.
func (h *TideStoppingHook) BeforeRun(run *session.RunContext) ([]session.Op, error) {
	over, err := closed(h.e, h.tide)
	if over {
		run.RequestStop()
	}
	return nil, err
}
