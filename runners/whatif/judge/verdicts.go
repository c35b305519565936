package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/whatif/ensemble"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/quantity"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/stats"
)

func notEnough(n, need int64) string {
	return fmt.Sprintf("not enough data (n = %d, need %d)", n, need)
}

// Verdicts judges all objectives in all windows. An objective that is the same for all
// windows, such as one on memory, is judged once.
func (e *Evaluation) Verdicts() []result.Verdict {
	var list []result.Verdict
	first := e.first()
	for _, window := range e.Windows {
		if !e.judges(window) {
			continue
		}
		limits := map[string]int{} // index of the next limit of each model
		for _, o := range e.Plan.Objectives() {
			if e.ofAllWindows(o) && window != first {
				continue
			}
			if o.OfEvent() && window.Window.Incident != e.Plan.EventNamed(o.Scope) {
				continue
			}
			v := result.Verdict{SLO: o.Text, Metric: o.Name(), Limit: o.Limit, Confidence: e.Goal.Confidence,
				Scope: result.Scope{Condition: e.Condition.Text, Window: window.Window.Name, Model: o.Model}}
			if e.ofAllWindows(o) {
				v.Scope.Window = ""
			}
			w := window.requests(o.Model)
			_, exact := e.exact(o)
			switch {
			case o.Unbreakable():
				v.Outcome, v.Text = result.Pass, "no fleet can break it"
			case !exact && window.Refused != "":
				v.Outcome, v.Text = result.Undecided, window.Refused
			case model.IsRequestLatency(o):
				e.byCount(&v, w, w.Over[limits[o.Model]], w.Young[limits[o.Model]], 1-levelOf(o.Metric), window.relatedBeyond("request", o.Model, 1-levelOf(o.Metric)))
				limits[o.Model]++
			case o.Metric == "errors" && o.Scope == "":
				e.byCount(&v, w, w.Bad, w.Open, o.Limit, &stats.Related{Floor: window.relatedOf("request", o.Model)})
			case o.Bound > 0:
				e.aboveBound(&v, window, w, o)
			default:
				e.byInterval(&v, window, o)
			}
			if !exact && !o.Unbreakable() && v.Outcome == result.Pass && window.Unsettled != "" {
				v.Outcome, v.Text = result.Undecided, window.Unsettled
			}
			list = append(list, v)
		}
	}
	return list
}

// first returns the window in which objectives that concern no particular window are judged. It is
// the first simulated window that counts or, if there is none, the first window that counts.
func (e *Evaluation) first() *Pool {
	var first *Pool
	for _, w := range e.Windows {
		if e.judges(w) && (first == nil || first.Refused != "" && w.Refused == "") {
			first = w
		}
	}
	return first
}

// ofAllWindows reports whether an objective concerns a whole replication, so that its value
// is the same in all windows.
func (e *Evaluation) ofAllWindows(o plan.SLO) bool {
	_, exact := e.exact(o)
	return exact || o.Metric == "time_to_available" || o.Metric == "min_serving"
}

// requests returns the results of the requests to a model of the mix. For "", and for a
// model without requests, it returns the results of all requests.
func (w *Pool) requests(name string) *PerModel {
	for k := range w.Models {
		if w.Models[k].Name == name {
			return &w.Models[k]
		}
	}
	return &w.PerModel
}

// judges reports whether a window counts under the condition. If must_hold_under names
// events, the window of an event counts under that event's condition only.
func (e *Evaluation) judges(w *Pool) bool {
	event := w.Window.Incident
	switch {
	case e.Condition.Event > 0:
		return event == e.Condition.Event
	case e.Condition.NoEvents:
		return event == 0
	}
	return true
}

func levelOf(metric string) float64 {
	q, _, ok := quantileOf(metric + "(request)")
	if !ok {
		panic("judge: no quantile " + metric)
	}
	return q
}

// byCount judges whether at most the share p of requests is bad. It is unknown how the open
// requests will end, so the verdict is decided only if it is the same in every case.
//
// A pass is judged with a larger variance inflation factor than a fail. If only few requests are bad,
// their own counts may not show how strongly requests depend on each other (see inflationOfPass, CAP-5.5).
func (e *Evaluation) byCount(v *result.Verdict, w *PerModel, bad, open []int64, p float64, related *stats.Related) {
	if e.Short {
		v.Outcome, v.Text = result.Undecided, e.short()
		return
	}
	most := slices.Clone(bad)
	for i := range bad {
		v.N += w.Arrived[i]
		v.X += bad[i]
		most[i] += open[i]
	}
	v.Open = sum(open)
	inflation := func(bad []int64) float64 { return inflationOfPass(related, w.Arrived, bad, p, v.Confidence) }
	passes := func(bad []int64) bool { return stats.Passes(v.N, sum(bad), p, inflation(bad), v.Confidence) }
	fails := func(bad []int64) bool {
		return stats.Fails(v.N, sum(bad), p, stats.VIF(w.Arrived, bad), v.Confidence)
	}
	v.VIF = inflation(bad)
	failed := fails(bad)
	if failed {
		v.VIF = stats.VIF(w.Arrived, bad)
	}
	v.NEff = float64(v.N) / v.VIF
	switch {
	case failed:
		v.Outcome = result.Fail
	case passes(most):
		v.Outcome = result.Pass
	case v.Open > 0 && (passes(bad) || fails(most)):
		v.Outcome = result.Undecided
		v.Text = stillOpen(v)
	case v.N == 0:
		v.Outcome, v.Text = result.Undecided, notEnough(0, 1)
	case p == 0 || v.X == v.N:
		v.Outcome = result.Undecided
		v.Text = fmt.Sprintf("%d of %d exceed it, and no number of requests shows that it is always so", v.X, v.N)
	case p < 1 && v.NEff < float64(stats.Needed(p, v.Confidence)):
		v.Outcome, v.Text = result.Undecided, notEnough(v.N, int64(math.Ceil(float64(stats.Needed(p, v.Confidence))*v.VIF)))
	default:
		v.Outcome = result.Undecided
		v.Text = fmt.Sprintf("%d of %d exceed it, worth %.0f independent requests: too near to %s", v.X, v.N, v.NEff, quantity.Format(quantity.Percent, p))
	}
}

// byCost judges an objective on cost for a fleet whose number of containers changes, by the
// confidence interval of the cost over the horizon. It returns false for other objectives and
// fleets.
func (e *Evaluation) byCost(v *result.Verdict, o plan.SLO) bool {
	if o.Metric != "cost" {
		return false
	}
	s := e.scaledAt(v.Confidence)
	if s == nil {
		return false
	}
	v.Outcome, v.N = outcome(within(o, s.CI[1]), within(o, s.CI[0])), int64(s.Runs)
	v.Text = foundIn(o, s.Cost, s.CI[0], s.CI[1]) + " as it is scaled"
	return true
}

// byInterval judges an objective by the exact value of a metric, if that follows from the
// plan. Otherwise it judges by the confidence interval of the mean over replications.
func (e *Evaluation) byInterval(v *result.Verdict, w *Pool, o plan.SLO) {
	if e.byCost(v, o) {
		return
	}
	if value, ok := e.exact(o); ok {
		v.Outcome = outcome(within(o, value), within(o, value))
		if v.Outcome == result.Fail {
			v.Text = "found " + measured(kindOf(o), value)
		}
		return
	}
	if e.Short {
		v.Outcome, v.Text = result.Undecided, e.short()
		return
	}
	metric := o.Name()
	if o.OfEvent() {
		metric = ofEvent(o.Metric, &e.Plan.Events[w.Window.Incident-1])
	}
	m := w.requests(o.Model)
	values := m.Values[metric]
	if never := w.Never[metric]; never > 0 {
		neverOver(v, never, values, o)
		return
	}
	if w.answersNobody(v, m, o) {
		return
	}
	if ofRequests(o.Scope) && sum(m.Open) > 0 {
		e.unanswered(v, w, m, o)
		return
	}
	if len(values) == 0 && o.OfEvent() {
		v.Outcome, v.Text = result.Undecided, "nobody is answered before the event, so that there is nothing to compare with"
		return
	}
	if n := int64(len(values)); n < 2 || isShare(o.Metric) && sum(m.Arrived) == 0 {
		v.Outcome, v.Text = result.Undecided, notEnough(min(n, sum(m.Arrived)), 2)
		return
	}
	w.byEstimate(v, m, metric, o)
}

// byEstimate judges an objective by the confidence interval of a metric.
func (w *Pool) byEstimate(v *result.Verdict, m *PerModel, metric string, o plan.SLO) {
	mean, low, high := w.interval(metric, o.Model, v.Confidence)
	v.N = w.observations(metric)
	if m != &w.PerModel {
		v.N = sum(m.Arrived)
	}
	found := foundIn(o, mean, low, high)
	if strings.HasPrefix(o.Op, ">") {
		low, high = high, low
	}
	v.Outcome = outcome(within(o, high), within(o, low))
	if need, few := w.tooFew(metric, o.Model, v.Confidence); few && v.Outcome != result.Fail {
		v.Outcome, v.Text = result.Undecided, notEnough(v.N, need)
		return
	}
	if o.Metric == "goodput" && mean == 0 && !within(o, mean) { // no request is answered in any replication
		v.Outcome = result.Fail
	}
	switch v.Outcome {
	case result.Undecided:
		if v.Text = found + ": too near to the limit"; isShare(o.Metric) && sum(m.Open) > 0 {
			v.N, v.Open = sum(m.Arrived), sum(m.Open)
			v.Text = stillOpen(v)
		}
	case result.Fail:
		v.Text = found
	}
}

// neverOver judges an objective about an event that, in some replications, was not over by the end
// of the window.
func neverOver(v *result.Verdict, never int, values []float64, o plan.SLO) {
	v.Outcome, v.N = result.Fail, int64(len(values))
	v.Text = fmt.Sprintf("not within what was simulated, in %d of %d replications", never, len(values))
	if least, _ := stats.Mean(values); o.Metric == "lost" || o.Metric == "above" { // both metrics grow until the event is over
		v.Outcome = outcome(false, within(o, least))
		v.Text += fmt.Sprintf(", until then %s", measured(kindOf(o), least))
	}
}

// foundIn formats a value with its confidence interval.
func foundIn(o plan.SLO, mean, low, high float64) string {
	return fmt.Sprintf("found %s [%s, %s]", measured(kindOf(o), mean), measured(kindOf(o), low), measured(kindOf(o), high))
}

// answers returns the counts that a dashboard has: in Arrived only the requests that are answered
// or may still be answered.
func (m *PerModel) answers() *PerModel {
	one := &PerModel{Name: m.Name, Arrived: slices.Clone(m.completed)}
	for i, open := range m.Open {
		one.Arrived[i] += open
	}
	return one
}

// stillOpen returns the reason of a verdict that is undecided because open requests can change it.
func stillOpen(v *result.Verdict) string {
	return fmt.Sprintf("%d of %d are open at the end of the simulation, and how they end decides it", v.Open, v.N)
}

// aboveBound judges how many answers took longer than a bound of a dashboard's buckets. Open
// requests have been simulated for [model.Drain] after the window. So they count as above every
// bound that is shorter than that.
func (e *Evaluation) aboveBound(v *result.Verdict, w *Pool, m *PerModel, o plan.SLO) {
	over, open := slices.Clone(m.above[o.Name()]), m.Open
	switch {
	case sum(m.completed) == 0 && sum(m.Arrived) > 0 && sum(m.Open) == 0:
		v.Outcome, v.N = result.Fail, sum(m.Arrived)
		v.Text = nobodyIs(v)
		return
	case o.Bound < float64(model.Drain):
		for i := range over {
			over[i] += open[i]
		}
		open = make([]int64, len(open))
	}
	e.byCount(v, m.answers(), over, open, o.Limit, w.relatedBeyond("request", o.Model, o.Limit))
}

// answersNobody judges an objective on latency if no request is answered, and the objective's tier
// answers no call either. The objective then fails, whether requests fail or are open, unless open
// requests may still be answered within the limit. It reports whether it has judged.
func (w *Pool) answersNobody(v *result.Verdict, m *PerModel, o plan.SLO) bool {
	q, _, quantile := quantileOf(o.Name())
	if !quantile {
		q = 0.5
	}
	arrived, open := sum(m.Arrived), sum(m.Open)
	switch {
	case !quantile && o.Metric != "mean" || arrived > sum(m.Bad)+open || open > 0 && o.Limit >= float64(model.Drain):
		return false
	case !ofRequests(o.Scope) && w.latencies(o.Scope).Count() > 0:
		return false
	case stats.Verdict(arrived, arrived, 1-q, 1, v.Confidence) != stats.Fail: // too few requests arrived for a verdict
		return false
	}
	v.Outcome, v.N, v.Open = result.Fail, arrived, open
	v.Text = nobodyIs(v)
	return true
}

// nobodyIs returns the text for an objective that fails because no request is answered.
func nobodyIs(v *result.Verdict) string {
	return fmt.Sprintf("nobody is answered: %d requests fail, %d are open at the end of the simulation", v.N-v.Open, v.Open)
}

// unanswered judges an objective on the latency of requests if some are open. Open requests are
// slower than all answered ones. A quantile among the answered requests is known. A quantile among
// the open ones is above the time that these have taken so far, and a mean is above the mean so
// far.
func (e *Evaluation) unanswered(v *result.Verdict, w *Pool, m *PerModel, o plan.SLO) {
	v.Outcome, v.N, v.Open = result.Undecided, sum(m.Arrived), sum(m.Open)
	v.Text = stillOpen(v)
	if q, scope, ok := quantileOf(o.Name()); ok {
		all := make([]int64, len(m.Open))
		for i := range all {
			all[i] = m.Arrived[i] - m.Bad[i]
		}
		switch exceeds := o.Limit < float64(model.Drain); {
		case exceeds && stats.Verdict(sum(all), v.Open, 1-q, stats.VIF(all, m.Open), v.Confidence) == stats.Fail:
			v.Outcome = result.Fail
			v.Text = fmt.Sprintf("%d of %d are open at the end of the simulation, and have taken longer", v.Open, v.N)
		case w.known(q, scope, o.Model) > 1 || len(m.Values[o.Name()]) < 2:
		default:
			mean, low, high := w.interval(o.Name(), o.Model, v.Confidence)
			_, few := w.tooFew(o.Name(), o.Model, v.Confidence)
			if got := outcome(within(o, high), within(o, low)); got == result.Pass && !few || got == result.Fail && exceeds {
				if v.Outcome, v.Text = got, ""; got == result.Fail {
					v.Text = foundIn(o, mean, low, high)
				}
			}
		}
		return
	}
	if o.Metric != "mean" || o.Scope != "request" || len(m.atLeast) < 2 {
		return
	}
	mean, half := stats.Ratio(m.counts[atLeast], m.atLeast, v.Confidence)
	if !within(o, mean-half) {
		v.Outcome = result.Fail
		v.Text = fmt.Sprintf("found %s at least, as %d of %d are open at the end of the simulation", measured(kindOf(o), mean), v.Open, v.N)
	}
}

// short returns the text that the wall-clock budget ended before estimates could be judged.
func (e *Evaluation) short() string {
	need := max(e.Goal.Replications, e.Plan.Budget.MinReplications)
	return fmt.Sprintf("budget.wall %s ended after %d of at least %d replications", quantity.Format(quantity.Duration, float64(e.Plan.Budget.Wall)), e.Runs, need)
}

// kindOf returns the kind of quantity of an objective's limit.
func kindOf(o plan.SLO) quantity.Kind {
	if o.Unit == "fraction" {
		return quantity.Percent
	}
	i := slices.IndexFunc(plan.Metrics, func(m plan.Metric) bool { return m.Name == o.Metric })
	return plan.Metrics[i].Kind
}

// measured formats a value with its unit and four significant digits.
func measured(kind quantity.Kind, v float64) string { return quantity.Text(kind, v, 4) }

// Why returns the first objective that fails, or else the first that is undecided, with the
// value found. It returns "" if all are met.
func Why(list []result.Verdict) string {
	v := worstOf(list)
	switch {
	case v == nil:
		return ""
	case v.Text == "" && v.N > 0:
		return fmt.Sprintf("%s: %d of %d exceed it", broken(v), v.X, v.N)
	}
	return broken(v) + ": " + v.Text
}

// Broken returns the objective that Why returns, together with the condition and the window in
// which it is not met. It returns "" if all objectives are met.
func Broken(list []result.Verdict) string {
	if v := worstOf(list); v != nil {
		return broken(v)
	}
	return ""
}

func broken(v *result.Verdict) string {
	text := fmt.Sprintf("%s under %s", v.Objective(), cmp.Or(v.Scope.Condition, "normal"))
	if w := v.Scope.Window; w != "" && w != plan.WholeHorizon {
		text += " in " + w
	}
	return text
}

// worstOf returns the first verdict that fails, or else the first that is undecided, or
// nil.
func worstOf(list []result.Verdict) *result.Verdict {
	worst := Worst(list)
	i := slices.IndexFunc(list, func(v result.Verdict) bool { return v.Outcome == worst })
	if worst == result.Pass || i < 0 {
		return nil
	}
	return &list[i]
}

// outcome returns the verdict for an interval. worse says whether the interval's worse end meets
// the limit, and better whether its better end does.
func outcome(worse, better bool) string {
	switch {
	case worse:
		return result.Pass
	case !better:
		return result.Fail
	}
	return result.Undecided
}

// within reports whether a value meets the objective's limit.
func within(o plan.SLO, value float64) bool {
	switch o.Op {
	case "<=":
		return value <= o.Limit
	case "<":
		return value < o.Limit
	case ">=":
		return value >= o.Limit
	}
	return value > o.Limit
}

// zooKeeper returns the load of the agents on ZooKeeper, by metric.
func zooKeeper(p *plan.Plan) map[string]float64 {
	load := ensemble.Of(p).Load(&p.ZooKeeper)
	return ensemble.Metrics(&load)
}

// exact returns a metric's value if it follows from the plan without simulation.
func (e *Evaluation) exact(o plan.SLO) (float64, bool) {
	p := e.Plan
	switch o.Metric {
	case "cost":
		return p.Cost(), true
	case "mem.entry.peak", "mem.ps.peak", "mem.dense.peak":
		tier := strings.Split(o.Metric, ".")[1]
		if p.Fleet.Tier(tier) == nil {
			return 0, true
		}
		peak := float64(p.MemoryPeak(tier))
		if o.Unit == "fraction" {
			peak /= float64(p.Fleet.Tier(tier).Mem)
		}
		return peak, true
	case "zk.utilisation", "zk.peak_utilisation", "zk.drain", "zk.watch_memory", "zk.max_reply":
		return zooKeeper(p)[o.Metric], true
	case "time_to_available":
		if p.Model.AgentVersion == 1 && p.Fleet.Dense == nil && p.ModelBytes("entry") == 0 {
			return 0, true // no version is rolled out
		}
	}
	return 0, false
}

// computed returns the values that follow from the plan without simulation. They have no
// confidence interval.
func (e *Evaluation) computed() []result.Estimate {
	var list []result.Estimate
	for _, m := range plan.Metrics {
		v, ok := e.exact(plan.SLO{Metric: m.Name, Unit: m.Unit})
		if !ok || m.Name == "time_to_available" {
			continue
		}
		list = append(list, result.Estimate{Metric: m.Name, Scope: result.Scope{Condition: e.Condition.Text}, Unit: m.Unit, Value: &v, Confidence: 1, Text: "computed"})
	}
	return list
}

// Worst returns FAIL if any verdict is FAIL, or else UNDECIDED if any is UNDECIDED, or else
// PASS.
func Worst(list []result.Verdict) string {
	worst := result.Pass
	for _, v := range list {
		switch {
		case v.Outcome == result.Fail:
			return result.Fail
		case v.Outcome == result.Undecided:
			worst = result.Undecided
		}
	}
	return worst
}
