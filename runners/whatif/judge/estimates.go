package judge

import (
	"fmt"
	"math"
	"strings"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// add takes a replication into the pool.
func (w *Pool) add(e *Evaluation, s *model.Sample) {
	for k := range w.after {
		w.after[k].add(e, w, s.After(k))
	}
	if s.Window == 0 {
		e.lives = append(e.lives, s.Life)
	}
	w.Little = max(w.Little, s.Little)
	w.Conserved = w.Conserved && s.Conserved
	w.Hash = w.Hash*0x9e3779b97f4a7c15 ^ s.Hash
	if e.Goal.Records {
		e.samples = append(e.samples, s)
	}
}

// add takes what counts of a replication.
func (w *Known) add(e *Evaluation, pool *Pool, s *model.Sample) {
	put := func(metric string, v float64) {
		w.Values[metric] = append(w.Values[metric], v)
	}
	w.addModels(e, s)
	latencies := func(scope string, h model.Hist, sum, n int64) {
		if n == 0 {
			return
		}
		put("mean("+scope+")", float64(sum)/float64(n))
		for _, q := range quantiles {
			put(q.name+"("+scope+")", float64(h.Quantile(q.q)))
		}
	}
	latencies("request", s.Latency, s.SumNs, s.Completed)
	if loop := e.Plan.Workload.Loop; loop.Closed() && s.Completed > 0 {
		h := s.Latency.Corrected(int64(loop.Think.Mean) + s.Latency.Quantile(0.5))
		w.Corrected.Merge(h)
		put("mean("+plan.Corrected+")", h.Mean())
		for _, q := range quantiles {
			put(q.name+"("+plan.Corrected+")", float64(h.Quantile(q.q)))
		}
	}
	failed := int64(0)
	for k, n := range s.Failed {
		failed += n
		put("errors("+plan.Causes[k]+")", share(n, s.Arrived))
	}
	put("errors", share(failed, s.Arrived))
	put("goodput", float64(s.Completed)/float64(s.Seconds)*1e9*float64(e.Spec.Control.Thin))
	for t, name := range plan.TierNames {
		one := &s.Tiers[t]
		latencies(name, one.Latency, one.SumNs, one.Attempts)
		if one.CoreNs > 0 {
			put("util("+name+")", float64(one.BusyNs)/float64(one.CoreNs))
			put("util_max("+name+")", float64(one.MaxParts)/1e6)
		}
	}
	w.rollouts(e, s, put)
	w.recovers(e, &pool.Window, s, put)
	for k, n := range s.Over {
		w.Over[k] = append(w.Over[k], n)
	}
	w.Arrived = append(w.Arrived, s.Arrived)
	w.Bad = append(w.Bad, failed)
	w.Sum.Add(s)
}

// PerModel is what is known of the requests for one model of a mix.
type PerModel struct {
	Name    string
	Values  map[string][]float64
	Over    [][]int64
	Arrived []int64
	Bad     []int64
}

// addModels takes what came of each model of the mix.
func (w *Known) addModels(e *Evaluation, s *model.Sample) {
	for k := range s.Models {
		if len(w.Models) <= k {
			w.Models = append(w.Models, PerModel{Name: e.Plan.Workload.Mix[k].Model, Values: map[string][]float64{}, Over: make([][]int64, len(s.Models[k].Over))})
		}
		m, one := &w.Models[k], &s.Models[k]
		put := func(metric string, v float64) { m.Values[metric] = append(m.Values[metric], v) }
		if one.Completed > 0 {
			put("mean(request)", float64(one.SumNs)/float64(one.Completed))
			for _, q := range quantiles {
				put(q.name+"(request)", float64(one.Latency.Quantile(q.q)))
			}
		}
		failed := int64(0)
		for c, n := range one.Failed {
			failed += n
			put("errors("+plan.Causes[c]+")", share(n, one.Arrived))
		}
		put("errors", share(failed, one.Arrived))
		put("goodput", float64(one.Completed)/float64(s.Seconds)*1e9*float64(e.Spec.Control.Thin))
		for l, n := range one.Over {
			m.Over[l] = append(m.Over[l], n)
		}
		m.Arrived = append(m.Arrived, one.Arrived)
		m.Bad = append(m.Bad, failed)
	}
}

func share(n, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// rollouts takes what publishes and deaths took.
func (w *Known) rollouts(e *Evaluation, s *model.Sample, put func(string, float64)) {
	const metric = "time_to_available(publish)"
	worst, k := int64(-1), 0
	for i := range e.Plan.Events {
		if e.Plan.Events[i].Publish == nil || k >= len(s.Life.Available) {
			continue
		}
		took := s.Life.Available[k]
		if took < 0 { // not within the horizon
			took = int64(e.Plan.Workload.Horizon) - int64(e.Plan.Events[i].At)
			w.Never[metric]++
		}
		worst = max(worst, took)
		k++
	}
	if worst >= 0 {
		put(metric, float64(worst))
	}
	least := int64(math.MaxInt64)
	for _, n := range s.Life.Serving {
		least = min(least, n)
	}
	if least < math.MaxInt64 {
		put("min_serving(publish)", float64(least))
	}
}

// recovers takes how long the window took to be as before its event.
func (w *Known) recovers(e *Evaluation, of *model.Window, s *model.Sample, put func(string, float64)) {
	if of.Incident == 0 {
		return
	}
	event := &e.Plan.Events[of.Incident-1]
	ns, known, never := recovery(s, int64(event.At)-int64(of.Start), int64(of.End-of.Start))
	if !known {
		return
	}
	put(recoveryOf(event), float64(ns))
	if never {
		w.Never[recoveryOf(event)]++
	}
}

func recoveryOf(event *plan.Event) string { return "recovery(" + event.Label() + ")" }

// unitOf returns the unit of a metric, "" for one that is not known.
func unitOf(metric string) string {
	for _, m := range plan.Metrics {
		if len(metric) >= len(m.Name) && metric[:len(m.Name)] == m.Name && (len(metric) == len(m.Name) || metric[len(m.Name)] == '(') {
			return m.Unit
		}
	}
	return ""
}

// Estimates returns all numbers of the evaluation, with their intervals.
func (e *Evaluation) Estimates() []result.Estimate {
	var list []result.Estimate
	level := float64(e.Plan.Precision.Level)
	for i := range e.Windows {
		w := &e.Windows[i]
		names := plan.MetricNames()
		if w.Window.Incident > 0 {
			names = append(names, recoveryOf(&e.Plan.Events[w.Window.Incident-1]))
		}
		for _, metric := range names {
			values := w.Values[metric]
			if len(values) == 0 {
				continue
			}
			one := result.Estimate{Metric: metric, Scope: result.Scope{Condition: e.Condition.Text, Window: w.Window.Name}, Unit: unitOf(metric), Confidence: level,
				N: w.observations(metric), Runs: len(values), WarmupCut: w.Cut}
			one.NEff = float64(one.N) / stats.VIF(w.Arrived, w.Bad)
			if never := w.Never[metric]; never > 0 && one.N >= needs(metric, len(w.Arrived)) {
				one.Text = fmt.Sprintf("not within what was simulated, in %d of %d replications", never, len(values))
			} else {
				w.estimate(&one, e.Short)
			}
			list = append(list, one)
		}
		for k := range w.Models {
			list = append(list, e.ofModel(w, &w.Models[k])...)
		}
	}
	return append(list, e.computed()...)
}

// quantileRuns is how many replications the interval of a quantile takes (CAP-5.2).
const quantileRuns = 20

// estimate fills in the value and its interval, or says that there is not enough data. Where the
// budget ended short of what the plan has at least, quantiles are not told of too few replications.
func (w *Pool) estimate(one *result.Estimate, short bool) {
	if need := needs(one.Metric, one.Runs); one.N < need {
		one.Text = notEnough(one.N, need)
		return
	}
	if _, _, quantile := quantileOf(one.Metric); quantile && short && one.Runs < quantileRuns {
		one.Text = fmt.Sprintf("not enough data (%d replications, need %d)", one.Runs, quantileRuns)
		return
	}
	if one.Runs < 2 { // nothing came of the others, as of requests that all failed
		one.Text = fmt.Sprintf("not enough data (n = %d, all in %d replication, need 2)", one.N, one.Runs)
		return
	}
	value, half := w.interval(one.Metric, one.Scope.Model, one.Confidence)
	one.Value, one.CI = &value, &[2]float64{value - half, value + half}
}

// ofModel returns the numbers of the requests for one model.
func (e *Evaluation) ofModel(w *Pool, m *PerModel) []result.Estimate {
	var list []result.Estimate
	arrived, bad := sum(m.Arrived), sum(m.Bad)
	for _, metric := range plan.MetricNames() {
		values := m.Values[metric]
		if len(values) == 0 {
			continue
		}
		one := result.Estimate{Metric: metric, Scope: result.Scope{Condition: e.Condition.Text, Window: w.Window.Name, Model: m.Name}, Unit: unitOf(metric),
			Confidence: float64(e.Plan.Precision.Level), N: arrived - bad, Runs: len(values), WarmupCut: w.Cut}
		if strings.HasPrefix(metric, "errors") || metric == "goodput" {
			one.N = arrived
		}
		one.NEff = float64(one.N) / stats.VIF(m.Arrived, m.Bad)
		w.estimate(&one, e.Short)
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

// observations returns how many there are of what a metric is of.
func (w *Pool) observations(metric string) int64 {
	for t, name := range plan.TierNames {
		if len(metric) > len(name)+2 && metric[len(metric)-len(name)-2:] == "("+name+")" {
			return w.Sum.Tiers[t].Attempts
		}
	}
	switch metric {
	case "time_to_available(publish)", "min_serving(publish)":
		return int64(len(w.Values[metric]))
	case "errors", "goodput":
		return w.Sum.Arrived
	}
	if strings.HasPrefix(metric, "recovery(") {
		return int64(len(w.Values[metric]))
	}
	return w.Sum.Completed
}

// needs returns how many observations replications need to have a quantile at all.
func needs(metric string, runs int) int64 {
	if q, _, ok := quantileOf(metric); ok {
		return int64(math.Ceil(1/(1-q)-1e-6)) * int64(runs)
	}
	return 2
}

// withValues adds what each replication gave.
func (e *Evaluation) withValues(list []result.Estimate) []result.Estimate {
	for i := range list {
		one := &list[i]
		for k := range e.Windows {
			if w := &e.Windows[k]; w.Window.Name == one.Scope.Window && one.Value != nil {
				one.Values = w.valuesOf(one.Metric, one.Scope.Model)
			}
		}
	}
	return list
}

// valuesOf returns what each replication gave of a metric, of one model of the mix or of all
// requests for "".
func (w *Pool) valuesOf(metric, name string) []float64 {
	if m := w.model(name); m != nil {
		return m.Values[metric]
	}
	return w.Values[metric]
}

// model returns a model of the mix, nil for "" and where nothing came.
func (w *Pool) model(name string) *PerModel {
	for k := range w.Models {
		if w.Models[k].Name == name {
			return &w.Models[k]
		}
	}
	return nil
}
