// Package calibrate fits a profile to observations of real processes: the laws of service
// times, of the load generator's own delay and of calls, each with an interval. It also
// compares the simulation with observations.
//
// Three things to use first:
//
//   - [Fit] fits a [Profile] to observations; [Profile.Write] writes the file that service.profile of a plan
//     names.
//   - [Replay] simulates a plan with the arrivals of an observation, and returns a [Comparison] of both.
//   - [Bench] observes, fits, and compares what was not fitted (`make bench-fidelity`).
//
// To change:
//
//   - which laws there are to choose from: families.go
//   - what is fitted: calibrate.go
//   - service times by items: items.go
//   - how a profile is written: profile.go
//   - what is compared: replay.go
//   - roll-outs by agents: control.go
//   - the plans of the bench: scenarios.go and bench.go
package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/monosim/monosim/runners/whatif/lab/observe"
	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// Profile holds the laws fitted to observations.
type Profile struct {
	Calibrated plan.Calibrated
	// Entry is the delay until a request's calls begin. PS is a model server's work on a call.
	// Link is the one-way network delay of a call, in addition to the constant PerRPC.
	Entry, PS, Link Fitted
	PerRPC          Parameter
	Threads         int
	// Noise is the law of a factor, with mean 1, by which the time of a call varies beyond what its
	// items explain. It is used only if the law of PS is affine. Its zero value means no noise.
	// Items holds quantiles of the number of items per request, nil if items do not matter.
	Noise Fitted
	Items []float64
}

// Fitted is a fitted law with its parameters.
type Fitted struct {
	Law        law.Law
	Text       string // the law as text, in the form that plans use
	Parameters []Parameter
	// KS is the Kolmogorov-Smirnov distance: the largest difference between the
	// distribution functions of the samples and of the law.
	KS float64
	N  int
}

// Parameter is a fitted number with its 95 % confidence interval.
type Parameter struct {
	What             string
	Value, Low, High float64
	Unit             string // ns or ""
}

// MinCalls is the smallest number of calls to which laws can be fitted.
const MinCalls = 1000

// batches is the number of equal parts of the samples from which a confidence interval is
// computed.
const batches = 20

// Fit fits laws to observations. It uses only calls after the warm-up, and of these only calls
// whose first attempt was answered.
func Fit(list []*observe.Observation) (*Profile, error) {
	var s samples
	for _, o := range list {
		if err := s.add(o); err != nil {
			return nil, fmt.Errorf("observation of %q: %w", o.Plan, err)
		}
	}
	if len(s.worked) < MinCalls {
		return nil, fmt.Errorf("found %d answered calls in %d observations, want at least %d: observe with a longer horizon or a higher rate", len(s.worked), len(list), MinCalls)
	}
	p := &Profile{Threads: s.threads, Calibrated: plan.Calibrated{
		On: s.on.Format(time.DateOnly), Runs: len(list), Calls: plan.Count(len(s.worked)), Disturbed: s.disturbed,
	}}
	if s.parts == nil {
		p.PS = choose("service.ps.cpu", s.worked)
	} else if err := p.byItems(&s); err != nil {
		return nil, err
	}
	p.Entry = moments("service.entry.cpu", clipped(s.entry))
	p.link(clipped(s.beyond))
	return p, nil
}

// samples holds times in nanoseconds, in the order in which they were observed. worked is how long
// a server worked on a call, entry the delay until the calls of a request began, and beyond the
// time of a call that the report of its server does not cover.
type samples struct {
	worked, entry, beyond []float64
	// items holds the number of items of each request, and parts the number of items of each
	// call in worked. Both are nil if items do not matter.
	items, parts       []float64
	threads, disturbed int
	on                 time.Time
}

func (s *samples) add(o *observe.Observation) error {
	if s.threads != 0 && s.threads != o.Threads {
		return fmt.Errorf("found servers of %d threads beside such of %d, want the same in all", o.Threads, s.threads)
	}
	s.threads = o.Threads
	if o.Began.After(s.on) {
		s.on = o.Began
	}
	if o.Machine.IsDisturbed() {
		s.disturbed++
	}
	q := &o.Load.Requests
	if counted := q.Items != nil; len(s.worked) > 0 && counted != (s.parts != nil) {
		return errors.New("found items of requests in some observations, want them in all or in none")
	}
	for i, at := range q.Intended {
		if at >= o.Load.Warm {
			s.entry = append(s.entry, float64(q.Sent[i]-at))
			if q.Items != nil {
				s.items = append(s.items, float64(q.Items[i]))
			}
		}
	}
	c := &o.Load.Calls
	for i := range c.Len() {
		if c.Outcome[i] != observe.Answered || c.Attempt[i] != 0 || c.Sent[i] < o.Load.Warm {
			continue
		}
		if c.Worked[i] < 0 {
			return errors.New("found calls of which the server does not say how long it worked, want monosim tfserving with --monosim_timings")
		}
		s.worked = append(s.worked, float64(c.Worked[i]))
		if q.Items != nil {
			s.parts = append(s.parts, float64(q.Items[c.Request[i]])*o.Shares[c.Slot[i]])
		}
		s.beyond = append(s.beyond, float64(max(c.Done[i]-c.Sent[i]-c.Waited[i]-c.Worked[i]-o.RoundTrip, 0)))
	}
	return nil
}

// clipped returns a copy of the samples in which the largest 0.1 % are lowered to the largest of
// the others. Such outliers come from other work of the machine.
func clipped(list []float64) []float64 {
	sorted := slices.Sorted(slices.Values(list))
	most := sorted[int(float64(len(sorted)-1)*0.999)]
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = min(v, most)
	}
	return out
}

// link fits the time that a call takes in addition to what its server reports. The smallest
// such time becomes a constant overhead, and the rest is divided over the two directions.
func (p *Profile) link(beyond []float64) {
	sorted := slices.Sorted(slices.Values(beyond))
	base := sorted[len(sorted)/100]
	p.PerRPC = parameter("network.overhead_per_rpc", "ns", beyond, func(part []float64) float64 {
		return slices.Sorted(slices.Values(part))[len(part)/100]
	})
	rest := make([]float64, len(beyond))
	for i, v := range beyond {
		rest[i] = max(v-base, 1)
	}
	mean, variance := stats.Mean(rest)
	p.Link = gammaOf("network.same_cluster", mean/2, math.Sqrt(variance/2)/(mean/2))
	p.Link.N = len(rest)
	p.Link.Parameters = []Parameter{
		parameter("network.same_cluster mean", "ns", rest, func(part []float64) float64 { m, _ := stats.Mean(part); return m / 2 }),
	}
}

// moments fits a gamma law by its mean and variance.
func moments(what string, list []float64) Fitted {
	mean, variance := stats.Mean(list)
	f := gammaOf(what, math.Max(mean, 1), math.Sqrt(variance)/math.Max(mean, 1))
	f.N = len(list)
	f.Parameters = []Parameter{
		parameter(what+" mean", "ns", list, func(part []float64) float64 { m, _ := stats.Mean(part); return m }),
		parameter(what+" cv", "", list, func(part []float64) float64 { m, v := stats.Mean(part); return math.Sqrt(v) / m }),
	}
	return f
}

// gammaOf returns a gamma law, or a constant if the coefficient of variation is tiny.
func gammaOf(_ string, mean, cv float64) Fitted {
	if cv < leastCV {
		return Fitted{Law: law.Constant(mean), Text: fmt.Sprintf("det(%s)", span(mean))}
	}
	return Fitted{Law: law.Shaped(mean, cv), Text: fmt.Sprintf("gamma(mean=%s, cv=%s)", span(mean), digits(cv))}
}

// leastCV is the coefficient of variation below which a law counts as constant.
const leastCV = 0.005

// parameter returns a number with a confidence interval, computed from batches of the samples.
func parameter(what, unit string, list []float64, of func([]float64) float64) Parameter {
	return batched(what, unit, len(list), func(from, to int) float64 { return of(list[from:to]) })
}

// batched returns a number with its confidence interval, as parameter does, for n samples. The
// function passed as "of" computes the number from a part of the samples: those with the indexes
// from, from+1, ..., to-1.
func batched(what, unit string, n int, of func(from, to int) float64) Parameter {
	var values []float64
	for k := range batches {
		values = append(values, of(k*n/batches, (k+1)*n/batches))
	}
	_, half := stats.Interval(values, 0.95)
	value := of(0, n)
	return Parameter{What: what, Value: value, Low: value - half, High: value + half, Unit: unit}
}

// span formats nanoseconds as a duration in the form that plans use.
func span(ns float64) string { return time.Duration(math.Round(ns)).String() }

func digits(v float64) string { return fmt.Sprintf("%.4g", v) }
