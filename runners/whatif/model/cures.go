package model

import "math"

// Backoff says how long a caller waits before it retries, in nanoseconds. It waits Base before the
// first retry, and Factor times as long before each further one, but at most Most. Each wait varies
// uniformly by the fraction Jitter up and down. If Base is 0, it retries at once.
type Backoff struct{ Base, Factor, Most, Jitter float64 }

// wait returns the wait before a retry, without jitter. The first retry is attempt 1.
func (b *Backoff) wait(attempt uint8) float64 {
	return math.Min(b.Most, b.Base*math.Pow(b.Factor, float64(attempt)-1))
}

// longest returns the longest total wait of all retries of a call.
func (b *Backoff) longest(retries int) float64 {
	sum := 0.0
	for k := range retries {
		sum += b.wait(uint8(k+1)) * (1 + b.Jitter)
	}
	return sum
}

// Budget is a retry budget: each caller has a bucket of at most Burst tokens, full at the
// start. Each call adds Share of a token, and each retry takes one. Burst 0 means no budget.
type Budget struct{ Share, Burst float64 }

// Breaker is a circuit breaker. After Failures failures in a row, a caller sends nothing to
// a container for OpenNs nanoseconds, and then a single call as a probe. Failures 0 means no
// breakers.
type Breaker struct {
	Failures int
	OpenNs   int64
}

// deposit adds to a caller's retry budget what it earns by sending the given number of calls.
func (w *world) deposit(caller int32, calls int) {
	if b := &w.spec.Budget; b.Burst > 0 {
		s := &w.servers[caller]
		s.tokens = math.Min(b.Burst, s.tokens+float64(b.Share*float64(calls)))
	}
}

// affords takes a token for a retry from the caller's budget. It returns false if there is none. A
// token may be short by a millionth, because sums of shares are rounded.
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

// retryLater sends a retry after its backoff. During the wait, a call that has no server takes the
// retry's place among the request's calls.
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

// backedOff sends a delayed retry, unless its request has ended in the meantime.
func (w *world) backedOff(arg uint64) {
	id, _ := unhandle(arg)
	c := w.calls[id]
	w.releaseCall(id)
	if w.requests[c.req].gen == c.reqGen {
		w.retry(c.req, attemptOf{slot: int(c.slot), dense: c.flags&dense != 0, attempt: c.attempt, waits: c.waits, first: c.first, to: c.server})
	}
}

// closed returns those containers of a list to which the caller's circuit breakers allow a call.
// The next call of closed overwrites the result.
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

// passes reports whether a circuit breaker allows a call. It does if it is closed, and if it has
// been open for long enough and no probe is in progress.
func (w *world) passes(p *pair) bool {
	return p.opened == 0 || !p.probed && w.now >= p.opened+w.spec.Breaker.OpenNs
}

// probes marks a call as a probe if the circuit breaker to its container is open.
func (w *world) probes(c *call) {
	if w.spec.Breaker.Failures == 0 {
		return
	}
	if p := w.pair(c.caller, c.server); p.opened != 0 {
		p.probed = true
		c.flags |= probing
	}
}

// succeeds tells the circuit breaker that a call was answered.
func (w *world) succeeds(c *call) {
	if w.spec.Breaker.Failures == 0 {
		return
	}
	p := w.pair(c.caller, c.server)
	if p.failures = 0; c.flags&probing != 0 {
		p.opened, p.probed = 0, false
	}
}

// fails tells the circuit breaker that an attempt failed. If failed is false, the attempt was
// abandoned before it could fail or succeed.
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

// knowsNothing resets what a caller has learnt, because its process starts anew: its retry budget
// is full, its circuit breakers are closed, it has seen no latencies, and round robin begins with
// the first replica.
func (w *world) knowsNothing(at int32) {
	s := &w.servers[at]
	s.tokens = w.spec.Budget.Burst
	turns := tiers * w.shards
	clear(w.turn[int(at)*turns : (int(at)+1)*turns])
	if w.trackers != nil && int(s.tier) == w.callers {
		w.trackers[int(at)-w.first[w.callers]] = tracker{}
	}
	if w.spec.Breaker.Failures == 0 {
		return
	}
	for key, p := range w.pairs.of { //lint:order each pair is reset, whatever comes first
		if int32(key>>32) == at {
			p.failures, p.opened, p.probed = 0, 0, false
		}
	}
}

// heals returns how many nanoseconds it takes until retry budgets and circuit breakers no longer
// depend on the past. calls is how many calls each caller sends per second.
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
