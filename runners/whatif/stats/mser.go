package stats

// Batch is how many consecutive values MSER5 averages into one.
const Batch = 5

// MSER5 returns how many initial values to leave out as warm-up. The mean of the remaining
// values then has the smallest standard error. The cut is a multiple of five and at most
// half of the values (CAP-5.3). stationary is false when the cut reaches that maximum.
func MSER5(values []float64) (cut int, stationary bool) {
	n := len(values) / Batch
	if n < 4 {
		return 0, true
	}
	batches := make([]float64, n)
	for i := range batches {
		batches[i], _ = Mean(values[i*Batch : (i+1)*Batch])
	}
	best, least := 0, -1.0
	for d := 0; d <= n/2; d++ {
		rest := batches[d:]
		mean, _ := Mean(rest)
		squares := 0.0
		for _, b := range rest {
			squares += float64((b - mean) * (b - mean))
		}
		if e := squares / float64(len(rest)*len(rest)); least < 0 || e < least {
			best, least = d, e
		}
	}
	return best * Batch, best < n/2
}
