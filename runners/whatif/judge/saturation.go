package judge

import (
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// saturation returns the state of the fullest tier. w is the window with the highest p99.
func (e *Evaluation) saturation(w *Pool) result.Saturation {
	s := result.Saturation{State: "STABLE"}
	for tier, name := range plan.TierNames {
		if e.Plan.Fleet.Tier(name) == nil {
			continue
		}
		u := e.Plan.Fullest(name, e.Plan.PeakRate())
		if e.Plan.Workload.Loop.Closed() { // a closed loop has no rate of its own
			u = share(w.Sum.Tiers[tier].BusyNs, w.Sum.Tiers[tier].CoreNs)
		}
		if u > s.Utilisation {
			s.Utilisation, s.Tier = u, name
		}
	}
	s.WithRetries = s.Utilisation
	if sent := w.Sum.Calls.Sent; sent > 0 && e.Spec.MeanCalls() > 0 && w.Sum.Requests > 0 && !e.Plan.Workload.Loop.Closed() {
		s.WithRetries *= math.Max(1, float64(sent)/float64(w.Sum.Requests)/(e.Spec.MeanCalls()+float64(e.denseCalls())))
	}
	for _, w := range e.Windows {
		e.metastable(w, &s)
	}
	// Requests that find no replica wait for nothing, so they are no backlog.
	failed := 1 - share(w.Sum.Completed+w.Sum.Failed[noReplica], w.Sum.Arrived)
	switch {
	case s.LastedNs > 0:
		s.State = "METASTABLE"
	case s.Utilisation > 1:
		s.State = "OVERLOADED"
	case w.Sum.Arrived == 0:
		s.State = "UNKNOWN"
	case w.backlogs() || failed > 0.05:
		s.State = "BACKLOGGED"
	}
	return s
}

// noReplica is the index of the cause of requests that find no replica listed.
var noReplica = slices.Index(plan.Causes, "no_replica")

// backlogs reports whether requests take longer and longer in a window. It compares the
// last quarter with the second one, because the first may be warm-up. The limit is a tenth
// more if the window is not stationary, and half more if it seems so; noise alone can make
// a window look unsettled.
func (w *Pool) backlogs() bool {
	const quarter = model.Bins / 4
	mean := func(from int) float64 {
		var ns, n int64
		for b := from; b < from+quarter; b++ {
			ns, n = ns+w.Sum.BinSums[b], n+w.Sum.BinCounts[b]
		}
		return float64(ns) / float64(max(n, 1))
	}
	most := 1.1
	if w.Stationary {
		most = 1.5
	}
	return mean(model.Bins-quarter) > float64(most*mean(quarter))
}

func (e *Evaluation) denseCalls() int {
	if e.Spec.Has(model.Dense) {
		return 1
	}
	return 0
}

// metastable finds the longest time in which most requests of a window fail although the
// cause is gone: the load is bearable and no event lasts, but retries keep the queues full
// (CAP-12.22). The longest time of all windows is kept.
func (e *Evaluation) metastable(w *Pool, s *result.Saturation) {
	const fewest = 2 // bins; the cause may end within the first
	length := int64(w.Window.End - w.Window.Start)
	from, last := -1, -1 // first bin after the cause, last bad bin
	for b := range model.Bins {
		begin := int64(w.Window.Start) + length*int64(b)/model.Bins
		bad := share(w.Sum.BinFailed[b], w.Sum.BinFailed[b]+w.Sum.BinCounts[b]) > 0.5
		switch {
		case e.caused(begin):
			from, last = -1, -1
		case from < 0 && bad && e.Plan.Retried(e.offered(begin)):
			from, last = b, b
		case from < 0: // healthy, or failing without retries to blame
		case bad:
			last = b
		}
	}
	if from < 0 || last-from+1 < fewest {
		return
	}
	if lasted := length * int64(last-from+1) / model.Bins; lasted > s.LastedNs {
		s.LastedNs, s.Window, s.Recovered = lasted, w.Window.Name, last < model.Bins-1
	}
}

// offered returns the utilisation of the fullest tier but entry at an instant, with one
// attempt for each call.
func (e *Evaluation) offered(at int64) float64 {
	most := 0.0
	rate := e.Spec.RateAt(at) * float64(e.Spec.Control.Thin)
	for tier, name := range plan.TierNames {
		if e.Plan.Fleet.Tier(name) == nil || tier == model.Entry {
			continue
		}
		live := math.Max(e.live(tier, at), 1) / float64(e.Plan.Containers(name))
		most = math.Max(most, e.Plan.Fullest(name, rate)/live)
	}
	return most
}

// caused reports whether failures at an instant have a reason: too much load, or an event
// that lasts or has not been noticed yet.
func (e *Evaluation) caused(at int64) bool {
	if e.offered(at) > 1 {
		return true
	}
	for i := range e.Plan.Events {
		one := &e.Plan.Events[i]
		begin, end := int64(one.At), int64(one.At)+int64(one.For)
		switch one.Action() {
		case "traffic", "scale", "publish":
			continue // counted in the offered load, or no cause of failures
		case "kill":
			end = begin + max(int64(one.RestartAfter), e.detected())
		default:
			if one.For == 0 {
				end = int64(e.Plan.Workload.Horizon)
			}
			end = max(end, begin+e.listed(i))
		}
		if at >= begin && at < end {
			return true
		}
	}
	return false
}

// listed returns how long after an event the last container that lost its session was
// listed again, in nanoseconds.
func (e *Evaluation) listed(event int) int64 {
	most := int64(0)
	for _, w := range e.Windows {
		if fates := w.Sum.Life.Fates; event < len(fates) {
			most = max(most, fates[event].LastNs)
		}
	}
	return most
}

// detected returns how long callers see a dead container at most, in nanoseconds.
func (e *Evaluation) detected() int64 {
	most := int64(0)
	for _, w := range e.Windows {
		for _, ns := range w.Sum.Life.Detected {
			most = max(most, ns)
		}
	}
	return most
}
