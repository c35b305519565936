package model

import (
	"math"
	"math/bits"
)

// tracker estimates a quantile of the latencies that one caller has seen. It is a histogram with
// sixteen bars for each power of two. When the counts are large they are halved, so that old
// latencies fade. The tracker remembers which bar contains the quantile, so that a new latency only
// has to move that position by a bar or two. The estimate is interpolated within the bar.
type tracker struct {
	counts [trackerBars]uint32 // number of latencies in each bar
	total  uint32              // number of latencies in all bars
	below  uint32              // number of latencies in the bars before the bar with index at
	at     int32               // index of the bar that contains the quantile
}

const (
	trackerUnit = 6 // latencies are counted in units of 2^6 ns
	trackerFine = 4 // 2^4 = 16 bars for each power of two
	trackerBars = 34 << trackerFine
)

func trackerBar(ns int64) int32 {
	n := uint64(max(ns, 0)) >> trackerUnit
	top := max(bits.Len64(n)-1-trackerFine, 0)
	return int32(min(top<<trackerFine+int(n>>top), trackerBars-1))
}

// trackerLow returns the smallest latency of a bar, in nanoseconds.
func trackerLow(bar int32) float64 {
	if bar < 2<<trackerFine {
		return float64(bar) * (1 << trackerUnit)
	}
	top := bar>>trackerFine - 1
	return float64(uint64(bar-top<<trackerFine)<<top) * (1 << trackerUnit)
}

// trackerMemory returns after how many latencies the counts are halved. It is chosen so that the
// histogram then always holds one to two hundred latencies above the quantile.
func trackerMemory(q float64) uint32 { return uint32(math.Ceil(200/(1-q) - 1e-6)) }

// observe counts a latency.
func (t *tracker) observe(q float64, ns int64) {
	bar := trackerBar(ns)
	t.counts[bar]++
	t.total++
	if bar < t.at {
		t.below++
	}
	if t.total >= trackerMemory(q) {
		t.halve()
	}
	rank := t.rank(q)
	for float64(t.below) > rank {
		t.at--
		t.below -= t.counts[t.at]
	}
	for float64(t.below+t.counts[t.at]) < rank {
		t.below += t.counts[t.at]
		t.at++
	}
}

// rank returns how many of the latencies should be at or below the quantile. It uses n+1 because a
// new latency is larger than the k-th smallest of n with probability 1 - k/(n+1).
func (t *tracker) rank(q float64) float64 {
	return min(float64(q*float64(t.total+1)), float64(t.total))
}

// halve halves the cumulative counts: the remainder of a bar's odd count is added to the next bar.
// If each bar were halved alone, bars with a single latency would become empty, and with them the
// tail of the distribution.
func (t *tracker) halve() {
	t.total, t.below = 0, 0
	odd := uint32(0)
	for i := range t.counts {
		n := t.counts[i] + odd
		t.counts[i], odd = n/2, n%2
		t.total += t.counts[i]
		if int32(i) < t.at {
			t.below += t.counts[i]
		}
	}
}

// value returns the estimated quantile in nanoseconds. It returns false until so many latencies
// have been counted that at least one may be larger than the quantile.
func (t *tracker) value(q float64) (int64, bool) {
	if float64(t.total)*(1-q) < 1-1e-9 {
		return 0, false
	}
	low := trackerLow(t.at)
	within := (t.rank(q) - float64(t.below)) / float64(max(t.counts[t.at], 1))
	return int64(low + float64(within*(trackerLow(t.at+1)-low))), true
}

// beginTrackers gives every caller a tracker, if calls are hedged after a quantile of latency.
func (w *world) beginTrackers() {
	if w.spec.HedgeQuantile == 0 {
		return
	}
	w.callers = Entry
	if w.spec.FromDense {
		w.callers = Dense
	}
	n := 0
	for i := range w.servers {
		if int(w.servers[i].tier) == w.callers {
			n++
		}
	}
	w.trackers = make([]tracker, n)
}

// track adds the latency of a call's first attempt to the histogram of its caller, once for each
// call. Hedges do not count. A call whose hedge was answered first still counts with its own
// latency when its answer comes, because a caller that hedges too early would otherwise never see
// the latencies that it cuts off. A call without an answer counts with the timeout, if there is
// one. A call that was withdrawn from its server (client.abandon: cancel) counts with the time that
// the caller waited.
func (w *world) track(c *call, took int64) {
	if w.trackers == nil || took <= 0 || c.attempt > 0 || c.flags&(dense|hedging|tracked) != 0 {
		return
	}
	c.flags |= tracked
	if w.spec.Timeout > 0 {
		took = min(took, w.spec.Timeout)
	}
	w.trackers[int(c.caller)-w.first[w.callers]].observe(w.spec.HedgeQuantile, took)
}

// trackGone calls track for an abandoned call whose server has finished with it. If the answer is
// on its way, it uses the time up to now, else the timeout.
func (w *world) trackGone(c *call) {
	if c.started != 0 && c.flags&answerLost == 0 && c.epoch == w.servers[c.server].epoch {
		w.track(c, w.now-c.sent)
	} else {
		w.track(c, w.spec.Timeout)
	}
}

// hedgeLater schedules the second calls (hedges) of a request. They are sent when the first calls
// have taken longer than the caller's quantile of latency.
func (w *world) hedgeLater(i int32) {
	r := &w.requests[i]
	if after, ok := w.trackers[int(r.caller)-w.first[w.callers]].value(w.spec.HedgeQuantile); ok && (w.spec.Timeout == 0 || after < w.spec.Timeout) {
		w.at(w.now+after, &w.onHedgeOf, handle(i, r.gen))
	}
}
