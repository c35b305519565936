package model

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Goal: a sample is the sum of its segments, with any number of first segments left out, and
// its JSON is complete.
func TestASampleIsTheSumOfItsSegments(t *testing.T) {
	s := fan(2, 2, 5, 4)
	s.Windows[0].Start, s.Windows[0].End = 10e9, 14e9
	s.Limits = []int64{2e6}
	s.Timeout, s.Retries = 3e6, 1
	one, err := s.Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for first := range Segments {
		arrived, length, over, busy := int64(0), int64(0), int64(0), int64(0)
		for _, part := range one.Segments[first:] {
			arrived += part.Arrived
			length += part.Seconds
			over += part.Over[0]
			busy += part.Tiers[PS].BusyNs
		}
		got := one.After(first)
		if got.Arrived != arrived || got.Seconds != length || got.Over[0] != over || got.Tiers[PS].BusyNs != busy || got.Latency.Count() != got.Completed {
			t.Errorf("after %d segments: %d requests in %d ns, %d over, %d ns of work, want %d, %d, %d and %d", first, got.Arrived, got.Seconds, got.Over[0], got.Tiers[PS].BusyNs, arrived, length, over, busy)
		}
		if want := int64(4e9) * int64(8-first) / 8; length != want {
			t.Errorf("after %d segments: %d ns are left, want %d", first, length, want)
		}
		most := float64(got.Tiers[PS].MaxParts) / 1e6
		if mean := float64(busy) / float64(got.Tiers[PS].CoreNs); most < mean || most > mean*1.2 {
			t.Errorf("after %d segments: the fullest works %.3f of the time, the mean is %.3f", first, most, mean)
		}
		failed := int64(0)
		for _, n := range got.Failed {
			failed += n
		}
		if got.Arrived != got.Completed+failed+got.Open {
			t.Errorf("after %d segments: %d requests, of which %d completed, %d failed and %d are open", first, got.Arrived, got.Completed, failed, got.Open)
		}
	}
	text, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	var read Sample
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	hist := cmp.Transformer("hist", func(h Hist) (list [][2]int64) {
		h.CDF(func(ns, n int64) { list = append(list, [2]int64{ns, n}) })
		return list
	})
	if diff := cmp.Diff(one, &read, hist, cmpopts.IgnoreUnexported(Sample{})); diff != "" {
		t.Errorf("read again (-written +read):\n%s", diff)
	}
}

// Goal: a packed histogram has the same values as before packing.
func TestAPackedHistogramSaysTheSame(t *testing.T) {
	h := NewHist(2)
	for v := int64(1); v < 5e9; v += v/7 + 1 {
		h.Record(v)
	}
	packed := h
	packed.pack()
	if packed.Count() != h.Count() || packed.Mean() != h.Mean() {
		t.Errorf("packed: %d values of mean %g, want %d of %g", packed.Count(), packed.Mean(), h.Count(), h.Mean())
	}
	for _, q := range []float64{0.001, 0.5, 0.9, 0.99, 0.999, 1} {
		if got, want := packed.Quantile(q), h.Quantile(q); got != want {
			t.Errorf("quantile %g: got %d, want %d", q, got, want)
		}
	}
	both := Hist{}
	both.Merge(packed)
	both.Merge(h)
	again := packed
	again.Merge(h)
	a, err := both.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	b, err := again.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) || both.Count() != 2*h.Count() {
		t.Errorf("merged into nothing and into a packed one: %d values and %q, want %d and %q", both.Count(), a, 2*h.Count(), b)
	}
}
