package saveutils

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/sessionrunhooks"
)

// Interval says how often the timer triggers, in seconds or in steps. Exactly one of the two must
// be set. Its numbers are Python's, nil for None. Another value is a TypeError where the timer adds
// it to the last trigger.
type Interval struct {
	Seconds, Steps any
	// Tide is a window of hours in each day. Outside the window TideSeconds replaces the interval.
	Tide        sessionrunhooks.Tide
	TideSeconds any
}

// Timer decides at which steps something such as a save is due (save_utils.py:170,
// SecondOrStepTimerWithTideSetting).
type Timer struct {
	clock    env.Clock
	log      env.Log
	interval Interval
	disabled bool
	last     pysem.Opt[int64] // step at which it triggered last
	lastTime time.Time        // time at which it triggered last, zero before
}

// NewTimer makes a timer that has not triggered. An interval with both seconds and steps, or
// neither, is a ValueError (basic_session_run_hooks.py of TensorFlow).
func NewTimer(e *env.Env, interval Interval) (*Timer, error) {
	switch {
	case interval.Seconds != nil && interval.Steps != nil:
		return nil, pysem.Raise("ValueError", "Can not provide both every_secs and every_steps.")
	case interval.Seconds == nil && interval.Steps == nil:
		return nil, pysem.Raise("ValueError", "Either every_secs or every_steps should be provided.")
	}
	return &Timer{clock: e.Clock, log: e.Log, interval: interval}, nil
}

// Enable lets the timer trigger.
func (t *Timer) Enable() { t.disabled = false }

// Disable stops the timer from triggering until Enable.
func (t *Timer) Disable() { t.disabled = true }

// Reset forgets the last trigger, so that the next step triggers.
func (t *Timer) Reset() { t.last, t.lastTime = pysem.None[int64](), time.Time{} }

// LastTriggeredStep returns the step that UpdateLastTriggeredStep recorded last, None before that.
func (t *Timer) LastTriggeredStep() pysem.Opt[int64] { return t.last }

// UpdateLastTriggeredStep records that the timer has triggered at a step. It returns the seconds
// and steps since the previous trigger, None if there was none.
func (t *Timer) UpdateLastTriggeredStep(step int64) (seconds pysem.Opt[float64], steps pysem.Opt[int64]) {
	now := t.clock.Now()
	if !t.lastTime.IsZero() {
		seconds, steps = pysem.Some(now.Sub(t.lastTime).Seconds()), pysem.Some(step-t.last.V)
	}
	t.last, t.lastTime = pysem.Some(step), now
	return seconds, steps
}

// ShouldTriggerForStep reports whether the timer triggers at a step.
func (t *Timer) ShouldTriggerForStep(step int64) (bool, error) {
	if t.disabled {
		return false, nil
	}
	if !t.last.Set {
		return true, nil
	}
	if t.last.V == step {
		return false, nil
	}
	now := t.clock.Now()
	if t.interval.Tide.Set() && t.interval.TideSeconds != nil {
		open, err := sessionrunhooks.TideAvailableNow(now, t.interval.Tide)
		if err != nil {
			return false, err
		}
		if !open {
			return t.isTideDue(now)
		}
	}
	if t.interval.Seconds != nil {
		if past, err := t.isPast(now, t.interval.Seconds); past || err != nil {
			return past, err
		}
	}
	if t.interval.Steps == nil {
		return false, nil
	}
	due, err := pysem.Add(int(t.last.V), t.interval.Steps)
	if err != nil {
		return false, err
	}
	return pysem.Compare(int(step), ">=", due)
}

// isPast reports whether at least this many seconds have passed since the last trigger.
func (t *Timer) isPast(now time.Time, seconds any) (bool, error) {
	wait, err := pysem.Add(0.0, seconds)
	if err != nil {
		return false, err
	}
	return pysem.Compare(now.Sub(t.lastTime).Seconds(), ">=", wait)
}

func (t *Timer) isTideDue(now time.Time) (bool, error) {
	if past, err := t.isPast(now, t.interval.TideSeconds); !past || err != nil {
		return false, err
	}
	t.log.Logf(env.Info, "Current UTC time: %d : %d", now.UTC().Hour(), now.UTC().Minute())
	t.log.Logf(env.Info, "Tide not available. Using tide checkpoint saving time interval.")
	t.log.Logf(env.Info, "Now: %s Last: %s Interval: %s", unix(now), unix(t.lastTime), pysem.Str(t.interval.TideSeconds))
	return true, nil
}

// unix formats a time as Python prints time.time().
func unix(at time.Time) string { return pysem.FloatRepr(float64(at.UnixNano()) / 1e9) }
