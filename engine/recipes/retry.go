package recipes

import (
	"errors"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// Retry is a policy of trying again, kazoo's KazooRetry (retry.py:33): a function is
// called again while it fails with an error that may pass, with pauses that grow.
type Retry struct {
	// MaxTries is the number of calls after the first; negative means no limit.
	MaxTries int
	// Delay is the first pause; each pause is Backoff times the one before, up to
	// MaxDelay.
	Delay    time.Duration
	Backoff  float64
	MaxDelay time.Duration
	// Jitter is the part by which a pause is made longer or shorter at most, drawn
	// for each: 0.4 means 60 % to 140 %.
	Jitter float64
	// Deadline limits the whole run, pauses included; negative means no limit.
	Deadline time.Duration
	// Interrupt, when set, gives up at the next multiple of 0.1 s after it is
	// raised: kazoo asks for it between naps of that length (retry.py:139).
	Interrupt *threading.Event
	// Site is where the jitter is drawn, for env.Random.
	Site string
}

// CommandRetry is the policy of calls and of the connection task: no limit of tries, a
// first pause of 0.1 s that doubles up to an hour, 40 % of jitter (client.py:82-87).
func CommandRetry() Retry {
	return Retry{MaxTries: -1, Delay: 100 * time.Millisecond, Backoff: 2, Jitter: 0.4, MaxDelay: time.Hour, Deadline: -1, Site: "kazoo.retry"}
}

// RecipeRetry is the policy of watches and locks: CommandRetry with pauses of up to a
// minute (watchers.py:113, lock.py:126).
func RecipeRetry() Retry {
	r := CommandRetry()
	r.MaxDelay = time.Minute
	return r
}

// MayPass reports whether err is one after which a call is tried again:
// ConnectionLoss, OperationTimeout, ForceRetry and SessionExpired (retry.py:36-44).
func MayPass(err error) bool {
	return errors.Is(err, zkerrors.ErrConnectionLoss) || errors.Is(err, zkerrors.ErrOperationTimeout) ||
		errors.Is(err, zkerrors.ErrForceRetry) || errors.Is(err, zkerrors.ErrSessionExpired)
}

// Run calls fn until it returns nil or an error that will not pass. The error is fn's,
// or RetryFailed when the tries or the deadline are used up or the run was
// interrupted.
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

// Pauses are the pauses of one run of a policy, one after the other.
type Pauses struct {
	policy   Retry
	e        *env.Env
	attempts int
	delay    time.Duration
	stop     time.Duration // by Clock.Elapsed; negative means none
}

// Begin starts a run of the policy for a loop that is not a single function: it calls
// Pause between its tries.
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

// Reset makes the next pause the first one again (retry.py:87), as after a success.
func (p *Pauses) Reset() { p.attempts, p.delay = 0, p.policy.Delay }

// Pause sleeps until the next try is due. RetryFailed, without a sleep, means that
// there is to be none; it is also the error of a sleep that was interrupted.
func (p *Pauses) Pause() error {
	if p.policy.MaxTries >= 0 && p.attempts == p.policy.MaxTries {
		return zkerrors.ErrRetryFailed
	}
	p.attempts++
	jitter := 1 + p.policy.Jitter*(2*p.e.Random.Float64(p.policy.Site)-1)
	nap := time.Duration(float64(p.delay) * jitter)
	if p.stop >= 0 && p.e.Clock.Elapsed()+nap >= p.stop {
		return zkerrors.ErrRetryFailed
	}
	if !p.sleep(nap) {
		return zkerrors.ErrRetryFailed
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
