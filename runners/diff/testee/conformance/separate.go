package conformance

import (
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// A feature of inputs separates failures from other cases on two conditions. Cases that have it
// fail at least leastRatio times as often as cases of the same operation that lack it. The excess
// is also more than leastSigma standard deviations above chance. Chance alone gives such an excess
// one time in a thousand. The limit is that strict because several features are tried.
const (
	leastRatio = 2.0
	leastSigma = 3.1
)

// separating returns the features that separate the failures of a cause from the other cases of the
// same operations that could have failed so. It first takes the feature that separates best, and
// seeks the next one among the cases that lack the first. more limits how many causes the split
// adds.
func separating(c Cause, results []Result, more int) (list []int) {
	failures := lists.ToMap(c.Failures, func(r Result) (string, bool) { return r.ID, true })
	asked := lists.Filter(results, func(r Result) bool {
		return (r.Status == Passed || r.Status == Failed) && slices.Contains(c.Ops, r.Op) && (failures[r.ID] || c.couldHave(r))
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
	return list
}

// couldHave reports whether a case could fail with this cause, by what is expected of it. What the
// inputs have in common that raise an exception says nothing about why another one came.
func (c Cause) couldHave(r Result) bool {
	switch {
	case strings.HasSuffix(c.What, inPlaceOfAnswer):
		return !r.WantsError
	case strings.HasSuffix(c.What, inPlaceOfAnother):
		return slices.ContainsFunc(r.Raises, func(class string) bool { return slices.Contains(c.Instead, class) })
	}
	return true
}

// opCounts holds counts of one operation: all cases, cases with a feature, and how many of each
// fail.
type opCounts struct{ all, with, failed, failedWith float64 }

// separates returns by how many standard deviations the failures with a feature exceed what chance
// would give, or 0 if the feature does not separate. It compares only cases of the same operation,
// because an operation that always fails may also be one whose inputs always have the feature.
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
	// sums of the Mantel-Haenszel test, which has one stratum for each operation
	var more, variance, failWith, failWithout float64
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
	sigma := (more - 0.5) / math.Sqrt(variance) // 0.5 corrects for counts being whole numbers
	if variance == 0 || sigma < leastSigma || failWith < leastRatio*failWithout {
		return 0
	}
	return sigma
}
