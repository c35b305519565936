package model

import (
	"math"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/hpa"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// An autoscaler that measures reacts to what the simulated containers did. Its decisions are
// therefore computed during the simulation of requests, and so are all events of a plan that has
// one. For other plans, events and decisions are computed before any request.

// scaler is the autoscaler for one shard of a tier.
type scaler struct {
	tier, shard int
	plan        *plan.Autoscaler
	metrics     []plan.Metered
	config      hpa.Config
	auto        *hpa.Autoscaler
	asked       int        // number of containers that the autoscaler wants at present
	first, most int        // index of the shard's first container, and the largest number of containers it may have
	cores       float64    // cores of one container
	agent       float64    // cores that a container's agent keeps busy
	held        int        // index in Life.Holds of the [Hold] in progress, -1 if there is none
	looks       []hpa.Look // what the autoscaler saw at each look; kept only for [Spec.Measured]
	decided     []int      // number of containers that it decided on at each of these looks
}

// pod is a container as an autoscaler that measures sees it.
type pod struct {
	hpa.Pod
	exists bool   // whether the container is in use, rather than a spare for scaling up
	silent bool   // whether the container reports nothing because its process is dead
	from   int64  // instant at which its present process started, from which it reports metrics
	boot   uint32 // number of starts and ends so far; a change that was scheduled under another number is void
	made   int    // place in the order in which containers were created
	window int64  // length of a metrics window in nanoseconds
	base   int64  // number of the metrics window that slots[0] stands for
	slots  []slot // what the container did in metrics window base and in those after it
	loads  int64  // time up to which the CPU time of loading versions has been counted
}

// slot holds what a container did in one metrics window: busy nanoseconds, number of requests that
// arrived, and number of calls that waited at the sampling.
type slot struct{ busy, came, waits int64 }

func floorDiv(a, b int64) int64 { return int64(math.Floor(float64(a) / float64(b))) }

// slot returns what is counted in metrics window number k. It returns nil if that window is so old
// that its counts have been dropped.
func (p *pod) slot(k int64) *slot {
	if len(p.slots) == 0 {
		p.base = k
	}
	if k < p.base {
		return nil
	}
	for int64(len(p.slots)) <= k-p.base {
		p.slots = append(p.slots, slot{})
	}
	return &p.slots[k-p.base]
}

// worked adds the CPU time that a number of busy cores used between two instants of the horizon.
func (p *pod) worked(from, to int64, cores float64) {
	for from < to {
		k := floorDiv(from, p.window)
		end := min(to, (k+1)*p.window)
		if s := p.slot(k); s != nil {
			s.busy += int64(float64(end-from) * cores)
		}
		from = end
	}
}

// came counts a request or call that arrives at a container now.
func (w *world) came(s *server) {
	if s.pod == nil {
		return
	}
	if one := s.pod.slot(floorDiv(w.base+w.now, s.pod.window)); one != nil {
		one.came++
	}
}

// loading counts the CPU time that a container has used up to now for loading versions.
func (w *world) loading(s *server) {
	if s.pod == nil {
		return
	}
	at := w.base + w.now
	if s.loading > 0 {
		s.pod.worked(s.pod.loads, at, float64(s.loading))
	}
	s.pod.loads = at
}

// beginScalers creates the autoscalers that measure what containers do. Those that know the offered
// load are computed before the simulation. beginScalers has to run before the first change is
// applied.
func (w *world) beginScalers() {
	p := w.spec.Control.Plan
	if p == nil || !p.Measures() {
		return
	}
	for t, name := range plan.TierNames {
		a := p.Autoscale.Of(name)
		if a == nil || !a.Measured() || !w.spec.Has(t) {
			continue
		}
		tier := p.Fleet.Tier(name)
		for shard := range w.spec.Tiers[t].Replicas {
			s := &scaler{held: -1, tier: t, shard: shard, plan: a, metrics: a.Looks(), config: AutoscalerOf(a, tier.CPU), cores: tier.CPU, agent: p.Service.AgentCPU}
			s.auto = hpa.New(s.config)
			s.first = slices.IndexFunc(w.servers, func(one server) bool { return int(one.tier) == t && int(one.shard) == shard })
			for i := s.first; i < len(w.servers) && int(w.servers[i].tier) == t && int(w.servers[i].shard) == shard; i++ {
				one := &w.servers[i]
				const old = -int64(time.Hour)
				one.pod = &pod{exists: one.up || one.visible, silent: !one.up, window: int64(a.ScrapeWindow), from: old, Pod: hpa.Pod{Started: old, Ready: one.up, Since: old + int64(time.Second)}}
				if one.pod.exists {
					s.asked++
				}
				s.most++
			}
			w.scalers = append(w.scalers, s)
		}
	}
}

// AutoscalerOf converts a plan's autoscaler to a configuration, for containers with the
// given cores.
func AutoscalerOf(a *plan.Autoscaler, cores float64) hpa.Config {
	c := hpa.Config{Min: a.Min, Max: a.Max, DownWindow: time.Duration(a.StabiliseDown), Tolerance: float64(a.Tolerance), Starting: time.Duration(a.Starting), ReadyDelay: time.Duration(a.ReadyDelay)}
	if a.Request > 0 {
		cores = a.Request
	}
	c.Request = int64(math.Round(cores * 1000))
	for _, m := range a.Looks() {
		one := hpa.Metric{Target: int64(math.Round(float64(m.Target) * 1000))}
		if m.Metric == "cpu" {
			one = hpa.Metric{CPU: true, Target: int64(math.Round(float64(m.Target) * 100))}
		}
		c.Metrics = append(c.Metrics, one)
	}
	if b := a.Behavior; b != nil {
		c.Behavior = &hpa.Behavior{Up: rulesOf(&b.Up, a.StabiliseUp, hpa.Policy{Value: 4, Period: 15 * time.Second}), Down: rulesOf(&b.Down, a.StabiliseDown)}
	}
	return c
}

// rulesOf returns the rules for scaling in one direction. If the plan has no policies for it, the
// defaults apply: the policies in more, and one that allows a change by 100 % in 15 s.
func rulesOf(r *plan.HPARules, window plan.Duration, more ...hpa.Policy) hpa.Rules {
	out := hpa.Rules{Window: time.Duration(window), Select: map[string]string{"max": "Max", "min": "Min", "disabled": "Disabled"}[r.Select]}
	if r.Tolerance != nil {
		t := float64(*r.Tolerance)
		out.Tolerance = &t
	}
	for _, one := range r.Policies {
		out.Policies = append(out.Policies, hpa.Policy{Percent: one.Percent > 0, Value: max(one.Pods, int(math.Round(float64(one.Percent)*100))), Period: time.Duration(one.Every)})
	}
	if len(r.Policies) == 0 {
		out.Policies = append(more, hpa.Policy{Percent: true, Value: 100, Period: 15 * time.Second})
	}
	return out
}

// startLooking schedules the first look of each autoscaler and the first sampling of queue lengths.
// Both happen at multiples of their intervals, counted from the start of the horizon.
func (w *world) startLooking() {
	for k, s := range w.scalers {
		at := max(0, -floorDiv(-w.base, int64(s.plan.Interval))*int64(s.plan.Interval))
		w.at(at-w.base, &w.onLook, uint64(k))
		if slices.ContainsFunc(s.metrics, func(m plan.Metered) bool { return m.Metric == "queue" }) {
			w.at(-floorDiv(-w.base-1, int64(s.plan.ScrapeWindow))*int64(s.plan.ScrapeWindow)-w.base, &w.onScrape, uint64(k))
		}
	}
}

// scrape records how many calls wait at the containers that an autoscaler scales.
func (w *world) scrape(arg uint64) {
	s := w.scalers[arg]
	w.countWaiting(s)
	w.at(w.now+int64(s.plan.ScrapeWindow), &w.onScrape, arg)
}

func (w *world) countWaiting(s *scaler) {
	for i := s.first; i < s.first+s.most; i++ {
		one := &w.servers[i]
		if k := one.pod.slot(floorDiv(w.base+w.now, one.pod.window) - 1); k != nil {
			k.waits = int64(one.queued)
		}
	}
}

// decide runs one periodic check of an autoscaler, and carries out the decision.
func (w *world) decide(arg uint64) {
	s := w.scalers[arg]
	if (w.base+w.now)%int64(s.plan.ScrapeWindow) == 0 { // metrics without delay include the sample of this instant
		w.countWaiting(s)
	}
	l := w.sees(s)
	d := s.auto.Look(&l)
	if w.keepsLooks {
		s.looks, s.decided = append(s.looks, l), append(s.decided, d.Replicas)
	}
	w.holds(s, &l, &d)
	if d.Replicas != s.asked {
		life := &w.sample.Life
		life.Scalings = append(life.Scalings, Scaling{Tier: s.tier, Shard: s.shard, At: l.At, From: s.asked, To: d.Replicas, Why: string(d.Why), Percent: d.Percent})
		w.resize(s, d.Replicas)
	}
	w.at(w.now+int64(s.plan.Interval), &w.onLook, arg)
}

// holds records a [Hold]: a period in which an autoscaler adds no containers although those that
// report metrics are above the target.
func (w *world) holds(s *scaler, l *hpa.Look, d *hpa.Decision) {
	if !d.Full || d.Replicas != l.Replicas || d.Why != hpa.Missing && d.Why != hpa.AtMost {
		s.held = -1
		return
	}
	life := &w.sample.Life
	if s.held < 0 || life.Holds[s.held].Why != string(d.Why) {
		one := Hold{Tier: s.tier, Shard: s.shard, From: l.At, Why: string(d.Why), Percent: d.Percent, Of: len(l.Pods)}
		for i := range l.Pods {
			if !l.Pods[i].Pending && slices.Max(l.Pods[i].Values) >= 0 {
				one.Report++
			}
		}
		life.Holds = append(life.Holds, one)
		s.held = len(life.Holds) - 1
	}
	life.Holds[s.held].To = l.At
}

// sees returns what an autoscaler sees now. It sees the newest metrics window that ended at least
// the plan's scrape delay ago.
func (w *world) sees(s *scaler) hpa.Look {
	at, window := w.base+w.now, int64(s.plan.ScrapeWindow)
	k := floorDiv(at-int64(s.plan.ScrapeDelay), window)
	l := hpa.Look{At: at, Replicas: s.asked, Stamp: k * window}
	for i := s.first; i < s.first+s.most; i++ {
		one := &w.servers[i]
		if !one.pod.exists {
			continue
		}
		w.loading(one)
		if one.share != nil {
			one.share.advance(w, one)
		}
		p := one.pod.Pod
		from := max(l.Stamp-window, one.pod.from, w.base)
		p.Window, p.Values = l.Stamp-from, make([]int64, len(s.metrics))
		for m := range s.metrics {
			p.Values[m] = -1
			if !p.Pending && !one.pod.silent && p.Window >= min(fresh, window) {
				p.Values[m] = s.value(one.pod, s.metrics[m].Metric, k-1, p.Window)
			}
		}
		if drop := k - 2 - one.pod.base; drop > 0 && len(one.pod.slots) > 0 {
			one.pod.slots = slices.Delete(one.pod.slots, 0, int(min(drop, int64(len(one.pod.slots)))))
			one.pod.base += drop
		}
		l.Pods = append(l.Pods, p)
	}
	return l
}

// fresh is how long a metrics server observes a new container before it reports values for it.
const fresh = int64(10 * time.Second)

// value returns the value of a metric in metrics window number k, in thousandths. CPU time is
// rounded up, as by the metrics server of Kubernetes.
func (s *scaler) value(p *pod, metric string, k, window int64) int64 {
	one := slot{}
	if at := p.slot(k); at != nil {
		one = *at
	}
	switch metric {
	case "cpu":
		used := float64(one.busy)/float64(window) + s.agent
		return int64(math.Ceil(min(used, s.cores)*1000 - 1e-6))
	case "qps":
		return int64(math.Ceil(float64(one.came) / float64(window) * 1e12))
	}
	return one.waits * 1000
}

// resize starts or ends containers of a shard until there are n. Like a ReplicaSet, it first ends
// the containers that are not ready, and then the newest of the others.
func (w *world) resize(s *scaler, n int) {
	s.asked = n
	have := 0
	for i := s.first; i < s.first+s.most; i++ {
		if w.servers[i].pod.exists {
			have++
		}
	}
	for ; have < n; have++ {
		i := w.free(s)
		if i == none {
			break
		}
		w.create(s, i)
	}
	for ; have > n; have-- {
		w.retire(s)
	}
}

// rescale sets the number of containers of each shard of a tier, as a manual scaling would. It
// returns false if no autoscaler that measures scales the tier.
func (w *world) rescale(tier, n int) (is bool) {
	for _, s := range w.scalers {
		if s.tier == tier {
			w.resize(s, min(n, s.most))
			is = true
		}
	}
	return is
}

// free returns the index of an unused container of a shard. It prefers a container that is not
// still working on requests from before it was removed.
func (w *world) free(s *scaler) int32 {
	found := none
	for i := int32(s.first); i < int32(s.first+s.most); i++ {
		one := &w.servers[i]
		if one.pod.exists {
			continue
		}
		if one.busy == 0 && one.queued == 0 {
			return i
		}
		if found == none {
			found = i
		}
	}
	return found
}

// create starts a container: first it is provisioned, which takes as long as the plan says, and
// then it boots.
func (w *world) create(s *scaler, i int32) {
	one := w.servers[i].pod
	at := w.base + w.now
	w.made++
	one.boot++
	one.exists, one.silent, one.made, one.Pod = true, false, w.made, hpa.Pod{Pending: true, Started: at, Since: at}
	w.servers[i].slow = 1
	w.history.boot(i, at, at+int64(s.plan.Provision.Sample(w.history.rng, 0)), 0, nil)
}

func (w *world) retire(s *scaler) {
	gone := none
	for i := int32(s.first); i < int32(s.first+s.most); i++ {
		one := w.servers[i].pod
		if !one.exists {
			continue
		}
		if gone == none || one.Ready == w.servers[gone].pod.Ready && one.made >= w.servers[gone].pod.made || !one.Ready && w.servers[gone].pod.Ready {
			gone = i
		}
	}
	one := w.servers[gone].pod
	one.exists, one.boot = false, one.boot+1 // raising boot cancels the changes that are scheduled for the container
	w.history.add(w.base+w.now, retires, gone, 0)
}

// mayFail draws when a container that an autoscaler has just started fails at random, if the plan
// has random failures.
func (h *history) mayFail(i int32, at int64) {
	if f := h.p.Random.Of(plan.TierNames[h.w.servers[i].tier]); f != nil {
		h.add(at+int64(h.rng.ExpFloat64()*float64(f.MTBF)), fails, i, 0)
	}
}

// lives updates what an autoscaler knows of a container after a change of that container.
func (w *world) lives(s *server, c *change) {
	p, at := s.pod, w.base+w.now
	if p == nil {
		return
	}
	if c.at < w.base {
		at = c.at
	}
	turns := func(ready bool) {
		if p.Ready != ready {
			p.Ready, p.Since = ready, at
		}
	}
	switch c.what {
	case drains:
		turns(false)
	case goesDown:
		p.silent = true
		turns(false)
	case begins:
		if p.Pending {
			p.Pending, p.Started, p.Since = false, at, at
		}
		p.silent, p.from = false, at
	case comesUp:
		p.silent = false
		turns(true)
		if c.boot > 0 {
			w.history.mayFail(c.server, at)
		}
	case retires:
		p.silent = true
		turns(false)
	}
}

// Measured records an autoscaler: its configuration, and what it saw and decided at each look.
type Measured struct {
	Config  hpa.Config
	Looks   []hpa.Look
	Decided []int
}

// Measured simulates one window of one replication, and returns the record of each autoscaler that
// measures what containers do.
func (s *Spec) Measured(window, replication int) ([]Measured, error) {
	w := s.world(window, replication)
	defer w.clock.Close()
	w.keepsLooks = true
	if err := s.run(w); err != nil {
		return nil, err
	}
	list := lists.MapOrNil(w.scalers, func(one *scaler) Measured { return Measured{one.config, one.looks, one.decided} })
	return list, nil
}
