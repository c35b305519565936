package model

import (
	"encoding/json"
	"math/bits"

	"github.com/monosim/monosim/runners/whatif/stats"
)

// Bins is the number of equal parts into which a window is divided to find out when it becomes
// stationary: for each part, the mean latency is kept.
const Bins = 40

// Segments is the number of parts of a window that are counted separately. If the replications
// together show that the warm-up was too short, the first segments are left out. Each segment is as
// long as a batch of [stats.MSER5], and the last takes the rest of the window. What is left out is
// always shorter than half of the window (CAP-5.3).
const Segments = Bins / (2 * stats.Batch)

// Sample is the result of one replication of one window. All its counts are whole numbers, so that
// samples have the same sum in whatever order they are added.
type Sample struct {
	Window      int `json:"window"`
	Replication int `json:"replication"`

	// Counted is the sum of Segments.
	Counted  `json:"-"`
	Segments [Segments]Counted `json:"segments"`

	// BinSums and BinCounts hold, for each bin, the sum of the latencies in nanoseconds and the number
	// of completed requests. BinFailed counts the failed ones.
	BinSums   [Bins]int64 `json:"bin_sums"`
	BinCounts [Bins]int64 `json:"bin_counts"`
	BinFailed [Bins]int64 `json:"bin_failed"`

	Calls CallCounts `json:"calls"`
	// Little is by how much the counts differ from Little's law at most, relative to its value and
	// in units of 1e-12.
	Little    int64 `json:"little"`
	Conserved bool  `json:"conserved"` // whether every request and call is accounted for

	Requests int64  `json:"requests"` // number of simulated requests, with those of the warm-up
	Events   uint64 `json:"events"`   // number of events of the simulation
	Hash     uint64 `json:"hash"`     // hash of these events; equal simulations have equal hashes

	Life Life `json:"life"`
	// Series is the time series of a window with an event. Each step is step nanoseconds long.
	Series []Instant `json:"series,omitempty"`

	// Before is how many nanoseconds were simulated before the window.
	Before int64 `json:"before_ns"`
	// Refused says why the window was not simulated. It is "" if it was.
	Refused string `json:"refused,omitempty"`

	step       int64
	event      int64           // time from the start of the window to its event, or -1
	begin, end int64           // a request counts if it was intended to arrive between these instants
	starts     [Segments]int64 // instants at which the segments start
}

// Counted holds the counts of a window or of one of its segments. A request counts where it was
// intended to arrive, and the work of containers where it was done.
type Counted struct {
	Outcomes
	Seconds int64 `json:"length_ns"` // length in nanoseconds, despite the name
	Partial int64 `json:"partial"`   // number of requests answered without some shards (MinShards)
	// Waited counts the requests with a call of which at least one, two or three attempts timed
	// out.
	Waited [3]int64 `json:"waited"`

	Tiers [tiers]TierSample `json:"tiers"`
	// Parts sums up the parts of latency of the requests in each bucket of total latency
	// ([bucketOf]).
	Parts  [nBuckets][nParts]int64 `json:"parts"`
	Counts [nBuckets]int64         `json:"counts"`

	// Models holds the counts of the requests to each model. It is nil if there is only one model.
	Models []Outcomes `json:"models,omitempty"`
}

// Outcomes counts requests by how they ended, either all requests or those to one model.
type Outcomes struct {
	Arrived   int64          `json:"arrived"`
	Completed int64          `json:"completed"`
	Failed    [nCauses]int64 `json:"failed"`
	SumNs     int64          `json:"sum_ns"` // sum of the latencies of completed requests
	// Answered counts the successful answers during the window, even to requests that arrived
	// before it.
	Answered int64 `json:"answered"`
	Open     int64 `json:"open"`    // number of requests still open at the end of the simulation
	OpenNs   int64 `json:"open_ns"` // total time that the open requests have taken by the end of the simulation
	// Over counts, for each limit in Spec.Limits or Served.Limits, the requests that do not meet
	// the limit: they failed, took longer, or have been open for longer.
	Over []int64 `json:"over,omitempty"`
	// Young counts, for each limit, the open requests that may still meet the limit, because they
	// are not older.
	Young []int64 `json:"young,omitempty"`
	// Above counts, for each latency in Spec.Bounds, the answered requests of all models that took
	// longer.
	Above   []int64 `json:"above,omitempty"`
	Latency Hist    `json:"latency"`
}

// newOutcomes returns empty counts, with one entry for each limit.
func newOutcomes(limits []int64) Outcomes {
	return Outcomes{Over: make([]int64, len(limits)), Young: make([]int64, len(limits)), Latency: NewHist(3)}
}

// TierSample holds the counts of the containers of one tier.
type TierSample struct {
	Attempts int64 `json:"attempts"` // number of attempts of calls that the containers finished
	SumNs    int64 `json:"sum_ns"`   // sum of the latencies of these attempts
	Latency  Hist  `json:"latency"`  // histogram of the same latencies
	BusyNs   int64 `json:"busy_ns"`  // CPU time used, summed over the containers
	CoreNs   int64 `json:"core_ns"`  // CPU time that the containers' cores had
	// MaxParts is the utilization of the busiest container, in millionths. For a segment, it is
	// measured from the start of the segment to the end of the window.
	MaxParts int64 `json:"max_parts"`
}

// CallCounts counts attempts of calls as their callers saw them.
type CallCounts struct {
	Sent      int64 `json:"sent"`
	Answered  int64 `json:"answered"`
	TimedOut  int64 `json:"timed_out"`
	Refused   int64 `json:"refused"`
	Abandoned int64 `json:"abandoned"`         // given up before the timeout, because the answer was no longer needed
	Open      int64 `json:"open"`              // unanswered at the end of the simulation
	Late      int64 `json:"late"`              // answered after the caller had given up
	Hedged    int64 `json:"hedged,omitempty"`  // second calls sent beside a slow first one; Sent includes them
	Skipped   int64 `json:"skipped,omitempty"` // attempts that the container did not begin, because their deadline had passed
}

const nBuckets = 128

// bucketOf returns the number of the bucket that a latency belongs to. For each power of two, in
// microseconds, there are four buckets.
func bucketOf(ns int64) int {
	us := uint64(ns)/250 + 4 // in quarters of a microsecond
	top := bits.Len64(us) - 1
	return min(int((uint64(top)-2)<<2|(us>>(top-2))&3), nBuckets-1)
}

func newSample(spec *Spec, w *world) *Sample {
	s := &Sample{begin: w.begin, end: w.end, starts: w.starts}
	for k := range s.Segments {
		one := &s.Segments[k]
		one.Outcomes = newOutcomes(spec.Limits)
		if len(spec.Bounds) > 0 {
			one.Above = make([]int64, len(spec.Bounds))
		}
		end := w.end
		if k < Segments-1 {
			end = w.starts[k+1]
		}
		one.Seconds = end - w.starts[k]
		for t := range one.Tiers {
			one.Tiers[t].Latency = NewHist(2)
		}
		if len(w.served) > 1 {
			for m := range w.served {
				one.Models = append(one.Models, newOutcomes(w.served[m].Limits))
			}
		}
	}
	return s
}

// startsOf returns when each segment of a window starts.
func startsOf(begin, end int64) (starts [Segments]int64) {
	for k := range int64(Segments) {
		starts[k] = begin + (k*stats.Batch*(end-begin)+Bins-1)/Bins
	}
	return starts
}

// Fits reports whether no container was busy for more time than its cores have, with a
// tolerance of a millionth for rounding (CAP-7.6).
func (s *Sample) Fits() bool {
	for k := range s.Segments {
		for t := range s.Segments[k].Tiers {
			if parts := s.Segments[k].Tiers[t].MaxParts; parts < 0 || parts > 1e6+1 {
				return false
			}
		}
	}
	return true
}

// segment returns the segment of the window that contains an instant.
func (s *Sample) segment(at int64) *Counted {
	k := Segments - 1
	for at < s.starts[k] {
		k--
	}
	return &s.Segments[k]
}

// packed sums up the segments, and frees the memory that is needed only for counting.
func (s *Sample) packed() {
	for k := range s.Segments {
		s.Segments[k].pack()
	}
	for k := range s.Series {
		s.Series[k].Latency.pack()
	}
	s.Counted = s.from(0)
}

// from returns the sum of the segments beginning with number first.
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

// After returns the sample without its first segments. Bins, calls, and what happened to containers
// remain those of the whole window.
func (s *Sample) After(segments int) *Sample {
	if segments == 0 {
		return s
	}
	one := *s
	one.Counted = s.from(segments)
	return &one
}

// UnmarshalJSON reads a sample and sums up its segments.
func (s *Sample) UnmarshalJSON(text []byte) error {
	type plain Sample // the same fields without UnmarshalJSON, which would call itself
	if err := json.Unmarshal(text, (*plain)(s)); err != nil {
		return err
	}
	s.packed()
	return nil
}

// counts reports whether a request belongs to the window, by the time at which it was intended to
// arrive.
func (s *Sample) counts(intended int64) bool { return intended >= s.begin && intended < s.end }

func (s *Sample) arrived(model uint8, intended int64) {
	s.Requests++
	if !s.counts(intended) {
		return
	}
	if i := s.instant(intended); i != nil {
		i.Arrived++
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
	if s.counts(w.now) {
		s.segment(w.now).answered(r.model)
		if i := s.instant(w.now); i != nil {
			i.Answered++
		}
	}
	if !s.counts(r.intended) {
		return
	}
	took := w.now - r.intended
	s.instant(r.intended).done(took, w.spec.Limits)
	one := s.segment(r.intended)
	one.succeeded(took, w.spec.Limits)
	for k, bound := range w.spec.Bounds {
		if took > bound {
			one.Above[k]++
		}
	}
	if r.partial {
		one.Partial++
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

func (s *Counted) answered(model uint8) {
	s.Answered++
	if s.Models != nil {
		s.Models[model].Answered++
	}
}

// open counts a request that is unanswered when the simulation ends.
func (s *Sample) open(w *world, r *request) {
	if !s.counts(r.intended) {
		return
	}
	took := w.now - r.intended
	one := s.segment(r.intended)
	one.open(took, w.spec.Limits)
	s.fails(r.intended, w.now)
	if one.Models != nil {
		one.Models[r.model].open(took, w.served[r.model].Limits)
	}
	s.BinFailed[s.bin(r.intended)]++ // needed to compute when the fleet has recovered
}

func (s *Counted) waited(r *request) {
	for k := range min(int(r.timeouts), len(s.Waited)) {
		s.Waited[k]++
	}
}

func (s *Sample) failed(r *request, now int64) {
	if !s.counts(r.intended) {
		return
	}
	one := s.segment(r.intended)
	one.Outcomes.failed(r.cause)
	if one.Models != nil {
		one.Models[r.model].failed(r.cause)
	}
	one.waited(r)
	s.fails(r.intended, now)
	s.BinFailed[s.bin(r.intended)]++
}

func (s *Outcomes) succeeded(took int64, limits []int64) {
	s.Completed++
	s.SumNs += took
	s.Latency.Record(took)
	for k, limit := range limits {
		if took > limit {
			s.Over[k]++
		}
	}
}

func (s *Outcomes) open(took int64, limits []int64) {
	s.Open++
	s.OpenNs += took
	for k, limit := range limits {
		if took > limit {
			s.Over[k]++
		} else {
			s.Young[k]++
		}
	}
}

func (s *Outcomes) failed(cause uint8) {
	s.Failed[cause]++
	for k := range s.Over {
		s.Over[k]++
	}
}

// tier counts an attempt that a container of a tier finished after ns nanoseconds.
func (s *Sample) tier(w *world, tier int, ns int64) {
	if w.now < s.begin || w.now >= s.end {
		return
	}
	t := &s.segment(w.now).Tiers[tier]
	t.Attempts++
	t.SumNs += ns
	t.Latency.Record(ns)
}
