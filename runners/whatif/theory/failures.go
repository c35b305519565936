package theory

import "math"

// FailAtLeast returns the share of requests that meet at least j dead replicas in a row on
// at least one of s shards. Each shard has r replicas, of which k are dead and still listed.
// distinct is true if a retry goes to another replica (CAP-7.4).
func FailAtLeast(s, r, k, j int, distinct bool) float64 {
	p := 1.0
	for i := range j {
		if distinct {
			p *= float64(max(k-i, 0)) / float64(max(r-i, 1))
		} else {
			p *= float64(k) / float64(r)
		}
	}
	return -math.Expm1(float64(s) * math.Log1p(-p)) // 1-(1-p)^s would be 0 for a small p
}
