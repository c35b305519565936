package calibrate

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/monosim/monosim/runners/whatif/lab/observe"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// Comparison compares the simulation of a plan with its measurement.
type Comparison struct {
	Plan      string `json:"plan"`
	Requests  int64  `json:"requests"` // measured
	Things    string `json:"things"`   // what Requests counts: "request" or "load"
	Runs      int    `json:"runs"`     // simulated
	Disturbed bool   `json:"disturbed"`
	// Others is the share of the machine that other programs used. Late is the 99th percentile
	// of how late requests were sent, in nanoseconds.
	Others float64 `json:"others"`
	Late   int64   `json:"late"`
	Rows   []Row   `json:"rows"`
	// MAPE is the mean absolute relative error over the rows. Rows with fractions and counts are
	// left out.
	MAPE float64 `json:"mape"`
}

// Row is one metric.
type Row struct {
	Metric   string  `json:"metric"`
	Unit     string  `json:"unit"` // unit of the values: ns, fraction or per_second
	Measured float64 `json:"measured"`
	// Range is the 95 % confidence interval of the measured value, nil if there is none.
	Range     *[2]float64 `json:"measured_ci,omitempty"`
	Simulated float64     `json:"simulated"`
	Half      float64     `json:"simulated_half_width"` // half-width of the 95 % confidence interval of Simulated
	// Error is simulated divided by measured, minus one. For fractions it is the difference of
	// the two.
	Error float64 `json:"error"`
	Aim   float64 `json:"aim,omitempty"` // 0 for none
}

// Missed reports whether the error exceeds the aim.
func (r Row) Missed() bool { return r.Aim > 0 && math.Abs(r.Error) > r.Aim }

// Aims of G9.
const (
	AimP50     = 0.05
	AimP99     = 0.10
	AimKnee    = 0.05
	AimGoodput = 0.01 // a percentage point
)

// Replications is how many replications a replay simulates.
const Replications = 20

// Replay simulates a plan with the arrival times of an observation. It fails if the
// observation belongs to another plan.
func Replay(ctx context.Context, p *plan.Plan, o *observe.Observation) (*Comparison, error) {
	if hash := observe.Scenario(p); hash != o.ScenarioHash {
		return nil, fmt.Errorf("the observation is of %q, %.12s, and the plan %q is %.12s: replay the plan that was observed; only its service times and its network may differ",
			o.Plan, o.ScenarioHash, p.Name, hash)
	}
	c := &Comparison{Plan: p.Name, Things: "request", Runs: Replications, Disturbed: o.Machine.IsDisturbed(), Others: o.Machine.Others, Late: o.Machine.Late}
	list, err := simulate(ctx, specOf(p, o, &o.Load), Replications)
	if err != nil {
		return nil, err
	}
	c.latencies(&o.Load, list)
	c.lives(p, o, list)
	if o.Saturated != nil {
		if err := c.knee(ctx, p, o); err != nil {
			return nil, err
		}
	}
	return c.sumUp(), nil
}

// specOf returns the plan's spec for simulation. It has the arrival times of a run, and the round
// trip that was added to the run's calls.
func specOf(p *plan.Plan, o *observe.Observation, run *observe.Load) *model.Spec {
	s := model.Compile(p, model.Condition{})
	s.PerRPC += o.RoundTrip
	s.Arrivals = model.Arrivals{Process: "trace", Times: run.Requests.Intended}
	s.Windows = []model.Window{observe.WindowOf(run.Warm, run.Until)}
	return s
}

func simulate(ctx context.Context, s *model.Spec, runs int) ([]*model.Sample, error) {
	var list []*model.Sample
	for k := range runs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		one, err := s.Run(0, k)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// latencies compares the latencies of requests, and the latencies of calls as the servers
// report them.
func (c *Comparison) latencies(run *observe.Load, list []*model.Sample) {
	requests, arrived := model.NewHist(3), int64(0)
	q := &run.Requests
	for i, at := range q.Intended {
		if !run.Counts(at) {
			continue
		}
		arrived++
		if q.OK[i] {
			requests.Record(q.Done[i] - at)
		}
	}
	c.Requests = arrived
	for _, m := range []struct {
		name string
		q    float64
		aim  float64
	}{{"p50(request)", 0.5, AimP50}, {"p90(request)", 0.9, 0}, {"p99(request)", 0.99, AimP99}} {
		c.add(m.name, "ns", float64(requests.Quantile(m.q)), interval(requests, m.q), m.aim, list, func(s *model.Sample) float64 { return float64(s.Latency.Quantile(m.q)) })
	}
	c.add("goodput", "fraction", share(requests.Count(), arrived), nil, AimGoodput, list, func(s *model.Sample) float64 { return share(s.Completed, s.Arrived) })
	calls, silent := model.NewHist(2), false
	for i := range run.Calls.Len() {
		if !run.Counts(run.Calls.Done[i]) {
			continue
		}
		if run.Calls.Worked[i] >= 0 {
			calls.Record(run.Calls.Waited[i] + run.Calls.Worked[i])
		}
		silent = silent || run.Calls.Outcome[i] == observe.TimedOut || run.Calls.Outcome[i] == observe.GivenUp
	}
	if calls.Count() > 0 && !silent { // for calls that timed out or were given up, the server's report is lost
		c.add("p99(ps)", "ns", float64(calls.Quantile(0.99)), interval(calls, 0.99), 0, list, func(s *model.Sample) float64 { return float64(s.Tiers[model.PS].Latency.Quantile(0.99)) })
	}
}

func (c *Comparison) lives(p *plan.Plan, o *observe.Observation, list []*model.Sample) {
	if len(o.Detected) > 0 {
		c.add("detection", "ns", meanOfTimes(o.Detected), nil, 0, list, func(s *model.Sample) float64 { return meanOfTimes(s.Life.Detected) })
	}
	if len(o.Rollouts) == 0 {
		return
	}
	var took []float64
	for _, r := range o.Rollouts {
		for _, t := range r {
			took = append(took, float64(t))
		}
	}
	mean, half := stats.Interval(took, 0.95)
	// The measurement ends when a server has the version. The simulated time also includes the wait
	// for the agent's next status poll, which is uniform over the poll interval. So half an
	// interval is subtracted. The end of that wait cannot be measured, because a poll writes
	// nothing to ZooKeeper when one version follows another.
	poll := float64(plan.StatusPoll) / 2
	c.add(rolloutOfOne, "ns", mean, &[2]float64{mean - half, mean + half}, AimRollout, list, func(s *model.Sample) float64 {
		var all []int64
		for _, r := range s.Life.Rollouts {
			for _, shard := range r.Served[model.PS] {
				all = append(all, shard...)
			}
		}
		return meanOfTimes(all) - poll
	})
}

func meanOfTimes(list []int64) float64 {
	sum := 0.0
	for _, t := range list {
		sum += float64(t)
	}
	return sum / math.Max(float64(len(list)), 1)
}

// interval returns the confidence interval of a quantile of independent values, from their
// order statistics.
func interval(h model.Hist, q float64) *[2]float64 {
	n := h.Count()
	if n == 0 {
		return nil
	}
	low, high := stats.OrderInterval(n, q, 0.95)
	return &[2]float64{float64(h.Quantile(float64(low) / float64(n))), float64(h.Quantile(float64(high) / float64(n)))}
}

func share(n, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

func (c *Comparison) add(metric, unit string, measured float64, ci *[2]float64, aim float64, list []*model.Sample, of func(*model.Sample) float64) {
	var values []float64
	for _, s := range list {
		values = append(values, of(s))
	}
	mean, half := stats.Interval(values, 0.95)
	row := Row{Metric: metric, Unit: unit, Measured: measured, Range: ci, Simulated: mean, Half: half, Aim: aim}
	switch {
	case unit == "fraction":
		row.Error = mean - measured
	case measured > 0:
		row.Error = mean/measured - 1
	}
	c.Rows = append(c.Rows, row)
}

// knee compares how many requests a second the servers answer when saturated.
func (c *Comparison) knee(ctx context.Context, p *plan.Plan, o *observe.Observation) error {
	calm := *p
	calm.Events = nil
	s := specOf(&calm, o, o.Saturated)
	const never = int64(3600e9)
	s.Timeout, s.Retries, s.Connections = never, 0, 0
	const runs = 5
	list, err := simulate(ctx, s, runs)
	if err != nil {
		return err
	}
	seconds := float64(o.Saturated.Until-o.Saturated.Warm) / 1e9
	slots := float64(p.FanOut())
	answered := 0
	for i := range o.Saturated.Calls.Len() {
		if o.Saturated.Calls.Outcome[i] == observe.Answered && o.Saturated.Counts(o.Saturated.Calls.Done[i]) {
			answered++
		}
	}
	c.add("knee", "per_second", float64(answered)/seconds/slots, nil, AimKnee, list, func(s *model.Sample) float64 {
		return float64(s.Tiers[model.PS].Attempts) / seconds / slots
	})
	return nil
}

// Row returns the row of a metric, or nil.
func (c *Comparison) Row(metric string) *Row {
	for i := range c.Rows {
		if c.Rows[i].Metric == metric {
			return &c.Rows[i]
		}
	}
	return nil
}

// sumUp computes the fields that are derived from the rows.
func (c *Comparison) sumUp() *Comparison {
	sum, n := 0.0, 0
	for _, r := range c.Rows {
		if r.Unit != "fraction" && r.Unit != "count" && r.Measured > 0 {
			sum, n = sum+math.Abs(r.Error), n+1
		}
	}
	c.MAPE = sum / math.Max(float64(n), 1)
	return c
}

// Missed returns the rows whose errors exceed their aims.
func (c *Comparison) Missed() []Row {
	var list []Row
	for _, r := range c.Rows {
		if r.Missed() {
			list = append(list, r)
		}
	}
	return list
}

// HeldOut returns the comparison in the form that a profile stores.
func (c *Comparison) HeldOut() plan.HeldOut {
	h := plan.HeldOut{Plan: c.Plan, Disturbed: c.Disturbed}
	for _, one := range []struct {
		metric string
		to     *float64
	}{{"p50(request)", &h.P50}, {"p99(request)", &h.P99}, {"goodput", &h.Goodput}, {"knee", &h.Knee}} {
		if r := c.Row(one.metric); r != nil {
			*one.to = r.Error
		}
	}
	var missed []string
	for _, r := range c.Missed() {
		missed = append(missed, r.Metric+c.why(r))
	}
	h.Missed = strings.Join(missed, "; ")
	return h
}

// why returns a known reason for a missed aim, "" if there is none.
func (c *Comparison) why(r Row) string {
	switch {
	case r.Range != nil && r.Simulated+r.Half >= r.Range[0] && r.Simulated-r.Half <= r.Range[1]:
		return ": the intervals meet, the measurement is too short to tell"
	case r.Range == nil && math.Abs(r.Simulated-r.Measured) <= r.Half:
		return ": within the interval of the simulation, whose runs differ as much"
	case c.Disturbed:
		return fmt.Sprintf(": others had the machine, requests began up to %s late", span(float64(c.Late)))
	}
	return ""
}
