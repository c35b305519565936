package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// The goal is that intervals of quantiles cover the truth as often as they say where requests
// hang together, as those of a queue do. The method is the queue M/M/1 by Lindley's recursion,
// at 80 a second of 10 ms, begun as it is at rest, in windows of 10 to 200 s: p99 is
// ln 100 / (mu - lambda). What the quantiles of single replications give, as they were used
// once, covers less in short windows.
func TestIntervalsOfQuantilesCoverWhereRequestsHangTogether(t *testing.T) {
	const lambda, mu = 80.0, 100.0
	truth := math.Log(100) / (mu - lambda) * 1e9
	random := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		seconds           float64
		runs, experiments int
	}{{10, 100, 100}, {30, 40, 80}, {60, 30, 50}, {200, 20, 30}} {
		covered, bySections, negative := 0, 0, 0
		for range c.experiments {
			all, parts, single := model.NewHist(3), []tail(nil), []float64(nil)
			took := make([]float64, int(c.seconds*lambda))
			for range c.runs {
				wait := 0.0
				if random.Float64() < lambda/mu {
					wait = random.ExpFloat64() / (mu - lambda)
				}
				var one tail
				for k := range took {
					took[k] = wait + random.ExpFloat64()/mu
					wait = max(0, took[k]-random.ExpFloat64()/lambda)
					all.Record(int64(took[k] * 1e9))
					one.add(int64(took[k]*1e9), 1)
				}
				slices.Sort(took)
				parts = append(parts, one)
				single = append(single, took[len(took)*99/100]*1e9)
			}
			low, high := quantileBounds(all, parts, 0.99, 0.95)
			if low <= truth && truth <= high {
				covered++
			}
			if low < 0 {
				negative++
			}
			if whole := float64(all.Quantile(0.99)); math.Abs(whole-truth) <= stats.Sectioned(whole, single, 0.95) {
				bySections++
			}
		}
		if covered < c.experiments*9/10 || negative > 0 {
			t.Errorf("%g s: %d of %d intervals of 95 %% hold the truth and %d are negative, want nine tenths at least and none", c.seconds, covered, c.experiments, negative)
		}
		if c.seconds == 10 && bySections >= covered {
			t.Errorf("%g s: sections cover %d, shares %d: want windows so short that sections cover less", c.seconds, bySections, covered)
		}
	}
}

// Goal: the parts of a tail are in order and do not overlap, and each latency falls into its
// part.
func TestPartsOfATailAreInOrder(t *testing.T) {
	last := partOf(1)
	for ns := int64(1); ns < model.Longest*1000; ns += 1 + ns/97 {
		part := partOf(ns)
		if part < last {
			t.Fatalf("%d ns is in part %d, and less in %d", ns, part, last)
		}
		last = part
	}
}
