package judge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// course describes how one replication was affected by an event.
type course struct {
	recovered int64   // nanoseconds from the event until the fleet has fully recovered
	lost      float64 // requests that failed until recovery, beyond the share that failed before the event
	above     int64   // total nanoseconds of the steps that missed an objective
	never     bool    // whether it had not recovered when the window ended
}

// stride holds the counts of one step of one replication: requests by how they ended (see
// model.Instant), and the sum of the latencies of completed ones in nanoseconds. over counts, for each
// limit, the requests that failed or took longer.
type stride struct {
	sumNs                                     int64
	arrived, completed, failed, struck, ended int32
	over                                      []int32
}

// track holds the steps of one replication.
type track []stride

func trackOf(series []model.Instant) track {
	t := make(track, len(series))
	for k := range series {
		i := &series[k]
		t[k] = stride{sumNs: i.SumNs, arrived: int32(i.Arrived), completed: int32(i.Completed), failed: int32(i.Failed), struck: int32(i.Struck), ended: int32(i.Ended)}
		for _, n := range i.Over {
			t[k].over = append(t[k].over, int32(n))
		}
	}
	return t
}

// by returns how many requests failed, not counting those that were under way at the event.
func (s *stride) by() int32 { return s.failed - s.struck }

// comparison compares the steps of all replications after an event with those before it.
type comparison struct {
	tracks []track
	// first is the index of the event's step; clean is how many steps before it have only requests
	// that ended before the event.
	first, clean int
	steps        int
}

// compared returns a comparison. The second result is false if too few steps before the event
// contain answered requests.
func compared(tracks []track, before, step int64) (*comparison, bool) {
	c := &comparison{tracks: tracks, first: int(before / step), steps: len(tracks[0])}
	c.first = min(max(c.first, 0), c.steps) // the window may begin behind the event, or end before it
	c.clean = c.first
	answered := 0
	for k := range c.first {
		if slices.ContainsFunc(tracks, func(t track) bool { return t[k].completed > 0 }) {
			answered++
		}
	}
	if !(plan.Window{}).Compares(answered) {
		return c, false
	}
	mean, _ := c.level(latency)
	for under := int64(3 * mean); under > 0 && (plan.Window{}).Compares(c.clean-1); under -= step {
		c.clean--
	}
	return c, true
}

// ratio returns the two parts of a mean over a step: the sum, and the number of requests that it is
// divided by. There are two: the mean latency of the answered requests, and the share of failures of
// the arrived ones. A step is worse than those before an event if one of these is higher.
type ratio func(*stride) (sum, n float64)

func latency(s *stride) (sum, n float64)  { return float64(s.sumNs), float64(s.completed) }
func failures(s *stride) (sum, n float64) { return float64(s.by()), float64(s.arrived) }

// level returns the mean of a measure over the steps of all replications before the event, and the
// sum of its denominators.
func (c *comparison) level(of ratio) (level, count float64) {
	sum := 0.0
	for _, t := range c.tracks {
		for k := range t[:c.clean] {
			s, n := of(&t[k])
			sum, count = sum+s, count+n
		}
	}
	return sum / math.Max(count, 1), count
}

// measure holds the statistics of one measure before the event, and the totals of each step.
type measure struct {
	of ratio
	// level is the mean of the measure before the event; least is the smallest excess over level
	// that matters.
	level, least float64
	count        float64 // mean denominator of the measure in a step of one replication
	sd, skewness float64 // standard deviation and skewness of the measure over the steps of single replications
	drift        float64 // variance of level
	worst        float64 // largest value of the measure in a step of one replication
	// sums, counts and excess hold, for each step, what all replications have together: numerators,
	// denominators, and by how much their quotient exceeds level.
	sums, counts, excess []float64
}

// scatter returns the statistics of a measure before the event: its level, and how far the steps of
// single replications lie from that level. The function least returns, for a level, the smallest
// excess that matters.
func (c *comparison) scatter(of ratio, least func(level float64) float64) *measure {
	m := &measure{of: of}
	level, count := c.level(of)
	n := float64(len(c.tracks) * c.clean)
	m.level, m.count, m.least = level, count/n, least(level)
	var squares, cubes float64
	each := make([]float64, len(c.tracks))
	for r, t := range c.tracks {
		for k := range t[:c.clean] {
			sum, count := of(&t[k])
			pull := (sum - float64(level*count)) / math.Max(m.count, 1e-9)
			squares += float64(pull * pull)
			cubes += float64(pull * pull * pull)
			m.worst = math.Max(m.worst, sum/math.Max(count, 1))
			each[r] += pull / float64(c.clean)
		}
	}
	m.sd = math.Sqrt(squares / math.Max(n-1, 1))
	if m.sd > 0 {
		m.skewness = math.Max(cubes/n/(m.sd*m.sd*m.sd), 0)
	}
	for _, v := range each {
		m.drift += float64(v*v) / float64(len(each)*len(each))
	}
	return m
}

// total adds up the replications of each step. The parameter most limits a replication's mean in a
// step: a larger mean counts as this limit.
func (m *measure) total(c *comparison, most float64) {
	m.excess, m.counts, m.sums = make([]float64, c.steps), make([]float64, c.steps), make([]float64, c.steps)
	for k := range c.steps {
		for _, t := range c.tracks {
			s, n := m.of(&t[k])
			m.sums[k], m.counts[k] = m.sums[k]+math.Min(s, most*n), m.counts[k]+n
		}
		if m.counts[k] > 0 {
			m.excess[k] = m.sums[k]/m.counts[k] - m.level
		}
	}
}

// spread returns the standard deviation of a step with count observations. It is larger if count is
// below the mean count of a step before the event. It is not smaller if count is above, because
// observations may depend on each other.
func (m *measure) spread(count float64) float64 {
	return m.sd * math.Sqrt(math.Max(1, m.count/math.Max(count, 1)))
}

// chance is the accepted probability that an event without any effect seems to have one.
const chance = 1e-3

// chanceAt returns the part of chance that is allowed for the j-th step after the event, with j
// from 1. Half of chance is divided equally among all steps, and the other half goes mostly to the
// first ones.
func chanceAt(j, steps int) float64 {
	return chance / 2 * (1/float64(steps) + 1/float64(j*(j+1)))
}

// limitAt returns the excess over the level that a step's mean, over all replications, passes by
// chance with probability p only. count is the step's number of observations. The scatter is taken
// to follow Pearson's type III distribution, because latencies that include waits are skewed. The
// limit is widened as in Student's distribution, because the scatter is known from few steps.
func (m *measure) limitAt(p float64, count float64, c *comparison) float64 {
	runs := float64(len(c.tracks))
	spread := m.spread(count / runs)
	skewness := m.skewness / math.Sqrt(runs)
	quantile := mathext.NormalQuantile(1 - p)
	wider := stats.T(1-2*p, runs*float64(c.clean)-1) / quantile
	if skewness > 0.01 {
		shape := 4 / (skewness * skewness)
		quantile = (mathext.GammaIncRegCompInv(shape, p) - shape) / math.Sqrt(shape)
	}
	return quantile * wider * math.Sqrt(spread*spread/runs+m.drift)
}

// failsMore reports whether more requests of step k fail than chance explains. If the event has no
// effect, a failure is equally likely for each request of step k and of the steps before the event.
// So the step's part of all these failures follows a binomial distribution. p is the accepted
// probability of a false alarm, and vif divides the counts because requests are not independent.
func (m *measure) failsMore(k int, p, before, vif float64) bool {
	x, old := m.sums[k]/vif, m.level*before/vif
	return x > 0 && mathext.RegIncBeta(x, old+1, m.counts[k]/(m.counts[k]+before)) < p
}

// courses describes how the event affected each replication. A step is bad if the mean latency over
// all replications is more than a tenth above the mean before the event, or if the share of
// failures is more than a thousandth above the share before the event. In both cases the difference
// must also be larger than chance explains.
func (c *comparison) courses(list []course, before, step int64) {
	slow := c.scatter(latency, func(level float64) float64 { return level / 10 })
	failing := c.scatter(failures, func(float64) float64 { return 1e-3 })
	_, asked := c.level(failures)
	vif := c.inflation((*stride).by)
	failing.sd = math.Max(failing.sd, math.Sqrt(math.Max(failing.level, 1/math.Max(asked, 1))/math.Max(failing.count, 1)))
	slow.sd = math.Max(slow.sd, slow.level/50)
	failing.total(c, 1)
	// With heavy tails, a single slow request could look like an effect of the event. So the mean
	// of a replication is limited to the largest one before the event or, if that is larger, to a
	// value with which one replication makes the mean of all bad.
	slow.total(c, math.Max(slow.worst, slow.level+float64(2*float64(len(c.tracks))*slow.least)))
	last := c.first - 1
	for k := c.first; k < c.steps; k++ {
		p := chanceAt(k-c.first+1, c.steps-c.first)
		if slow.counts[k] > 0 && slow.excess[k] > slow.least && slow.excess[k] > slow.limitAt(p, slow.counts[k], c) ||
			failing.excess[k] > failing.least && failing.failsMore(k, p, asked, vif) {
			last = k
		}
	}
	usual, share := c.usual()
	ends := c.recovered(last, slow, failing)
	for r, t := range c.tracks {
		one := &list[r]
		own := ends[r]
		if one.never = own == c.steps-1; own >= c.first {
			one.recovered = int64(own+1)*step - before
		}
		for k := c.first; k <= last; k++ {
			one.lost += float64(t[k].failed) - float64(share*float64(t[k].arrived))
		}
		for k := range t[:c.first] {
			one.lost += float64(t[k].struck)
		}
		one.lost -= usual
	}
}

// doubt is the accepted probability that a replication counts as recovered although it has not
// recovered.
const doubt = 0.05

// recovered returns the index of the last bad step of each replication. last is the last bad step
// of all replications together. A replication's own last bad step may be earlier only by chance:
// with few requests, a step may look good before the recovery. Therefore the result is last, unless
// the replication has more good steps before last than chance explains. The probability of a good
// step before the recovery is estimated from the steps up to the last bad one of each replication,
// and from all steps of replications without a bad one.
func (c *comparison) recovered(last int, measures ...*measure) []int {
	list := make([]int, len(c.tracks))
	steps, bad := 0, 0
	for r, t := range c.tracks {
		list[r] = c.first - 1
		for k := c.first; k <= last; k++ {
			if slices.ContainsFunc(measures, func(m *measure) bool { return m.bad(&t[k]) }) {
				list[r] = k
				bad++
			}
		}
		if steps += list[r] - c.first + 1; list[r] < c.first {
			steps += last - c.first + 1
		}
	}
	good := float64(steps-bad+1) / float64(steps+1)
	for r, own := range list {
		if math.Pow(good, float64(last-own)) > doubt {
			list[r] = last
		}
	}
	return list
}

// bad reports whether a step of one replication is worse than the steps before the event. The
// difference must be large enough to matter, and larger than nearly all differences by chance.
func (m *measure) bad(s *stride) bool {
	sum, n := m.of(s)
	return n > 0 && sum/n-m.level > math.Max(m.least, 4*m.spread(n))
}

// usual returns the mean number of requests that are under way before the event and will fail, and
// the share of all requests that fail.
func (c *comparison) usual() (n, failed float64) {
	var bad, arrived float64
	for _, t := range c.tracks {
		under := int64(0)
		for k := range t[:c.first] {
			bad, arrived = bad+float64(t[k].by()), arrived+float64(t[k].arrived)
			if under += int64(t[k].by() - t[k].ended); k < c.first-1 {
				n += float64(under) / float64((c.first-1)*len(c.tracks))
			}
		}
	}
	return n, bad / math.Max(arrived, 1)
}

// inflation returns by which factor counts of steps before the event vary more than they would with
// independent requests.
func (c *comparison) inflation(of func(*stride) int32) float64 {
	var n, x []int64
	for _, t := range c.tracks {
		for k := range t[:c.clean] {
			n, x = append(n, int64(t[k].arrived)), append(x, int64(of(&t[k])))
		}
	}
	return stats.VIF(n, x)
}

// limit is an objective that applies to all requests: at most a share of them is bad.
type limit struct {
	of    int // index of the limit in Spec.Limits; -1 for the rate of errors
	share float64
}

func (l limit) bad(s *stride) int32 {
	if l.of < 0 {
		return s.failed
	}
	return s.over[l.of]
}

// misses adds up how long each replication misses an objective. A step of a replication counts if
// all replications together miss the objective in it, and the replication itself misses it or has
// too few requests to tell.
func (c *comparison) misses(list []course, step int64, limits []limit) {
	missed := make([]bool, len(list)*c.steps)
	for _, l := range limits {
		vif := c.inflation(l.bad)
		for k := c.first; k < c.steps; k++ {
			var n, x int64
			for _, t := range c.tracks {
				n, x = n+int64(t[k].arrived), x+int64(l.bad(&t[k]))
			}
			if stats.Verdict(n, x, l.share, vif, missing) != stats.Fail {
				continue
			}
			for r, t := range c.tracks {
				n1, x1 := int64(t[k].arrived), int64(l.bad(&t[k]))
				missed[r*c.steps+k] = missed[r*c.steps+k] || share(x1, n1) > l.share || stats.Verdict(n1, x1, share(x, n), 1, missing) != stats.Pass
			}
		}
	}
	for i, yes := range missed {
		if yes {
			list[i/c.steps].above += step
		}
	}
}

// missing is the confidence that is needed to say that a step misses an objective.
const missing = 0.99

// limits lists the objectives that apply to all requests.
func (e *Evaluation) limits() []limit {
	var list []limit
	k := 0
	for _, o := range e.Plan.SLO {
		switch {
		case model.IsRequestLatency(o):
			list = append(list, limit{k, 1 - levelOf(o.Metric)})
			k++
		case o.Metric == "errors" && o.Scope == "":
			list = append(list, limit{-1, o.Limit})
		}
	}
	return list
}

// recovers computes, from all replications so far, how the event of the window affected each of
// them, such as the time to recovery. It replaces the results of earlier calls, which knew fewer
// replications.
func (w *Pool) recovers(e *Evaluation) {
	if w.Window.Incident == 0 || w.Refused != "" {
		return
	}
	event := &e.Plan.Events[w.Window.Incident-1]
	before := int64(event.At) - int64(w.Window.Start)
	if len(w.tracks) == 0 {
		return
	}
	c, compares := compared(w.tracks, before, w.Window.Step)
	list := make([]course, len(w.tracks))
	if compares {
		c.courses(list, before, w.Window.Step)
	}
	c.misses(list, w.Window.Step, e.limits())
	values, never := map[string][]float64{}, 0
	for _, one := range list {
		if compares {
			values["recovery"] = append(values["recovery"], float64(one.recovered))
			values["lost"] = append(values["lost"], one.lost*w.thin)
		}
		if e.Plan.LimitsRequests() {
			values["above"] = append(values["above"], float64(one.above))
		}
		if one.never {
			never++
		}
	}
	for name, of := range values { //lint:order each has a key of its own
		w.Values[ofEvent(name, event)], w.Never[ofEvent(name, event)] = of, never
	}
}
