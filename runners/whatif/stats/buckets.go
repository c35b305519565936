package stats

// ServingBuckets is the number of buckets in TensorFlow Serving's latency histogram.
const ServingBuckets = 33

// ServingBounds returns the upper bounds of the buckets of TensorFlow Serving's latency histogram,
// in nanoseconds. The first is 10 us, and each next bound is 1.8 times the previous one
// (monitoring/sampler.h Buckets::Exponential, as used for the servables' request_latency).
func ServingBounds() [ServingBuckets]float64 {
	const first, next = 10e3, 1.8
	list := [ServingBuckets]float64{first}
	for k := 1; k < len(list); k++ {
		list[k] = list[k-1] * next
	}
	return list
}
