package recipes

import (
	"errors"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/monitor"
)

// Retry is kazoo's KazooRetry (retry.py:33): it calls a function again while it
// fails with an error that may pass.
type Retry struct {
	// MaxTries is the number of calls after the first; negative means no limit.
	MaxTries int
	Delay    time.Duration
	Backoff  float64
	// Jitter is the part of each delay that is drawn, on both sides.
	Jitter   float64
	MaxDelay time.Duration
	// Deadline limits the whole, sleeps included; negative means none.
	Deadline time.Duration
	// Interrupt, when set, gives up at the next multiple of 0.1 s after it is
	// raised: kazoo asks for it between naps of that length (retry.py:139).
	Interrupt *monitor.Event
	// Site names the source of the jitter.
	Site string
}

// CommandRetry is the policy of a client's own retry and of its connection loop
// (client.py:82-87: no limit of tries, a delay of up to an hour).
func CommandRetry() Retry {
	return Retry{MaxTries: -1, Delay: 100 * time.Millisecond, Backoff: 2, Jitter: 0.4, MaxDelay: time.Hour, Deadline: -1, Site: "kazoo.retry"}
}

// RecipeRetry is the policy of watches and locks (watchers.py:113, lock.py:126:
// KazooRetry(max_tries=None), a delay of up to a minute).
func RecipeRetry() Retry {
	r := CommandRetry()
	r.MaxDelay = time.Minute
	return r
}

// MayPass says whether a retry makes sense after err (retry.py:36-44).
func MayPass(err error) bool {
	return errors.Is(err, env.ErrConnectionLoss) || errors.Is(err, env.ErrOperationTimeout) ||
		errors.Is(err, env.ErrForceRetry) || errors.Is(err, env.ErrSessionExpired)
}

// Run calls fn until it returns nil or an error that will not pass. The error is
// fn's, or RetryFailed when the tries or the deadline are used up.
func (r Retry) Run(e *env.Env, fn func() error) error {
	state := r.pauses(e)
	for {
		err := fn()
		if err == nil || !MayPass(err) {
			return err
		}
		if err := state.Pause(); err != nil {
			return err
		}
	}
}

// Pauses is the state of one run of a policy.
type Pauses struct {
	policy   Retry
	e        *env.Env
	attempts int
	delay    time.Duration
	stop     time.Duration // by Clock.Elapsed; negative means none
}

// Begin starts a run of the policy for loops that are not a single function.
func (r Retry) Begin(e *env.Env) *Pauses {
	p := r.pauses(e)
	return &p
}

func (r Retry) pauses(e *env.Env) Pauses {
	p := Pauses{policy: r, e: e, stop: -1}
	p.Reset()
	if r.Deadline >= 0 {
		p.stop = e.Clock.Elapsed() + r.Deadline
	}
	return p
}

// Reset begins again with the first delay (retry.py:87).
func (p *Pauses) Reset() { p.attempts, p.delay = 0, p.policy.Delay }

// Pause sleeps before the next try, or returns RetryFailed.
func (p *Pauses) Pause() error {
	if p.policy.MaxTries >= 0 && p.attempts == p.policy.MaxTries {
		return env.ErrRetryFailed
	}
	p.attempts++
	jitter := 1 + p.policy.Jitter*(2*p.e.Random.Float64(p.policy.Site)-1)
	nap := time.Duration(float64(p.delay) * jitter)
	if p.stop >= 0 && p.e.Clock.Elapsed()+nap >= p.stop {
		return env.ErrRetryFailed
	}
	if !p.sleep(nap) {
		return env.ErrRetryFailed
	}
	p.delay = min(time.Duration(float64(nap)*p.policy.Backoff), p.policy.MaxDelay)
	return nil
}

// interruptGrid is the length of the naps between which kazoo asks for an
// interrupt.
const interruptGrid = 100 * time.Millisecond

// sleep reports false when it was interrupted.
func (p *Pauses) sleep(nap time.Duration) bool {
	if p.policy.Interrupt == nil {
		p.e.Tasks.Sleep(nap)
		return true
	}
	start := p.e.Clock.Elapsed()
	if !p.policy.Interrupt.Wait(nap) {
		return true
	}
	slept := p.e.Clock.Elapsed() - start
	grid := (slept + interruptGrid - 1) / interruptGrid * interruptGrid
	p.e.Tasks.Sleep(min(max(grid, interruptGrid), nap) - slept)
	return false
}
