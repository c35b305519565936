package model

import (
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Bins are the parts of a window for which means are kept, to find where it becomes
// stationary.
const Bins = 40

// Sample is what one replication of one window gave: whole numbers, so that samples are
// summed in any order with one result.
type Sample struct {
	Window      int   `json:"window"`
	Replication int   `json:"replication"`
	Seconds     int64 `json:"length_ns"`

	Arrived   int64          `json:"arrived"` // requests of the window
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

	Latency Hist `json:"latency"`
	// Models are the requests for each model of a mix; nil for one model.
	Models []ModelSample `json:"models,omitempty"`

	begin, end int64 // instants of intended arrival that count
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
	BusyNs   int64 `json:"busy_ns"`   // of all containers
	CoreNs   int64 `json:"core_ns"`   // what they could have been
	MaxParts int64 `json:"max_parts"` // of the fullest, in millionths
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

// Hist is a histogram of microseconds.
type Hist struct{ h *hdrhistogram.Histogram }

// Longest is the longest latency that is told apart, in microseconds.
const Longest = 3600_000_000

// NewHist makes a histogram with so many significant digits.
func NewHist(digits int) Hist { return Hist{hdrhistogram.New(1, Longest, digits)} }

// Record adds a value in nanoseconds.
func (h *Hist) Record(ns int64) { h.record(ns) }

func (h *Hist) record(ns int64) {
	// A value out of range cannot be: it is clipped.
	_ = h.h.RecordValue(min(max(ns/1000, 1), Longest))
}

// Merge adds another.
func (h *Hist) Merge(o Hist) {
	if o.h == nil {
		return
	}
	if h.h == nil {
		*h = NewHist(int(o.h.SignificantFigures()))
	}
	h.h.Merge(o.h)
}

// Count is the number of values.
func (h Hist) Count() int64 {
	if h.h == nil {
		return 0
	}
	return h.h.TotalCount()
}

// Quantile is the value in nanoseconds that a share q of all is at or below.
func (h Hist) Quantile(q float64) int64 {
	if h.h == nil {
		return 0
	}
	return h.h.ValueAtQuantile(q*100) * 1000
}

// mostSteps bounds how many values one value stands for when it is corrected one by one.
const mostSteps = 10_000

// Corrected is the histogram with the latencies that clients would have seen who ask once an
// interval in nanoseconds, had they not waited for answers: besides a value v those of v less
// one, two, three intervals, as long as an interval is left. A closed loop leaves them out
// (coordinated omission, CAP-4.6).
func (h Hist) Corrected(interval int64) Hist {
	if h.h == nil {
		return Hist{}
	}
	out := Hist{hdrhistogram.New(1, Longest, int(h.h.SignificantFigures()))}
	step := max(interval/1000, 1)
	for _, bar := range h.h.Distribution() {
		if bar.Count == 0 {
			continue
		}
		// Values are within Longest, as they are of a histogram like this.
		_ = out.h.RecordValues(bar.To, bar.Count)
		stride := 1 + bar.To/step/mostSteps
		for v := bar.To - step; v >= step; v -= step * stride {
			_ = out.h.RecordValues(v, bar.Count*stride)
		}
	}
	return out
}

// Mean is that of the values, in nanoseconds.
func (h Hist) Mean() float64 {
	if h.h == nil {
		return 0
	}
	return h.h.Mean() * 1000
}

// CDF calls each with the values in nanoseconds and how many are at or below it.
func (h Hist) CDF(each func(ns, count int64)) {
	if h.h == nil {
		return
	}
	sum := int64(0)
	for _, bar := range h.h.Distribution() {
		if bar.Count > 0 {
			sum += bar.Count
			each(bar.To*1000, sum)
		}
	}
}

// MarshalText writes the counts.
func (h Hist) MarshalText() ([]byte, error) {
	if h.h == nil {
		return nil, nil
	}
	return h.h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
}

// UnmarshalText reads what MarshalText wrote.
func (h *Hist) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		h.h = nil
		return nil
	}
	var err error
	h.h, err = hdrhistogram.Decode(text)
	return err
}

func newSample(spec *Spec, w *world) *Sample {
	s := &Sample{Over: make([]int64, len(spec.Limits)), Latency: NewHist(3), begin: w.begin, end: w.end, Seconds: w.end - w.begin}
	for t := range s.Tiers {
		s.Tiers[t].Latency = NewHist(2)
	}
	if len(w.served) > 1 {
		s.Models = make([]ModelSample, len(w.served))
		for k := range s.Models {
			s.Models[k] = ModelSample{Over: make([]int64, len(w.served[k].Limits)), Latency: NewHist(3)}
		}
	}
	return s
}

// counts reports whether a request is of the window: by its intended arrival.
func (s *Sample) counts(intended int64) bool { return intended >= s.begin && intended < s.end }

func (s *Sample) arrived(model uint8, intended int64) {
	s.Requests++
	if !s.counts(intended) {
		return
	}
	s.Arrived++
	if s.Models != nil {
		s.Models[model].Arrived++
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
	s.Completed++
	if r.partial {
		s.Partial++
	}
	s.SumNs += took
	s.Latency.record(took)
	for k, limit := range w.spec.Limits {
		if took > limit {
			s.Over[k]++
		}
	}
	if s.Models != nil {
		s.Models[r.model].succeeded(took, w.served[r.model].Limits)
	}
	s.waited(r)
	b := s.bin(r.intended)
	s.BinSums[b] += took
	s.BinCounts[b]++
	k := bucketOf(took)
	s.Counts[k]++
	for p, ns := range r.parts {
		s.Parts[k][p] += ns
	}
}

func (s *Sample) waited(r *request) {
	for k := range min(int(r.timeouts), len(s.Waited)) {
		s.Waited[k]++
	}
}

func (s *Sample) failed(_ *world, r *request) {
	if !s.counts(r.intended) {
		return
	}
	s.Failed[r.cause]++
	for k := range s.Over {
		s.Over[k]++
	}
	if s.Models != nil {
		s.Models[r.model].failed(r.cause)
	}
	s.waited(r)
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
	t := &s.Tiers[tier]
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
