package model

import (
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// Related says how many requests are delayed together, by the same long queue, the same burst of
// arrivals or the same failure. As evidence of how rare long latencies are, so many requests count
// no more than one independent request.
type Related struct {
	Requests float64 // number of requests that are delayed together
	// Attempts holds, for each tier, how many attempts of calls are delayed together at its containers.
	Attempts [tiers]float64
}

// relaxations is the number of a queue's relaxation times within which requests are delayed
// together. It was measured on an M/M/1 queue at a utilization of 80 %, for the latencies beyond the
// 99th percentile.
const relaxations = 1.25

// Related computes from the plan how many of a window's requests are delayed together. Simulated
// replications are no safe source: if a few of them happen to have no long queue, both the share of
// slow requests and its variance come out too small.
//
// A station at a utilization of 100 % or more has no relaxation time, and does not count. How far the
// requests that it delays depend on each other is seen only in replications.
//
// The argument of says how many containers a replication has over time. The zero value stands for
// the containers that the plan begins with.
func (s *Spec) Related(window Window, of Life) Related {
	var most Related
	for _, one := range s.loads(window, of.Live) {
		most.widen(s.relatedAt(one))
	}
	return most
}

// widen raises each number of r to that of o, if that is larger.
func (r *Related) widen(o Related) {
	r.Requests = math.Max(r.Requests, o.Requests)
	for t := range r.Attempts {
		r.Attempts[t] = math.Max(r.Attempts[t], o.Attempts[t])
	}
}

// load is a part of a window with a constant load: rate requests per second for some seconds. live
// holds the number of live containers of each tier in that time, 0 for the number in the plan.
type load struct {
	rate, seconds float64
	live          [tiers]int
}

// loads divides a window into parts with a constant load. The rate of a closed loop is not known, and
// 0 here.
func (s *Spec) loads(window Window, live [tiers][]Step) []load {
	start, end := int64(window.Start), int64(window.End)
	rates := s.ratesIn(start, end)
	instants := []int64{start, end}
	for _, one := range rates {
		instants = append(instants, start+one.at)
	}
	for _, steps := range live {
		for _, one := range steps {
			instants = append(instants, min(max(one.At, start), end))
		}
	}
	slices.Sort(instants)
	var list []load
	for k, from := range instants[:len(instants)-1] {
		if instants[k+1] == from {
			continue
		}
		one := load{seconds: float64(instants[k+1]-from) / 1e9}
		for _, r := range rates {
			if start+r.at <= from {
				one.rate = r.rate * 1e9
			}
		}
		for t, steps := range live {
			one.live[t] = StepAt(steps, from)
		}
		list = append(list, one)
	}
	return list
}

// ratesIn returns the steps of the request rate between two instants of the horizon, in the form of
// ratesFrom. A trace has one step with its mean rate.
func (s *Spec) ratesIn(start, end int64) []step {
	switch a := &s.Arrivals; {
	case a.Clients > 0:
		return nil
	case a.Process == "trace":
		n := 0
		for _, at := range a.Times {
			if at >= start && at < end {
				n++
			}
		}
		return []step{{0, float64(n) / float64(end-start)}}
	}
	list := ratesFrom(&s.Arrivals, start)
	return slices.DeleteFunc(list, func(one step) bool { return start+one.at >= end })
}

// left returns how many containers, each as full as the fullest one, could carry the load of a shard
// in this part of the window. It assumes that containers which are gone belonged to this shard, and
// that additional ones are spread over all shards.
func (now *load) left(s *Spec, tier, shard int) float64 {
	n := s.Crowded(tier, shard)
	if now.live[tier] == 0 {
		return n
	}
	all := inAll(s.Live(tier))
	if gone := float64(all - now.live[tier]); gone > 0 {
		return math.Max(1, n-gone)
	}
	return n * float64(now.live[tier]) / float64(all)
}

func (s *Spec) relatedAt(now load) Related {
	var r Related
	calm := *s
	if s.Arrivals.Process == "mmpp" { // s.burst below counts the bursts, which reach all containers at once
		calm.Arrivals.Process = "poisson"
	}
	for _, o := range calm.stations() {
		for shard := range o.work {
			r.widen(s.relatedIn(&o, shard, now))
		}
	}
	more := s.burst(now) + s.failure(now)
	r.Requests = math.Max(1, r.Requests) + more
	for t := range r.Attempts {
		calls := 1.0
		if t == PS {
			calls = s.MeanCalls()
		}
		r.Attempts[t] = math.Max(1, r.Attempts[t]) + more*calls
	}
	return r
}

// relatedIn returns how many requests are delayed together by the queues of a station's shard.
func (s *Spec) relatedIn(o *station, shard int, now load) Related {
	var r Related
	n := now.left(s, o.tier, shard)
	if n == 0 || o.each == 0 {
		return r
	}
	if s.Arrivals.Clients > 0 { // each client has at most one open request, which bounds the queue
		r.Requests = float64(s.Arrivals.Clients) / n
		r.Attempts[o.tier] = r.Requests * math.Max(1, o.work[shard]/o.each)
		return r
	}
	rho := now.rate * (o.work[shard]/n + o.common/math.Max(float64(inAll(s.Live(o.tier))), 1))
	if rho >= 1 {
		return r
	}
	gap := 1 - math.Sqrt(rho)
	seconds := math.Min(relaxations*o.varies*o.each/(gap*gap)+o.open, now.seconds)
	r.Requests = seconds * now.rate / n
	r.Attempts[o.tier] = r.Requests * math.Max(1, o.work[shard]/o.each)
	return r
}

// burst returns how many further requests come with a request: at the same instant, or in the same
// burst of an mmpp process.
func (s *Spec) burst(now load) float64 {
	a, n := &s.Arrivals, 0.0
	if !a.Batch.IsZero() {
		mean, second := a.Batch.Whole()
		n += second/mean - 1
	}
	if a.Process == "mmpp" {
		part := a.MeanBurst / (a.MeanBurst + a.MeanQuiet)
		quiet := now.rate / (part*a.Burst + 1 - part)
		n += quiet * a.Burst * math.Min(a.MeanBurst/1e9, now.seconds)
	}
	return n
}

// failure returns how many requests are sent to a container that has failed at random, before its
// session expires and callers no longer see it.
func (s *Spec) failure(now load) float64 {
	p, most := s.Control.Plan, 0.0
	for t, name := range plan.TierNames {
		if p == nil || !s.Has(t) || p.Random.Of(name) == nil {
			continue
		}
		for shard := range s.Tiers[t].Replicas {
			if n := s.Crowded(t, shard); n > 0 {
				most = math.Max(most, now.rate/n*math.Min(float64(p.ZooKeeper.SessionTimeout)/1e9, now.seconds))
			}
		}
	}
	return most
}
