package goals

import (
	"fmt"
	"math"
	"strings"

	"github.com/monosim/monosim/cmd/bench/validate"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/stats"
	"github.com/monosim/monosim/runners/whatif/theory"
)

func closedForms() (Found, error) {
	before := cpuSeconds()
	outcomes, err := validate.RunAll(validate.All(false), nil)
	if err != nil {
		return Found{}, err
	}
	spent := cpuSeconds() - before
	inside := 0
	for i := range outcomes {
		if outcomes[i].Inside {
			inside++
		}
	}
	verdict := validate.Judge(outcomes)
	text := ""
	if verdict != nil {
		text = "; " + verdict.Error()
	}
	return found(verdict == nil && spent < 120, "%d of %d inside, %.0f s of CPU%s", inside, len(outcomes), spent, text)
}

// mm1 makes an M/M/1 queue at a load of 0.5, with a mean service time of 1 ms. A run has the given
// number of requests.
func mm1(seed uint64, requests float64) *model.Spec {
	s := validate.Fork(1, 1, 1, 0.5, 1e6, requests)
	s.Seed = seed
	return s
}

func coverage() (Found, error) {
	const experiments, runs = 200, 20
	mean, tail := 0, 0
	for x := range experiments {
		var means, tails []float64
		var all model.Hist
		for r := range runs {
			s, err := mm1(uint64(x)+1, 20_000).Run(0, r)
			if err != nil {
				return Found{}, err
			}
			means = append(means, float64(s.SumNs)/float64(s.Completed)/1e6)
			tails = append(tails, float64(s.Latency.Quantile(0.99))/1e6)
			all.Merge(s.Latency)
		}
		if m, half := stats.Interval(means, 0.95); math.Abs(m-2) <= half {
			mean++
		}
		if whole := float64(all.Quantile(0.99)) / 1e6; math.Abs(whole-2*math.Log(100)) <= stats.Sectioned(whole, tails, 0.95) {
			tail++
		}
	}
	a, b := float64(mean)/experiments, float64(tail)/experiments
	return found(a >= 0.92 && a <= 0.98 && b >= 0.92 && b <= 0.98, "mean %.1f %%, p99 %.1f %%", a*100, b*100)
}

// verdictErrors judges a model whose p99 is exactly the limit, so that both pass and fail are
// wrong verdicts. The goal is missed only when a binomial test at 99 % confidence shows an error
// rate above 1 %.
func verdictErrors() (Found, error) {
	const experiments, runs = 400, 20
	passes, fails := int64(0), int64(0)
	for x := range experiments {
		var n, over []int64
		spec := mm1(uint64(x)+1001, 4_000)
		spec.Limits = []int64{int64(2 * math.Log(100) * 1e6)}
		sumN, sumX := int64(0), int64(0)
		for r := range runs {
			s, err := spec.Run(0, r)
			if err != nil {
				return Found{}, err
			}
			n, over = append(n, s.Arrived), append(over, s.Over[0])
			sumN += s.Arrived
			sumX += s.Over[0]
		}
		switch stats.Verdict(sumN, sumX, 0.01, stats.VIF(n, over), 0.99) {
		case stats.Pass:
			passes++
		case stats.Fail:
			fails++
		}
	}
	reached := stats.Verdict(experiments, passes, 0.01, 1, 0.99) != stats.Fail && stats.Verdict(experiments, fails, 0.01, 1, 0.99) != stats.Fail
	return found(reached, "%d of %d pass and %d fail wrongly", passes, experiments, fails)
}

func conservation() (Found, error) {
	worst, whole := int64(0), true
	for r := range 10 {
		s, err := richSpec().Run(0, r)
		if err != nil {
			return Found{}, err
		}
		worst = max(worst, s.Little)
		whole = whole && s.Conserved
	}
	return found(worst < 1e9 && whole, "residual %.2g %%, conserved %v", float64(worst)/1e10, whole)
}

func deadReplicas() (Found, error) {
	cases := lists.Filter(validate.All(false), func(c validate.Case) bool { return c.Section == "CAP-7.4" })
	outcomes, err := validate.RunAll(cases, nil)
	if err != nil {
		return Found{}, err
	}
	inside := 0
	var first []string
	for i := range outcomes {
		if outcomes[i].Inside {
			inside++
		}
		if i < 3 {
			first = append(first, fmt.Sprintf("%.2f %%", outcomes[i].Mean*100))
		}
	}
	return found(validate.Judge(outcomes) == nil, "%s; %d of %d inside", strings.Join(first, ", "), inside, len(outcomes))
}

const rolloutPlan = `apiVersion: capacity/v1
model: {agent_version: %d, size: {embeddings: 1GiB, dense: 3MB}, ram_factor: 1x, rough_sort: {size: 1B}}
fleet:
  entry: {replicas: %d, cpu: 4, mem: 8GiB}
  ps: {replicas: 1, cpu: 4, mem: 8GiB}
service:
  entry: {cpu: 1ms}
  ps: {cpu: 1ms}
workload: {rate: 1/s, horizon: 200s, detail: {windows: ["at 150s 1s"]}}
events:
  - {at: 10s, publish: {version: 2}}
`

func rollouts() (Found, error) {
	text, reached := "", true
	for _, path := range []struct {
		name      string
		version   int
		a, b, c   float64
		old, with string // of the plan
	}{
		{"v1", 1, 1e9, 1e9, 0, "", ""},
		{"v1 rough sort", 1, 1e9, 1e9, 30e9, "publish: {version: 2}", "publish: {model: rough_sort, version: 2}"},
		{"v3", 3, 30e9, 60e9, 0, "rough_sort: {size: 1B}", "overhead: 0.5GiB"},
	} {
		for _, n := range []int{100, 1000, 10_000} {
			_, p, _, err := plan.Parse("rollout.yaml", []byte(strings.Replace(fmt.Sprintf(rolloutPlan, path.version, n), path.old, path.with, 1)))
			if err != nil {
				return Found{}, err
			}
			spec := model.Compile(p, judge.Normal)
			var values []float64
			for r := range 20 {
				s, err := spec.Run(0, r)
				if err != nil {
					return Found{}, err
				}
				values = append(values, float64(s.Life.Rollouts[0].Took))
			}
			mean, half := stats.Interval(values, 0.99)
			replicas := n
			load := p.LoadTimeOf("", "entry", 1)
			switch {
			case path.version == 3:
				replicas++ // the PS has one container more
			case path.c > 0:
				load = p.LoadTimeOf(plan.RoughSortName, "entry", 1)
			}
			want := theory.TimeToAll(replicas, path.a, path.b, path.c, float64(load))
			inside := math.Abs(mean-want) <= half
			reached = reached && (inside || path.version == 3 && math.Abs(mean/want-1) < 0.01)
			text += fmt.Sprintf("%s %d: %.3f s (closed %.3f) ", path.name, n, mean/1e9, want/1e9)
		}
	}
	return found(reached, "%s", strings.TrimSpace(text))
}
