package goals

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/monosim/monosim/runners/whatif/engines"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/stats"
)

func text(format string, args ...any) string { return fmt.Sprintf(format, args...) }

const sweepPlan = `apiVersion: capacity/v1
model: {size: {embeddings: 1GiB}}
budget: {min_replications: 5}
override: {num_ps: 4, num_shard: 4}
fleet:
  entry: {replicas: 8, cpu: 4, mem: 8GiB}
  ps: {replicas: 8, cpu: 4, mem: 8GiB}
service:
  entry: {cpu: 1ms}
  ps: {cpu: "exp(mean=1ms)"}
workload: {rate: 10k/s, horizon: 60s, detail: {windows: ["at 30s 500ms"], thin: %s}}
sweep: {grid: {ps.replicas: [8, 16], workload.rate: [5k/s, 10k/s]}}
`

func openSweep(thin string) (*engines.Grid, *plan.Plan, error) {
	source, p, warnings, err := plan.Parse("sweep.yaml", fmt.Appendf(nil, sweepPlan, thin))
	if err != nil {
		return nil, nil, err
	}
	g, err := engines.Open(source, p, warnings)
	return g, p, err
}

// sweptBy runs the sweep with its work divided among the engines in list. It returns the hash of
// the result.
func sweptBy(list ...engines.Engine) (string, error) {
	g, _, err := openSweep("off")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "monosim-shards-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	j := &judge.Judge{}
	all := engines.Samples{}
	for _, e := range list {
		samples := engines.Samples{}
		err := e.Run(context.Background(), g.Points(), func(p engines.Point) (*model.Sample, error) { return g.Simulate(context.Background(), j, p) },
			func(p engines.Point, s *model.Sample) error {
				samples[p], all[p] = s, s
				return nil
			})
		if err != nil {
			return "", err
		}
		if shard, ok := e.(engines.Shard); ok {
			if err := g.WriteShard(dir, shard, samples); err != nil {
				return "", err
			}
		}
	}
	if _, ok := list[0].(engines.Shard); ok {
		if all, err = g.Merge(dir); err != nil {
			return "", err
		}
	}
	r, err := g.Result(all)
	if err != nil {
		return "", err
	}
	return r.SHA256(), nil
}

// Equality runs one sweep with several kinds and numbers of engines. It returns the hash of the
// result, and an error if two of the runs give different hashes.
func Equality() (string, error) {
	first := ""
	for _, n := range []int{-1, -2, 1, 4, 64} {
		var list []engines.Engine
		if n < 0 {
			list = append(list, engines.Local{Workers: -n})
		}
		for i := range n {
			list = append(list, engines.Shard{I: i, N: n})
		}
		sum, err := sweptBy(list...)
		if err != nil {
			return "", err
		}
		first = cmp.Or(first, sum)
		if sum != first {
			return "", fmt.Errorf("%s gives %s, the first gave %s", list[0].Name(), sum, first)
		}
	}
	return first, nil
}

func equality() (Found, error) {
	sum, err := Equality()
	if err != nil {
		return found(false, "%v", err)
	}
	return found(true, "sha256 %.16s by all", sum)
}

func thinning() (Found, error) {
	var means []string
	low, high := math.Inf(-1), math.Inf(1)
	for _, k := range []string{"1", "2", "4", "8"} {
		_, p, err := openSweep(k)
		if err != nil {
			return Found{}, err
		}
		j := &judge.Judge{}
		e, err := j.Evaluate(context.Background(), p, judge.Normal, judge.Goal{Replications: 40})
		if err != nil {
			return Found{}, err
		}
		mean, half := stats.Interval(e.Windows[0].Values["mean(request)"], 0.99)
		low, high = max(low, mean-half), min(high, mean+half)
		means = append(means, fmt.Sprintf("%.4f ms", mean/1e6))
	}
	return found(low <= high, "mean %s", strings.Join(means, ", "))
}
