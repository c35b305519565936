package vtime

import (
	"fmt"
	"testing"
)

// BenchmarkHeap measures one push and one pop on a heap that keeps its size: the
// event taken out is put back at a later instant, as a periodic timer does.
func BenchmarkHeap(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("events=%d", n), func(b *testing.B) {
			var h eventHeap
			for i := range n {
				h.push(event{at: int64(i * 7919 % n), seq: uint64(i)})
			}
			b.ReportAllocs()
			seq := uint64(n)
			for b.Loop() {
				e := h.pop()
				seq++
				e.at += int64(n) + int64(seq*7919%64)
				e.seq = seq
				h.push(e)
			}
		})
	}
}
