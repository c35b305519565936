package model

import (
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Hist is a histogram of latencies in microseconds. Its bars are those of hdrhistogram-go: the first
// 2^half bars are one microsecond wide, and each further group of 2^half bars is twice as wide as
// the group before. While values are added, Hist stores whole groups (pages) of bars, as soon as one
// bar of the group has a value. Once packed, it stores only the bars that have values.
type Hist struct {
	pages [][]int64 // counts of 2^half bars each; nil where none has a value, and once packed
	bars  []bar     // bars of a packed histogram
	count int64     // number of values
	fine  int       // significant digits that it distinguishes; 0 for the zero Hist
}

// bar is a bar with values. number counts the bars of a histogram from 0.
type bar struct{ number, count int64 }

// halves gives, for a number of significant digits, the logarithm to base 2 of the number of bars in
// a page.
var halves = [...]int{1: 4, 2: 7, 3: 10, 4: 14, 5: 17}

// Longest is the largest latency that a Hist tells apart, in microseconds. Larger ones count as
// Longest.
const Longest = 3600_000_000

// NewHist returns an empty histogram that distinguishes the given number of significant digits.
func NewHist(digits int) Hist {
	return Hist{fine: digits, pages: make([][]int64, 1+numberOf(Longest, halves[digits])>>halves[digits])}
}

// numberOf returns the number of the bar of a value.
func numberOf(value int64, half int) int64 {
	wider := max(bits.Len64(uint64(value))-half-1, 0)
	return int64(wider)<<half + value>>wider
}

// spanOf returns the smallest and the largest value of a bar.
func spanOf(number int64, half int) (from, to int64) {
	wider := max(number>>half-1, 0)
	from = (number - wider<<half) << wider
	return from, from + 1<<wider - 1
}

// Record adds a value in nanoseconds, clipped to 1 µs and Longest.
func (h *Hist) Record(ns int64) { h.add(numberOf(min(max(ns/1000, 1), Longest), halves[h.fine]), 1) }

func (h *Hist) add(number, count int64) {
	half := halves[h.fine]
	page := &h.pages[number>>half]
	if *page == nil {
		*page = make([]int64, 1<<half)
	}
	(*page)[number&(1<<half-1)] += count
	h.count += count
}

// each calls the function do for every bar with values, in ascending order.
func (h *Hist) each(do func(number, count int64)) {
	for _, one := range h.bars {
		do(one.number, one.count)
	}
	for k, page := range h.pages {
		for i, count := range page {
			if count > 0 {
				do(int64(k)<<halves[h.fine]+int64(i), count)
			}
		}
	}
}

// pack stores only the bars that have values and frees the rest. A packed histogram accepts no more
// values.
func (h *Hist) pack() {
	if h.pages == nil {
		return
	}
	n := 0
	h.each(func(_, _ int64) { n++ })
	if h.count > 0 {
		h.bars = make([]bar, 0, n)
		pages := Hist{pages: h.pages, fine: h.fine}
		pages.each(func(number, count int64) { h.bars = append(h.bars, bar{number, count}) })
	}
	h.pages = nil
}

// Merge adds the values of another histogram.
func (h *Hist) Merge(o Hist) {
	if o.fine == 0 {
		return
	}
	if h.pages == nil {
		one := NewHist(max(h.fine, o.fine))
		h.each(one.add)
		*h = one
	}
	if o.fine == h.fine {
		o.each(h.add)
		return
	}
	o.each(func(number, count int64) {
		_, to := spanOf(number, halves[o.fine])
		h.add(numberOf(min(to, Longest), halves[h.fine]), count)
	})
}

// Count returns the number of values.
func (h Hist) Count() int64 { return h.count }

// Quantile returns the q-quantile of the values, in nanoseconds.
func (h Hist) Quantile(q float64) int64 {
	_, to := h.quantile(q)
	return to
}

// Least returns the smallest latency of the bar that contains the q-quantile, in nanoseconds. A bar
// is a range of latencies that the histogram does not tell apart; Quantile returns its largest.
func (h Hist) Least(q float64) int64 {
	from, _ := h.quantile(q)
	return from
}

// quantile returns the smallest and the largest latency of the bar that contains the q-quantile, in
// nanoseconds, by the rank that hdrhistogram-go computes.
func (h *Hist) quantile(q float64) (from, to int64) {
	rank := min(max(int64(float64(q*100/100*float64(h.count))+0.5), 1), h.count)
	below := int64(0)
	h.each(func(number, count int64) {
		if below < rank && below+count >= rank {
			from, to = spanOf(number, halves[h.fine])
		}
		below += count
	})
	return from * 1000, to * 1000
}

// maxSteps limits how many values [Hist.Corrected] adds for one value. For a value that needs more,
// it adds fewer values with a larger count each.
const maxSteps = 10_000

// Corrected returns the latencies that clients would have seen if they had sent requests
// every interval nanoseconds without waiting for answers. For each value v it also adds v
// minus one interval, v minus two intervals and so on. A closed loop does not record these
// values (coordinated omission, CAP-4.6).
func (h Hist) Corrected(interval int64) Hist {
	if h.fine == 0 {
		return Hist{}
	}
	out, half := NewHist(h.fine), halves[h.fine]
	step := max(interval/1000, 1)
	h.Bars(func(_, to, count int64) {
		to /= 1000
		to = min(to, Longest)
		out.add(numberOf(to, half), count)
		stride := 1 + to/step/maxSteps
		for v := to - step; v >= step; v -= step * stride {
			out.add(numberOf(v, half), count*stride)
		}
	})
	return out
}

// Mean returns the mean of the values in nanoseconds, with the middle of a bar for each of its values.
func (h Hist) Mean() float64 {
	mean := 0.0
	h.each(func(number, count int64) {
		from, to := spanOf(number, halves[h.fine])
		mean += float64(count) * float64(from+(to-from+1)>>1) / float64(h.count)
	})
	return mean * 1000
}

// Bars calls the function each for every non-empty bar, in ascending order. A bar is a range of
// latencies that the histogram does not tell apart. from and to are in nanoseconds.
func (h Hist) Bars(each func(from, to, count int64)) {
	h.each(func(number, count int64) {
		from, to := spanOf(number, halves[h.fine])
		each(from*1000, to*1000, count)
	})
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
	if h.fine == 0 {
		return nil, nil
	}
	one := hdrhistogram.New(1, Longest, h.fine)
	h.each(func(number, count int64) {
		from, _ := spanOf(number, halves[h.fine])
		_ = one.RecordValues(from, count) // the error is impossible: values are within Longest
	})
	return one.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
}

// UnmarshalText decodes the output of MarshalText.
func (h *Hist) UnmarshalText(text []byte) error {
	*h = Hist{}
	if len(text) == 0 {
		return nil
	}
	one, err := hdrhistogram.Decode(text)
	if err != nil {
		return err
	}
	*h = NewHist(int(one.SignificantFigures()))
	for _, old := range one.Distribution() {
		if old.Count > 0 {
			h.add(numberOf(old.From, halves[h.fine]), old.Count)
		}
	}
	return nil
}
