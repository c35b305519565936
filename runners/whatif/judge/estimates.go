package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// add adds a replication to the pool.
func (w *Pool) add(e *Evaluation, s *model.Sample) {
	if s.Window == e.longest() && (s.Refused == "" || !e.Plan.Measures()) {
		e.lives = append(e.lives, s.Life)
	}
	if w.Refused != "" || s.Refused != "" { // a refused replication makes the whole window refused
		w.refuse(cmp.Or(w.Refused, s.Refused), len(e.Spec.Limits))
		return
	}
	for k := range w.after {
		w.after[k].add(e, s.After(k))
	}
	w.drift(s)
	if w.Begun[1] == 0 {
		w.Begun[0] = s.Before
	}
	w.Begun = [2]int64{min(w.Begun[0], s.Before), max(w.Begun[1], s.Before)}
	w.axis.add(s, &w.Window)
	if w.Window.Incident > 0 {
		w.tracks = append(w.tracks, trackOf(s.Series))
	}
	w.Little = max(w.Little, s.Little)
	w.Conserved = w.Conserved && s.Conserved
	w.Hash = w.Hash*0x9e3779b97f4a7c15 ^ s.Hash
	if e.Goal.Records {
		e.samples = append(e.samples, s)
	}
}

// add adds the results of a replication that count for estimates.
func (w *Known) add(e *Evaluation, s *model.Sample) {
	thin := float64(e.Spec.Control.Thin)
	for k := range s.Models {
		if len(w.Models) <= k {
			w.Models = append(w.Models, newPerModel(e.Plan.Workload.Mix[k].Model, len(s.Models[k].Over)))
		}
		w.Models[k].add(&s.Models[k], s.Seconds, thin)
	}
	w.PerModel.add(&s.Outcomes, s.Seconds, thin)
	if loop := e.Plan.Workload.Loop; loop.Closed() && s.Completed > 0 {
		h := s.Latency.Corrected(int64(loop.Think.Mean) + s.Latency.Quantile(0.5))
		w.Corrected.Merge(h)
		w.latencies(plan.Corrected, h, h.Mean(), h.Count())
	}
	for t, name := range plan.TierNames {
		one := &s.Tiers[t]
		if one.Attempts > 0 {
			w.latencies(name, one.Latency, float64(one.SumNs)/float64(one.Attempts), one.Attempts)
		}
		if one.CoreNs > 0 {
			w.put("util("+name+")", float64(one.BusyNs)/float64(one.CoreNs))
			w.put("util_max("+name+")", float64(one.MaxParts)/1e6)
		}
	}
	w.aboveBounds(e, s)
	w.rollouts(e, s)
	w.Sum.Add(s)
}

// aboveBounds counts, for each objective on a dashboard's bucket bound, a replication's answered
// requests that took longer than that bound.
func (w *Known) aboveBounds(e *Evaluation, s *model.Sample) {
	w.completed = append(w.completed, s.Completed)
	k := 0
	for _, o := range e.Plan.SLO {
		if o.Bound == 0 {
			continue
		}
		name := o.Name()
		if len(w.above[name]) < len(w.completed) { // several objectives may name one bound
			w.above[name] = append(w.above[name], s.Above[k])
			if s.Completed > 0 {
				w.put(name, share(s.Above[k], s.Completed))
			}
		}
		k++
	}
}

// put adds one replication's value of a metric.
func (m *PerModel) put(metric string, v float64) { m.Values[metric] = append(m.Values[metric], v) }

// latencies adds one replication's mean and quantiles of n latencies for a scope, such as
// "request".
func (m *PerModel) latencies(scope string, h model.Hist, mean float64, n int64) {
	m.put("mean("+scope+")", mean)
	m.counts["mean("+scope+")"] = append(m.counts["mean("+scope+")"], n)
	m.tails[scope] = append(m.tails[scope], tailOf(h))
	for _, q := range quantiles {
		m.put(q.name+"("+scope+")", float64(h.Quantile(q.q)))
	}
	for _, name := range []string{"p50", "p99"} {
		m.put(plan.Dashboard+name+"("+scope+")", shown(h, levelOf(name)))
	}
}

// add adds the outcomes of a replication. It lasted ns nanoseconds, and one of every thin
// requests was simulated.
func (m *PerModel) add(s *model.Outcomes, ns int64, thin float64) {
	if s.Completed > 0 {
		m.latencies("request", s.Latency, float64(s.SumNs)/float64(s.Completed), s.Completed)
	}
	for k, n := range s.Failed {
		m.put("errors("+plan.Causes[k]+")", share(n, s.Arrived))
	}
	failed := sum(s.Failed[:])
	m.put("errors", share(failed, s.Arrived))
	m.put("answered", share(s.Completed, s.Arrived))
	m.put("goodput", float64(s.Answered)/float64(ns)*1e9*thin)
	for k, n := range s.Over {
		m.Over[k] = append(m.Over[k], n)
		m.Young[k] = append(m.Young[k], s.Young[k])
	}
	m.Open = append(m.Open, s.Open)
	if n := s.Completed + s.Open; n > 0 {
		m.atLeast = append(m.atLeast, float64(s.SumNs+s.OpenNs)/float64(n))
		m.counts[atLeast] = append(m.counts[atLeast], n)
	}
	m.Arrived = append(m.Arrived, s.Arrived)
	m.Bad = append(m.Bad, failed)
}

func share(n, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// rollouts adds how long the replication's slowest publish took, and the smallest number of
// replicas that a shard had serving during any publish.
func (w *Known) rollouts(e *Evaluation, s *model.Sample) {
	const metric = "time_to_available(publish)"
	worst, least := int64(-1), int64(math.MaxInt64)
	for _, r := range s.Life.Rollouts {
		took := r.Took
		if took < 0 { // the last replica did not serve the version within the horizon
			took = int64(e.Plan.Workload.Horizon) - int64(e.Plan.Events[r.Event].At)
			w.Never[metric]++
		}
		worst, least = max(worst, took), min(least, r.Least)
	}
	if worst >= 0 {
		w.put(metric, float64(worst))
	}
	if least < math.MaxInt64 {
		w.put("min_serving(publish)", float64(least))
	}
}

// ofEvent returns the name of a metric of an event.
func ofEvent(metric string, event *plan.Event) string { return metric + "(" + event.Label() + ")" }

func recoveryOf(event *plan.Event) string { return ofEvent("recovery", event) }

// unitOf returns the unit of a metric, "" for an unknown metric.
func unitOf(metric string) string {
	name, _, _ := strings.Cut(metric, "(")
	for _, m := range plan.Metrics {
		if m.Name == name {
			return m.Unit
		}
	}
	return ""
}

// Estimates returns all estimated values of the evaluation with their confidence intervals.
func (e *Evaluation) Estimates() []result.Estimate {
	var list []result.Estimate
	for _, w := range e.Windows {
		names := plan.MetricNames()
		if w.Window.Incident > 0 {
			for _, metric := range plan.Metrics.OfEvents() {
				names = append(names, ofEvent(metric, &e.Plan.Events[w.Window.Incident-1]))
			}
		}
		for _, o := range e.Plan.SLO {
			if o.Bound > 0 && !slices.Contains(names, o.Name()) {
				names = append(names, o.Name())
			}
		}
		list = append(list, e.ofModel(w, &w.PerModel, names, w.observations)...)
		for k := range w.Models {
			m := &w.Models[k]
			arrived, bad := sum(m.Arrived), sum(m.Bad)
			list = append(list, e.ofModel(w, m, names, func(metric string) int64 {
				if isShare(metric) || metric == "goodput" {
					return arrived
				}
				return arrived - bad - sum(m.Open)
			})...)
		}
	}
	return append(list, e.computed()...)
}

// quantileRuns is how many replications a quantile's confidence interval needs (CAP-5.2).
const quantileRuns = 20

// estimate fills in the value and its confidence interval, or says that there is not enough
// data. short says that the budget ended before the minimum number of replications.
// Quantiles then need quantileRuns replications.
func (w *Pool) estimate(one *result.Estimate, short bool) {
	if need := needs(one.Metric, one.Runs); one.N < need {
		one.Text = notEnough(one.N, need)
		return
	}
	if _, _, quantile := quantileOf(one.Metric); quantile && short && one.Runs < quantileRuns {
		one.Text = fmt.Sprintf("not enough data (%d replications, need %d)", one.Runs, quantileRuns)
		return
	}
	if m := w.requests(one.Scope.Model); w.unknown(one.Metric, one.Scope.Model) {
		one.Text = fmt.Sprintf("not known: %d of %d requests have no answer when the simulation ends", sum(m.Open), sum(m.Arrived))
		return
	}
	if need, few := w.tooFew(one.Metric, one.Scope.Model, one.Confidence); few {
		one.Text = notEnough(one.N, need)
		return
	}
	if one.Runs < 2 { // the other replications have no such value, for example because all of their requests failed
		one.Text = fmt.Sprintf("not enough data (n = %d, all in %d replication, need 2)", one.N, one.Runs)
		return
	}
	value, low, high := w.interval(one.Metric, one.Scope.Model, one.Confidence)
	one.Value, one.CI = &value, &[2]float64{low, high}
}

// unknown reports whether open requests make a latency unknown. A mean is unknown if any
// request is open. A quantile is unknown if so many are open that it falls among them.
func (w *Pool) unknown(metric, name string) bool {
	if sum(w.requests(name).Open) == 0 {
		return false
	}
	if q, scope, ok := quantileOf(metric); ok {
		return w.known(q, scope, name) > 1
	}
	return metric == "mean(request)" || metric == "mean("+plan.Corrected+")"
}

// ofModel returns the estimates for the requests of one model, or of all models together.
// count returns how many observations a metric is based on.
func (e *Evaluation) ofModel(w *Pool, m *PerModel, names []string, count func(metric string) int64) []result.Estimate {
	var list []result.Estimate
	for _, metric := range names {
		values := m.Values[metric]
		if len(values) == 0 {
			continue
		}
		one := result.Estimate{Metric: metric, Scope: result.Scope{Condition: e.Condition.Text, Window: w.Window.Name, Model: m.Name}, Unit: unitOf(metric),
			Confidence: float64(e.Plan.Precision.Level), N: count(metric), Runs: len(values), WarmupCut: w.Cut}
		one.NEff = float64(one.N) / stats.VIF(m.Arrived, m.Bad)
		if never := w.Never[metric]; never > 0 && one.N >= needs(metric, len(w.Arrived)) {
			one.Text = fmt.Sprintf("not within what was simulated, in %d of %d replications", never, len(values))
		} else {
			w.estimate(&one, e.Short)
		}
		list = append(list, one)
	}
	return list
}

func sum(list []int64) int64 {
	total := int64(0)
	for _, n := range list {
		total += n
	}
	return total
}

// observations returns how many observations a metric is based on.
func (w *Pool) observations(metric string) int64 {
	for t, name := range plan.TierNames {
		if strings.HasSuffix(metric, "("+name+")") {
			if isUtilisation(metric) && w.Sum.Tiers[t].BusyNs > 0 { // work may end too late to count as an attempt
				return max(w.Sum.Tiers[t].Attempts, int64(len(w.Values[metric])))
			}
			return w.Sum.Tiers[t].Attempts
		}
	}
	switch name, _, _ := strings.Cut(metric, "("); {
	case name == "time_to_available" || name == "min_serving" || slices.Contains(plan.Metrics.OfEvents(), name):
		return int64(len(w.Values[metric]))
	case metric == "errors" || metric == "goodput" || metric == "answered":
		return w.Sum.Arrived
	}
	return w.Sum.Completed
}

// isUtilisation reports whether a metric is a share of a tier's time.
func isUtilisation(metric string) bool { return strings.HasPrefix(metric, "util") }

// needs returns how many observations an estimate of the metric requires.
func needs(metric string, runs int) int64 {
	if q, _, ok := quantileOf(metric); ok {
		return int64(math.Ceil(1/(1-q)-1e-6)) * int64(runs)
	}
	return 2
}

// withValues adds to each estimate the value of every replication.
func (e *Evaluation) withValues(list []result.Estimate) []result.Estimate {
	for i := range list {
		one := &list[i]
		for _, w := range e.Windows {
			if w.Window.Name == one.Scope.Window && one.Value != nil {
				one.Values = w.requests(one.Scope.Model).Values[one.Metric]
			}
		}
	}
	return list
}
