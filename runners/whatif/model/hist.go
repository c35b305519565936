package model

import "github.com/HdrHistogram/hdrhistogram-go"

// Hist is a histogram of microseconds. One that counts has a place for every value, some
// hundred kB; one that is packed has those that came.
type Hist struct {
	h     *hdrhistogram.Histogram
	bars  []hdrhistogram.Bar // of a packed one, in the place of h
	count int64              // of bars
	fine  int                // significant digits of a packed one; 0 for h, or nothing
}

// pack keeps the values that came, and lets go of the places for others. A packed histogram
// takes no more.
func (h *Hist) pack() {
	if h.h == nil {
		return
	}
	one := Hist{fine: int(h.h.SignificantFigures()), count: h.h.TotalCount()}
	if one.count == 0 {
		*h = one
		return
	}
	for _, bar := range h.h.Distribution() {
		if bar.Count > 0 {
			one.bars = append(one.bars, bar)
		}
	}
	*h = one
}

// open is one that counts, with the same values; nil for nothing.
func (h Hist) open() *hdrhistogram.Histogram {
	if h.fine == 0 {
		return h.h
	}
	one := hdrhistogram.New(1, Longest, h.fine)
	h.into(one)
	return one
}

// into adds the values to a histogram.
func (h Hist) into(to *hdrhistogram.Histogram) {
	if h.fine == 0 {
		to.Merge(h.h)
		return
	}
	for _, bar := range h.bars {
		_ = to.RecordValues(bar.To, bar.Count) // within Longest, as it was
	}
}

// digits are the significant ones, 0 for nothing.
func (h Hist) digits() int {
	if h.h != nil {
		return int(h.h.SignificantFigures())
	}
	return h.fine
}

// each calls do with the bars that are not empty.
func (h Hist) each(do func(to, count int64)) {
	bars := h.bars
	if h.h != nil {
		bars = h.h.Distribution()
	}
	for _, bar := range bars {
		if bar.Count > 0 {
			do(bar.To, bar.Count)
		}
	}
}

// Longest is the longest latency that is told apart, in microseconds.
const Longest = 3600_000_000

// NewHist makes a histogram with so many significant digits.
func NewHist(digits int) Hist { return Hist{h: hdrhistogram.New(1, Longest, digits)} }

// Record adds a value in nanoseconds.
func (h *Hist) Record(ns int64) { h.record(ns) }

func (h *Hist) record(ns int64) {
	// A value out of range cannot be: it is clipped.
	_ = h.h.RecordValue(min(max(ns/1000, 1), Longest))
}

// Merge adds another.
func (h *Hist) Merge(o Hist) {
	if o.digits() == 0 {
		return
	}
	if h.h == nil {
		one := h.open()
		if one == nil {
			one = hdrhistogram.New(1, Longest, o.digits())
		}
		*h = Hist{h: one}
	}
	o.into(h.h)
}

// Count is the number of values.
func (h Hist) Count() int64 {
	if h.h == nil {
		return h.count
	}
	return h.h.TotalCount()
}

// Quantile is the value in nanoseconds that a share q of all is at or below.
func (h Hist) Quantile(q float64) int64 {
	if h.h != nil {
		return h.h.ValueAtQuantile(q*100) * 1000
	}
	rank := max(int64(float64(q*100/100*float64(h.count))+0.5), 1) // as upstream's
	below := int64(0)
	for _, bar := range h.bars {
		if below += bar.Count; below >= rank {
			return bar.To * 1000
		}
	}
	return 0
}

// mostSteps bounds how many values one value stands for when it is corrected one by one.
const mostSteps = 10_000

// Corrected is the histogram with the latencies that clients would have seen who ask once an
// interval in nanoseconds, had they not waited for answers: besides a value v those of v less
// one, two, three intervals, as long as an interval is left. A closed loop leaves them out
// (coordinated omission, CAP-4.6).
func (h Hist) Corrected(interval int64) Hist {
	if h.digits() == 0 {
		return Hist{}
	}
	out := NewHist(h.digits())
	step := max(interval/1000, 1)
	h.each(func(to, count int64) {
		// Values are within Longest, as they are of a histogram like this.
		_ = out.h.RecordValues(to, count)
		stride := 1 + to/step/mostSteps
		for v := to - step; v >= step; v -= step * stride {
			_ = out.h.RecordValues(v, count*stride)
		}
	})
	return out
}

// Mean is that of the values, in nanoseconds.
func (h Hist) Mean() float64 {
	if one := h.open(); one != nil {
		return one.Mean() * 1000
	}
	return 0
}

// CDF calls each with the values in nanoseconds and how many are at or below it.
func (h Hist) CDF(each func(ns, count int64)) {
	sum := int64(0)
	h.each(func(to, count int64) {
		sum += count
		each(to*1000, sum)
	})
}

// MarshalText writes the counts.
func (h Hist) MarshalText() ([]byte, error) {
	one := h.open()
	if one == nil {
		return nil, nil
	}
	return one.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
}

// UnmarshalText reads what MarshalText wrote.
func (h *Hist) UnmarshalText(text []byte) error {
	*h = Hist{}
	if len(text) == 0 {
		return nil
	}
	var err error
	h.h, err = hdrhistogram.Decode(text)
	return err
}
