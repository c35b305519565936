package model

import "math"

// Backoff says how long retries wait, in nanoseconds: Base before the first, Factor times as long
// before each further one, Most at most, each even within Jitter of its wait below and above. With
// Base 0 they are sent at once.
type Backoff struct{ Base, Factor, Most, Jitter float64 }

// wait returns how long a retry waits, from 1, before jitter.
func (b *Backoff) wait(attempt uint8) float64 {
	return math.Min(b.Most, b.Base*math.Pow(b.Factor, float64(attempt)-1))
}

// longest returns how long all retries of a call wait at most.
func (b *Backoff) longest(retries int) float64 {
	sum := 0.0
	for k := range retries {
		sum += b.wait(uint8(k+1)) * (1 + b.Jitter)
	}
	return sum
}

// Budget is a bucket of at most Burst tokens that each caller has, full at the begin. Each call
// puts Share of a token in, each retry takes one out. With Burst 0 there is no budget.
type Budget struct{ Share, Burst float64 }

// Breaker keeps a caller from a container for OpenNs nanoseconds after so many failures in a row.
// Then one call is sent, as a probe. With Failures 0 there are no breakers.
type Breaker struct {
	Failures int
	OpenNs   int64
}

// deposit puts tokens for so many calls into the bucket of their caller.
func (w *world) deposit(caller int32, calls int) {
	if b := &w.spec.Budget; b.Burst > 0 {
		s := &w.servers[caller]
		s.tokens = math.Min(b.Burst, s.tokens+float64(b.Share*float64(calls)))
	}
}

// affords takes a token for a retry, if there is one. Tokens are counted to a millionth, as sums of
// shares are rounded.
func (w *world) affords(caller int32) bool {
	if w.spec.Budget.Burst == 0 {
		return true
	}
	s := &w.servers[caller]
	if s.tokens < 1-1e-6 {
		return false
	}
	s.tokens--
	return true
}

// retryLater lets a retry wait before it is sent. Until then a call without a server stands for it.
func (w *world) retryLater(i int32, a attemptOf) {
	r := &w.requests[i]
	b := &w.spec.Backoff
	rng := w.stream(streamBackoff, r.number<<16^uint64(a.slot)<<4^uint64(a.attempt))
	wait := b.wait(a.attempt) * (1 + b.Jitter*(2*rng.Float64()-1))
	id := w.takeCall()
	c := &w.calls[id]
	*c = call{first: a.first, req: i, reqGen: r.gen, server: a.to, caller: r.caller, next: none, gen: c.gen, slot: int16(a.slot), attempt: a.attempt, waits: a.waits, model: r.model, flags: clientDone | serverDone}
	if a.dense {
		c.flags |= dense
	}
	w.at(w.now+int64(wait), &w.onBackoff, handle(id, c.gen))
}

// backedOff sends a retry that has waited, unless its request has ended meanwhile.
func (w *world) backedOff(arg uint64) {
	id, _ := unhandle(arg)
	c := w.calls[id]
	w.releaseCall(id)
	if w.requests[c.req].gen == c.reqGen {
		w.retry(c.req, attemptOf{slot: int(c.slot), dense: c.flags&dense != 0, attempt: c.attempt, waits: c.waits, first: c.first, to: c.server})
	}
}

// closed returns those of a list of containers to which the breakers of a caller let it send. The
// next call of it ends the list's use.
func (w *world) closed(list []int32, caller int32) []int32 {
	if w.spec.Breaker.Failures == 0 {
		return list
	}
	w.allowed = w.allowed[:0]
	for _, s := range list {
		if w.passes(w.pair(caller, s)) {
			w.allowed = append(w.allowed, s)
		}
	}
	return w.allowed
}

// passes reports whether a breaker lets a call through: it is closed, or its time has passed and no
// probe is under way.
func (w *world) passes(p *pair) bool {
	return p.opened == 0 || !p.probed && w.now >= p.opened+w.spec.Breaker.OpenNs
}

// probes marks a call to a container whose breaker is not closed.
func (w *world) probes(c *call) {
	if w.spec.Breaker.Failures == 0 {
		return
	}
	if p := w.pair(c.caller, c.server); p.opened != 0 {
		p.probed = true
		c.flags |= probing
	}
}

// succeeds tells the breaker of an answer.
func (w *world) succeeds(c *call) {
	if w.spec.Breaker.Failures == 0 {
		return
	}
	p := w.pair(c.caller, c.server)
	if p.failures = 0; c.flags&probing != 0 {
		p.opened, p.probed = 0, false
	}
}

// fails tells the breaker of a failed attempt, and of one that nobody waits for any more.
func (w *world) fails(c *call, failed bool) {
	if w.spec.Breaker.Failures == 0 {
		return
	}
	p := w.pair(c.caller, c.server)
	if c.flags&probing != 0 {
		if p.probed = false; failed {
			p.opened = w.now
		}
		return
	}
	if !failed || p.opened != 0 {
		return
	}
	if p.failures++; p.failures >= w.spec.Breaker.Failures {
		p.opened, p.failures = max(w.now, 1), 0
	}
}

// heals returns how many nanoseconds it takes until budgets and breakers have forgotten how they
// were, at so many calls a second of each caller.
func (s *Spec) heals(calls float64) float64 {
	took := s.Backoff.longest(s.Retries)
	if s.Breaker.Failures > 0 {
		took += float64(s.Breaker.OpenNs)
	}
	if b := s.Budget; b.Burst > 0 && b.Share > 0 && calls > 0 {
		took += forgotten * b.Burst / (b.Share * calls) * 1e9
	}
	return took
}
