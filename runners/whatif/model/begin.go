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

// Begins of simulations. What a window begins with is what was before it: queues, calls under
// way and retries. A simulation that begins empty gives that only after a while, and only if the
// fleet was at rest then: no tier full, nobody calling the dead, no queue that retries keep
// full. So a window is simulated from the last instant from which on the fleet was at rest for
// as long as it takes to forget how it began, or from the begin of the horizon (CAP-3.18).
const (
	// forgotten is the number of relaxation times after which a queue no longer shows that it
	// started empty.
	forgotten = 10
	// least is the shortest warm-up, in virtual time. The longest is most, or the time of
	// mostCalls calls if that is longer. A fleet that needs more is not at rest.
	least     = 100 * time.Millisecond
	most      = time.Minute
	mostCalls = 1e6
	// tipping is the expected number of spontaneous overloads up to which a fleet is taken for
	// one that never tips over.
	tipping = 1e-2
	// costOfCall is how long simulating a call takes, in seconds of wall time, on each of
	// coresAtWork cores.
	costOfCall  = 5e-7
	coresAtWork = 2
)

// station describes the resource that limits a tier.
type station struct {
	tier     int
	work     []float64 // seconds that a request takes one container of each shard
	mean     float64   // seconds of one call
	each     float64   // seconds of one call when all threads that can work do
	spread   float64   // by how much more queues vary than those of M/M/c
	attempts float64   // calls for each one when all that can be repeated are
	open     float64   // seconds that a batch takes calls for
	common   float64   // seconds that a request takes a container of any shard besides
}

// stretch is a part of the horizon, which lasts until the next stretch begins.
type stretch struct {
	from  int64
	relax int64 // how long what was before takes to be forgotten; never for a fleet that is not at rest
	why   string
}

const never = math.MaxInt64

// stations returns the resource that limits each tier, at the load of the start of the
// horizon.
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
		one.spread = math.Max(1, (one.spread+s.arrivalSCV(t))/2)
		list = append(list, one)
	}
	if s.Mixed { // its cores
		one := station{tier: PS, work: s.Works[PS], common: s.Common, attempts: 1}
		for _, o := range list {
			one.mean, one.spread, one.attempts, one.open = math.Max(one.mean, o.mean), math.Max(one.spread, o.spread), math.Max(one.attempts, o.attempts), math.Max(one.open, o.open)
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

// arrivalSCV returns how much arrivals at a container vary over a long time, as a squared
// coefficient of variation. It is 1 for a Poisson process.
func (s *Spec) arrivalSCV(tier int) float64 {
	a := &s.Arrivals
	more := 0.0 // by requests that come at once
	if !a.Batch.IsZero() {
		mean, second := a.Batch.Whole()
		more = second/mean - 1
	}
	share := 1 / float64(max(1, s.Tiers[tier].Replicas[0])) // of the requests that a container gets
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

// opens returns for how many seconds a batch accepts calls of one model.
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
	answer := 0.0 // seconds of a call without any queue
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
		list = append(list, station{tier: Entry, work: []float64{held / threads}, mean: held, each: held / threads, spread: 1, attempts: 1})
	}
	if callers := len(s.Tiers[Entry].Replicas); s.Connections > 0 && s.Has(PS) && callers > 0 && !s.FromDense {
		n := float64(s.Connections * max(1, s.Tiers[Entry].Replicas[0]))
		one := station{tier: PS, each: answer / n, spread: 1, attempts: s.attempts(PS)}
		for k := range p.Shards() {
			one.work = append(one.work, float64(p.CallsOf(p.FanOut(), k))*answer/n)
		}
		list = append(list, one)
	}
	return list
}

// relaxes returns how many seconds a station takes, at utilization rho, until its queue no
// longer depends on how it started.
func (o *station) relaxes(rho float64) float64 {
	if rho >= 1 {
		return math.Inf(1)
	}
	gap := 1 - math.Sqrt(rho)
	return math.Max(forgotten*o.spread*o.each/(gap*gap), 50*o.mean) + forgotten*o.open
}

// slowest returns the longest allowed warm-up in seconds, at a rate of requests per second.
func (s *Spec) slowest(rate float64) float64 {
	return math.Max(most.Seconds(), mostCalls/math.Max(rate*(1+s.MeanCalls()), 1e-9))
}

// callsOfCaller returns how many calls a second each caller sends, at a rate of requests per
// second.
func (s *Spec) callsOfCaller(rate float64) float64 {
	callers := s.Tiers[Entry].Replicas
	if s.FromDense {
		callers = s.Tiers[Dense].Replicas
	}
	return rate * s.MeanCalls() / float64(max(1, callers[0]))
}

// memory returns for how long the past affects the clients, in nanoseconds. That includes
// the longest duration of a request's calls, the time until hedging knows its quantile, and
// the recovery of budgets and breakers.
func (s *Spec) memory() int64 {
	return s.Timeout*int64(1+s.Retries) + int64(hedgeWarmUp(s.Control.Plan)) + int64(s.heals(s.callsOfCaller(rateAt(&s.Arrivals, 0))))
}

// warmUp returns how many nanoseconds before the horizon the simulation begins, with the
// load of the horizon's start. It is a minute if the fleet is full.
func (w *world) warmUp() int64 {
	r := w.rest()
	rate := rateAt(&w.spec.Arrivals, 0)
	took := r.relaxes(rate)
	if math.IsInf(took, 1) {
		took = most.Seconds()
	}
	return int64(math.Min(took, w.spec.slowest(rate)) * 1e9)
}

// hedgeWarmUp returns how many nanoseconds it takes until callers have seen ten calls beyond
// the quantile after which they hedge.
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

// begins sets from when on a window is simulated, depending on what happens to this
// replication's containers before it. It may refuse the window.
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
			if o.open > 0 { // a window begins anywhere between two batches
				before += int64(float64(tasks.Mix(w.key, streamBegin)>>11) / (1 << 53) * o.open * 1e9)
			}
		}
	}
	w.shift(int64(win.Start), before)
	w.last = w.end + max(int64(drain), far) // what has come together is worked off
}

// before returns how long before the instant start the simulation begins. far is the part of
// that time in which the fleet was not at rest, and why is the reason.
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
			return start - end + relax, start - end, why
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

// refuse refuses a window if simulating the time without rest before it would exceed the
// budget. That time starts at from and lasts far nanoseconds.
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
	requests *= float64(p.Budget.MinReplications * len(s.Windows))
	above := ""
	if b := float64(p.Budget.Requests); b > 0 && requests > b {
		above = "budget.requests " + quantity.Format(quantity.Count, b)
	} else if b := float64(p.Budget.Wall); requests*(1+s.MeanCalls())*costOfCall/coresAtWork*1e9 > b {
		above = "what can be done in budget.wall " + quantity.Format(quantity.Duration, b)
	}
	if above != "" {
		w.sample.Refused = fmt.Sprintf("not simulated: what it begins with hangs on all since %s, as %s; that takes %s requests more, above %s",
			quantity.Format(quantity.Duration, float64(max(0, from))), why, quantity.Format(quantity.Count, math.Round(requests)), above)
	}
}

// rest tracks over the horizon whether the fleet is at rest. It treats load as a fluid: a
// queue grows by the work that exceeds its station's capacity.
type rest struct {
	w        *world
	stations []station
	need     []float64 // of each station, seconds of work a request brings to the fullest shard
	backlog  []float64 // of each station, in seconds
	up, seen []bool    // of each container
	clients  clients   // of this rest, as their idcs have them
	flaps    []bool
	serving  [tiers][]int // containers of each shard that work and are called
	missing  int          // containers that do not serve
	flapping int
	slow     map[int32]float64
	loading  [tiers]int
	// ghosts counts containers that are dead but still called. blinds holds the containers whose
	// agents keep an outdated list of replicas. died says that a container died meanwhile.
	ghosts int
	broken map[[2]int]bool // links that are cut or lose another share than usual
	blinds map[int32]bool
	died   bool
	until  int64                  // calls of what has died go on until then
	fresh  [tiers]int64           // when a container of the tier was last made cold
	risk   float64                // expected number of calls so far that wait for longer than the timeout
	stale  bool                   // need is to be computed anew
	tails  map[[2]float64]float64 // what above returns, by tier and time
}

func (w *world) rest() *rest {
	r := &rest{w: w, stations: w.spec.stations(), slow: map[int32]float64{}, blinds: map[int32]bool{}, broken: map[[2]int]bool{}, tails: map[[2]float64]float64{}, stale: true}
	r.clients = clients{w: w, moved: slices.Clone(w.clients.moved), shares: w.clients.shares}
	n := len(w.servers)
	r.up, r.seen, r.flaps = make([]bool, n), make([]bool, n), make([]bool, n)
	r.need, r.backlog = make([]float64, len(r.stations)), make([]float64, len(r.stations))
	for t := range r.serving {
		r.serving[t] = make([]int, len(w.spec.Tiers[t].Replicas))
	}
	for i := range w.servers {
		one := &w.servers[i]
		r.set(int32(i), one.up, one.visible)
		if one.removed {
			r.missing++
		}
	}
	return r
}

// set sets whether container i works (up) and whether callers see it (seen).
func (r *rest) set(i int32, up, seen bool) {
	s := &r.w.servers[i]
	serves := func() bool { return r.serves(i) }
	ghost := func() bool { return !r.up[i] && r.seen[i] && s.tier != Entry && !s.removed }
	r.count(s, serves(), ghost(), -1)
	r.up[i], r.seen[i] = up, seen
	r.count(s, serves(), ghost(), 1)
	r.stale = true
}

func (r *rest) count(s *server, serves, ghost bool, by int) {
	if serves {
		r.serving[s.tier][s.shard] += by
		r.missing -= by
	}
	if ghost {
		r.ghosts += by
	}
}

// apply applies a change to this fluid model, as [world.apply] does in the simulation.
func (r *rest) apply(c change) {
	i := c.server
	switch c.what {
	case moves:
		r.clients.move(c.a, c.value == 1)
		r.stale = true
	case cuts:
		r.broken[[2]int{c.a, c.b}] = true
	case joins:
		delete(r.broken, [2]int{c.a, c.b})
		r.until = c.at + r.w.spec.memory()
	case loses:
		if c.value != r.w.spec.Loss {
			r.broken[[2]int{c.a, c.b}] = true
		} else if r.broken[[2]int{c.a, c.b}] {
			delete(r.broken, [2]int{c.a, c.b})
			r.until = c.at + r.w.spec.memory()
		}
	case slows:
		r.slow[i] = c.value
		if c.value == 1 {
			delete(r.slow, i)
		}
	case loads:
		r.loading[r.w.servers[r.w.servers[i].host].tier]++
	case loaded:
		r.loading[r.w.servers[r.w.servers[i].host].tier]--
		r.fresh[r.w.servers[i].tier] = c.at
	default:
		if !r.w.servers[i].removed {
			r.container(c)
		}
	}
}

// container applies a change in a container's life.
func (r *rest) container(c change) {
	i := c.server
	up, seen := r.up[i], r.seen[i]
	flapped := r.flaps[i]
	switch c.what {
	case goesDown:
		up, r.flaps[i] = false, false
		delete(r.blinds, i)
	case comesUp:
		up = true
		r.fresh[r.w.servers[i].tier] = c.at
	case isSeen:
		seen = true
		r.fresh[r.w.servers[i].tier] = c.at
	case isUnseen:
		seen = false
	case drains:
		up, seen = up && r.w.servers[i].tier != Entry, false
	case retires:
		up, seen = false, false
	case isLost:
		seen, r.flaps[i] = seen && !up, false
	case isBack:
		seen, r.flaps[i] = seen || up, up && c.value == 1
	case blinds:
		r.died = r.died && len(r.blinds) > 0
		r.blinds[i] = true
	case sights:
		delete(r.blinds, i)
	}
	if r.up[i] && !up {
		r.died = true
	}
	if r.up[i] && !up || c.what == isUnseen {
		r.until = c.at + r.w.spec.memory()
	}
	if r.flaps[i] != flapped {
		r.flapping += map[bool]int{true: 1, false: -1}[r.flaps[i]]
		r.stale = true
	}
	if up != r.up[i] || seen != r.seen[i] {
		r.set(i, up, seen)
	}
}

// refresh computes how much work each request brings to the fullest shard of each station.
func (r *rest) refresh() {
	if !r.stale {
		return
	}
	r.stale = false
	for k := range r.stations {
		r.need[k] = 0
		o := &r.stations[k]
		for shard, work := range o.work {
			n := r.of(o.tier, shard)
			if n == 0 {
				continue // its requests fail at once and wait nowhere
			}
			if r.flapping > 0 {
				n = math.Max(1, n/2)
			}
			r.need[k] = math.Max(r.need[k], work/n)
		}
		if all := r.all(o.tier); o.common > 0 && all > 0 {
			r.need[k] += o.common / all
		}
		if r.missing > 0 && r.w.spec.IDCAware { // the rest may be of one place
			r.need[k] *= float64(r.w.spec.IDCs)
		}
	}
}

// of returns how many containers of a shard there would be, each as full as the fullest, that work and are
// called; those of the fullest idc where each has its clients.
func (r *rest) of(tier, shard int) float64 {
	if !r.w.spec.byIDC(tier) {
		return float64(r.serving[tier][shard])
	}
	in := make([]int, len(r.clients.shares))
	for i := r.w.first[tier]; i < len(r.w.servers) && int(r.w.servers[i].tier) == tier; i++ {
		if s := &r.w.servers[i]; int(s.shard) == shard && r.serves(int32(i)) {
			in[s.loc.IDC]++
		}
	}
	return crowded(r.clients.shares, in)
}

// serves reports whether a container works and is called.
func (r *rest) serves(i int32) bool {
	return r.up[i] && (r.seen[i] || r.w.servers[i].tier == Entry)
}

// all returns how many containers of a tier work and are called by others.
func (r *rest) all(tier int) float64 {
	sum := 0
	for _, n := range r.serving[tier] {
		sum += n
	}
	return float64(sum)
}

// slowed returns the factor by which work takes longer in the slowest container of a tier.
func (r *rest) slowed(tier int) float64 {
	if r.w.spec.Mixed {
		tier = PS
	}
	factor := 1.0
	for i, one := range r.slow { //lint:order a maximum
		if int(r.w.servers[i].tier) == tier {
			factor = math.Max(factor, one)
		}
	}
	if t := &r.w.spec.Tiers[tier]; r.loading[tier] > 0 && t.Device != nil {
		factor *= 1 + float64(t.Device.PieceNs)/math.Max(t.Law.Min(), 1)
	} else if r.loading[tier] > 0 {
		factor *= math.Max(1, t.Interference)
		if t.Shared {
			factor *= t.Cores / math.Max(t.Cores-1, t.Cores/2)
		}
	}
	return factor
}

// load returns a station's utilization at a rate, and the factor by which work takes longer.
// It includes retries of calls whose work alone takes longer than the timeout.
func (r *rest) load(k int, rate float64) (rho, slowed float64) {
	o := &r.stations[k]
	slowed = r.slowed(o.tier)
	rho = rate * r.need[k] * slowed
	if o.attempts > 1 {
		rho *= 1 + (o.attempts-1)*r.above(o.tier, float64(r.w.spec.Timeout)/slowed)
	}
	return rho, slowed
}

// relaxes returns how many seconds the fleet takes at a rate until its queues no longer
// depend on how they started.
func (r *rest) relaxes(rate float64) float64 {
	r.refresh()
	s := r.w.spec
	longest := least.Seconds()
	for k := range r.stations {
		o := &r.stations[k]
		rho, slowed := r.load(k, rate)
		took := o.relaxes(rho) * slowed
		if s.Arrivals.Clients > 0 {
			took = forgotten * (s.Arrivals.Think.Mean/1e9 + float64(s.Arrivals.Clients)*r.need[k]*slowed)
		}
		longest = math.Max(longest, took)
	}
	longest += (hedgeWarmUp(s.Control.Plan) + s.heals(s.callsOfCaller(rate))) / 1e9
	if s.Loss > 0 || len(s.Control.Dead) > 0 {
		longest += float64(s.memory()) / 1e9
	}
	return longest
}

// above returns the result of [Spec.above] from a cache, because it is needed again and again.
func (r *rest) above(tier int, x float64) float64 {
	key := [2]float64{float64(tier), x}
	p, ok := r.tails[key]
	if !ok {
		p = r.w.spec.above(tier, x)
		r.tails[key] = p
	}
	return p
}

// above returns the probability that a call works for longer than x nanoseconds at a tier.
func (s *Spec) above(tier int, x float64) float64 {
	most := 0.0
	for _, m := range s.Served() {
		l, x := m.Laws[tier], x
		if l.IsZero() || s.Tiers[tier].Batch != nil {
			continue
		}
		if !m.Noise[tier].IsZero() {
			x /= m.Noise[tier].Quantile(0.999, 1)
		}
		share := 1.0
		if tier == PS && len(m.Calls) > 0 {
			share = m.Calls[0].Share
		}
		if l.OfItems() {
			most = math.Max(most, m.Items.Above(l.ItemsAbove(x)/share, 0))
		} else {
			most = math.Max(most, l.Above(x, 0))
		}
	}
	return most
}

// tips returns how often per second a shard is expected to overload itself. That happens
// when so many containers have queues longer than the timeout at once that the retried calls
// fill the shard. A container's waits are about exponential. In addition, long calls may
// leave it too few threads. Containers are taken as independent, unless all requests arrive
// in bursts.
func (r *rest) tips(k int, rho, slowed float64) float64 {
	o, s := &r.stations[k], r.w.spec
	timeout := float64(s.Timeout) / 1e9
	wait := math.Max(0, 0.8*timeout-o.mean*slowed)
	p := rho * math.Exp(-wait*(1-rho)/(o.each*slowed*o.spread))
	if o.mean/o.each*(1-rho) < 1 {
		p += r.above(o.tier, timeout/2*1e9/slowed)
	}
	p = math.Min(p, 1)
	containers := max(1, slices.Min(r.serving[o.tier]))
	ways, full := 1.0, 0
	for full < containers && rho*s.repeated(o, float64(full)/float64(containers)) < 1 {
		full++
		ways *= float64(containers-full+1) / float64(full) * p
		if s.Arrivals.Process == "mmpp" {
			ways = p
		}
	}
	return float64(len(o.work)) * ways / timeout
}

// repeated returns how many attempts a call has on average if a share of the attempts times
// out.
func (s *Spec) repeated(o *station, share float64) float64 {
	sum, one := 0.0, 1.0
	for range s.Retries + 1 {
		sum += one
		one *= share
	}
	if most := float64(1 + s.Retries); o.attempts > most { // some are hedged besides
		sum *= 1 + share*(o.attempts/most-1)
	}
	return sum
}

// passes advances the fluid model from from to to at a rate. It returns for how long the
// fleet is not at rest, and why.
func (r *rest) passes(from, to int64, rate float64) (unrest int64, why string) {
	r.refresh()
	seconds := float64(to-from) / 1e9
	for k := range r.stations {
		o := &r.stations[k]
		name := plan.TierNames[o.tier]
		rho, slowed := r.load(k, rate)
		took := o.relaxes(rho) * slowed
		worst := rho * o.attempts
		settles := took <= r.w.spec.slowest(rate)
		if !settles && rho < 1 { // what it holds by chance
			r.backlog[k] = math.Max(r.backlog[k], forgotten*o.spread*o.each*slowed/(1-rho))
		}
		if settles && r.backlog[k] == 0 {
			if worst >= 1 && o.attempts > 1 {
				if r.risk += r.tips(k, rho, slowed) * seconds; r.risk > tipping {
					return to - from, "retries can keep " + name + " full for ever"
				}
			}
			continue
		}
		drains := math.Inf(1)
		if settles && worst < 1 {
			drains = r.backlog[k] / (1 - worst)
		}
		r.backlog[k] = math.Max(0, r.backlog[k]+float64((worst-1)*seconds))
		if ns := int64(math.Min(drains, seconds) * 1e9); ns > unrest || why == "" {
			unrest, why = max(unrest, ns), name+" was full"
		}
	}
	if len(r.broken) > 0 || r.ghosts > 0 || len(r.blinds) > 0 && r.died {
		return to - from, "containers could not be reached"
	}
	if warm := r.warms(rate); min(warm, to)-from > unrest {
		unrest, why = min(warm, to)-from, "containers were cold"
	}
	if r.until > from && min(r.until, to)-from > unrest {
		unrest, why = min(r.until, to)-from, "calls of a dead container went on"
	}
	return unrest, why
}

// warms returns until when the latest cold containers are slow, at a rate. It allows twice
// the mean time that they need.
func (r *rest) warms(rate float64) int64 {
	last := int64(0)
	for t := range r.fresh {
		cold := r.w.spec.Tiers[t].Cold
		if r.w.spec.Tiers[t].Device.counts() {
			cold = max(cold, int32(min(2*r.w.spec.Tiers[t].Batch.MaxItems, 1e6)))
		}
		if cold == 0 || r.fresh[t] == 0 {
			continue
		}
		each := rate / float64(max(1, slices.Max(r.serving[t])))
		last = max(last, r.fresh[t]+int64(math.Min(2*float64(cold)/math.Max(each, 1e-9), 1e9)*1e9))
	}
	return last
}

// stretches divides the horizon up to an instant into parts, by how long the fleet takes
// there until its queues no longer depend on how they started.
func (w *world) stretches(until int64) []stretch {
	r := w.rest()
	steps := ratesFrom(&w.spec.Arrivals, 0)
	var list []stretch
	put := func(from, relax int64, why string) {
		if n := len(list); n == 0 || list[n-1].relax != relax {
			list = append(list, stretch{from, relax, why})
		}
	}
	at, step, next := int64(0), 0, 0
	for at < until {
		for ; next < len(w.tape) && w.tape[next].at <= at; next++ {
			r.apply(w.tape[next])
		}
		for step+1 < len(steps) && steps[step+1].at <= at {
			step++
		}
		to, rate := until, 0.0
		if next < len(w.tape) {
			to = min(to, w.tape[next].at)
		}
		if len(steps) > 0 {
			rate = steps[step].rate * 1e9
			if step+1 < len(steps) {
				to = min(to, steps[step+1].at)
			}
		}
		unrest, why := r.passes(at, to, rate)
		if unrest > 0 {
			put(at, never, why)
		}
		if unrest < to-at {
			put(at+unrest, int64(r.relaxes(rate)*1e9), "")
		}
		at = to
	}
	return list
}
