package model

import (
	"math/rand/v2"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
)

// Goal: a histogram has the bars, quantiles, mean and text of hdrhistogram-go. Method: values at random of
// all magnitudes, and those at the borders of bars, at each precision.
func TestAHistogramSaysWhatHdrHistogramSays(t *testing.T) {
	for digits := 1; digits <= 5; digits++ {
		r := rand.New(rand.NewPCG(7, uint64(digits)))
		got, want := NewHist(digits), hdrhistogram.New(1, Longest, digits)
		record := func(us int64) {
			got.Record(us*1000 + r.Int64N(1000))
			if err := want.RecordValue(min(max(us, 1), Longest)); err != nil {
				t.Fatal(err)
			}
		}
		for k := range 40 {
			record(1<<k - 1)
			record(1 << k)
		}
		for range 2000 {
			record(r.Int64N(1 << (1 + r.IntN(33))))
		}
		var bars, wantBars [][3]int64
		got.Bars(func(from, to, count int64) { bars = append(bars, [3]int64{from, to, count}) })
		for _, one := range want.Distribution() {
			if one.Count > 0 {
				wantBars = append(wantBars, [3]int64{one.From * 1000, one.To * 1000, one.Count})
			}
		}
		if diff := cmp.Diff(wantBars, bars); diff != "" {
			t.Errorf("%d digits: bars (-want +got):\n%s", digits, diff)
		}
		for _, q := range []float64{0.0001, 0.1, 0.5, 0.99, 0.9999, 1} {
			if a, b := got.Quantile(q), want.ValueAtQuantile(q*100)*1000; a != b {
				t.Errorf("%d digits: quantile %g is %d, want %d", digits, q, a, b)
			}
		}
		text, err := got.MarshalText()
		wantText, err2 := want.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil || err2 != nil || string(text) != string(wantText) || got.Mean() != want.Mean()*1000 {
			t.Errorf("%d digits: mean %g and %s (%v), want %g and %s (%v)", digits, got.Mean(), text, err, want.Mean()*1000, wantText, err2)
		}
		var read Hist
		if err := read.UnmarshalText(text); err != nil || read.Count() != got.Count() || read.Quantile(0.9) != got.Quantile(0.9) {
			t.Errorf("%d digits: read again %d values, want %d: %v", digits, read.Count(), got.Count(), err)
		}
	}
}
