package recipes

import (
	"errors"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// Retry is a policy for repeating a function, kazoo's KazooRetry (retry.py:33). The function is
// repeated as long as it fails with an error that may pass, with growing pauses.
type Retry struct {
	// MaxTries is the number of calls after the first call; negative means no limit.
	MaxTries int
	// Delay is the first pause. Each further pause is Backoff times as long as the one before, up
	// to MaxDelay.
	Delay    time.Duration
	Backoff  float64
	MaxDelay time.Duration
	// Jitter is the largest random change of a pause, as a fraction: with 0.4 a pause takes 60 % to
	// 140 % of its length.
	Jitter float64
	// Deadline limits the whole run, pauses included; negative means no limit.
	Deadline time.Duration
	// Interrupt, if set, ends a pause at the next multiple of 0.1 s after the event is set. kazoo
	// sleeps for that long between looks at it (retry.py:139).
	Interrupt *threading.Event
	// Site is the site of the random draws for the jitter (see env.Random).
	Site string
}

// CommandRetry returns the policy of calls and of the connection task. It has no limit of tries.
// The first pause is 0.1 s, and pauses double up to an hour, with 40 % of jitter (client.py:82-87).
func CommandRetry() Retry {
	return Retry{MaxTries: -1, Delay: 100 * time.Millisecond, Backoff: 2, Jitter: 0.4, MaxDelay: time.Hour, Deadline: -1, Site: "kazoo.retry"}
}

// RecipeRetry returns the policy of watches and locks: CommandRetry with pauses of at most a minute
// (watchers.py:113, lock.py:126).
func RecipeRetry() Retry {
	r := CommandRetry()
	r.MaxDelay = time.Minute
	return r
}

// MayPass reports whether a call is repeated after err, which is so for ConnectionLoss,
// OperationTimeout, ForceRetry and SessionExpired (retry.py:36-44).
func MayPass(err error) bool {
	return errors.Is(err, zkerrors.ErrConnectionLoss) || errors.Is(err, zkerrors.ErrOperationTimeout) ||
		errors.Is(err, zkerrors.ErrForceRetry) || errors.Is(err, zkerrors.ErrSessionExpired)
}

// Run calls fn until it returns nil or an error that will not pass. It returns that error, or
// RetryFailed if the tries or the deadline are used up, or if it is interrupted.
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

// Pauses makes the pauses of one use of a policy, one after another.
type Pauses struct {
	policy   Retry
	e        *env.Env
	attempts int
	delay    time.Duration
	stop     time.Duration // when to stop, in the time of Clock.Elapsed; negative means never
}

// Begin starts a use of the policy for a loop that is more than a single function. The loop calls
// Pause between its attempts.
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

// Reset makes the next pause as short as the first one (retry.py:87). Call it after a success.
func (p *Pauses) Reset() { p.attempts, p.delay = 0, p.policy.Delay }

// Pause sleeps until the next attempt is due. It returns RetryFailed without sleeping if there is
// to be no further attempt. It also returns RetryFailed if the sleep is interrupted.
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

// interruptGrid is how long kazoo sleeps between two looks at the interrupt.
const interruptGrid = 100 * time.Millisecond

// sleep sleeps for nap, and returns false if it was interrupted.
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
