package stats

// ServingBuckets is the number of buckets in which TensorFlow Serving counts latencies.
const ServingBuckets = 33

// ServingBounds returns the upper bounds of these buckets, in nanoseconds: 10 us, and each 1.8 times the
// one before (monitoring/sampler.h Buckets::Exponential, as its servables' request_latency has them).
func ServingBounds() [ServingBuckets]float64 {
	const first, next = 10e3, 1.8
	list := [ServingBuckets]float64{first}
	for k := 1; k < len(list); k++ {
		list[k] = list[k-1] * next
	}
	return list
}
