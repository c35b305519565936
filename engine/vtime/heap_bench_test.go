package vtime

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkHeap measures the cost of one event in a heap of constant size. The first event is
// replaced by one that comes later, by an exponentially distributed time.
func BenchmarkHeap(b *testing.B) {
	delays := make([]int64, 1<<12)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range delays {
		delays[i] = int64(1e9 * random.ExpFloat64())
	}
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("events=%d", n), func(b *testing.B) {
			var h eventHeap
			slots := make([]slot, n)
			for i := range n {
				h.push(slots, entry{at: delays[i%len(delays)] + int64(i), slot: uint32(i)})
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e := h.first()
				e.at += delays[i%len(delays)]
				h.replace(slots, e)
			}
		})
	}
}
