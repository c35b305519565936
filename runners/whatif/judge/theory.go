package judge

import (
	"fmt"
	"math"
	"strings"

	"github.com/monosim/monosim/runners/whatif/ensemble"
	wheres "github.com/monosim/monosim/runners/whatif/places"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/theory"
)

// ClosedForms returns results of formulas for a plan. A form marked Bound is a bound that no
// fleet can exceed.
func ClosedForms(p *plan.Plan) []result.ClosedForm {
	var list []result.ClosedForm
	rate := p.PeakRate()
	if rate == 0 {
		return list
	}
	for _, name := range p.Kinds() {
		need := math.Ceil(rate*p.Work(name) - 1e-9)
		used := result.ClosedForm{Name: "utilisation of " + name, Section: "CAP-6.2", Unit: "fraction", Formula: "rate x work / containers", Metric: "util(" + name + ")",
			Theory: p.Fullest(name, rate), Bound: true}
		if uneven(p, name) { // a mean over all containers would hide the fullest shard
			of := "shard"
			switch {
			case name == "entry":
				of = "idc"
			case p.Reach() != wheres.Anywhere:
				of = "place"
			}
			used.Name, used.Metric = used.Name+", its fullest "+of, "util_max("+name+")"
		}
		if p.MostOf(name) > 0 {
			// no bound, because the number of containers changes later
			used.Name, used.Bound, used.Metric = used.Name+" as the plan begins", false, ""
		}
		list = append(list, used,
			result.ClosedForm{Name: "least containers of " + name, Section: "CAP-6.2", Unit: "count", Formula: "rate x work, rounded up", Theory: need, Bound: true})
	}
	bound := LatencyBound(p)
	floor := Floors(p).Quantile(0.99, "")
	list = append(list, result.ClosedForm{Name: "least mean latency without queues", Section: "CAP-7.2", Unit: "ns", Formula: "sum of mean work and network", Theory: bound, Bound: p.Client.Hedge.After == plan.HedgeAfter{}, Metric: "mean(request)"},
		result.ClosedForm{Name: "least p99 latency without queues", Section: "CAP-7.2", Unit: "ns", Formula: "work of each stage, the slowest of the fan-out F(t)^N, the shortest ways",
			Theory: floor, Bound: true, Metric: "p99(request)"})
	if estimate, ok := Estimate(p); ok {
		list = append(list, result.ClosedForm{Name: "p99 estimate", Section: "CAP-7.1", Unit: "ns", Formula: "Allen-Cunneen waits and the fork-join of Nelson and Tantawi, at least what it is without queues",
			Theory: max(estimate, floor), Metric: "p99(request)"})
	}
	for _, name := range plan.TierNames {
		if p.Fleet.Tier(name) != nil && (name != "dense" || !p.Batched()) {
			list = append(list, waits(p, name, rate)...)
		}
	}
	zk := zooKeeper(p)
	for _, name := range []string{"zk.watch_memory", "zk.utilisation", "zk.peak_utilisation", "zk.drain", "zk.max_reply"} {
		list = append(list, result.ClosedForm{Name: name, Section: "CAP-3.12", Unit: unitOf(name), Formula: ensemble.Formulas(p.Model.AgentVersion)[name], Theory: zk[name]})
	}
	return append(list, rolloutForms(p)...)
}

// waits returns the mean wait and the share of calls that wait, at a container of a tier's fullest
// shard. The container is treated as one queue whose number of servers is its number of cores or
// its number of threads, whichever is smaller. If threads share cores, calls do not wait but take
// longer, on average by the same time, for any distribution of service times (CAP-7.1).
func waits(p *plan.Plan, tier string, rate float64) []result.ClosedForm {
	if p.Fleet.Mixed != nil {
		return waitsOfMixed(p, tier, rate)
	}
	s := p.Service.Of(tier)
	busy, cores := p.Fullest(tier, rate), p.Fleet.Tier(tier).CPU-p.Service.AgentCPU
	can, shared := float64(s.Threads), false
	if p.Service.Contention.Model != "none" && can > cores {
		can, shared = cores, true
	}
	servers := max(1, int(can))
	busy *= can / float64(servers)
	if busy >= 1 {
		return nil
	}
	calls, one := callsOf(p, tier, rate)
	scv, law, exact := scvOf(p, tier), "", one && can == float64(servers) && p.Workload.Arrivals.Process == "poisson" && (tier == "entry" || p.Workload.Arrivals.Batch.IsZero()) && !s.ByPriority && s.Shed == nil
	switch {
	case shared:
		scv, law = 1, "M/G/c, cores shared"
	case servers == 1:
		law = "M/G/1"
	case math.Abs(scv-1) < 1e-9:
		law = "M/M/c"
	default:
		law, exact = "Allen-Cunneen", false
	}
	formula, each, ca2 := "(1 + cs2)/2 x C/(c mu - lambda)", busy*float64(servers)/calls, arrivalSCV(p, tier)
	if ca2 != 1 {
		law, formula = "Allen-Cunneen", "(ca2 + cs2)/2 x C/(c mu - lambda)"
	}
	wait := theory.AllenCunneen(servers, calls, each, ca2, scv) * 1e9
	b := p.Workload.Arrivals.Batch
	together := !b.IsZero() && tier == "entry" // the work of entry spaces out a batch for other tiers
	if together {
		mean, second := b.Whole()
		wait += (second/mean - 1) / 2 * calls / rate * each / float64(servers) / (1 - busy) * 1e9
		law, exact, formula = strings.Replace(law, "M/", "M^X/", 1), exact && servers == 1, formula+" + (E[X^2]/E[X] - 1)/2 x 1/(c mu - lambda)"
	}
	name := "P(wait) of " + tier
	if !exact {
		law, name = law+", an estimate", name+" (an estimate)"
	}
	list := []result.ClosedForm{
		{Name: fmt.Sprintf("W_q of %s (%s, c = %d)", tier, law, servers), Section: "CAP-7.1", Unit: "ns", Formula: formula, Theory: wait},
		{Name: name, Section: "CAP-7.1", Unit: "fraction", Formula: "Erlang C", Theory: theory.ErlangC(servers, busy)}}
	if together {
		return list[:1]
	}
	return list
}

// arrivalSCV returns the squared coefficient of variation of the gaps between the requests of one of
// a tier's containers. For gamma and deterministic arrivals, each request goes to a random one of n
// containers, so the value lies between that of all arrivals (n is 1) and 1 (n is large). It is 1 for
// Poisson arrivals. It also returns 1 for batches, closed loops and mmpp, which it does not treat.
func arrivalSCV(p *plan.Plan, tier string) float64 {
	a := &p.Workload.Arrivals
	cv := 0.0
	switch {
	case !a.Batch.IsZero() || p.Workload.Loop.Closed():
		return 1
	case a.Process == "gamma":
		cv = float64(a.CV)
	case a.Process != "deterministic":
		return 1
	}
	return 1 + (cv*cv-1)/float64(max(1, p.ReplicasOf(tier, 1)))
}

// waitsOfMixed returns how much longer a call takes at a container that serves several tiers, where
// all threads share the cores. A call that takes S alone takes S C/(c (1 - rho)) longer, for any
// distribution of service times (CAP-12.36). c is the number of cores, rho the utilization, and C
// is Erlang's probability of waiting.
func waitsOfMixed(p *plan.Plan, tier string, rate float64) []result.ClosedForm {
	alone, c, busy := aloneOf(p, tier), mixedCores(p), p.Fullest("ps", rate)
	if busy >= 1 || p.Service.Contention.Model == "none" {
		return nil
	}
	law := ""
	if p.FanOut() > 1 || p.Client.Balance.Inner != "random" || p.Workload.Arrivals.Process != "poisson" || float64(c) != p.Fleet.PS.CPU-p.Service.AgentCPU {
		law = ", an estimate"
	}
	return []result.ClosedForm{{Name: fmt.Sprintf("W_q of %s (M/G/c, cores shared with its whole container, c = %d%s)", tier, c, law), Section: "CAP-12.36", Unit: "ns", Formula: "S C/(c (1 - rho))",
		Theory: alone * stretch(c, busy)}}
}

// mixedCores returns how many whole cores a container has that serves several tiers.
func mixedCores(p *plan.Plan) int { return max(1, int(p.Fleet.PS.CPU-p.Service.AgentCPU)) }

// stretch returns how much longer work takes on shared cores, relative to its time alone.
func stretch(cores int, busy float64) float64 {
	return theory.ErlangC(cores, busy) / (float64(cores) * (1 - busy))
}

// aloneOf returns the mean time, in nanoseconds, that a call takes in a tier if nothing else
// runs there.
func aloneOf(p *plan.Plan, tier string) float64 {
	sum := 0.0
	for _, m := range p.Served() {
		items := m.Items.Mean
		if tier == "ps" {
			items /= float64(max(p.FanOutOf(&m), 1))
		}
		law := m.Of(tier).CPU
		if tier == "dense" && p.Batched() {
			law = m.Of(tier).Batch
		}
		sum += m.Share * law.MeanOf(items)
	}
	return sum
}

// callsOf returns how many calls per second a container of a tier's fullest shard receives. The
// second result reports whether calls arrive independently of each other, which is so if balancers
// choose at random.
func callsOf(p *plan.Plan, tier string, rate float64) (calls float64, one bool) {
	one = tier == "entry" || p.Client.Balance.Inner == "random"
	most := 0.0
	for shard, work := range p.Works(tier) {
		n := p.Crowded(tier, shard)
		if work/n <= most {
			continue
		}
		most, calls = work/n, 0
		for _, m := range p.Served() {
			each := 1.0
			if tier == "ps" && !p.Client.Coalesce {
				each = float64(p.CallsOf(m.NumPS, shard))
			}
			one = one && each <= 1
			calls += float64(m.Share * each * rate / n)
		}
	}
	return calls, one
}

// uneven reports whether the containers of some shards have more work than others.
func uneven(p *plan.Plan, tier string) bool {
	least := math.Inf(1)
	works, common := p.Works(tier), 0.0
	if p.Fleet.Mixed != nil {
		works, common = p.Together()
		common /= float64(p.Containers(tier))
	}
	for shard, work := range works {
		least = math.Min(least, work/float64(p.ReplicasOf(tier, shard))+common)
	}
	return p.Fullest(tier, 1) > least*(1+1e-9)
}

// rolloutForms returns the closed forms for the mean time until all replicas serve a version.
func rolloutForms(p *plan.Plan) []result.ClosedForm {
	var list []result.ClosedForm
	for _, name := range plan.TierNames {
		if p.Fleet.Tier(name) == nil || p.ModelBytes(name) == 0 || !hasRollout(p, name) {
			continue
		}
		list = append(list, result.ClosedForm{Name: fmt.Sprintf("rollout to all %d of %s", p.Containers(name), name), Section: "CAP-7.5", Unit: "ns", Formula: "load + integral of 1 - F(t)^N",
			Theory: timeToAll(p, "", name, 1)})
		if p.RoughSortBytes(name) > 0 {
			list = append(list, result.ClosedForm{Name: fmt.Sprintf("rollout of rough_sort to all %d of %s", p.Containers(name), name), Section: "CAP-3.13", Unit: "ns",
				Formula: "load + integral of 1 - F(t)^N, F with the copy loop", Theory: timeToAll(p, plan.RoughSortName, name, 1)})
		}
	}
	return list
}

// LatencyBound returns a lower bound of the mean latency, in nanoseconds: the work of each
// stage and the network delay within one cluster, without any waiting.
func LatencyBound(p *plan.Plan) float64 {
	sum := 0.0
	for _, m := range p.Served() {
		sum += float64(m.Share * boundOf(p, &m))
	}
	return sum
}

// boundOf returns the lower bound of mean latency for requests to one model.
func boundOf(p *plan.Plan, m *plan.Served) float64 {
	items := m.Items.Mean
	network := 2*p.Network.SameCluster.Min() + float64(p.Network.PerRPC)
	sum := m.Entry.CPU.MeanOf(items)
	least := 0.0
	for shard, share := range m.Skew.Of(p.Shards(), m.NumPS) {
		if calls := float64(p.CallsOf(m.NumPS, shard)); calls > 0 {
			least = math.Max(least, m.PS.CPU.MeanOf(items*share/calls))
		}
	}
	sum += least + network
	switch {
	case p.Batched():
		sum += m.Dense.Batch.MeanOf(items) + network
	case p.Fleet.Dense != nil:
		sum += m.Dense.CPU.MeanOf(items) + network
	}
	return sum
}

// scvOf returns the squared coefficient of variation of the work in a tier, over the mix.
func scvOf(p *plan.Plan, tier string) float64 {
	of := func(m *plan.Served) float64 {
		s := m.Of(tier)
		scv := s.CPU.SCV()
		if !s.Noise.IsZero() {
			scv += s.Noise.SCV()
		}
		return scv
	}
	list := p.Served()
	if len(list) == 1 {
		return of(&list[0])
	}
	mean, square := 0.0, 0.0
	for _, m := range list {
		one := m.Of(tier).CPU.MeanOf(m.Items.Mean)
		mean += float64(m.Share * one)
		square += float64(m.Share * one * one * (1 + of(&m)))
	}
	if mean == 0 {
		return 0
	}
	return square/(mean*mean) - 1
}

// Estimate estimates the p99 latency in nanoseconds by formulas. It returns false if a tier
// is full. Searches use it only to order candidates.
func Estimate(p *plan.Plan) (float64, bool) { return estimateAt(p, p.PeakRate()) }

// loadParts lists the points of the load curve, as fractions of the rate at which a first tier
// becomes full.
var loadParts = []float64{0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97}

// loadCurve returns the estimated p99 as a function of load. It returns nil for a closed
// loop, which has no given rate.
func loadCurve(p *plan.Plan) *result.LoadCurve {
	c := &result.LoadCurve{Peak: p.PeakRate()}
	for _, name := range p.Kinds() {
		if full := 1 / p.Fullest(name, 1); c.Tier == "" || full < c.Full {
			c.Full, c.Tier = full, name
		}
	}
	if c.Peak == 0 || math.IsInf(c.Full, 0) {
		return nil
	}
	floor := Floors(p).Quantile(0.99, "")
	for _, part := range loadParts {
		if p99, ok := estimateAt(p, part*c.Full); ok {
			c.Points = append(c.Points, result.LoadPoint{Rate: part * c.Full, P99: max(p99, floor)})
		}
	}
	return c
}

// estimateAt estimates the p99 latency in nanoseconds at a request rate. It returns false if
// a tier is full.
func estimateAt(p *plan.Plan, rate float64) (float64, bool) {
	sum := LatencyBound(p)
	for _, name := range plan.TierNames {
		t := p.Fleet.Tier(name)
		if t == nil {
			continue
		}
		rho := p.Offered(name, rate, p.Crowded(name, 0))
		if rho >= 1 {
			return 0, false
		}
		s := p.Service.Of(name)
		servers := max(1, s.Threads)
		mean := p.Work(name) * 1e9 * float64(servers)
		scv := scvOf(p, name)
		wait := theory.AllenCunneen(servers, rho*float64(servers)/mean, mean, arrivalSCV(p, name), scv)
		if p.Fleet.Mixed != nil {
			busy := p.Fullest("ps", rate)
			if busy >= 1 {
				return 0, false
			}
			mean = aloneOf(p, name)
			wait = mean * stretch(mixedCores(p), busy)
		}
		// Use the mean wait of the slowest call of the fan-out, and four times that for the tail.
		fan := 1.0
		if name == "ps" {
			fan = theory.Harmonic(p.FanOut())
		}
		sum += wait*4*fan + mean*math.Sqrt(scv)*(1+fan)
	}
	return sum, true
}
