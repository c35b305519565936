package observe

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// order is a load to be made.
type order struct {
	arrivals []int64 // since the begin
	warm     int64
	end      int64
	timeout  time.Duration
	retries  int
	retry    string // fresh_random, distinct or same
	balance  string
	seed     uint64
	// breakOff ends what is under way at the end; otherwise its end is awaited.
	breakOff bool
}

// view is which targets serve each PS, by the account of an agent.
type view [][]int16

// driver makes a load.
type driver struct {
	order
	pacer
	targets  []*target
	requests [][]byte // one for each PS
	view     atomic.Pointer[view]

	ctx  context.Context
	over atomic.Bool

	mu          sync.Mutex // of all below
	rand        *rand.Rand
	turn        []int   // of round robin, by PS
	outstanding []int32 // calls by target
	run         Load
	wait        sync.WaitGroup
}

func newDriver(o order, targets []*target, requests [][]byte, v view) (*driver, error) {
	a, err := newAlarm()
	if err != nil {
		return nil, err
	}
	n := len(o.arrivals)
	d := &driver{order: o, targets: targets, requests: requests, rand: newRand(o.seed),
		turn: make([]int, len(requests)), outstanding: make([]int32, len(targets))}
	d.alarm = a
	d.view.Store(&v)
	d.run = Load{Warm: o.warm, Until: o.end, Requests: Requests{Intended: o.arrivals, Sent: make([]int64, n), Done: make([]int64, n), OK: make([]bool, n)}}
	return d, nil
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// all makes the load, and waits until all is answered.
func (d *driver) all(ctx context.Context) *Load {
	defer d.alarm.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d.ctx = ctx
	d.began = time.Now()
	made := 0
	for i, at := range d.arrivals {
		d.until(at)
		if ctx.Err() != nil {
			break
		}
		d.wait.Go(func() { d.request(i) })
		made++
	}
	if d.breakOff {
		d.until(d.end)
		d.over.Store(true)
		cancel()
	}
	d.wait.Wait()
	d.cut(made)
	return &d.run
}

// cut drops the requests that were not made; nothing goes on any more.
func (d *driver) cut(n int) {
	r := &d.run.Requests
	r.Intended, r.Sent, r.Done, r.OK = r.Intended[:n], r.Sent[:n], r.Done[:n], r.OK[:n]
}

// request calls all PS at once.
func (d *driver) request(i int) {
	sent := d.now()
	d.run.Requests.Sent[i] = sent
	var wait sync.WaitGroup
	failed := atomic.Bool{}
	one := func(slot int) {
		if !d.call(i, slot, sent) {
			failed.Store(true)
		}
	}
	for slot := 1; slot < len(d.requests); slot++ {
		wait.Go(func() { one(slot) })
	}
	one(0)
	wait.Wait()
	d.run.Requests.Done[i], d.run.Requests.OK[i] = d.now(), !failed.Load()
	if d.over.Load() {
		d.run.Requests.Done[i], d.run.Requests.OK[i] = -1, false
	}
}

// call tries one call until it is answered, or was tried often enough.
func (d *driver) call(i, slot int, sent int64) bool {
	var tried []int16
	for attempt := 0; attempt <= d.retries; attempt++ {
		at := d.choose(slot, tried)
		if at < 0 {
			return false
		}
		tried = append(tried, at)
		ctx, cancel := context.WithDeadline(d.ctx, d.began.Add(time.Duration(sent)+d.timeout))
		said, err := d.targets[at].predict(ctx, d.requests[slot])
		cancel()
		done := d.now()
		outcome := outcomeOf(err, d.over.Load())
		d.ended(i, slot, attempt, at, sent, done, said, outcome)
		if outcome == Answered || outcome == Open {
			return outcome == Answered
		}
		sent = done
	}
	return false
}

// ended writes a call down.
func (d *driver) ended(i, slot, attempt int, at int16, sent, done int64, said account, outcome uint8) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.outstanding[at]--
	c := &d.run.Calls
	c.Request = append(c.Request, int32(i))
	c.Slot = append(c.Slot, int16(slot))
	c.Attempt = append(c.Attempt, uint8(attempt))
	c.Server = append(c.Server, at)
	c.Sent = append(c.Sent, sent)
	c.Done = append(c.Done, done)
	c.Waited = append(c.Waited, said.waited)
	c.Worked = append(c.Worked, said.worked)
	c.Outcome = append(c.Outcome, outcome)
}

// choose is the target of a call, -1 when nobody serves its PS.
func (d *driver) choose(slot int, tried []int16) int16 {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := d.among(slot, (*d.view.Load())[slot], tried)
	if at >= 0 {
		d.outstanding[at]++
	}
	return at
}

// among is one of the replicas that are listed; a call that is tried again goes where the
// plan says.
func (d *driver) among(slot int, seen, tried []int16) int16 {
	switch {
	case len(tried) > 0 && d.retry == "same":
		return tried[0]
	case len(tried) > 0 && d.retry == "distinct":
		seen = without(seen, tried)
		if len(seen) > 0 {
			return seen[d.rand.IntN(len(seen))]
		}
	}
	if len(seen) == 0 {
		return -1
	}
	return d.pick(slot, seen)
}

func without(all, some []int16) []int16 {
	var rest []int16
	for _, one := range all {
		if !slices.Contains(some, one) {
			rest = append(rest, one)
		}
	}
	return rest
}

// pick balances among replicas, as the model's balancers do.
func (d *driver) pick(slot int, seen []int16) int16 {
	n := len(seen)
	switch d.balance {
	case "round_robin":
		d.turn[slot]++
		return seen[d.turn[slot]%n]
	case "p2c":
		a := d.rand.IntN(n)
		b := a
		if n > 1 {
			b = (a + 1 + d.rand.IntN(n-1)) % n
		}
		return d.lighter(seen[a], seen[b])
	case "least_loaded":
		least := seen[d.rand.IntN(n)]
		for _, one := range seen {
			least = d.lighter(least, one)
		}
		return least
	}
	return seen[d.rand.IntN(n)]
}

// lighter is the one with fewer calls under way, the first of two that are alike.
func (d *driver) lighter(a, b int16) int16 {
	if d.outstanding[b] < d.outstanding[a] {
		return b
	}
	return a
}
