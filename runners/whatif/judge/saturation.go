package judge

import (
	"cmp"
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// saturation describes how near the fullest tier is to its limit. w is the window with the
// highest p99.
func (e *Evaluation) saturation(w *Pool) result.Saturation {
	s := result.Saturation{State: "STABLE", Closed: e.Plan.Workload.Loop.Closed()}
	over := false // the peak rate is above what the fleet can do
	for tier, name := range plan.TierNames {
		if !slices.Contains(e.Plan.Kinds(), name) {
			continue
		}
		whole := e.Plan.Fullest(name, e.Plan.PeakRate())
		if e.Plan.Workload.Loop.Closed() { // a closed loop has no given rate, so the measured utilization is used
			whole = share(w.Sum.Tiers[tier].BusyNs, w.Sum.Tiers[tier].CoreNs)
		}
		u, one := whole, e.fullest(tier)
		if one.Parts > 0 {
			u = float64(one.Parts) / 1e6
		}
		over = over || min(u, whole) > 1
		if u > s.Utilisation {
			s.Utilisation, s.Tier, s.Whole, s.Since, s.Event = u, name, whole, nil, ""
			if math.Abs(u-whole) > 1e-5 {
				s.Since, s.Event = &one.At, e.eventAt(one.At)
			}
		}
	}
	e.under(&s)
	if held := e.held(); held > s.Utilisation {
		s.Utilisation, s.Tier, s.Whole, s.Under, s.Since, s.Event, s.Held = held, plan.TierNames[model.Entry], held, "", nil, "", true
	}
	s.WithRetries = s.Utilisation
	if sent := w.Sum.Calls.Sent; sent > 0 && e.Spec.MeanCalls() > 0 && w.Sum.Requests > 0 && !e.Plan.Workload.Loop.Closed() {
		s.WithRetries *= math.Max(1, float64(sent)/float64(w.Sum.Requests)/(e.Spec.MeanCalls()+float64(e.denseCalls())))
	}
	for _, w := range e.Windows {
		e.metastable(w, &s)
	}
	// A request that finds no replica fails at once, so it does not add to a backlog.
	failed := 1 - share(w.Sum.Completed+w.Sum.Failed[noReplica], w.Sum.Arrived)
	switch {
	case s.LastedNs > 0:
		s.State = "METASTABLE"
	case over:
		s.State = "OVERLOADED"
	case w.Sum.Arrived == 0:
		s.State = "UNKNOWN"
	case e.backlogs(w) || failed > 0.05:
		s.State = "BACKLOGGED"
	case s.Utilisation > 1:
		s.State = "OVERLOADED"
	}
	return s
}

// held returns the share of the entry containers' thread time that is taken by answered requests. A
// request takes a thread from when it gets one until it ends. The result is the highest share of
// all windows. It is above 1 if more requests come than the threads can hold. It is 0 if a request
// does not hold its thread while it waits.
func (e *Evaluation) held() float64 {
	entry, most := &e.Spec.Tiers[model.Entry], 0.0
	if !entry.Hold {
		return 0
	}
	for _, w := range e.Windows {
		ns := float64(w.Sum.SumNs)
		for k := range w.Sum.Parts {
			ns -= float64(w.Sum.Parts[k][entryQueue])
		}
		if cores := float64(w.Sum.Tiers[model.Entry].CoreNs); cores > 0 {
			most = math.Max(most, ns*entry.Cores/(cores*float64(entry.Threads)))
		}
	}
	return most
}

// fullest returns when, and how full, a tier's fullest container is, as a median over
// replications. It returns zeros if containers never change, and for a closed loop, which
// has no rate.
func (e *Evaluation) fullest(tier int) model.Fullness {
	if len(e.lives) == 0 {
		return model.Fullness{}
	}
	list := make([]model.Fullness, len(e.lives))
	for i := range e.lives {
		list[i] = e.lives[i].Fullest[tier]
	}
	slices.SortStableFunc(list, func(a, b model.Fullness) int { return cmp.Compare(a.Parts, b.Parts) })
	return list[len(list)/2]
}

// under looks for a condition with failures under which some container has a higher utilization
// than any container has in the plan as written. If there is one, under writes the highest such
// utilization and its condition to s.
func (e *Evaluation) under(s *result.Saturation) {
	if e.Plan.Workload.Loop.Closed() {
		return
	}
	for _, c := range Conditions(e.Plan) {
		if len(c.Remove) == 0 {
			continue
		}
		rate, left := PeakUnder(e.Plan, c), model.Compile(e.Plan, c)
		for tier, name := range plan.TierNames {
			if left.Works[tier] == nil {
				continue
			}
			for shard := range left.Live(tier) {
				if u := rate * left.Filled(tier, shard) / float64(left.Control.Thin); u > float64(s.Utilisation*(1+1e-6)) {
					s.Utilisation, s.Tier, s.Under, s.Since, s.Event = u, name, c.Text, nil, ""
					s.Whole = e.Plan.Fullest(name, e.Plan.PeakRate())
				}
			}
		}
	}
}

// eventAt returns the label of the latest event up to an instant, "" if there is none.
func (e *Evaluation) eventAt(at int64) string {
	label, latest := "", int64(-1)
	for i := range e.Plan.Events {
		if one := &e.Plan.Events[i]; int64(one.At) <= at && int64(one.At) > latest {
			label, latest = one.Label(), int64(one.At)
		}
	}
	return label
}

// entryQueue is the index of the part of a latency that is spent waiting for a thread of the entry.
var entryQueue = slices.Index(model.PartNames[:], "entry queue")

// noReplica is the index of the failure cause that no replica is listed.
var noReplica = slices.Index(plan.Causes, "no_replica")

// backlogs reports whether requests take longer and longer in the part of a window after the last
// change by an event. It compares the mean latency of the last quarter with that of the second
// quarter, because the first quarter may be warm-up. The last quarter must be slower by a tenth. If
// latencies were found to be stable, it must be slower by half, because the small difference may be
// noise. If no request of the second quarter was answered, the result is false.
func (e *Evaluation) backlogs(w *Pool) bool {
	from := e.sinceLast(&w.Window.Window)
	quarter := (model.Bins - from) / 4
	mean := func(from int) float64 {
		var ns, n int64
		for b := from; b < from+quarter; b++ {
			ns, n = ns+w.Sum.BinSums[b], n+w.Sum.BinCounts[b]
		}
		return float64(ns) / float64(max(n, 1))
	}
	most := 1.1
	if w.even {
		most = 1.5
	}
	before := mean(from + quarter)
	return before > 0 && mean(model.Bins-quarter) > float64(most*before)
}

// sinceLast returns the first bin of a window after the last change by an event. Only changes in
// the first three quarters of the window count. It returns 0 if there is no such change.
func (e *Evaluation) sinceLast(w *plan.Window) int {
	from := 0
	for i := range e.Plan.Events {
		event := &e.Plan.Events[i]
		at := int64(event.At)
		for _, at := range []int64{at, at + int64(event.For), at + int64(event.RestartAfter)} {
			bin := int(math.Ceil(float64(at-int64(w.Start)) / float64(w.End-w.Start) * model.Bins))
			if bin > from && bin <= model.Bins*3/4 {
				from = bin
			}
		}
	}
	return from
}

func (e *Evaluation) denseCalls() int {
	if e.Spec.Has(model.Dense) {
		return 1
	}
	return 0
}

// metastable finds the longest period in which most requests of a window fail although the cause of
// the failures has ended: the load is below the capacity and no event lasts, but retries keep the
// queues full (CAP-12.22). It stores the period in s unless s already has a longer one.
func (e *Evaluation) metastable(w *Pool, s *result.Saturation) {
	const fewest = 2 // smallest number of bad bins that counts: the cause of a single one may end within it
	if none := w.Sum.Failed[noReplica]; 2*none > sum(w.Sum.Failed[:]) {
		return // such requests fail at once, as behind open breakers, and leave no queue for retries to keep full
	}
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
		case from < 0: // either the fleet is healthy, or it fails without retries as the cause
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

// offered returns the utilization, at an instant and without any retries, of the fullest tier other
// than entry.
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

// caused reports whether failures at an instant have a cause: too much load, or an event
// that still lasts or has not been noticed yet.
func (e *Evaluation) caused(at int64) bool {
	if e.offered(at) > 1 {
		return true
	}
	for i := range e.Plan.Events {
		one := &e.Plan.Events[i]
		begin, end := int64(one.At), int64(one.At)+int64(one.For)
		switch one.Action() {
		case "traffic", "scale", "publish", "restart":
			continue // these events change the offered load, or cause no failures
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

// listed returns when the last container that lost its session was listed again, in
// nanoseconds after the event.
func (e *Evaluation) listed(event int) int64 {
	most := int64(0)
	for _, w := range e.Windows {
		if fates := w.Sum.Life.Fates; event < len(fates) {
			most = max(most, fates[event].LastNs)
		}
	}
	return most
}

// detected returns the longest time that callers still saw a dead container, in nanoseconds.
func (e *Evaluation) detected() int64 {
	most := int64(0)
	for _, w := range e.Windows {
		for _, ns := range w.Sum.Life.Detected {
			most = max(most, ns)
		}
	}
	return most
}
