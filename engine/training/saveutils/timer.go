package saveutils

import (
	"strconv"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/sessionrunhooks"
)

// Interval says how often the timer triggers, in seconds or in steps. Exactly one of the two must
// be set.
type Interval struct {
	Seconds pysem.Opt[float64]
	Steps   pysem.OptInt
	// Tide is a window of hours in each day. Outside the window TideSeconds replaces the interval.
	Tide        sessionrunhooks.Tide
	TideSeconds pysem.Opt[float64]
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
	case interval.Seconds.Set && interval.Steps.Set:
		return nil, pysem.Raise("ValueError", "Can not provide both every_secs and every_steps.")
	case !interval.Seconds.Set && !interval.Steps.Set:
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
	if t.interval.Tide.Set() && t.interval.TideSeconds.Set {
		open, err := sessionrunhooks.TideAvailableNow(now, t.interval.Tide)
		if err != nil || !open {
			return err == nil && t.isTideDue(now), err
		}
	}
	if t.interval.Seconds.Set && t.isPast(now, t.interval.Seconds.V) {
		return true, nil
	}
	return t.interval.Steps.Set && step >= t.last.V+int64(t.interval.Steps.V), nil
}

// isPast reports whether at least this many seconds have passed since the last trigger.
func (t *Timer) isPast(now time.Time, seconds float64) bool {
	return now.Sub(t.lastTime).Seconds() >= seconds
}

func (t *Timer) isTideDue(now time.Time) bool {
	if !t.isPast(now, t.interval.TideSeconds.V) {
		return false
	}
	t.log.Logf(env.Info, "Current UTC time: %d : %d", now.UTC().Hour(), now.UTC().Minute())
	t.log.Logf(env.Info, "Tide not available. Using tide checkpoint saving time interval.")
	t.log.Logf(env.Info, "Now: %s Last: %s Interval: %s", unix(now), unix(t.lastTime), strconv.FormatFloat(t.interval.TideSeconds.V, 'f', -1, 64))
	return true
}

// unix formats a time as Python prints time.time().
func unix(at time.Time) string { return pysem.FloatRepr(float64(at.UnixNano()) / 1e9) }
