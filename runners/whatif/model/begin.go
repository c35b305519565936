package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/quantity"
)

// How a simulation begins. At its start a window has the queues, open calls and retries of the time
// before. A simulation that starts with empty queues gets the same state only after a while, and
// only if the fleet was at rest in that while: no tier was full, nobody called dead containers, and
// no retries kept a queue full. So the simulation of a window starts early enough before it: at the
// last instant after which the fleet was at rest for as long as its queues show how they started,
// or else at the start of the plan's horizon (CAP-3.18).
const (
	// forgotten is the number of relaxation times after which a queue's length no longer depends
	// on its having started empty.
	forgotten = 10
	// least is the shortest warm-up, in virtual time. The longest is most or, if that is longer,
	// the time in which callers send mostCalls calls. A fleet that needs a longer warm-up does not
	// count as at rest.
	least     = 100 * time.Millisecond
	most      = time.Minute
	mostCalls = 1e6
	// tipping is the expected number of spontaneous overloads since the start of the horizon above
	// which the fleet no longer counts as at rest.
	tipping = 1e-2
	// costOfCall is how long simulating a call takes, in seconds of wall time, on each of
	// coresAtWork cores.
	costOfCall  = 5e-7
	coresAtWork = 2
)

// station describes the resource that limits a tier, as a server in a queueing network.
type station struct {
	tier     int       // tier of the containers
	work     []float64 // for each shard, seconds for which a request occupies one container of the shard
	mean     float64   // mean duration of a call in seconds
	each     float64   // seconds between two finished calls when every thread that can work is busy
	varies   float64   // variation of the queue length, relative to that of an M/M/c queue
	spread   float64   // varies, but at least 1
	attempts float64   // number of attempts that a call has if all of them time out
	open     float64   // seconds for which a batch waits for more calls
	common   float64   // seconds for which each request occupies every container of all shards, in addition to work
}

// stretch is a part of the horizon in which the fleet's load and state stay the same. It lasts
// until the next stretch begins.
type stretch struct {
	from int64 // instant of the horizon at which the stretch begins
	// relax is how long it takes until earlier load no longer shows in the queues. It is never if
	// the fleet is not at rest.
	relax int64
	why   string // why the fleet is not at rest; "" if it is
}

const never = math.MaxInt64

// nanoseconds converts a time in seconds to nanoseconds. It limits the result to a quarter of never,
// so that the sum of a few results does not overflow. Request rates near 0 give such long times.
func nanoseconds(seconds float64) int64 { return int64(math.Min(seconds*1e9, never/4)) }

// stations returns the resource that limits each tier. Their figures hold at the load of the start
// of the horizon.
func (s *Spec) stations() []station {
	p := s.Control.Plan
	var list []station
	for t, name := range plan.TierNames {
		if !s.Has(t) {
			continue
		}
		tier := &s.Tiers[t]
		one := station{tier: t, work: p.Works(name), attempts: s.attempts(t)}
		servers := float64(tier.Threads)
		if tier.Shared {
			servers = math.Min(servers, tier.Cores)
		}
		calls := 1.0
		if t == PS {
			calls = math.Max(1, float64(p.FanOut())/float64(p.Shards()))
		}
		if tier.Batch != nil {
			servers = float64(tier.Batch.Threads)
			if tier.Shared {
				servers = math.Min(servers, tier.Cores/float64(tier.Batch.Processes))
			}
		}
		servers = math.Max(servers, 1e-9)
		one.mean = slices.Max(one.work) * servers / calls
		for k, m := range s.Served() {
			cs := scv(&m, t)
			one.spread = math.Max(one.spread, cs)
			if tier.Batch != nil {
				one.mean = math.Max(one.mean, m.Laws[t].MeanOf(float64(tier.Batch.MaxItems))/1e9)
				one.open = math.Max(one.open, s.opens(k))
			}
		}
		one.each = one.mean / servers
		one.varies = (one.spread + s.arrivalSCV(t)) / 2
		one.spread = math.Max(1, one.varies)
		list = append(list, one)
	}
	if s.Mixed { // the cores of a mixed container are a resource, too
		one := station{tier: PS, work: s.Works[PS], common: s.Common, attempts: 1}
		for _, o := range list {
			one.mean, one.attempts, one.open = math.Max(one.mean, o.mean), math.Max(one.attempts, o.attempts), math.Max(one.open, o.open)
			one.varies, one.spread = math.Max(one.varies, o.varies), math.Max(one.spread, o.spread)
		}
		one.each = one.mean / s.Tiers[PS].Cores
		list = append(list, one)
	}
	return append(list, s.holders()...)
}

// scv returns the squared coefficient of variation of a call's work in a tier.
func scv(m *Served, tier int) float64 {
	l := m.Laws[tier]
	own := l.SCV()
	if mean := l.MeanOf(m.Items.Mean); l.OfItems() && mean > 0 {
		share := l.Slope(m.Items.Mean) * m.Items.Mean / mean
		own = share * share * m.Items.SCV()
	}
	return (1+own)*(1+m.Noise[tier].SCV()) - 1
}

// arrivalSCV returns how much the number of arrivals at a container varies over long intervals, as
// a squared coefficient of variation. It is 1 for a Poisson process.
func (s *Spec) arrivalSCV(tier int) float64 {
	a := &s.Arrivals
	more := 0.0 // variation that comes from requests arriving at the same instant
	if !a.Batch.IsZero() {
		mean, second := a.Batch.Whole()
		more = second/mean - 1
	}
	share := 1 / float64(max(1, s.Tiers[tier].Replicas[0])) // share of the requests that one container gets
	switch a.Process {
	case "gamma", "deterministic":
		cv := a.CV
		if a.Process == "deterministic" {
			cv = 0
		}
		if more > 0 {
			mean, _ := a.Batch.Whole()
			more += (mean - 1) * (cv*cv - 1)
		}
		return 1 + share*(cv*cv-1+more)
	case "mmpp":
		b := a.MeanBurst / (a.MeanBurst + a.MeanQuiet)
		quiet := 1 / (b*a.Burst + 1 - b)
		swing := quiet * (a.Burst - 1)
		rate := share * rateAt(a, 0) / 1e9
		return 1 + share*more + 2*rate*swing*swing*b*(1-b)/(1/a.MeanBurst+1/a.MeanQuiet)
	}
	return 1 + share*more
}

// attempts returns how many attempts a call has if all of them time out.
func (s *Spec) attempts(tier int) float64 {
	if tier == Entry || s.Timeout == 0 || s.Cancel && !s.Tiers[tier].Shared && s.Tiers[tier].Batch == nil {
		return 1
	}
	n := float64(1 + s.Retries)
	if s.hedges() && tier == PS {
		n *= 2
	}
	return n
}

// opens returns for how many seconds a batch waits for more calls of one model.
func (s *Spec) opens(model int) float64 {
	b, m := s.Tiers[Dense].Batch, &s.Served()[model]
	queues := float64(max(1, s.Tiers[Dense].Replicas[0]) * b.Processes)
	timeout := float64(b.TimeoutNs) / 1e9
	rate := rateAt(&s.Arrivals, 0) * m.Share / queues
	if rate == 0 {
		return timeout
	}
	return math.Min(timeout, float64(b.MaxItems)/math.Max(m.Items.Mean, 1)/rate)
}

// holders returns the resources that requests occupy while other tiers work for them:
// threads of entry containers, and connections.
func (s *Spec) holders() []station {
	p := s.Control.Plan
	farthest := s.Latency[0]
	if len(p.Fleet.IDCs) > 1 {
		farthest = s.Latency[2]
	}
	way := 2*farthest.Mean/1e9 + float64(s.PerRPC)/1e9
	answer := 0.0 // seconds that a call takes if no queue delays it
	for _, m := range s.Served() {
		if s.Has(PS) {
			answer = math.Max(answer, m.Laws[PS].MeanOf(m.Items.Mean/float64(p.Shards()))/1e9+way)
		}
	}
	var list []station
	if e := &s.Tiers[Entry]; s.Has(Entry) && e.Hold {
		held := p.Work("entry")*math.Min(float64(e.Threads), e.Cores) + 3*answer
		if s.Has(Dense) {
			held += 3 * (way + p.Work("dense"))
		}
		threads := float64(e.Threads)
		list = append(list, station{tier: Entry, work: []float64{held / threads}, mean: held, each: held / threads, varies: 1, spread: 1, attempts: 1})
	}
	if callers := len(s.Tiers[Entry].Replicas); s.Connections > 0 && s.Has(PS) && callers > 0 && !s.FromDense {
		n := float64(s.Connections * max(1, s.Tiers[Entry].Replicas[0]))
		one := station{tier: PS, each: answer / n, varies: 1, spread: 1, attempts: s.attempts(PS)}
		for k := range p.Shards() {
			one.work = append(one.work, float64(p.CallsOf(p.FanOut(), k))*answer/n)
		}
		list = append(list, one)
	}
	return list
}

// relaxes returns how many seconds it takes, at utilization rho, until a station's queue no longer
// depends on how long it was at the start.
func (o *station) relaxes(rho float64) float64 {
	if rho >= 1 {
		return math.Inf(1)
	}
	gap := 1 - math.Sqrt(rho)
	return math.Max(forgotten*o.spread*o.each/(gap*gap), 50*o.mean) + forgotten*o.open
}

// slowest returns the longest allowed warm-up in seconds at a rate of requests per second.
func (s *Spec) slowest(rate float64) float64 {
	return math.Max(most.Seconds(), mostCalls/math.Max(rate*(1+s.MeanCalls()), 1e-9))
}

// callsOfCaller returns how many calls a second each caller sends at a rate of requests per second.
func (s *Spec) callsOfCaller(rate float64) float64 {
	callers := s.Tiers[Entry].Replicas
	if s.FromDense {
		callers = s.Tiers[Dense].Replicas
	}
	return rate * s.MeanCalls() / float64(max(1, callers[0]))
}

// memory returns for how many nanoseconds an event still affects the callers after it has ended. It
// is the sum of the longest duration of a request's calls, of the time in which callers learn the
// latency quantile after which they hedge, and of the time in which retry budgets and circuit
// breakers recover.
func (s *Spec) memory() int64 {
	knows := hedgeWarmUp(s.Control.Plan) + s.heals(s.callsOfCaller(rateAt(&s.Arrivals, 0)))
	return s.Timeout*int64(1+s.Retries) + int64(math.Min(knows, never/4)) // limited, because a budget that calls hardly refill takes longer than any horizon
}

// warmUp returns how many nanoseconds before the horizon's start the simulation begins. In that time
// the load is that of the horizon's start. If the load exceeds the fleet's capacity, warmUp returns
// a minute.
func (w *world) warmUp() int64 {
	r := w.rest()
	rate := rateAt(&w.spec.Arrivals, 0)
	took := r.relaxes(rate)
	if math.IsInf(took, 1) {
		took = most.Seconds()
	}
	return nanoseconds(math.Min(took, w.spec.slowest(rate)))
}

// hedgeWarmUp returns how many nanoseconds it takes until each caller has seen ten calls that took
// longer than the latency quantile after which it hedges.
func hedgeWarmUp(p *plan.Plan) float64 {
	q, rate := p.Client.Hedge.After.Quantile, p.PeakRate()
	if q == 0 || rate == 0 {
		return 0
	}
	caller := "entry"
	if p.Service.Dense != nil && p.Service.Dense.FanOut == "dense" {
		caller = "dense"
	}
	fan := 0.0
	for _, m := range p.Served() {
		fan += float64(m.Share * float64(p.FanOutOf(&m)))
	}
	calls := rate * fan / float64(p.Containers(caller))
	return 10 / (1 - q) / calls * 1e9
}

// begins determines when the simulation of a window begins, depending on what happens to this
// replication's containers before the window. It may refuse the window.
func (w *world) begins(win Window) {
	before, far := win.Warmup, int64(0)
	if win.Carries {
		why := ""
		if win.Whole {
			before, far = int64(win.Start)+w.warmUp(), int64(win.Start)
		} else if before, far, why = w.before(int64(win.Start)); far > 0 {
			w.refuse(int64(win.Start)-before, far, why)
		}
		for _, o := range w.spec.stations() {
			if o.open > 0 { // the window should begin at a random point of the time for which a batch waits for calls
				before += int64(float64(tasks.Mix(w.key, streamBegin)>>11) / (1 << 53) * o.open * 1e9)
			}
		}
	}
	w.shift(int64(win.Start), before)
	w.last = w.end + max(int64(Drain), far) // after the window, its queued requests need time to finish
}

// before returns how long before the instant start the simulation has to begin. far is the part of
// that time in which the fleet was not at rest, and why is the reason for the unrest.
func (w *world) before(start int64) (before, far int64, why string) {
	if why := w.spec.fromTheStart(); why != "" || start == 0 {
		return start + w.warmUp(), start, why
	}
	list := w.stretches(start)
	end, relax := start, int64(0)
	for k := len(list) - 1; k >= 0; k-- {
		one := list[k]
		if one.relax == never {
			end, relax = one.from, 0
			why = cmp.Or(why, one.why)
			continue
		}
		if relax = max(relax, one.relax); end-one.from >= relax || k == 0 {
			// The warm-up is limited to the longest one allowed at the rate of the horizon's start. The
			// rate of a closed loop counts as 0, which allows a warm-up of any length.
			longest := nanoseconds(w.spec.slowest(rateAt(&w.spec.Arrivals, 0)))
			return min(start-end+relax, start+longest), start - end, why
		}
	}
	return start + w.warmUp(), start, why
}

// fromTheStart says why a plan must always be simulated from the start of its horizon. It
// returns "" if that is not necessary.
func (s *Spec) fromTheStart() string {
	p := s.Control.Plan
	switch {
	case s.Arrivals.Process == "trace":
		return "requests come as in a trace"
	case p.Measures():
		return "the autoscaler remembers what was"
	case s.Budget.Burst > 0 && s.Budget.Share == 0:
		return "a budget of retries that nothing fills remembers each of them"
	case s.Arrivals.Clients > 0 && (len(p.Events) > 0 || p.Random.Any() || s.Control.ColdStart):
		return "clients that wait for answers go on with what happened to them"
	}
	return ""
}

// refuse refuses to simulate a window if the time without rest before it has too many requests for
// the plan's budget. from is the instant at which that time starts, and far is its length in
// nanoseconds.
func (w *world) refuse(from, far int64, why string) {
	s := w.spec
	p := s.Control.Plan
	requests := 0.0
	steps := ratesFrom(&s.Arrivals, max(0, from))
	for k, one := range steps {
		end := far
		if k+1 < len(steps) {
			end = min(end, steps[k+1].at)
		}
		requests += math.Max(0, float64(end-one.at)) * one.rate
	}
	if loop := p.Workload.Loop; loop.Closed() {
		requests = float64(far) * float64(s.Arrivals.Clients) / math.Max(loop.Think.Mean+p.Work("ps")*1e9, 1e6)
	}
	requests += float64(sort.Search(len(s.Arrivals.Times), func(k int) bool { return s.Arrivals.Times[k] >= from+far }))
	requests *= float64(p.Budget.MinReplications * s.apart())
	above := ""
	if b := float64(p.Budget.Requests); b > 0 && requests > b {
		above = "budget.requests " + quantity.Format(quantity.Count, b)
	} else if b := float64(p.Budget.Wall); requests*(1+s.MeanCalls())*costOfCall/coresAtWork*1e9 > b {
		above = "what can be done in budget.wall " + quantity.Format(quantity.Duration, b)
	}
	if above != "" {
		w.sample.Refused = fmt.Sprintf("not simulated: what it begins with hangs on all since %s, as %s; that takes %s requests more, above %s",
			quantity.Text(quantity.Duration, float64(max(0, from)), 3), why, quantity.Text(quantity.Count, requests, 3), above)
	}
}
