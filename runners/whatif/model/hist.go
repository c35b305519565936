package model

import "github.com/HdrHistogram/hdrhistogram-go"

// Hist is a histogram of latencies in microseconds. While values are added, it takes several
// hundred kB. Once packed, it stores only the values that occurred.
type Hist struct {
	h     *hdrhistogram.Histogram
	bars  []hdrhistogram.Bar // bars of a packed histogram, whose h is nil
	count int64              // number of values in bars
	fine  int                // significant digits of a packed histogram; 0 otherwise
}

// pack stores only the values that occurred and frees the rest. A packed histogram accepts
// no more values.
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

// open returns a histogram with the same values that counts again. It returns nil for the zero
// Hist.
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
		_ = to.RecordValues(bar.To, bar.Count) // the error is impossible: values are within Longest
	}
}

// digits returns how many significant digits the histogram distinguishes, 0 for the zero Hist.
func (h Hist) digits() int {
	if h.h != nil {
		return int(h.h.SignificantFigures())
	}
	return h.fine
}

// Longest is the largest latency that a Hist tells apart, in microseconds. Larger ones count as
// Longest.
const Longest = 3600_000_000

// NewHist returns an empty histogram that distinguishes the given number of significant digits.
func NewHist(digits int) Hist { return Hist{h: hdrhistogram.New(1, Longest, digits)} }

// Record adds a value in nanoseconds, clipped to 1 µs and Longest.
func (h *Hist) Record(ns int64) { _ = h.h.RecordValue(min(max(ns/1000, 1), Longest)) }

// Merge adds the values of another histogram.
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

// Count returns the number of values.
func (h Hist) Count() int64 {
	if h.h == nil {
		return h.count
	}
	return h.h.TotalCount()
}

// Quantile returns the q-quantile of the values, in nanoseconds.
func (h Hist) Quantile(q float64) int64 {
	if h.h != nil {
		return h.h.ValueAtQuantile(q*100) * 1000
	}
	rank := max(int64(float64(q*100/100*float64(h.count))+0.5), 1) // the rank that hdrhistogram-go computes
	below := int64(0)
	for _, bar := range h.bars {
		if below += bar.Count; below >= rank {
			return bar.To * 1000
		}
	}
	return 0
}

// Least returns the smallest latency of the bar that contains the q-quantile, in nanoseconds. A bar
// is a range of latencies that the histogram does not tell apart; Quantile returns its largest.
func (h Hist) Least(q float64) int64 {
	at := h.Quantile(q)
	least := at
	h.Bars(func(from, to, _ int64) {
		if to == at {
			least = from
		}
	})
	return least
}

// maxSteps limits how many values [Hist.Corrected] adds for one value. For a value that needs more,
// it adds fewer values with a larger count each.
const maxSteps = 10_000

// Corrected returns the latencies that clients would have seen if they had sent requests
// every interval nanoseconds without waiting for answers. For each value v it also adds v
// minus one interval, v minus two intervals and so on. A closed loop does not record these
// values (coordinated omission, CAP-4.6).
func (h Hist) Corrected(interval int64) Hist {
	if h.digits() == 0 {
		return Hist{}
	}
	out := NewHist(h.digits())
	step := max(interval/1000, 1)
	h.Bars(func(_, to, count int64) {
		to /= 1000
		// RecordValues cannot fail here, because all values are within Longest.
		_ = out.h.RecordValues(to, count)
		stride := 1 + to/step/maxSteps
		for v := to - step; v >= step; v -= step * stride {
			_ = out.h.RecordValues(v, count*stride)
		}
	})
	return out
}

// Mean returns the mean of the values in nanoseconds.
func (h Hist) Mean() float64 {
	if one := h.open(); one != nil {
		return one.Mean() * 1000
	}
	return 0
}

// Bars calls the function each for every non-empty bar, in ascending order. A bar is a range of
// latencies that the histogram does not tell apart. from and to are in nanoseconds.
func (h Hist) Bars(each func(from, to, count int64)) {
	bars := h.bars
	if h.h != nil {
		bars = h.h.Distribution()
	}
	for _, bar := range bars {
		if bar.Count > 0 {
			each(bar.From*1000, bar.To*1000, bar.Count)
		}
	}
}

// CDF calls the function each for every value in ascending order. It passes the value, in
// nanoseconds, and the number of values at or below it.
func (h Hist) CDF(each func(ns, count int64)) {
	sum := int64(0)
	h.Bars(func(_, to, count int64) {
		sum += count
		each(to, sum)
	})
}

// MarshalText encodes the histogram's values and their counts.
func (h Hist) MarshalText() ([]byte, error) {
	one := h.open()
	if one == nil {
		return nil, nil
	}
	return one.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
}

// UnmarshalText decodes the output of MarshalText.
func (h *Hist) UnmarshalText(text []byte) error {
	*h = Hist{}
	if len(text) == 0 {
		return nil
	}
	var err error
	h.h, err = hdrhistogram.Decode(text)
	return err
}
