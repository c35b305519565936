package conformance

import (
	"math"
	"slices"

	"github.com/monosim/monosim/engine/lists"
)

// A feature of inputs separates failures from other cases if cases that have it fail at least
// leastRatio times as often as those of the same operation that lack it, and by more than leastSigma
// standard deviations of what chance does. That is one in a thousand, as several features are tried.
const (
	leastRatio = 2.0
	leastSigma = 3.1
)

// separating returns the features that separate the failures of a cause from the other cases of the
// same operations, in the order of features. After the one that separates best the next is sought
// among what lacks it. The cause is split into at most more causes beyond itself.
func separating(c Cause, results []Result, more int) (list []int) {
	failures := lists.ToMap(c.Failures, func(r Result) (string, bool) { return r.ID, true })
	asked := lists.Filter(results, func(r Result) bool {
		return (r.Status == Passed || r.Status == Failed) && slices.Contains(c.Ops, r.Op)
	})
	for len(list) < mostInputs {
		best, sigma := -1, 0.0
		for i := range features {
			if s := separates(asked, failures, i); s > sigma {
				best, sigma = i, s
			}
		}
		if best < 0 {
			break
		}
		asked = slices.DeleteFunc(asked, func(r Result) bool { return r.Features.has(best) })
		others := slices.ContainsFunc(asked, func(r Result) bool { return failures[r.ID] })
		if len(list) == more && others {
			break
		}
		list = append(list, best)
	}
	slices.Sort(list)
	return list
}

// opCounts are those of one operation: all cases and those with a feature, and how many of each fail.
type opCounts struct{ all, with, failed, failedWith float64 }

// separates returns by how many standard deviations more failures have a feature than would by
// chance, 0 if it does not separate. Operations are counted apart, as one that always fails may be one
// whose inputs always have the feature.
func separates(asked []Result, failures map[string]bool, feature int) float64 {
	ops := map[string]*opCounts{}
	for _, r := range asked {
		n := ops[r.Op]
		if n == nil {
			n = &opCounts{}
			ops[r.Op] = n
		}
		n.all++
		if failures[r.ID] {
			n.failed++
		}
		if r.Features.has(feature) {
			n.with++
			if failures[r.ID] {
				n.failedWith++
			}
		}
	}
	var more, variance, failWith, failWithout float64 // Mantel and Haenszel, one stratum an operation
	for _, n := range ops {
		if n.all < 2 {
			continue
		}
		without := n.all - n.with
		more += n.failedWith - n.failed*n.with/n.all
		variance += n.failed * (n.all - n.failed) * n.with * without / (n.all * n.all * (n.all - 1))
		failWith += n.failedWith * without / n.all
		failWithout += (n.failed - n.failedWith) * n.with / n.all
	}
	sigma := (more - 0.5) / math.Sqrt(variance) // a half, as counts are whole
	if variance == 0 || sigma < leastSigma || failWith < leastRatio*failWithout {
		return 0
	}
	return sigma
}
