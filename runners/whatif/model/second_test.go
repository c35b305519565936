package model_test

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// A second, independent simulator of requests, to test the first. It shares no code with it:
// it has its own plan, clock, laws, queues and callers. Each call is a closure, and times
// are in seconds. Random fleets are written as plans and simulated by both.

// law is a distribution of work: det, exp, uniform or erlang, with a mean in seconds.
type law struct {
	kind string
	mean float64
}

func (l law) String() string {
	ms := l.mean * 1e3
	switch l.kind {
	case "uniform":
		return fmt.Sprintf("%q", fmt.Sprintf("uniform(%.6gms, %.6gms)", ms/2, ms*3/2))
	case "erlang":
		return fmt.Sprintf("%q", fmt.Sprintf("erlang(mean=%.6gms, k=3)", ms))
	case "exp":
		return fmt.Sprintf("%q", fmt.Sprintf("exp(mean=%.6gms)", ms))
	}
	return fmt.Sprintf("%.6gms", ms)
}

func (l law) draw(r *rand.Rand) float64 {
	switch l.kind {
	case "uniform":
		return l.mean * (0.5 + r.Float64())
	case "erlang":
		return l.mean / 3 * (r.ExpFloat64() + r.ExpFloat64() + r.ExpFloat64())
	case "exp":
		return l.mean * r.ExpFloat64()
	}
	return l.mean
}

// fleetTier is a tier of a random plan.
type fleetTier struct {
	replicas, threads int // number of replicas of each shard, and of threads of each
	cores             float64
	work              law
	queue             int // number of calls that may wait; -1 for any number
	priority, hold    bool
	shed              int // number of waiting calls above which calls of priority 1 are rejected; -1 for never
	skipLate          bool
}

// drawn is a random plan.
type drawn struct {
	seed                    uint64
	entry, ps, dense        fleetTier
	hasDense, mixed         bool
	numPS, shards           int
	way, perRPC, timeout    float64
	retries                 int
	target, balance         string
	cancel                  bool
	partial                 int
	base, factor, jitter    float64
	share, burst            float64 // share and burst of the retry budget; a share of 10 stands for no budget
	failures                int
	open                    float64
	rate, horizon, overhead float64
	together                int
	none                    bool    // contention
	second                  float64 // share of the requests with priority 1
	traffic, slow           float64 // factors by which traffic grows and a container slows down; 0 if not
	from, until             float64
	slowTier                string
	scale                   int     // number of entry containers from an instant on; 0 if it does not change
	steady                  bool    // whether all calls take equally long over the network
	share0                  float64 // share of the clients of the first of two idcs; 0 if there is a single idc
	evacuate                bool
	hedge                   float64 // time after which a second call is sent; 0 for none
	process                 string  // process of the arrivals: poisson, gamma or mmpp
	cv, peak, up, down      float64 // cv of gamma; for mmpp the factor of a burst, and the mean lengths of burst and quiet phase
	clients                 int     // number of clients of a closed loop; 0 for an open one
	think                   law
	kill                    string // tier of a container that dies; "" if none does
	refuse                  bool
	restart                 float64
	batched                 bool // dense
	perItem, hold           float64
	most, at                int // largest number of items of a batch, and number of batches at a time
	device                  *drawnDevice
}

func draw(seed uint64) *drawn {
	r := rand.New(rand.NewPCG(seed, 77))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	chance := func(p float64) bool { return r.Float64() < p }
	d := &drawn{seed: seed, horizon: 3, numPS: 1 + r.IntN(4), way: r.Float64() * 1e-3, perRPC: r.Float64() * 2e-4, retries: r.IntN(3), target: pick("fresh_random", "distinct", "same"), balance: pick("random", "random", "round_robin", "least_loaded"),
		cancel: chance(0.4), none: chance(0.3), share: 10, burst: 10, together: 1, traffic: 0}
	d.shards = 1 + r.IntN(d.numPS)
	tier := func() fleetTier {
		t := fleetTier{replicas: 1 + r.IntN(4), cores: float64(1 + r.IntN(4)), work: law{pick("det", "exp", "uniform", "erlang"), 1e-3 * (1 + 6*r.Float64())}, queue: -1, shed: -1}
		t.threads = int(t.cores) * (1 + r.IntN(2)*r.IntN(9))
		if chance(0.3) {
			t.queue = r.IntN(12)
		}
		return t
	}
	d.entry, d.ps, d.dense = tier(), tier(), tier()
	d.entry.hold = chance(0.2)
	d.hasDense = chance(0.4)
	if d.mixed = chance(0.25); d.mixed {
		n := 1 + r.IntN(3)
		d.ps.replicas, d.entry.replicas, d.dense.replicas = n, n*d.shards, n*d.shards
		d.entry.cores, d.dense.cores = d.ps.cores, d.ps.cores
	}
	if chance(0.5) {
		d.second = 0.2 + 0.6*r.Float64()
		for _, t := range []*fleetTier{&d.entry, &d.ps, &d.dense} {
			if t.priority = chance(0.6); chance(0.4) {
				t.shed = r.IntN(6)
			}
		}
	}
	d.ps.skipLate, d.dense.skipLate = chance(0.3), chance(0.3)
	d.timeout = (d.ps.work.mean + 2*d.way) * (2 + 10*r.Float64())
	if d.numPS > 1 && d.shards > 1 && chance(0.2) {
		d.partial = d.shards - 1
	}
	if chance(0.4) {
		d.base, d.factor, d.jitter = 1e-3*(1+9*r.Float64()), 1+2*r.Float64(), r.Float64()
	}
	if chance(0.3) {
		d.share, d.burst = 0.05+0.4*r.Float64(), float64(1+r.IntN(20))
	}
	if chance(0.25) {
		d.failures, d.open = 1+r.IntN(4), 0.05+0.3*r.Float64()
	}
	if chance(0.2) {
		d.together = 2 + r.IntN(6)
	}
	if !d.none && chance(0.2) {
		d.overhead = 0.01 * r.Float64()
	}
	full := math.Inf(1) // the rate at which the tier with the most load is full
	capacity := func(t *fleetTier) float64 {
		if d.none {
			return float64(t.threads)
		}
		return math.Min(float64(t.threads), t.cores)
	}
	most := float64((d.numPS + d.shards - 1) / d.shards)
	full = math.Min(full, float64(d.entry.replicas)*capacity(&d.entry)/d.entry.work.mean)
	full = math.Min(full, float64(d.ps.replicas)*capacity(&d.ps)/d.ps.work.mean/most)
	if d.hasDense {
		full = math.Min(full, float64(d.dense.replicas)*capacity(&d.dense)/d.dense.work.mean)
	}
	d.rate = math.Min(full*(0.3+0.75*r.Float64()), 2500)
	if d.mixed {
		d.rate /= 1.5
	}
	if chance(0.3) {
		d.traffic = 0.3 + 1.7*r.Float64()
	} else if chance(0.3) {
		d.slow, d.slowTier = 1.5+3*r.Float64(), pick("entry", "ps")
		if d.mixed {
			d.slowTier = "ps"
		}
	} else if !d.mixed && chance(0.5) {
		d.scale = 1 + r.IntN(6)
	}
	d.from = 0.5 + r.Float64()
	d.until = d.from + 0.3 + r.Float64()
	d.more(r, pick, chance)
	d.onDevice(r, chance)
	return d
}

// more draws what is seldom.
func (d *drawn) more(r *rand.Rand, pick func(...string) string, chance func(float64) bool) {
	d.steady = chance(0.4)
	if chance(0.25) {
		d.hedge = d.ps.work.mean * (0.5 + 2*r.Float64())
		if d.hedge > 0.9*d.timeout {
			d.hedge = 0.5 * d.timeout
		}
	}
	switch d.process = "poisson"; {
	case chance(0.15):
		d.clients, d.think = 1+r.IntN(60), law{pick("det", "exp", "uniform"), 5e-3 + 0.1*r.Float64()}
		d.together, d.traffic = 1, 0
	case d.together == 1 && chance(0.3):
		d.process, d.cv = "gamma", 0.3+1.7*r.Float64()
	case d.together == 1 && chance(0.3):
		d.process, d.peak, d.up, d.down = "mmpp", 1+4*r.Float64(), 0.05+0.2*r.Float64(), 0.1+0.4*r.Float64()
	}
	if d.hasDense && chance(0.5) {
		d.batched, d.perItem, d.hold = true, 1e-3*r.Float64(), 4e-3*r.Float64()
		d.most, d.at = 2+r.IntN(8), 1+r.IntN(3)
		d.dense.queue, d.dense.shed, d.dense.priority = -1, -1, false
		d.rate *= 0.7
	}
	if d.mixed || d.scale > 0 {
		return
	}
	if d.entry.replicas > 1 && chance(0.35) {
		d.share0, d.evacuate = 0.2+0.6*r.Float64(), d.traffic == 0 && d.slow == 0 && chance(0.6)
	}
	if d.traffic == 0 && d.slow == 0 && !d.evacuate && chance(0.5) {
		d.kill, d.refuse, d.restart = pick("entry", "ps"), chance(0.5), 0.3*r.Float64()
	}
}

// text returns the plan as YAML.
func (d *drawn) text() string {
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	put("apiVersion: capacity/v1\nseed: %d\nmodel: {size: {embeddings: 1GB, dense: 1GB}, ram_factor: 1x}", d.seed+1)
	put("override: {num_ps: %d, num_shard: %d, fetch_ps_timeout: %.9gms, fetch_ps_retry: %d, fetch_ps_long_conn_num: 1000000, aio_threads: 1000000, batching: {%s}}", d.numPS, d.shards, d.timeout*1e3, d.retries, d.batching())
	jitter := d.way / 2
	if d.steady {
		jitter = 0
	}
	put("network: {same_cluster: %s, same_idc: %s, cross_idc: {latency: %.9gms, jitter: %.9gms}, overhead_per_rpc: %.9gms}", d.there(), d.there(), d.way*1e3, jitter*1e3, d.perRPC*1e3)
	put("fleet:\n  boot: {model_load: 1000GB/s, load_fixed: 0s}")
	if d.share0 > 0 {
		put("  idcs: [{name: x}, {name: y}]")
	}
	if d.mixed {
		put("  mixed: {replicas: %d, cpu: %g, mem: 64GiB}", d.ps.replicas, d.ps.cores)
	} else {
		put("  entry: {replicas: %d, cpu: %g, mem: 64GiB}\n  ps: {replicas: %d, cpu: %g, mem: 64GiB}", d.entry.replicas, d.entry.cores, d.ps.replicas, d.ps.cores)
		if d.hasDense {
			put("  dense: {replicas: %d, cpu: %g, mem: 64GiB, services_per_container: %d}", d.dense.replicas, d.dense.cores, d.processes())
		}
	}
	put("service:")
	for _, t := range d.tiers() {
		if t.name == "dense" && !d.hasDense {
			continue
		}
		if t.name == "dense" && d.device != nil {
			put("  dense: {%s, skip_late: %v}\n  items: %q", d.device, t.skipLate, fmt.Sprintf("uniform(0.5, %d.5)", d.device.items))
			continue
		}
		if t.name == "dense" && d.batched {
			put("  dense: {batch: \"affine(base=%.9gms, per_item=%.9gms)\", skip_late: %v}", d.dense.work.mean*1e3, d.perItem*1e3, t.skipLate)
			continue
		}
		put("  %s: {cpu: %s, threads: %d, queue: %d, hold: %v, skip_late: %v", t.name, t.work, t.threads, t.queue, t.hold, t.skipLate)
		if d.second > 0 {
			put("    , by_priority: %v", t.priority)
		}
		if t.shed >= 0 {
			put("    , shed: [{priority: 1, waiting: %d}]", t.shed)
		}
		put("  }")
	}
	contention := "processor_sharing"
	if d.none {
		contention = "none"
	}
	put("  contention: {model: %s, overhead_per_runnable: %.9g}", contention, d.overhead)
	abandon := "continue"
	if d.cancel {
		abandon = "cancel"
	}
	put("client:\n  balance: %s\n  retry_target: %s\n  abandon: %s\n  retry_budget: {share: %.9g%%, burst: %g}", d.balance, d.target, abandon, d.share*100, d.burst)
	if d.partial > 0 {
		put("  partial: allow(min_shards=%d)", d.partial)
	}
	if d.base > 0 {
		put("  backoff: {base: %.9gms, factor: %.9gx, most: 10s, jitter: %.9g%%}", d.base*1e3, d.factor, d.jitter*100)
	}
	if d.failures > 0 {
		put("  breaker: {failures: %d, open: %.9gms}", d.failures, d.open*1e3)
	}
	if d.hedge > 0 {
		put("  hedge: {after: %.9gms}", d.hedge*1e3)
	}
	put("workload:\n  horizon: %gs", d.horizon)
	if d.clients > 0 {
		put("  loop: closed(clients=%d, think=%s)", d.clients, strings.Trim(d.think.String(), "\""))
	} else {
		put("  rate: %.9g/s", d.rate)
	}
	switch d.process {
	case "gamma":
		put("  arrivals: {process: gamma, cv: %.9g}", d.cv)
	case "mmpp":
		put("  arrivals: {process: mmpp, burst: %.9gx, mean_burst: %.9gms, mean_quiet: %.9gms}", d.peak, d.up*1e3, d.down*1e3)
	}
	if d.share0 > 0 {
		put("  places: {x: %.12g%%, y: %.12g%%}", d.share0*100, 100-d.share0*100)
	}
	if d.together > 1 {
		put("  arrivals: {batch: det(%d)}", d.together)
	}
	if d.second > 0 {
		put("  mix: [{model: a, share: %.9g%%}, {model: b, class_of: a, priority: 1, share: %.9g%%}]", (1-d.second)*100, d.second*100)
	}
	switch {
	case d.device != nil && d.device.publish:
		put("events: [{at: %.9gms, publish: {version: 2}}]", d.from*1e3)
	case d.traffic > 0:
		put("events: [{at: %.9gms, for: %.9gms, traffic: {factor: %.9gx}}]", d.from*1e3, (d.until-d.from)*1e3, d.traffic)
	case d.evacuate:
		put("events: [{at: %.9gms, for: %.9gms, evacuate: {idc: x, after: 100ms}}]", d.from*1e3, (d.until-d.from)*1e3)
	case d.kill != "":
		put("events: [{at: %.9gms, kill: {%s: {count: 1}, refuse: %v}, restart_after: %.9gms}]", d.from*1e3, d.kill, d.refuse, d.restart*1e3)
	case d.scale > 0:
		put("events: [{at: %.9gms, scale: {entry: %d}}]", d.from*1e3, d.scale)
	case d.slow > 0:
		put("events: [{at: %.9gms, for: %.9gms, slow: {%s: {count: 1, factor: %.9gx}}}]", d.from*1e3, (d.until-d.from)*1e3, d.slowTier, d.slow)
	}
	return b.String()
}

// there is how long a call is on its way.
func (d *drawn) there() law {
	if d.steady {
		return law{"det", d.way}
	}
	return law{"uniform", d.way}
}

func (d *drawn) batching() string {
	if !d.batched {
		return "enabled: false"
	}
	return fmt.Sprintf("enabled: true, max_batch_size: %d, batch_timeout: %.9gms, num_batch_threads: %d", d.most, d.hold*1e3, d.at)
}

type namedTier struct {
	name string
	*fleetTier
}

func (d *drawn) tiers() []namedTier {
	return []namedTier{{"entry", &d.entry}, {"ps", &d.ps}, {"dense", &d.dense}}
}

// happening is an event of the second simulator. seq orders events at the same time.
type happening struct {
	at  float64
	seq int
	do  func()
}

type happenings []happening

func (h happenings) Len() int { return len(h) }
func (h happenings) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}
func (h happenings) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *happenings) Push(x any)   { *h = append(*h, x.(happening)) }
func (h *happenings) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// stage is the work of a request or a call at one container.
type stage struct {
	left, deadline float64 // seconds of work left, and the instant of the deadline
	priority       int
	running, gone  bool
	done, lost     func() // called when it is done, or when its container dies before
	at             *container
	items          int
	calls          []*stage // of a batch
}

// cpu is the set of cores of a container, which several processes may share.
type cpu struct {
	s        *second
	cores    float64 // number of cores that all jobs share; +Inf if each has a core of its own
	overhead float64
	running  []*stage
	since    float64
	turn     int // number of the plan for the next end; earlier plans are void
	busy     float64
}

// container is one process of a container, with its threads and its queue.
type container struct {
	*fleetTier
	cpu     *cpu
	used    int
	waiting []*stage
	slow    float64
	idc     int
	dead    bool
	refuse  bool
	feeds   []*feed
	working []*stage // has a thread
	deaths  int
	device  *deviceState
}

// feed is a server process that computes batches.
type feed struct {
	groups []*group // waiting batches, the last of which may accept more calls
	used   int
}

// group is a batch.
type group struct {
	stages []*stage
	items  int
	since  float64
	closed bool
}

// caller is what an entry container knows about the containers it calls.
type caller struct {
	tokens float64
	turns  map[[2]int]int
	known  map[*container]*link
}

// link is a caller's view of a container.
type link struct {
	outstanding, failures int
	opened                float64 // -1 while closed
	probed                bool
}

// second is one run.
type second struct {
	*drawn
	r       *rand.Rand
	now     float64
	list    happenings
	seq     int
	entries []*container
	groups  map[[2]int][]*container // containers by tier (1 PS, 2 dense) and shard
	callers []*caller
	open    int // number of open requests of the window
	sent    int
	came    int
	number  int
	asked   map[*asked]bool // requests in progress
	moved   bool            // whether the clients of the first idc use the other idc
	failed  int
	ended   int
	latency float64
}

func (s *second) after(wait float64, do func()) {
	s.seq++
	heap.Push(&s.list, happening{s.now + wait, s.seq, do})
}

func (c *cpu) speed() float64 {
	n := float64(len(c.running))
	if n <= c.cores {
		return 1
	}
	return c.cores / n * math.Max(0.01, 1-c.overhead*(n-c.cores))
}

func (c *cpu) pass() {
	passed := c.s.now - c.since
	v := c.speed()
	for _, one := range c.running {
		one.left -= passed * v
	}
	if in := math.Min(c.s.now, c.s.horizon) - c.since; in > 0 {
		c.busy += in * math.Min(float64(len(c.running)), c.cores)
	}
	c.since = c.s.now
}

func (c *cpu) plan() {
	c.turn++
	if len(c.running) == 0 {
		return
	}
	first := slices.MinFunc(c.running, func(a, b *stage) int {
		switch {
		case a.left < b.left:
			return -1
		case a.left > b.left:
			return 1
		}
		return 0
	})
	turn := c.turn
	c.s.after(math.Max(0, first.left)/c.speed(), func() {
		if c.turn != turn {
			return
		}
		c.pass()
		c.running = slices.DeleteFunc(c.running, func(one *stage) bool { return one == first })
		first.running = false
		c.plan()
		first.at.ends(first)
	})
}

// ends frees the thread of a stage, unless the request holds it, and continues with the next
// stage.
func (c *container) ends(one *stage) {
	c.working = slices.DeleteFunc(c.working, func(other *stage) bool { return other == one })
	if !c.hold {
		c.next()
	}
	one.done()
}

func (c *container) begin(one *stage) {
	one.left *= c.slow
	one.running = true
	c.working = append(c.working, one)
	c.cpu.pass()
	c.cpu.running = append(c.cpu.running, one)
	c.cpu.plan()
}

// next gives a free thread to the first waiting stage.
func (c *container) next() {
	c.used--
	for len(c.waiting) > 0 {
		one := c.waiting[0]
		c.waiting = c.waiting[1:]
		if c.skipLate && c.cpu.s.now >= one.deadline {
			one.gone = true
			continue
		}
		c.used++
		c.begin(one)
		return
	}
}

// takes gives a stage to a container. It returns false if the container rejects the stage.
func (c *container) takes(one *stage) bool {
	one.at = c
	if c.cpu.s.batched && c.fleetTier == &c.cpu.s.dense {
		c.joins(one)
		return true
	}
	if c.skipLate && c.cpu.s.now >= one.deadline {
		one.gone = true
		return true
	}
	if c.used < c.threads {
		c.used++
		c.begin(one)
		return true
	}
	most := c.queue
	if c.shed >= 0 && one.priority >= 1 && (most < 0 || c.shed < most) {
		most = c.shed
	}
	if most >= 0 && len(c.waiting) >= most {
		return false
	}
	place := len(c.waiting)
	if c.priority && c.cpu.s.second > 0 {
		for place > 0 && c.waiting[place-1].priority > one.priority {
			place--
		}
	}
	c.waiting = slices.Insert(c.waiting, place, one)
	return true
}

// joins puts a call into the batch that fills, of any process.
func (c *container) joins(one *stage) {
	s := c.cpu.s
	f := c.feeds[s.r.IntN(len(c.feeds))]
	if n := len(f.groups); n > 0 && f.groups[n-1].items+one.items > s.most {
		f.groups[n-1].closed = true
	}
	if n := len(f.groups); n == 0 || f.groups[n-1].closed {
		f.groups = append(f.groups, &group{since: s.now})
		s.after(s.hold, func() { c.forms(f) })
	}
	g := f.groups[len(f.groups)-1]
	g.stages = append(g.stages, one)
	g.items += one.items
	g.closed = g.items >= s.most
	c.forms(f)
}

// forms gives batches that are full, or have waited for long enough, to threads.
func (c *container) forms(f *feed) {
	s := c.cpu.s
	for len(f.groups) > 0 && f.used < s.at {
		g := f.groups[0]
		if !g.closed && s.now < g.since+s.hold-1e-9 {
			return
		}
		f.groups = f.groups[1:]
		if c.skipLate && !slices.ContainsFunc(g.stages, func(one *stage) bool { return s.now < one.deadline }) {
			continue
		}
		c.used++
		f.used++
		all := &stage{at: c, left: s.dense.work.mean + s.perItem*float64(g.items), calls: g.stages}
		all.done = func() { // runs when a thread of the container is free
			f.used--
			if c.device != nil {
				c.device.idle = s.now
			}
			c.forms(f)
			for _, one := range g.stages {
				one.done()
			}
		}
		if c.device != nil {
			c.compute(all, f, g.items)
			continue
		}
		c.begin(all)
	}
}

// dies ends a container: its work is lost.
func (c *container) dies(refuse bool) {
	s := c.cpu.s
	c.cpu.pass()
	c.dead, c.refuse = true, refuse
	c.deaths++
	lost := append(c.working, c.waiting...)
	for _, f := range c.feeds {
		for _, g := range f.groups {
			lost = append(lost, g.stages...)
		}
		f.groups, f.used = nil, 0
	}
	for _, one := range slices.Clone(lost) {
		lost = append(lost, one.calls...)
	}
	c.cpu.running, c.waiting, c.working, c.used = nil, nil, nil, 0
	c.cpu.plan()
	for _, one := range lost {
		one.running, one.gone = false, true
		if refuse && one.lost != nil {
			s.after(0, one.lost)
		}
	}
}

// withdraw removes a stage from its container.
func (c *container) withdraw(one *stage) {
	if c.cpu.s.batched && c.fleetTier == &c.cpu.s.dense {
		return // the call's batch goes on with the call in it
	}
	if one.running {
		c.cpu.pass()
		c.cpu.running = slices.DeleteFunc(c.cpu.running, func(other *stage) bool { return other == one })
		one.running = false
		c.working = slices.DeleteFunc(c.working, func(other *stage) bool { return other == one })
		c.cpu.plan()
		c.next()
		return
	}
	c.waiting = slices.DeleteFunc(c.waiting, func(other *stage) bool { return other == one })
}

// asked is a request.
type asked struct {
	at       float64
	number   int
	priority int
	items    int
	entry    *container
	caller   *caller
	over     bool
	held     bool
	calls    []*asking // under way
	left     int       // number of calls that have been neither answered nor failed
	answered int
	need     int
	tier     int
}

// asking is one attempt of a call.
type asking struct {
	to    *container
	stage *stage
	over  bool
	probe bool
	// second is the other one of a call and its hedge.
	second *asking
}

func (s *second) arrive() {
	s.number++
	q := &asked{at: s.now, number: s.number, items: 1}
	if s.device != nil {
		q.items = 1 + s.r.IntN(s.device.items)
	}
	live := s.live()
	if s.r.Float64() < s.drawn.second {
		q.priority = 1
	}
	if q.at < s.horizon {
		s.came++
		s.open++
	}
	if len(live) == 0 {
		s.end(q, false)
		return
	}
	k := live[s.r.IntN(len(live))]
	q.entry, q.caller = s.entries[k], s.callers[k]
	s.asked[q] = true
	one := &stage{left: s.entry.work.draw(s.r), deadline: math.Inf(1), priority: q.priority, done: func() { s.fan(q, 1) }}
	q.held = s.entry.hold
	if !q.entry.takes(one) {
		q.held = false
		s.end(q, false)
	}
}

// live returns the entry containers that a request may come to.
func (s *second) live() (list []int) {
	idc := -1
	if s.share0 > 0 {
		if idc = 0; s.moved || s.r.Float64() >= s.share0 {
			idc = 1
		}
	}
	for k, one := range s.entries {
		if !one.dead && (idc < 0 || one.idc == idc) {
			list = append(list, k)
		}
	}
	return list
}

// end ends a request.
func (s *second) end(q *asked, well bool) {
	if q.over {
		return
	}
	q.over = true
	for _, a := range slices.Clone(q.calls) {
		s.giveUp(q, a, false)
	}
	if q.held && !q.entry.dead {
		q.entry.next()
	}
	delete(s.asked, q)
	if s.clients > 0 {
		s.after(s.think.draw(s.r), s.arrive)
	}
	if q.at >= s.horizon {
		return
	}
	s.open--
	if s.ended++; !well {
		s.failed++
		return
	}
	s.latency += s.now - q.at
}

// fan sends all calls of a request to a tier.
func (s *second) fan(q *asked, tier int) {
	n := 1
	q.need = 1
	if tier == 1 {
		n, q.need = s.numPS, s.numPS
		if s.partial > 0 {
			q.need = s.partial * s.numPS / s.shards
		}
	}
	q.tier, q.left, q.answered = tier, n, 0
	if s.share < 10 {
		q.caller.tokens = math.Min(s.burst, q.caller.tokens+s.share*float64(n))
	}
	for i := range n {
		if q.over {
			return
		}
		shard := 0
		if tier == 1 {
			shard = i % s.shards
		}
		s.call(q, tier, shard, 0, nil, nil)
	}
}

func (s *second) link(c *caller, to *container) *link {
	l := c.known[to]
	if l == nil {
		l = &link{opened: -1}
		c.known[to] = l
	}
	return l
}

func (s *second) passes(l *link) bool {
	return s.failures == 0 || l.opened < 0 || !l.probed && s.now >= l.opened+s.drawn.open
}

// choose returns the container for an attempt. It returns nil if there is none.
func (s *second) choose(c *caller, tier, shard int, tried []*container) *container {
	var free []*container
	for _, to := range s.groups[[2]int{tier, shard}] {
		if s.passes(s.link(c, to)) {
			free = append(free, to)
		}
	}
	if len(tried) > 0 && s.target == "distinct" {
		if fresh := slices.DeleteFunc(slices.Clone(free), func(to *container) bool { return slices.Contains(tried, to) }); len(fresh) > 0 {
			return fresh[s.r.IntN(len(fresh))]
		}
	}
	if len(free) == 0 {
		return nil
	}
	switch s.balance {
	case "round_robin":
		key := [2]int{tier, shard}
		c.turns[key]++
		return free[(c.turns[key]-1)%len(free)]
	case "least_loaded":
		least := math.MaxInt
		var best []*container
		for _, to := range free {
			n := s.link(c, to).outstanding
			if n < least {
				least, best = n, nil
			}
			if n == least {
				best = append(best, to)
			}
		}
		free = best
	}
	return free[s.r.IntN(len(free))]
}

// call sends one attempt of a call.
func (s *second) call(q *asked, tier, shard, attempt int, last *container, tried []*container) {
	to := last
	if to == nil || s.target != "same" {
		to = s.choose(q.caller, tier, shard, tried)
	} else if !s.passes(s.link(q.caller, to)) {
		to = nil
	}
	s.sent++
	if to == nil {
		s.fails(q)
		return
	}
	sent := s.now
	var a *asking
	again := func() {
		if q.over || a.over {
			return
		}
		s.giveUp(q, a, true)
		if a.second != nil && !a.second.over {
			s.giveUp(q, a.second, false)
		}
		if attempt >= s.retries || s.share < 10 && q.caller.tokens < 1-1e-6 {
			s.fails(q)
			return
		}
		if s.share < 10 {
			q.caller.tokens--
		}
		send := func() {
			if !q.over {
				s.call(q, tier, shard, attempt+1, to, append(slices.Clone(tried), to))
			}
		}
		if s.base == 0 {
			send()
			return
		}
		s.after(math.Min(10, s.base*math.Pow(s.factor, float64(attempt)))*(1+s.jitter*(2*s.r.Float64()-1)), send)
	}
	a = s.launch(q, tier, to, sent, again)
	s.after(s.timeout, again)
	if s.hedge > 0 && attempt == 0 && tier == 1 {
		s.after(s.hedge, func() {
			if q.over || a.over {
				return
			}
			s.sent++
			if other := s.choose(q.caller, tier, shard, nil); other != nil {
				var b *asking
				b = s.launch(q, tier, other, s.now, func() {
					if !q.over && !b.over {
						s.giveUp(q, b, true)
					}
				})
				a.second, b.second = b, a
			}
		})
	}
}

// launch sends a call to a container. refused runs when that turns it away, or dies and resets it.
func (s *second) launch(q *asked, tier int, to *container, sent float64, refused func()) *asking {
	l := s.link(q.caller, to)
	a := &asking{to: to, probe: s.failures > 0 && l.opened >= 0}
	l.probed = l.probed || a.probe
	l.outstanding++
	q.calls = append(q.calls, a)
	work := s.ps.work
	if tier == 2 {
		work = s.dense.work
	}
	way := func() float64 { return s.there().draw(s.r) + s.perRPC/2 }
	s.after(way(), func() {
		if to.dead {
			if to.refuse {
				refused()
			}
			return
		}
		one := &stage{left: work.draw(s.r), deadline: sent + s.timeout, priority: q.priority, lost: refused, items: 1}
		if !a.over && s.device != nil {
			one.items = q.items
		}
		a.stage = one
		one.done = func() {
			a.stage = nil
			s.after(way(), func() { s.answer(q, a) })
		}
		if !to.takes(one) {
			a.stage = nil
			refused()
		} else if one.gone {
			a.stage = nil
		}
	})
	return a
}

// giveUp ends a caller's wait for an attempt.
func (s *second) giveUp(q *asked, a *asking, failed bool) {
	a.over = true
	q.calls = slices.DeleteFunc(q.calls, func(other *asking) bool { return other == a })
	l := s.link(q.caller, a.to)
	l.outstanding--
	if s.failures > 0 {
		switch {
		case a.probe:
			if l.probed = false; failed {
				l.opened = s.now
			}
		case failed && l.opened < 0:
			if l.failures++; l.failures >= s.failures {
				l.opened, l.failures = s.now, 0
			}
		}
	}
	if s.cancel && a.stage != nil && !a.stage.gone {
		one := a.stage
		a.stage = nil
		a.to.withdraw(one)
	}
}

// answer handles the arrival of an answer at its caller.
func (s *second) answer(q *asked, a *asking) {
	if a.over || q.over {
		return
	}
	a.over = true
	q.calls = slices.DeleteFunc(q.calls, func(other *asking) bool { return other == a })
	l := s.link(q.caller, a.to)
	l.outstanding--
	if l.failures = 0; a.probe {
		l.opened, l.probed = -1, false
	}
	if a.second != nil && !a.second.over {
		s.giveUp(q, a.second, false)
	}
	q.answered++
	q.left--
	s.settle(q)
}

// fails counts a call as failed after its last attempt.
func (s *second) fails(q *asked) {
	q.left--
	if q.tier == 2 || q.answered+q.left < q.need {
		s.end(q, false)
		return
	}
	s.settle(q)
}

func (s *second) settle(q *asked) {
	switch {
	case q.left > 0 || q.over:
	case q.tier == 1 && s.hasDense:
		s.fan(q, 2)
	default:
		s.end(q, true)
	}
}

// play simulates a run and returns four numbers: mean latency, the share of failed requests,
// the utilization of PS cores, and calls per request.
func (d *drawn) play(run uint64) [4]float64 {
	s := &second{drawn: d, r: rand.New(rand.NewPCG(d.seed, run+1)), groups: map[[2]int][]*container{}, asked: map[*asked]bool{}}
	fresh := func(t *fleetTier, of *cpu) *container {
		if of == nil {
			of = &cpu{s: s, cores: t.cores, overhead: d.overhead}
			if d.none {
				of.cores = math.Inf(1)
			}
		}
		return &container{fleetTier: t, cpu: of, slow: 1}
	}
	var ps []*container
	for shard := range d.shards {
		for range d.ps.replicas {
			one := fresh(&d.ps, nil)
			ps = append(ps, one)
			s.groups[[2]int{1, shard}] = append(s.groups[[2]int{1, shard}], one)
		}
	}
	of := func(k int) *cpu {
		if d.mixed {
			return ps[k].cpu
		}
		return nil
	}
	var dense []*container
	for k := range d.dense.replicas {
		if d.hasDense {
			one := fresh(&d.dense, of(k))
			for range d.processes() {
				one.feeds = append(one.feeds, &feed{})
			}
			s.furnish(one)
			dense = append(dense, one)
		}
	}
	s.groups[[2]int{2, 0}] = dense
	for k := range d.entry.replicas {
		s.entries = append(s.entries, fresh(&d.entry, of(k)))
		s.callers = append(s.callers, &caller{tokens: d.burst, turns: map[[2]int]int{}, known: map[*container]*link{}})
	}
	if d.slow > 0 {
		some := map[string][]*container{"entry": s.entries, "ps": ps}[d.slowTier]
		k := s.r.IntN(len(some))
		one := []*container{some[k]}
		if d.mixed {
			if one = append(one, s.entries[k]); d.hasDense {
				one = append(one, dense[k])
			}
		}
		for _, c := range one {
			s.after(d.from, func() { c.slow = d.slow })
			s.after(d.until, func() { c.slow = 1 })
		}
	}
	if n := d.entry.replicas; d.scale > 0 && d.scale <= n { // containers that are removed finish the requests that they have
		s.after(d.from, func() { s.entries = s.entries[:d.scale] })
	} else if d.scale > 0 {
		load := 0.0
		if !d.hasDense {
			load = 1e-3 // a container loads 1 GB for the dense part
		}
		s.after(d.from+load, func() {
			for range d.scale - n {
				s.entries = append(s.entries, fresh(&d.entry, nil))
				s.callers = append(s.callers, &caller{tokens: d.burst, turns: map[[2]int]int{}, known: map[*container]*link{}})
			}
		})
	}
	if d.share0 > 0 {
		for k, one := range s.entries {
			one.idc = k % 2
		}
	}
	if d.evacuate {
		s.after(d.from+0.1, func() { s.moved = true })
		s.after(d.until, func() { s.moved = false })
	}
	if d.kill != "" {
		s.kills(ps, dense)
	}
	for range d.clients {
		s.after(s.r.Float64()*d.think.draw(s.r), s.arrive)
	}
	if d.clients == 0 {
		s.comes()
	}
	for len(s.list) > 0 && (s.list[0].at < d.horizon || s.open > 0 && s.list[0].at < d.horizon+60) {
		next := heap.Pop(&s.list).(happening)
		s.now = next.at
		next.do()
	}
	s.now = math.Max(s.now, d.horizon)
	busy := 0.0
	for _, c := range ps {
		c.cpu.pass()
		busy += c.cpu.busy
	}
	return [4]float64{s.latency / math.Max(1, float64(s.ended-s.failed)), float64(s.failed) / float64(s.came), busy / d.horizon, float64(s.sent) / float64(s.came)}
}

// comes lets requests come.
func (s *second) comes() {
	d := s.drawn
	gap := s.r.ExpFloat64
	if d.process == "gamma" {
		gap = func() float64 { return gamma(s.r, 1/(d.cv*d.cv)) * d.cv * d.cv }
	}
	factor, phase := 1.0, math.Inf(1) // factor of the present phase of mmpp, and when the next phase begins
	burst, quiet := false, 1.0
	if d.process == "mmpp" {
		share := d.up / (d.up + d.down)
		quiet = 1 / (share*d.peak + 1 - share)
		burst = s.r.Float64() >= share
		phase = 0
	}
	left := gap() // time to the next arrivals, in mean gaps
	var come func()
	come = func() {
		if s.now >= phase {
			burst = !burst
			factor, phase = quiet, s.now+d.down*s.r.ExpFloat64()
			if burst {
				factor, phase = quiet*d.peak, s.now+d.up*s.r.ExpFloat64()
			}
		}
		rate, to := d.rate*factor/float64(d.together), phase
		if d.traffic > 0 {
			switch {
			case s.now < d.from:
				to = math.Min(to, d.from)
			case s.now < d.until:
				rate, to = rate*d.traffic, math.Min(to, d.until)
			}
		}
		if s.now+left/rate > to { // the remaining part of the gap passes at another rate
			left -= (to - s.now) * rate
			s.seq++
			heap.Push(&s.list, happening{to, s.seq, come})
			return
		}
		s.after(left/rate, func() {
			for range d.together {
				s.arrive()
			}
			left = gap()
			come()
		})
	}
	come()
}

// gamma draws of a gamma law of mean and shape k (Marsaglia and Tsang).
func gamma(r *rand.Rand, k float64) float64 {
	if k < 1 {
		return gamma(r, k+1) * math.Pow(r.Float64(), 1/k)
	}
	d := k - 1.0/3
	for {
		x := r.NormFloat64()
		v := math.Pow(1+x/math.Sqrt(9*d), 3)
		if v > 0 && math.Log(r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// kills lets one container die, and start again.
func (s *second) kills(ps, dense []*container) {
	some, load := ps, 0.0
	if s.kill == "entry" {
		if some = s.entries; !s.hasDense {
			load = 1e-3 // a container loads 1 GB for the dense part
		}
	}
	if s.kill == "dense" { // 1 GB for each process, and its copy to the device
		some, load = dense, float64(s.processes())*1e-3+s.device.copied()
	}
	k := s.r.IntN(len(some))
	one := some[k]
	if s.kill == "ps" {
		shard, hosts := k/s.drawn.ps.replicas, s.numPS/s.shards
		if shard < s.numPS%s.shards {
			hosts++
		}
		load = 1e-3 * float64(hosts) / float64(s.numPS)
	}
	s.after(s.from, func() {
		one.dies(s.refuse)
		if s.kill != "entry" {
			return
		}
		var of []*asked
		for q := range s.asked {
			if q.entry == one {
				of = append(of, q)
			}
		}
		slices.SortFunc(of, func(a, b *asked) int { return a.number - b.number })
		for _, q := range of {
			s.end(q, false)
		}
	})
	s.after(s.from+s.restart+load, func() {
		if one.dead = false; one.device != nil {
			one.device.anew(false)
		}
		if s.kill == "entry" { // a process that starts has forgotten what it knew of containers
			who := s.callers[k]
			who.tokens, who.turns = s.burst, map[[2]int]int{}
			for _, l := range who.known {
				l.failures, l.opened, l.probed = 0, -1, false
			}
		}
	})
}

// first simulates a run of the plan with the simulator that is tested, and returns the same
// four numbers.
func (d *drawn) first(t *testing.T, spec *model.Spec, run int) [4]float64 {
	t.Helper()
	one, err := spec.Run(0, run)
	if err != nil {
		t.Fatal(err)
	}
	if !one.Conserved {
		t.Errorf("plan %d, run %d: calls or requests are lost", d.seed, run)
	}
	failed := int64(0)
	for _, n := range one.Failed {
		failed += n
	}
	return [4]float64{float64(one.SumNs) / 1e9 / math.Max(1, float64(one.Completed)), float64(failed) / float64(one.Arrived), float64(one.Tiers[model.PS].BusyNs) / 1e9 / d.horizon, float64(one.Calls.Sent) / float64(one.Arrived)}
}

// Goal: the model plays plans as a simulator does that shares nothing with it. Method: plans at random of
// the whole way of a request (fan-out, dense, mixed containers, shared cores, queues, priorities and who is shed,
// timeouts, retries with backoff, budgets and breakers, hedges, late calls, batches, devices, requests at once, in bursts, by
// clients that wait and from places, more traffic, evacuations, slow and dead containers, and more or fewer of them), from an empty fleet on, some runs of each by both. No figure of no plan differs by six standard
// errors, and their sum over all plans by five. With MONOSIM_NIGHTLY 300 plans, else 20.
func TestASecondSimulatorPlaysTheSame(t *testing.T) {
	plans, runs := 20, 12
	if os.Getenv("MONOSIM_NIGHTLY") != "" {
		plans = 300
	}
	figures := [4]string{"mean latency", "share that failed", "busy PS", "calls a request"}
	var sums, squares [4]float64
	outside := 0
	for seed := range uint64(plans) {
		d := draw(seed)
		_, p, _, err := plan.Parse("plan.yaml", []byte(d.text()))
		if err != nil {
			t.Fatalf("plan %d: %v\n%s", seed, err, d.text())
		}
		spec := model.Compile(p, model.Condition{})
		spec.Windows = []model.Window{{Window: p.Windows()[0]}}
		var both [2][4][]float64
		for run := range runs {
			for k, one := range [2][4]float64{d.first(t, spec, run), d.play(uint64(run))} {
				for f, x := range one {
					both[k][f] = append(both[k][f], x)
				}
			}
		}
		for f, name := range figures {
			a, b := moments(both[0][f]), moments(both[1][f])
			differ := a[0] - b[0]
			if math.Abs(differ) <= 1e-6*math.Abs(b[0]) { // the first simulator rounds times to whole nanoseconds
				continue
			}
			z := differ / math.Sqrt((a[1]+b[1])/float64(runs))
			sums[f] += z
			squares[f]++
			if !(math.Abs(z) < 6) {
				outside++
				t.Errorf("plan %d: %s is %.6g, by the second simulator %.6g (%.1f standard errors)\n%s", seed, name, a[0], b[0], z, d.text())
			}
		}
	}
	for f, name := range figures {
		if z := sums[f] / math.Sqrt(math.Max(squares[f], 1)); math.Abs(z) > 5 {
			t.Errorf("%s: over all plans it differs by %.1f standard errors", name, z)
		} else {
			t.Logf("%s: %.0f plans, over all of them %.1f standard errors apart", name, squares[f], z)
		}
	}
	t.Logf("%d plans, %d figures outside", plans, outside)
}

// moments returns the mean and the variance of a list.
func moments(list []float64) (m [2]float64) {
	for _, x := range list {
		m[0] += x / float64(len(list))
	}
	for _, x := range list {
		m[1] += (x - m[0]) * (x - m[0]) / float64(len(list)-1)
	}
	return m
}
