package theory

import "math"

// FailAtLeast is the share of requests that meet at least j dead replicas in a row on
// some of s shards, of whose r replicas k are dead and not yet known to be. distinct says
// that a retry goes elsewhere (CAP-7.4).
func FailAtLeast(s, r, k, j int, distinct bool) float64 {
	p := 1.0
	for i := range j {
		if distinct {
			p *= float64(max(k-i, 0)) / float64(max(r-i, 1))
		} else {
			p *= float64(k) / float64(r)
		}
	}
	return 1 - math.Pow(1-p, float64(s))
}

// Availability is the share of time that something lives.
func Availability(mtbf, mttr float64) float64 { return mtbf / (mtbf + mttr) }

// FewerThan is the chance that some of s shards has fewer than m of its r replicas.
func FewerThan(s, r, m int, availability float64) float64 {
	q := 0.0
	choose := 1.0
	for i := range m {
		q += choose * math.Pow(availability, float64(i)) * math.Pow(1-availability, float64(r-i))
		choose = choose * float64(r-i) / float64(i+1)
	}
	return 1 - math.Pow(1-q, float64(s))
}
