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

// DefaultMaxNonTideWaitMinutes is how long a worker waits for its step at most. A random time is
// added to it (session_run_hooks.py:69).
const DefaultMaxNonTideWaitMinutes = 10

// CustomGlobalStepWaiterHook lets a worker begin once the job has reached a step, or has been
// running long enough (session_run_hooks.py:53).
type CustomGlobalStepWaiterHook struct {
	session.NoHook
	e          *env.Env
	until      any
	tide       Tide
	maxSeconds any
	globalStep *session.Variable
	running    time.Time // when it first saw the job make a step; zero before
	started    bool
	waits      session.Seldom
}

// NewCustomGlobalStepWaiterHook makes a hook that waits for step until, for maxMinutes and at most
// 10 random minutes more. Both are numbers of Python. maxMinutes that is none is a TypeError, and
// until one of BeforeRun. globalStep is nil if the graph has none.
func NewCustomGlobalStepWaiterHook(e *env.Env, globalStep *session.Variable, until any, tide Tide, maxMinutes any) (*CustomGlobalStepWaiterHook, error) {
	extra := e.Random.Intn("slow-start", extraSeconds+1)
	seconds, err := pysem.Multiply(maxMinutes, 60)
	if err == nil {
		seconds, err = pysem.Add(seconds, extra)
	}
	return &CustomGlobalStepWaiterHook{e: e, globalStep: globalStep, until: until, tide: tide, maxSeconds: seconds}, err
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
	if h.started {
		return nil, nil
	}
	begins, err := pysem.Compare(h.until, "<=", 0)
	if err != nil {
		return nil, err
	}
	for h.started = begins; !h.started; {
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
	until, limit := pysem.Str(h.until), pysem.Str(h.maxSeconds)
	if reached, _ := pysem.Compare(int(step), ">=", h.until); reached { // both are numbers by now
		h.e.Log.Logf(env.Info, "Start training after waiting for %s global steps. Current step is %d.", until, step)
		return true
	}
	var waited any
	if !h.running.IsZero() {
		waited = now.Sub(h.running).Seconds()
		if long, _ := pysem.Compare(waited, ">", h.maxSeconds); long {
			h.e.Log.Logf(env.Info, "Start training after waiting for %s seconds. Current step is %d.", limit, step)
			return true
		}
	}
	h.waits.Logf(h.e, "Waiting for global_step >= %s or waiting time > %s seconds before starting training. "+
		"Current step is %d, has been waiting for %s seconds already.", until, limit, step, pysem.Str(waited))
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
