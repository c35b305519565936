package validate

import (
	"fmt"
	"math"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/theory"
)

const (
	ms     = 1e6
	second = 1e9
)

// Loads lists the utilizations, from 0 to 1, at which goal G1 checks the queues.
var Loads = []float64{0.5, 0.7, 0.8, 0.9, 0.95}

// widthAt returns the relative half-width that G1 allows for the confidence interval of a mean, at
// a load of rho.
func widthAt(rho float64) float64 {
	if rho > 0.9 {
		return 0.04
	}
	return 0.02
}

// base makes a model with Poisson arrivals at rate requests a second. A run is as long as the given
// number of requests takes.
func base(rate, requests float64, warm float64) *model.Spec {
	s := &model.Spec{Seed: 14, Items: law.Constant(1)}
	s.Arrivals = model.Arrivals{Process: "poisson", Rate: plan.RateLaw{Points: []plan.RatePoint{{Rate: plan.Rate(rate)}}}}
	s.Windows = []model.Window{{Window: plan.Window{Name: "all", End: plan.Duration(requests / rate * second)}, Warmup: int64(warm)}}
	return s
}

// entryQueue makes a queue of c servers with a load of rho and a mean service time of 1 ms.
func entryQueue(c int, rho float64, service law.Law, queue int) *model.Spec {
	gap := 1 - math.Sqrt(rho)
	requests := 10_000 / (1 - rho)
	s := base(rho*float64(c)*1000, requests, 30*ms/(float64(c)*gap*gap)+20*ms)
	s.Tiers[model.Entry] = model.Tier{Replicas: []int{1}, Threads: c, Cores: float64(c), Queue: queue, Law: service}
	return s
}

func meanSojourn(s *model.Sample) float64 { return float64(s.SumNs) / float64(s.Completed) / ms }

// All lists the cases. With short it leaves out those that take long.
func All(short bool) []Case {
	loads := Loads
	if short {
		loads = []float64{0.5}
	}
	var list []Case
	for _, rho := range loads {
		list = append(list, queues(rho, short)...)
		list = append(list, forks(rho, short)...)
	}
	return append(append(list, others(short)...), failures(short)...)
}

func queues(rho float64, short bool) []Case {
	var list []Case
	add := func(name string, spec *model.Spec, want float64) {
		list = append(list, Case{Name: fmt.Sprintf("%s at %g", name, rho), Section: "CAP-7.1", Spec: spec, Value: meanSojourn, Theory: want, Width: widthAt(rho)})
	}
	servers := []int{1, 4, 16, 64}
	if short {
		servers = []int{1, 16}
	}
	for _, c := range servers {
		wait, sojourn := theory.MMc(c, rho*float64(c), 1)
		spec := entryQueue(c, rho, law.Exponential(ms), -1)
		add(fmt.Sprintf("M/M/%d T", c), spec, sojourn)
		if theory.ErlangC(c, rho) >= 0.05 {
			// The wait is measured on its own. The difference between sojourn time and service time
			// is no replacement, because the two are drawn independently.
			add(fmt.Sprintf("M/M/%d W_q", c), spec, wait)
			list[len(list)-1].Value = waitOf
		}
	}
	for _, g := range []struct {
		name string
		law  law.Law
	}{{"M/D/1", law.Constant(ms)}, {"M/E2/1", law.Shaped(ms, math.Sqrt(0.5))}, {"M/LogN/1", law.Logged(ms, 0.6)}} {
		add(g.name+" T", entryQueue(1, rho, g.law, -1), 1+theory.MG1Wait(rho, 1, g.law.SCV()))
	}
	_, wait := theory.MMcK(4, 12, rho*4, 1)
	add("M/M/4/12 T", entryQueue(4, rho, law.Exponential(ms), 8), wait+1)
	infinite := entryQueue(1, rho, law.Exponential(ms), -1)
	infinite.Tiers[model.Entry].Threads = 1000
	add("M/M/inf T", infinite, 1)
	if rho <= 0.9 {
		list = append(list, Case{Name: fmt.Sprintf("M/M/1 p99 at %g", rho), Section: "CAP-7.1", Spec: entryQueue(1, rho, law.Exponential(ms), -1),
			Value: func(s *model.Sample) float64 { return float64(s.Latency.Quantile(0.99)) / ms }, Theory: math.Log(100) / (1 - rho), Width: 0.05})
	}
	return list
}

// waitOf returns the mean time that a request of the sample waited in the entry queue.
func waitOf(s *model.Sample) float64 {
	sum := int64(0)
	for k := range s.Parts {
		sum += s.Parts[k][0]
	}
	return float64(sum) / float64(s.Completed) / ms
}

// Fork makes a fork-join model of n shards. A shard has r containers with c threads each, at a
// load of rho. A call takes an exponential service time with the given mean. The entry adds none.
func Fork(n, r, c int, rho, mean, requests float64) *model.Spec {
	gap := 1 - math.Sqrt(rho)
	s := base(rho*float64(r*c)*second/mean, requests, 60*mean/(float64(c)*gap*gap))
	s.Tiers[model.Entry] = model.Tier{Replicas: []int{1}}
	for k := range n {
		s.Tiers[model.PS].Replicas = append(s.Tiers[model.PS].Replicas, r)
		s.Calls = append(s.Calls, model.Call{Shard: k, Share: 1 / float64(n)})
	}
	t := &s.Tiers[model.PS]
	t.Threads, t.Cores, t.Queue, t.Law = c, float64(c), -1, law.Exponential(mean)
	return s
}

func forks(rho float64, short bool) []Case {
	var list []Case
	counts := []int{2, 5, 20}
	if short {
		counts = []int{2}
	}
	for _, n := range counts {
		c := Case{Name: fmt.Sprintf("FJ-%d at %g", n, rho), Section: "CAP-7.2", Spec: Fork(n, 1, 1, rho, ms, 10_000/(1-rho)), Value: meanSojourn, Theory: theory.ForkJoin(n, rho, 1), Width: widthAt(rho)}
		if n > 2 {
			c.Within = 0.05
		}
		list = append(list, c)
	}
	return list
}

func others(short bool) []Case {
	sharing := entryQueue(1, 0.7, law.Logged(ms, 1), -1)
	sharing.Tiers[model.Entry].Threads, sharing.Tiers[model.Entry].Shared = 100_000, true
	tandem := Fork(1, 1, 1, 0.6, ms, 60_000)
	tandem.Tiers[model.Entry] = model.Tier{Replicas: []int{1}, Threads: 1, Cores: 1, Queue: -1, Law: law.Exponential(0.5 * ms)}
	loss := entryQueue(4, 0.8, law.Logged(ms, 1), 0)
	batches := Fork(1, 1, 1, 0.6, ms, 60_000)
	batches.Tiers[model.Dense] = model.Tier{Replicas: []int{1}, Cores: 4, Law: law.Affinely(0.5*ms, 0), Batch: &model.Batch{Processes: 1, Threads: 1, MaxItems: 1, MaxQueued: 1 << 30}}
	batches.Tiers[model.PS], batches.Calls = model.Tier{}, nil
	list := append(append(hedges(), mixes()...), []Case{
		{Name: "M/LogN/1 processor sharing at 0.7", Section: "CAP-7.1", Spec: sharing, Value: meanSojourn, Theory: 1 / 0.3, Width: 0.02},
		{Name: "tandem of M/M/1", Section: "CAP-7.1", Spec: tandem, Value: meanSojourn, Theory: 0.5/(1-0.3) + 1/(1-0.6), Width: 0.02},
		{Name: "M/LogN/4/4 blocking", Section: "CAP-7.1", Spec: loss, Value: func(s *model.Sample) float64 { return float64(s.Failed[1]) / float64(s.Arrived) }, Theory: theory.ErlangB(4, 3.2), Width: 0.02},
		{Name: "batches of one are M/D/1", Section: "CAP-7.3", Spec: batches, Value: meanSojourn, Theory: 0.5 * (1 + theory.MG1Wait(0.3, 1, 0)), Width: 0.02},
	}...)
	if short {
		return list
	}
	free := Fork(20, 1, 1000, 0.0001, ms, 20_000)
	return append(list, Case{Name: "largest of 20 exponentials", Section: "CAP-7.2", Spec: free, Value: meanSojourn, Theory: theory.MaxOfExponentials(20, 1), Width: 0.02})
}

// mixes returns cases with two models on one server. Requests of both models have the same mean
// wait, which the mixture of the two service times determines (Pollaczek and Khinchine). Each
// request then takes the service time of its own model.
func mixes() []Case {
	const rho, share, slow = 0.7, 0.3, 3.0
	mean := 1 - share + share*slow
	spec := entryQueue(1, rho, law.Exponential(ms), -1)
	spec.Arrivals.Rate.Points[0].Rate /= plan.Rate(mean)
	spec.Windows[0].End *= 2
	spec.Windows[0].Warmup *= 4
	quick := model.Served{Share: 1 - share, Items: law.Constant(1)}
	quick.Laws[model.Entry] = law.Exponential(ms)
	long := quick
	long.Share, long.Laws[model.Entry] = share, law.Constant(slow*ms)
	spec.Mix = []model.Served{quick, long}
	square := (1-share)*2 + share*slow*slow
	wait := rho / mean * square / 2 / (1 - rho)
	of := func(k int) func(*model.Sample) float64 {
		return func(s *model.Sample) float64 { return float64(s.Models[k].SumNs) / float64(s.Models[k].Completed) / ms }
	}
	return []Case{
		{Name: "two models at 0.7: of 1 ms", Section: "CAP-7.1", Spec: spec, Value: of(0), Theory: wait + 1, Width: 0.02},
		{Name: "two models at 0.7: of 3 ms", Section: "CAP-7.1", Spec: spec, Value: of(1), Theory: wait + slow, Width: 0.02},
	}
}

// hedges returns cases of hedged calls without queues. A caller sends a call again after the
// quantile q of the latencies seen so far. So a share 1-q of the calls is sent twice, whatever the
// law. With exponential service times the latency is min(X, d + Y), where X and Y are the two
// service times and d = -ln(1-q).
func hedges() []Case {
	const q = 0.95
	spec := Fork(1, 1, 1000, 0.01, ms, 30_000)
	spec.HedgeQuantile, spec.Timeout = q, 200*ms
	spec.Windows[0].Warmup = second
	shape := Fork(1, 1, 1000, 0.01, ms, 30_000)
	shape.HedgeQuantile, shape.Windows[0].Warmup = 0.99, 2*second
	shape.Tiers[model.PS].Law = law.Logged(ms, 1)
	share := func(s *model.Sample) float64 { return float64(s.Calls.Hedged) / float64(s.Requests) }
	return []Case{
		{Name: "hedged after p95: share", Section: "CAP-7.2", Spec: spec, Value: share, Theory: 1 - q, Width: 0.02},
		{Name: "hedged after p95: mean", Section: "CAP-7.2", Spec: spec, Value: meanSojourn, Theory: q + (1-q)/2, Width: 0.02},
		{Name: "hedged after p95: p99", Section: "CAP-7.2", Spec: spec, Value: func(s *model.Sample) float64 { return float64(s.Latency.Quantile(0.99)) / ms },
			Theory: (math.Log(100) - math.Log(1-q)) / 2, Width: 0.02},
		{Name: "hedged after p99 of LogN: share", Section: "CAP-7.2", Spec: shape, Value: share, Theory: 0.01, Width: 0.03},
	}
}

// failures returns cases in which some replicas are dead and no load balancer has noticed it yet
// (CAP-7.4). The cases are the rows of the table in the specification.
func failures(short bool) []Case {
	var list []Case
	rows := []struct{ r, k, s int }{{10, 1, 20}, {9, 3, 1}, {10, 1, 1}, {4, 1, 20}, {3, 1, 5}}
	if short {
		rows = rows[:2]
	}
	for _, row := range rows {
		spec := Fork(row.s, row.r, 4, 0.02, 0.1*ms, 4_000)
		spec.Timeout, spec.Retries = 200*ms, 2
		for shard := range row.s {
			for n := range row.k {
				spec.Control.Dead = append(spec.Control.Dead, model.Which{Tier: model.PS, Shard: shard, Number: n})
			}
		}
		for j, name := range []string{"one timeout", "two timeouts", "fail"} {
			list = append(list, Case{Name: fmt.Sprintf("%d of %d dead, %d shards: %s", row.k, row.r, row.s, name), Section: "CAP-7.4", Spec: spec,
				Value:  func(s *model.Sample) float64 { return float64(s.Waited[j]) / float64(s.Arrived) },
				Theory: theory.FailAtLeast(row.s, row.r, row.k, j+1, false), Width: 1})
		}
	}
	return list
}
