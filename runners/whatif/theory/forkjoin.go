package theory

// Harmonic returns 1 + 1/2 + ... + 1/n.
func Harmonic(n int) float64 {
	sum := 0.0
	for i := 1; i <= n; i++ {
		sum += 1 / float64(i)
	}
	return sum
}

// ForkJoin2 returns the exact mean sojourn time of a fork-join of two M/M/1 queues (Flatto
// and Hahn). Each arrival enters both queues.
func ForkJoin2(lambda, mu float64) float64 {
	return (12 - lambda/mu) / 8 / (mu - lambda)
}

// ForkJoin approximates the mean sojourn time of a fork-join of n M/M/1 queues within five
// per cent (Nelson and Tantawi).
func ForkJoin(n int, lambda, mu float64) float64 {
	h := Harmonic(n) / Harmonic(2)
	rho := lambda / mu
	return (h + 4*rho/11*(1-h)) * ForkJoin2(lambda, mu)
}

// MaxOfExponentials returns the mean of the largest of n exponential draws.
func MaxOfExponentials(n int, mean float64) float64 { return mean * Harmonic(n) }
