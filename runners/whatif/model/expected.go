package model

import "github.com/monosim/monosim/runners/whatif/plan"

// Expected estimates the work of simulating one replication of all windows. Calls counts attempts
// of calls. Full names a tier that at some time gets more work than it can do, "" if none does.
type Expected struct {
	Requests, Calls float64
	Full            string
}

// Seconds estimates the wall time of that simulation on one core.
func (e Expected) Seconds() float64 { return (e.Requests + e.Calls) * costOfCall }

// Expected estimates the work of simulating one replication of all windows, with the time before
// each window. While a tier gets more work than it can do, each call is assumed to use all its
// retries. For a closed loop it returns zeros.
func (s *Spec) Expected() (e Expected) {
	if s.Arrivals.Clients > 0 {
		return e
	}
	p, thin := s.Control.Plan, float64(max(s.Control.Thin, 1))
	for k, of := range s.Twins() {
		if of != k {
			continue // this window's simulation is the same as that of an earlier one
		}
		w := s.world(k, 0)
		from, to := w.base, w.base+w.end
		refused := w.sample.Refused != ""
		w.clock.Close()
		if refused {
			continue
		}
		if s.Arrivals.Process == "trace" {
			e.Requests += float64(len(s.Arrivals.Times))
			e.Calls += float64(len(s.Arrivals.Times)) * s.MeanCalls()
			continue
		}
		steps := ratesFrom(&s.Arrivals, from)
		for i, one := range steps {
			end := to - from
			if i+1 < len(steps) {
				end = min(end, steps[i+1].at)
			}
			requests, attempts := one.rate*float64(max(0, end-one.at)), 1.0
			for t, name := range plan.TierNames {
				if t != Entry && s.Has(t) && requests > 0 && p.Fullest(name, one.rate*1e9*thin) >= 1 {
					attempts, e.Full = max(attempts, s.attempts(t)), name
				}
			}
			e.Requests += requests
			e.Calls += requests * s.MeanCalls() * attempts
		}
	}
	return e
}
