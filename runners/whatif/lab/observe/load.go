package observe

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/monosim/monosim/runners/whatif/law"
)

// order describes a load.
type order struct {
	arrivals []int64 // instants at which requests are due, in nanoseconds from the start
	warm     int64
	end      int64
	timeout  time.Duration
	retries  int
	hedge    time.Duration // delay after which a first attempt is hedged, 0 for never
	retry    string        // where a retry goes: fresh_random, distinct or same
	balance  string
	seed     uint64
	items    law.Law // law of the number of items of a request; the zero law if requests have no items
	// breakOff cancels the calls in flight at the end of the load. Otherwise the load waits for
	// them.
	breakOff bool
}

// view holds, for each PS, the indexes of the targets that an agent lists for it.
type view [][]int16

// driver makes a load.
type driver struct {
	order
	pacer
	targets  []*target
	requests [][]byte // request to each PS
	view     atomic.Pointer[view]

	ctx  context.Context
	over atomic.Bool

	mu          sync.Mutex // guards the fields below
	rand        *rand.Rand
	turn        []int   // number of round robin choices so far, by PS
	outstanding []int32 // number of calls in flight, by target
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
	if !o.items.IsZero() {
		rng := newRand(o.seed + 1)
		for range o.arrivals {
			d.run.Requests.Items = append(d.run.Requests.Items, int32(max(math.Round(o.items.Sample(rng, 0)), 1)))
		}
	}
	return d, nil
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// all runs the load: it sends all requests and waits until they have ended.
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

// cut drops the requests after the first n, because they were never sent.
func (d *driver) cut(n int) {
	r := &d.run.Requests
	r.Intended, r.Sent, r.Done, r.OK = r.Intended[:n], r.Sent[:n], r.Done[:n], r.OK[:n]
	if r.Items != nil {
		r.Items = r.Items[:n]
	}
}

// request sends request i: a call to every PS at the same time.
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

// call retries one call until it is answered or its attempts are used up.
func (d *driver) call(i, slot int, sent int64) bool {
	var tried []int16
	for attempt := 0; attempt <= d.retries; attempt++ {
		at := d.choose(slot, tried)
		if at < 0 {
			return false
		}
		tried = append(tried, at)
		c := try{request: i, slot: slot, attempt: attempt, sent: sent}
		var outcome uint8
		if d.hedge > 0 && attempt == 0 {
			outcome, sent = d.hedged(c, at)
		} else {
			outcome, sent = d.send(d.ctx, c, at, sent)
		}
		if outcome == Answered || outcome == Open {
			return outcome == Answered
		}
	}
	return false
}

// try is one attempt of a call. The attempt began at the time sent, and its timeout counts from
// then. This is also the timeout of its hedge.
type try struct {
	request, slot, attempt int
	sent                   int64
}

// send makes one attempt of a call to a server and records its outcome.
func (d *driver) send(ctx context.Context, c try, at int16, sent int64) (outcome uint8, done int64) {
	call, cancel := context.WithDeadline(ctx, d.began.Add(time.Duration(c.sent)+d.timeout))
	defer cancel()
	said, err := d.targets[at].predict(call, d.message(c))
	done = d.now()
	outcome = outcomeOf(err, d.over.Load(), ctx.Err() != nil)
	d.ended(c, at, sent, done, said, outcome)
	return outcome, done
}

// message returns the encoded request of a call.
func (d *driver) message(c try) []byte {
	message := d.requests[c.slot]
	if items := d.run.Requests.Items; items != nil {
		// Concatenated protocol buffers decode as one merged message.
		message = append(message[:len(message):len(message)], inputOf(items[c.request])...)
	}
	return message
}

// hedged sends an attempt to one server. If this takes too long, it sends the attempt again, to a
// server chosen anew. The first of the two to end decides, and the other is abandoned.
func (d *driver) hedged(c try, at int16) (outcome uint8, done int64) {
	ctx, giveUp := context.WithCancel(d.ctx)
	defer giveUp()
	type end struct {
		outcome uint8
		done    int64
	}
	ends := make(chan end, 2)
	begin := func(at int16, sent int64) {
		d.wait.Go(func() {
			outcome, done := d.send(ctx, c, at, sent)
			ends <- end{outcome, done}
		})
	}
	begin(at, c.sent)
	late := time.NewTimer(d.hedge - time.Duration(d.now()-c.sent))
	defer late.Stop()
	select {
	case first := <-ends:
		return first.outcome, first.done
	case <-late.C:
	}
	if at = d.choose(c.slot, nil); at >= 0 {
		begin(at, d.now())
	}
	first := <-ends
	return first.outcome, first.done
}

// ended records a call.
func (d *driver) ended(of try, at int16, sent, done int64, said account, outcome uint8) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.outstanding[at]--
	c := &d.run.Calls
	c.Request = append(c.Request, int32(of.request))
	c.Slot = append(c.Slot, int16(of.slot))
	c.Attempt = append(c.Attempt, uint8(of.attempt))
	c.Server = append(c.Server, at)
	c.Sent = append(c.Sent, sent)
	c.Done = append(c.Done, done)
	c.Waited = append(c.Waited, said.waited)
	c.Worked = append(c.Worked, said.worked)
	c.Outcome = append(c.Outcome, outcome)
}

// choose returns the target of a call, -1 if no server is listed for its PS.
func (d *driver) choose(slot int, tried []int16) int16 {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := d.among(slot, (*d.view.Load())[slot], tried)
	if at >= 0 {
		d.outstanding[at]++
	}
	return at
}

// among chooses one of the listed replicas. For a retry it follows the setting retry_target of the
// plan, such as the same or a distinct replica.
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

// pick chooses a replica with the plan's load balancing policy.
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

// lighter returns the target with fewer calls in flight, the first one on a tie.
func (d *driver) lighter(a, b int16) int16 {
	if d.outstanding[b] < d.outstanding[a] {
		return b
	}
	return a
}
