package model

import (
	"errors"
	"math"
	"math/rand/v2"
	"sort"
	"time"

	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/engine/vtime"
)

// arrivals generates the times at which requests arrive.
type arrivals struct {
	number uint64 // number of the latest request, from 1
	pcg    rand.PCG
	rand   *rand.Rand
	gap    func(a *arrivals) float64 // draws a gap, in units of the mean gap
	atOnce float64                   // mean number of requests that arrive at the same instant
	// steps is the request rate over time. The rate is constant between two steps.
	steps []step
	at    int // index of the present step
	// A process with bursts (mmpp) alternates between bursts and quiet phases. burst says whether
	// the present phase is a burst, and until is when the phase ends. high and quiet are the
	// factors of the rate in each phase.
	burst       bool
	until       int64
	high, quiet float64
	carry       float64 // fraction of a nanosecond left over by rounding
	next        int     // index in the trace of the next request
}

type step struct {
	at   int64
	rate float64
}

func (w *world) beginArrivals(begin int64) {
	a := &w.arrivals
	a.pcg.Seed(tasks.Mix(w.key, streamArrivals), w.key)
	a.rand = rand.New(&a.pcg)
	spec := &w.spec.Arrivals
	if spec.Clients > 0 {
		for range spec.Clients {
			w.think(a.rand.Float64()) // the clients' first requests are spread over the think time
		}
		return
	}
	if spec.Process == "trace" {
		a.next = sort.Search(len(spec.Times), func(i int) bool { return spec.Times[i] >= begin })
		w.nextOfTrace()
		return
	}
	a.steps = ratesFrom(spec, begin)
	a.gap, a.atOnce = gapOf(spec), 1
	if !spec.Batch.IsZero() {
		a.atOnce, _ = spec.Batch.Whole()
	}
	a.high, a.quiet = 1, 1
	a.until = math.MaxInt64
	if spec.Process == "mmpp" {
		share := spec.MeanBurst / (spec.MeanBurst + spec.MeanQuiet)
		a.quiet = 1 / (share*spec.Burst + 1 - share)
		a.high = a.quiet * spec.Burst
		a.burst = a.rand.Float64() < share
		a.until = a.dwell(spec)
	}
	w.nextArrival()
}

// ratesFrom returns the steps of the request rate from an instant of the horizon onwards. The times
// of the steps count from that instant. The rates are in requests per nanosecond.
func ratesFrom(spec *Arrivals, begin int64) []step {
	var instants []int64
	for _, p := range spec.Rate.Points {
		instants = append(instants, int64(p.At))
	}
	for _, t := range spec.Traffic {
		instants = append(instants, t.From, t.To)
	}
	instants = append(instants, begin)
	sort.Slice(instants, func(i, j int) bool { return instants[i] < instants[j] })
	var steps []step
	for _, at := range instants {
		if at < begin || len(steps) > 0 && steps[len(steps)-1].at == at-begin {
			continue
		}
		steps = append(steps, step{at - begin, rateAt(spec, at) / 1e9})
	}
	return steps
}

// rateAt returns the mean rate at an instant of the horizon, in requests per second.
func rateAt(spec *Arrivals, at int64) float64 {
	points := spec.Rate.Points
	i := sort.Search(len(points), func(i int) bool { return int64(points[i].At) > at })
	if len(points) == 0 {
		return 0
	}
	rate := float64(points[max(i-1, 0)].Rate)
	for _, t := range spec.Traffic {
		if at >= t.From && at < t.To {
			rate *= t.Factor
		}
	}
	return rate
}

// gapOf returns a function that draws gaps between arrivals, with mean 1.
func gapOf(spec *Arrivals) func(*arrivals) float64 {
	switch spec.Process {
	case "deterministic":
		return func(*arrivals) float64 { return 1 }
	case "gamma":
		l := gammaLaw(spec.CV)
		return func(a *arrivals) float64 { return l.Sample(a.rand, 0) }
	}
	return func(a *arrivals) float64 { return a.rand.ExpFloat64() }
}

// dwell draws how long the present phase (burst or quiet) lasts.
func (a *arrivals) dwell(spec *Arrivals) int64 {
	mean := spec.MeanQuiet
	if a.burst {
		mean = spec.MeanBurst
	}
	return int64(mean * a.rand.ExpFloat64())
}

// nextArrival schedules the next request. It draws the gap before the request in units of the mean
// gap. Time uses up the gap at the present rate, so a change of rate takes effect at once.
func (w *world) nextArrival() {
	a := &w.arrivals
	left := a.gap(a) * a.atOnce
	t := float64(w.now) + a.carry
	for {
		rate := a.steps[a.at].rate * a.quiet
		if a.burst {
			rate = a.steps[a.at].rate * a.high
		}
		change := int64(math.MaxInt64)
		if a.at+1 < len(a.steps) {
			change = a.steps[a.at+1].at
		}
		change = min(change, a.until)
		if end := t + left/rate; rate > 0 && end <= float64(change) {
			t = end
			break
		}
		if change == math.MaxInt64 {
			return // the rate stays 0
		}
		left -= (float64(change) - t) * rate
		left = math.Max(left, 0)
		t = math.Max(t, float64(change))
		if change == a.until {
			a.burst = !a.burst
			a.until = change + a.dwell(&w.spec.Arrivals)
		} else {
			a.at++
		}
	}
	at := int64(t)
	a.carry = t - float64(at)
	if at < w.last {
		w.at(at, &w.onArrival, 0)
	}
}

// arrival handles the arrival of a request now.
func (w *world) arrival(uint64) {
	for range w.together() {
		w.arrivals.number++
		w.arrive(w.arrivals.number, w.now)
	}
	w.nextOf()
}

// together draws how many requests arrive at the same time.
func (w *world) together() int {
	if w.spec.Arrivals.Batch.IsZero() {
		return 1
	}
	return max(1, int(math.Round(w.spec.Arrivals.Batch.Sample(w.arrivals.rand, 0))))
}

// ArrivalTimes returns the times at which requests arrive in a window of a replication, in
// nanoseconds from the start of the warm-up. It fails if the plan has a closed loop.
func (s *Spec) ArrivalTimes(window, replication int) ([]int64, error) {
	if s.Arrivals.Clients > 0 {
		return nil, errors.New("found a closed loop, in which requests come as answers do; want an open one")
	}
	w := s.world(window, replication)
	defer w.clock.Close()
	var times []int64
	w.onArrival.do = func(w *world, _ uint64) {
		for range w.together() {
			times = append(times, w.now)
		}
		w.nextOf()
	}
	w.beginArrivals(w.base)
	_, err := w.clock.Run(vtime.Limits{Until: time.Duration(w.end)})
	return times, err
}

// nextOf schedules the next request, from the trace if the plan has one.
func (w *world) nextOf() {
	if w.spec.Arrivals.Process == "trace" {
		w.nextOfTrace()
	} else {
		w.nextArrival()
	}
}

// nextOfTrace schedules the next request of a trace, if any is left.
func (w *world) nextOfTrace() {
	a := &w.arrivals
	if a.next >= len(w.spec.Arrivals.Times) {
		return
	}
	at := w.spec.Arrivals.Times[a.next] - w.base
	a.next++
	if at < w.last {
		w.at(max(at, w.now), &w.onArrival, 0)
	}
}

// think schedules the next request of a client in a closed loop. The wait is a drawn think time,
// multiplied by part. The request counts as intended for the end of that wait (CAP-12.5).
func (w *world) think(part float64) { w.thinkFrom(w.now, part) }

// asksAgain schedules the next request of a client in a closed loop, whose request has just ended.
// came is when that request came. If no entry container is up, a request fails at the instant at
// which it comes. The client then waits for at least a network round trip, because a client without
// think time would otherwise send requests at the same instant for ever.
func (w *world) asksAgain(came int64) {
	least := int64(0)
	if came == w.now {
		least = max(int64(2*w.spec.Latency[0].Mean), 1e3)
	}
	w.thinkFrom(w.now+least, 1)
}

func (w *world) thinkFrom(from int64, part float64) {
	a := &w.arrivals
	a.number++
	rng := w.stream(streamThink, a.number)
	at := from + int64(part*w.spec.Arrivals.Think.Sample(rng, 0))
	if at < w.last {
		w.at(at, &w.onThink, a.number)
	}
}

// RateAt returns the mean rate at an instant of the horizon, in requests per second.
func (s *Spec) RateAt(at int64) float64 { return rateAt(&s.Arrivals, at) }
