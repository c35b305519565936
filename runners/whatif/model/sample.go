package model

import (
	"encoding/json"
	"math/bits"

	"github.com/monosim/monosim/runners/whatif/stats"
)

// Bins are the parts of a window for which means are kept, to find where it becomes
// stationary.
const Bins = 40

// Segments are the parts of a window that are counted apart, so that a warm-up of the first,
// or of more, can be left out when it is known from all replications: each is as long as a
// batch of [stats.MSER5], the last takes what is left. A cut at half of the window is none
// (CAP-5.3).
const Segments = Bins / (2 * stats.Batch)

// Sample is what one replication of one window gave: whole numbers, so that samples are
// summed in any order with one result.
type Sample struct {
	Window      int `json:"window"`
	Replication int `json:"replication"`

	// Counted are the sums over Segments.
	Counted  `json:"-"`
	Segments [Segments]Counted `json:"segments"`

	BinSums   [Bins]int64 `json:"bin_sums"`
	BinCounts [Bins]int64 `json:"bin_counts"`
	BinFailed [Bins]int64 `json:"bin_failed"`

	Calls CallCounts `json:"calls"`
	// Little is the greatest residual of Little's law, in units of 1e-12.
	Little    int64 `json:"little"`
	Conserved bool  `json:"conserved"`

	Requests int64  `json:"requests"` // simulated, warm-up among them
	Events   uint64 `json:"events"`
	Hash     uint64 `json:"hash"`

	Life Life `json:"life"`

	begin, end int64           // instants of intended arrival that count
	starts     [Segments]int64 // of the segments
}

// Counted is what counts of a window, or of a segment: what came, by intended arrival, and
// what containers did, by the instant.
type Counted struct {
	Seconds   int64          `json:"length_ns"`
	Arrived   int64          `json:"arrived"`
	Completed int64          `json:"completed"`
	Partial   int64          `json:"partial"`
	Failed    [nCauses]int64 `json:"failed"`
	Open      int64          `json:"open"` // at the end of the simulation
	SumNs     int64          `json:"sum_ns"`
	// Over are the requests that took longer than each of Spec.Limits, failed ones
	// among them.
	Over []int64 `json:"over,omitempty"`
	// Waited are the requests of which some call waited for at least one, two, three
	// timeouts.
	Waited [3]int64 `json:"waited"`

	Tiers [tiers]TierSample `json:"tiers"`
	// Parts are the sums of the parts of latencies, by the power of two (in quarters) of
	// the latency in microseconds.
	Parts  [nBuckets][nParts]int64 `json:"parts"`
	Counts [nBuckets]int64         `json:"counts"`

	Latency Hist `json:"latency"`
	// Models are the requests for each model of a mix; nil for one model.
	Models []ModelSample `json:"models,omitempty"`
}

// ModelSample is what came of the requests for one model.
type ModelSample struct {
	Arrived   int64          `json:"arrived"`
	Completed int64          `json:"completed"`
	Failed    [nCauses]int64 `json:"failed"`
	SumNs     int64          `json:"sum_ns"`
	// Over are the requests that took longer than each of Served.Limits, failed ones
	// among them.
	Over    []int64 `json:"over,omitempty"`
	Latency Hist    `json:"latency"`
}

// TierSample is what the containers of one tier did.
type TierSample struct {
	Attempts int64 `json:"attempts"`
	SumNs    int64 `json:"sum_ns"`
	Latency  Hist  `json:"latency"`
	BusyNs   int64 `json:"busy_ns"` // of all containers
	CoreNs   int64 `json:"core_ns"` // what they could have been
	// MaxParts is that of the fullest, in millionths; of a segment, from its begin to the
	// end of the window.
	MaxParts int64 `json:"max_parts"`
}

// CallCounts are calls by the view of their callers.
type CallCounts struct {
	Sent      int64 `json:"sent"`
	Answered  int64 `json:"answered"`
	TimedOut  int64 `json:"timed_out"`
	Refused   int64 `json:"refused"`
	Abandoned int64 `json:"abandoned"`
	Open      int64 `json:"open"`
	Late      int64 `json:"late"`
	Hedged    int64 `json:"hedged,omitempty"` // of Sent, those that a caller sent beside one that took long
}

const nBuckets = 128

// bucketOf is four buckets for each power of two of microseconds.
func bucketOf(ns int64) int {
	us := uint64(ns)/250 + 4 // in quarters of a microsecond
	top := bits.Len64(us) - 1
	return min(int((uint64(top)-2)<<2|(us>>(top-2))&3), nBuckets-1)
}

func newSample(spec *Spec, w *world) *Sample {
	s := &Sample{begin: w.begin, end: w.end, starts: w.starts}
	for k := range s.Segments {
		one := &s.Segments[k]
		one.Over, one.Latency = make([]int64, len(spec.Limits)), NewHist(3)
		end := w.end
		if k < Segments-1 {
			end = w.starts[k+1]
		}
		one.Seconds = end - w.starts[k]
		for t := range one.Tiers {
			one.Tiers[t].Latency = NewHist(2)
		}
		if len(w.served) > 1 {
			one.Models = make([]ModelSample, len(w.served))
			for m := range one.Models {
				one.Models[m] = ModelSample{Over: make([]int64, len(w.served[m].Limits)), Latency: NewHist(3)}
			}
		}
	}
	return s
}

// startsOf are the instants at which the segments of a window begin.
func startsOf(begin, end int64) (starts [Segments]int64) {
	for k := range int64(Segments) {
		starts[k] = begin + (k*stats.Batch*(end-begin)+Bins-1)/Bins
	}
	return starts
}

// segment is that of an instant of the window.
func (s *Sample) segment(at int64) *Counted {
	k := Segments - 1
	for at < s.starts[k] {
		k--
	}
	return &s.Segments[k]
}

// packed lets go of what only counting needs, and sums up.
func (s *Sample) packed() {
	for k := range s.Segments {
		s.Segments[k].pack()
	}
	s.Counted = s.from(0)
}

// from is what counts from a segment on.
func (s *Sample) from(first int) Counted {
	var sum Counted
	for k := first; k < Segments; k++ {
		sum.add(&s.Segments[k])
		sum.Seconds += s.Segments[k].Seconds
	}
	for t := range sum.Tiers {
		sum.Tiers[t].MaxParts = s.Segments[first].Tiers[t].MaxParts
	}
	sum.pack()
	return sum
}

// After is the sample without its first segments. Bins, calls and what became of containers
// are those of the whole window.
func (s *Sample) After(segments int) *Sample {
	if segments == 0 {
		return s
	}
	one := *s
	one.Counted = s.from(segments)
	return &one
}

// UnmarshalJSON reads a sample, and sums up.
func (s *Sample) UnmarshalJSON(text []byte) error {
	type plain Sample // without this method
	if err := json.Unmarshal(text, (*plain)(s)); err != nil {
		return err
	}
	s.packed()
	return nil
}

// counts reports whether a request is of the window: by its intended arrival.
func (s *Sample) counts(intended int64) bool { return intended >= s.begin && intended < s.end }

func (s *Sample) arrived(model uint8, intended int64) {
	s.Requests++
	if !s.counts(intended) {
		return
	}
	one := s.segment(intended)
	one.Arrived++
	if one.Models != nil {
		one.Models[model].Arrived++
	}
}

func (s *Sample) bin(intended int64) int {
	return int((intended - s.begin) * Bins / (s.end - s.begin))
}

func (s *Sample) succeeded(w *world, r *request) {
	if !s.counts(r.intended) {
		return
	}
	took := w.now - r.intended
	one := s.segment(r.intended)
	one.Completed++
	if r.partial {
		one.Partial++
	}
	one.SumNs += took
	one.Latency.record(took)
	for k, limit := range w.spec.Limits {
		if took > limit {
			one.Over[k]++
		}
	}
	if one.Models != nil {
		one.Models[r.model].succeeded(took, w.served[r.model].Limits)
	}
	one.waited(r)
	b := s.bin(r.intended)
	s.BinSums[b] += took
	s.BinCounts[b]++
	k := bucketOf(took)
	one.Counts[k]++
	for p, ns := range r.parts {
		one.Parts[k][p] += ns
	}
}

func (s *Counted) waited(r *request) {
	for k := range min(int(r.timeouts), len(s.Waited)) {
		s.Waited[k]++
	}
}

func (s *Sample) failed(_ *world, r *request) {
	if !s.counts(r.intended) {
		return
	}
	one := s.segment(r.intended)
	one.Failed[r.cause]++
	for k := range one.Over {
		one.Over[k]++
	}
	if one.Models != nil {
		one.Models[r.model].failed(r.cause)
	}
	one.waited(r)
	s.BinFailed[s.bin(r.intended)]++
}

func (s *ModelSample) succeeded(took int64, limits []int64) {
	s.Completed++
	s.SumNs += took
	s.Latency.record(took)
	for k, limit := range limits {
		if took > limit {
			s.Over[k]++
		}
	}
}

func (s *ModelSample) failed(cause uint8) {
	s.Failed[cause]++
	for k := range s.Over {
		s.Over[k]++
	}
}

// tier is a stage of one attempt at a container.
func (s *Sample) tier(w *world, tier int, ns int64) {
	if w.now < s.begin || w.now >= s.end {
		return
	}
	t := &s.segment(w.now).Tiers[tier]
	t.Attempts++
	t.SumNs += ns
	t.Latency.record(ns)
}

func (s *Sample) sent()      { s.Calls.Sent++ }
func (s *Sample) answered()  { s.Calls.Answered++ }
func (s *Sample) timedOut()  { s.Calls.TimedOut++ }
func (s *Sample) refused()   { s.Calls.Refused++ }
func (s *Sample) abandoned() { s.Calls.Abandoned++ }
func (s *Sample) late()      { s.Calls.Late++ }
