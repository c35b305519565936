package judge

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/stats"
	"github.com/monosim/monosim/runners/whatif/theory"
)

// New returns the result of a command with what is known before any simulation.
func New(command string, p *plan.Plan, warnings plan.Problems) *result.Result {
	r := &result.Result{Format: result.Format, Command: command, Plan: p.Name, ScenarioHash: p.Hash(), Seed: p.Seed, Version: Version,
		Architecture: runtime.GOARCH, Currency: p.Report.Currency, Calibration: p.Measured, Device: p.Device, Problems: plan.Problems{}}
	r.Warnings = plan.Problems{} // file names without their folders
	for _, w := range warnings {
		w.File = filepath.Base(w.File)
		r.Warnings = append(r.Warnings, w)
	}
	for _, name := range p.Kinds() {
		r.Tiers = append(r.Tiers, tierResult(p, name, p.Fleet.Tier(name)))
	}
	r.Theory, r.Load = ClosedForms(p), loadCurve(p)
	return r
}

func tierResult(p *plan.Plan, name string, t *plan.Tier) result.Tier {
	one := result.Tier{Name: name, Containers: p.Containers(name), Replicas: p.ReplicasOf(name, 1), Shards: 1, CPU: t.CPU, MemLimit: int64(t.Mem),
		MemSteady: int64(p.Memory(name, 1)), MemPeak: int64(p.MemoryPeak(name)), Cost: float64(t.Cost) * float64(p.Containers(name)),
		Offered: p.Fullest(name, p.PeakRate())}
	if threads := p.Uncontended(name); threads > t.CPU {
		one.Busy = one.Offered * threads
	}
	if name == "ps" {
		one.Shards = p.Shards()
		one.Text = shardsThatFit(p)
	}
	return one
}

// shardsThatFit says which numbers of shards give PS containers enough memory for all
// versions during a rollover (CAP-Q5).
func shardsThatFit(p *plan.Plan) string {
	switch least := p.SmallestShards(); {
	case least == 0:
		return "no number of shards fits"
	case least == 1:
		return "any num_shard fits"
	default:
		return fmt.Sprintf("num_shard >= %d fits, %d does NOT", least, least-1)
	}
}

// Run simulates and judges a plan as it is written.
func (j *Judge) Run(ctx context.Context, p *plan.Plan, warnings plan.Problems) (*result.Result, error) {
	e, err := j.Evaluate(ctx, p, Normal, Goal{Precise: true, Records: true})
	if err != nil {
		return nil, err
	}
	r := New("run", p, warnings)
	e.Fill(r)
	r.Records = e.Records(nil, 0)
	r.Exit = ExitOf(r.Verdicts)
	if (e.Short || e.Refused() != "") && r.Exit == result.ExitMet { // a decided objective does not help if estimates are missing
		r.Exit = result.ExitUndecided
	}
	return r, nil
}

// ExitOf returns the exit code for a list of verdicts.
func ExitOf(list []result.Verdict) int {
	switch Worst(list) {
	case result.Fail:
		return result.ExitMissed
	case result.Undecided:
		return result.ExitUndecided
	}
	return result.ExitMet
}

// Fill copies the results of an evaluation into r.
func (e *Evaluation) Fill(r *result.Result) {
	r.Estimates = append(r.Estimates, e.withValues(e.Estimates())...)
	r.Verdicts = append(r.Verdicts, e.Verdicts()...)
	r.Stopped, r.Marked = e.Stopped, e.Marked
	r.Checks.Conserved = true
	for _, w := range e.Windows {
		r.Windows = append(r.Windows, result.Window{Name: w.Window.Name, Start: int64(w.Window.Start), End: int64(w.Window.End), Warmup: w.Begun[1], Least: w.Begun[0],
			Refused: w.Refused, Unsettled: w.Unsettled, Cut: w.Cut, Stationary: w.Stationary, Requests: w.Sum.Arrived, Open: w.Sum.Open,
			Rate: e.meanRate(w)})
	}
	e.Check(&r.Checks)
	worst := e.worstWindow()
	r.Breakdown, r.BreakdownOf = worst.breakdown(), worst.Window.Name
	failing := e.failing()
	r.Errors, r.ErrorsOf = failing.causes(), failing.Window.Name
	r.CDF = cdf(worst.Sum.Latency)
	r.Saturation = e.saturation(worst)
	r.Timeline, r.Series = e.timeline(), e.series()
	r.Scaled, r.Scalers = e.scaled(), e.scalers()
	r.Incidents = e.incidents()
	r.Rollouts = e.rollouts()
	e.simulatedForms(r.Theory)
}

func (w *Pool) check(c *result.Checks) {
	s := &w.Sum
	c.Little = math.Max(c.Little, float64(w.Little)/1e12)
	c.Conserved = c.Conserved && w.Conserved
	c.Arrivals += s.Arrived
	c.Completed += s.Completed
	c.Failed += sum(s.Failed[:])
	c.InFlight += s.Open
	c.Simulated += s.Requests
	c.Sent += s.Calls.Sent
	c.Answered += s.Calls.Answered
	c.TimedOut += s.Calls.TimedOut
	c.Refused += s.Calls.Refused
	c.Abandoned += s.Calls.Abandoned
	c.Open += s.Calls.Open
	c.Late += s.Calls.Late
	c.Hedged += s.Calls.Hedged
	c.Skipped += s.Calls.Skipped
	for t := range s.Tiers {
		c.BusiestCore = math.Max(c.BusiestCore, float64(s.Tiers[t].MaxParts)/1e6)
	}
}

// worstWindow returns the window with the highest p99.
func (e *Evaluation) worstWindow() *Pool {
	return e.highest(func(w *Pool) float64 { return float64(w.Sum.Latency.Quantile(0.99)) })
}

// highest returns the first window with the highest value.
func (e *Evaluation) highest(value func(*Pool) float64) *Pool {
	most := e.Windows[0]
	for _, w := range e.Windows {
		if value(w) > value(most) {
			most = w
		}
	}
	return most
}

// failing returns the window with the largest share of failed requests. If nothing fails, it
// returns the window with the highest p99.
func (e *Evaluation) failing() *Pool {
	most, worst := e.highest((*Pool).failed), e.worstWindow()
	if most.failed() > worst.failed() {
		return most
	}
	return worst
}

// failed returns the share of requests that failed.
func (w *Pool) failed() float64 { return share(sum(w.Sum.Failed[:]), w.Sum.Arrived) }

// breakdown returns the parts of latency as shares, for all requests and for the slowest 1 %.
func (w *Pool) breakdown() []result.Part {
	s := &w.Sum
	if s.Completed == 0 {
		return nil
	}
	slow, left := len(s.Counts), s.Completed/100
	for slow > 0 && left > 0 {
		slow--
		left -= s.Counts[slow]
	}
	var list []result.Part
	all, tail := int64(0), int64(0)
	for p, name := range model.PartNames {
		sum, end := int64(0), int64(0)
		for k := range s.Counts {
			sum += s.Parts[k][p]
			if k >= slow {
				end += s.Parts[k][p]
			}
		}
		all += sum
		tail += end
		list = append(list, result.Part{Name: name, Mean: float64(sum) / float64(s.Completed), Share: float64(sum), Tail: float64(end)})
	}
	for i := range list {
		list[i].Share /= math.Max(float64(all), 1)
		list[i].Tail /= math.Max(float64(tail), 1)
	}
	return list
}

func (w *Pool) causes() []result.Cause {
	var list []result.Cause
	for k, n := range w.Sum.Failed {
		list = append(list, result.Cause{Name: plan.Causes[k], Count: n, Fraction: share(n, w.Sum.Arrived)})
	}
	return list
}

// cdf returns the cumulative distribution of latencies, with about two hundred points.
func cdf(h model.Hist) []result.CDFPoint {
	var list []result.CDFPoint
	n := float64(h.Count())
	last := 0.0
	h.CDF(func(ns, count int64) {
		f := float64(count) / n
		if f-last >= 0.01 || f > 0.9 && (1-last)/(1-f+1e-12) > 1.05 || float64(count) == n {
			list = append(list, result.CDFPoint{Latency: ns, Fraction: f})
			last = f
		}
	})
	return list
}

// timeline returns the offered rate over the horizon, together with the results of each
// window.
func (e *Evaluation) timeline() []result.TimelinePoint {
	p := e.Plan
	horizon := int64(p.Workload.Horizon)
	var at []int64
	const points = 240
	for k := range int64(points) {
		at = append(at, horizon*k/points)
	}
	at = append(at, lists.Map(p.Events, func(one plan.Event) int64 { return int64(one.At) })...)
	at = append(at, lists.Map(e.Windows, func(w *Pool) int64 { return int64(w.Window.Start) })...)
	slices.Sort(at)
	at = slices.Compact(at)
	var list []result.TimelinePoint
	for _, t := range at {
		if len(e.lives) > 0 && e.lives[0].Until > 0 && t > e.lives[0].Until {
			break // later decisions of an autoscaler that measures load were not simulated
		}
		rate := e.rateAt(t)
		one := result.TimelinePoint{At: t, Rate: rate, Live: map[string]int{}, Offered: map[string]float64{}, Mem: map[string]int64{}}
		for tier, name := range plan.TierNames {
			if slices.Contains(p.Kinds(), name) {
				live := e.live(tier, t)
				one.Live[name] = int(live + 0.5)
				one.Offered[name] = p.Offered(name, rate, math.Max(live, 1)/float64(p.Containers(name))*float64(p.ReplicasOf(name, 0)))
				one.Mem[name] = int64(p.Memory(name, 1))
			}
		}
		for _, event := range p.Events {
			if int64(event.At) == t {
				one.Event = event.Label()
			}
		}
		for _, w := range e.Windows {
			if t >= int64(w.Window.Start) && t < int64(w.Window.End) {
				one.P99 = w.Sum.Latency.Quantile(0.99)
				one.Errors = 1 - share(w.Sum.Completed, w.Sum.Arrived)
			}
		}
		list = append(list, one)
	}
	return list
}

// rateAt returns the request rate at an instant. For a closed loop it is the mean rate of
// the window that contains the instant.
func (e *Evaluation) rateAt(at int64) float64 {
	if !e.Plan.Workload.Loop.Closed() {
		return e.Spec.RateAt(at) * float64(e.Spec.Control.Thin)
	}
	for _, w := range e.Windows {
		if at >= int64(w.Window.Start) && at < int64(w.Window.End) {
			return e.meanRate(w)
		}
	}
	return 0
}

// meanRate returns the mean rate of arriving requests in a window, per second.
func (e *Evaluation) meanRate(w *Pool) float64 {
	return float64(w.Sum.Arrived) / float64(max(e.Runs, 1)) / float64(w.seconds()) * 1e9 * float64(e.Spec.Control.Thin)
}

// incidents returns the results of each window around an event.
func (e *Evaluation) incidents() []result.Incident {
	var list []result.Incident
	for _, w := range e.Windows {
		if w.Window.Incident == 0 {
			continue
		}
		event := e.Plan.Events[w.Window.Incident-1]
		one := result.Incident{Event: event.Label(), Action: event.Action(), At: int64(event.At),
			Errors: 1 - share(w.Sum.Completed, w.Sum.Arrived), RequestsCount: w.Sum.Arrived,
			Slow1: share(w.Sum.Waited[0], w.Sum.Arrived), Slow2: share(w.Sum.Waited[1], w.Sum.Arrived)}
		one.Failed = one.Errors
		p99 := result.Estimate{Metric: "p99(request)", Confidence: float64(e.Plan.Precision.Level), N: w.Sum.Completed, Runs: len(w.Values["p99(request)"])}
		w.estimate(&p99, e.Short)
		one.P99, one.CI = p99.Value, p99.CI
		e.fate(&one, w)
		one.Closed1, one.Closed2, one.ClosedFailed = e.unnoticed(&event)
		if values := w.Values[recoveryOf(&event)]; len(values) > 0 && w.Never[recoveryOf(&event)] == 0 {
			mean, _ := stats.Mean(values)
			ns := int64(mean)
			one.RecoveredNs = &ns
		}
		list = append(list, one)
	}
	return list
}

// fate fills in what the event of a window did to containers, as means over all replications.
func (e *Evaluation) fate(one *result.Incident, w *Pool) {
	k := w.Window.Incident - 1
	if k >= len(w.Sum.Life.Fates) {
		return
	}
	f := &w.Sum.Life.Fates[k]
	if f.Killed > 0 {
		one.DetectNs = f.UnseenNs / f.Killed
	}
	each := float64(max(e.Spec.Control.Thin, 1)) / float64(max(e.Runs, 1))
	one.LostSessions, one.Unlisted = float64(f.Lost)*each, float64(f.Unlisted)*each
	if f.Losing > 0 {
		one.ListedNs = f.BackNs / f.Losing
	}
}

// unnoticed computes what happens while dead PS containers of one shard are still listed:
// the shares of requests that wait for one timeout, that wait for two, and that fail. It is
// a closed form for calls to random replicas (CAP-7.4).
func (e *Evaluation) unnoticed(event *plan.Event) (one, two, failed float64) {
	p := e.Plan
	k := event.Kill
	if k == nil || k.Tier != "ps" || k.Count > 1 && k.Pick != "same_shard_worst" || k.Refuse || p.Client.Balance != (plan.Balance{Inner: "random"}) || p.Client.RetryTarget == "same" || len(p.Served()) > 1 {
		return 0, 0, 0
	}
	calls := 0 // calls that one request makes to shard 0
	for _, c := range e.Spec.Calls {
		if c.Shard == 0 {
			calls++
		}
	}
	replicas := e.Spec.Tiers[model.PS].Replicas[0] * max(e.Spec.Control.Thin, 1)
	of := func(j int) float64 {
		return theory.FailAtLeast(calls, replicas, min(k.Count, replicas), j, p.Client.RetryTarget == "distinct")
	}
	return of(1), of(2), of(p.Override.FetchPSRetry + 1)
}

// simulatedForms adds the simulated value next to each closed form.
func (e *Evaluation) simulatedForms(list []result.ClosedForm) {
	worst := e.worstWindow()
	for i := range list {
		f := &list[i]
		w := worst
		if f.Unit == "fraction" { // utilisations are computed for the peak rate
			w = e.busiest(f.Metric)
		}
		if w == nil {
			continue
		}
		values := w.Values[f.Metric]
		if len(values) == 0 {
			continue
		}
		value := w.value(f.Metric)
		f.Sim = &value
		if residual := value/f.Theory - 1; f.Theory != 0 {
			f.Residual = &residual
		}
	}
}

// busiest returns the window with the highest request rate among those that have the metric.
// It returns nil if none of these is at the peak rate throughout.
func (e *Evaluation) busiest(metric string) *Pool {
	rate := func(w *Pool) float64 {
		if len(w.Values[metric]) == 0 {
			return 0
		}
		return e.meanRate(w)
	}
	most := e.highest(rate)
	if rate(most) < e.Plan.PeakRate()*(1-nearPeak) {
		return nil
	}
	return most
}

// nearPeak is the fraction by which a window's rate may be below the peak rate and still counts as
// the peak rate.
const nearPeak = 0.03

// Check adds the checks of the simulation's invariants to c. If several windows have the same
// samples, only the first of them counts.
func (e *Evaluation) Check(c *result.Checks) {
	for k, of := range e.Spec.Twins() {
		if of == k {
			e.Windows[k].check(c)
		}
	}
}
