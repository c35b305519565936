// Package theory holds closed forms of queues, fan-outs, failures and rollouts. They order
// searches, and simulations are checked against them. Times are in units of the caller.
//
// Two things to use first:
//
//   - [MMc] is a queue with c servers.
//   - [FailAtLeast] is the share of requests that a dead replica hits.
//
// To change:
//
//   - queues: queues.go
//   - fork-join and fan-out: forkjoin.go
//   - failures: failures.go
//   - rollouts: rollouts.go
//
// Unstable: any commit may change it.
package theory

// ErlangB returns the blocking probability of c servers without a queue. a is the offered
// load in erlangs.
func ErlangB(c int, a float64) float64 {
	b := 1.0
	for k := 1; k <= c; k++ {
		b = a * b / (float64(k) + float64(a*b))
	}
	return b
}

// ErlangC returns the share of arrivals that wait for one of c servers. rho is the
// utilization of each server.
func ErlangC(c int, rho float64) float64 {
	b := ErlangB(c, float64(c)*rho)
	return b / (1 - rho*(1-b))
}

// MMc returns the mean wait and the mean sojourn time of c exponential servers of rate mu
// under Poisson arrivals of rate lambda.
func MMc(c int, lambda, mu float64) (wait, sojourn float64) {
	rho := lambda / (float64(c) * mu)
	wait = ErlangC(c, rho) / (float64(c)*mu - lambda)
	return wait, wait + 1/mu
}

// MG1Wait returns the mean wait at one server (Pollaczek and Khinchine). scv is the squared
// coefficient of variation of the service time.
func MG1Wait(lambda, mean, scv float64) float64 {
	rho := lambda * mean
	return rho * mean * (1 + scv) / (2 * (1 - rho))
}

// MMcK returns the blocking probability and the mean wait of c servers that hold at most k
// requests, waiting or in service. It adds one state after the other and rescales to probabilities
// each time, because the unscaled terms overflow from some 700 servers on.
func MMcK(c, k int, lambda, mu float64) (blocking, wait float64) {
	blocking = 1
	waiting := 0.0
	for n := 1; n <= k; n++ {
		term := blocking * lambda / mu / float64(min(n, c))
		waiting = (waiting + float64(float64(max(n-c, 0))*term)) / (1 + term)
		blocking = term / (1 + term)
	}
	return blocking, waiting / (lambda * (1 - blocking))
}

// AllenCunneen estimates the mean wait at c servers with any distributions of arrivals and
// service. Searches use the estimate only to order candidates, because it proves nothing.
func AllenCunneen(c int, lambda, mean, arrivalSCV, serviceSCV float64) float64 {
	wait, _ := MMc(c, lambda, 1/mean)
	return wait * (arrivalSCV + serviceSCV) / 2
}
