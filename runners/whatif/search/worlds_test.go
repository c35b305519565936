package search_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/search"
)

// unsure is a plan whose model has an uncertain size of 8 to 16 GiB. A container of 8 GiB
// can hold two copies of 2.96 GiB.
const unsure = `apiVersion: capacity/v1
budget: {min_replications: 5, max_replications: 5}
model: {agent_version: 3, size: {embeddings: {low: 8GiB, mid: 10GiB, high: 16GiB, confidence: 90%}, dense: 1GiB}}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB, cost: 1/h}
  ps: {num_shard: 4, replicas: 2, cpu: 4, mem: 8GiB, cost: 1/h}
service:
  entry: {cpu: 1ms}
  ps: {cpu: 1ms}
workload: {rate: 100/s, horizon: 1s}
worlds: {count: 20, hold: 90%}
slo:
  - mem.ps.peak <= 95%
solve:
  over: {ps.num_shard: 2..8}
`

func solve(t *testing.T, text string) *result.Result {
	t.Helper()
	source, p, warnings, err := plan.Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.Solve(t.Context(), &judge.Judge{}, source, p, warnings)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Goal: the answer is as large as uncertain inputs require. Method: a model size that is
// below 14.4 GiB in nine of ten worlds. Middle values alone need four shards. The worlds
// need five, and four shards fail because of the worlds.
func TestTheAnswerHoldsInEnoughWorlds(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute under the race detector; the whole tests have it")
	}
	r := solve(t, unsure)
	if r.Answer == nil || r.Exit != result.ExitMet || r.Answer.Worlds == nil {
		t.Fatalf("got %+v, exit %d, %s", r.Answer, r.Exit, r.Stopped)
	}
	if n := r.Answer.Point["fleet.ps.num_shard"]; n != "5" {
		t.Errorf("the answer is %s shards, want 5", n)
	}
	if w := r.Answer.Worlds; w.Pass < 18 || w.Count != 20 {
		t.Errorf("got %+v, want 18 of 20 or more", w)
	}
	if r.Certificate.Excluded["worlds"] != 1 || len(r.Neighbours) != 1 || !strings.Contains(r.Neighbours[0].Reason, "worlds") {
		t.Errorf("got %v and %+v, want four shards to fail in worlds", r.Certificate.Excluded, r.Neighbours)
	}
	if r.Worlds == nil || len(r.Worlds.Estimates) == 0 || r.Worlds.Inputs[0].Path != "model.size.embeddings" {
		t.Errorf("got %+v, want what came of the worlds", r.Worlds)
	}
	sure := solve(t, strings.Replace(unsure, "{low: 8GiB, mid: 10GiB, high: 16GiB, confidence: 90%}", "10GiB", 1))
	if n := sure.Answer.Point["fleet.ps.num_shard"]; n != "4" || sure.Worlds != nil || sure.Answer.Worlds != nil {
		t.Errorf("with what is known for sure the answer is %s shards, want 4", n)
	}
}

// Goal: two searches with worlds give results with equal bytes.
func TestWorldsRepeat(t *testing.T) {
	if a, b := solve(t, unsure).SHA256(), solve(t, unsure).SHA256(); a != b {
		t.Errorf("got %s and %s", a, b)
	}
}

// Goal: a bound excludes no cell that holds. Method: a hot shard that needs two containers
// where the other shards need one each. The bound must use the load of each shard alone.
func TestEachShardIsFullByItself(t *testing.T) {
	r := solve(t, `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 40}
model: {agent_version: 3, size: {embeddings: 1GiB, dense: 1GiB}, shard_skew: {shares: [60%, 20%, 20%]}}
override: {num_ps: 3, num_shard: 3}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB, cost: 1/h}
  ps: {replicas: {default: 3, hottest: 3}, cpu: 1, mem: 8GiB, cost: 1/h}
service:
  entry: {cpu: 1us}
  ps: {cpu: "affine(base=0ms, per_item=10us)"}
  items: det(100)
workload: {rate: 2k/s, horizon: 2s}
slo: [p99(request) <= 15ms]
solve: {over: {ps.replicas.default: 1..3, ps.replicas.hottest: 1..3}}
`)
	if r.Answer == nil || r.Answer.Point["fleet.ps.replicas.default"] != "1" || r.Answer.Point["fleet.ps.replicas.hottest"] != "2" {
		t.Fatalf("got %+v, %s, want two containers of the hot shard and one of the others", r.Answer, r.Stopped)
	}
	for _, c := range r.Neighbours {
		if c.Argument != "utilisation" {
			t.Errorf("got %+v, want it full", c)
		}
	}
}

// Goal: regret weighs the cost of too many shards against that of too few. Method: a model
// size with known quantiles. Each shard costs 2/h, and a number of shards holds in the
// worlds whose model fits. Too few shards also cost the price of the smallest number that
// holds. The expected sums come from the worlds' own sizes.
func TestTheLeastRegretWeighsTooMuchAndTooLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	r := solve(t, unsure+"  least_regret: 4\n")
	if len(r.Regret) != 4 {
		t.Fatalf("got %+v, want 4 configurations", r.Regret)
	}
	source, p, _, err := plan.Parse("plan.yaml", []byte(unsure))
	if err != nil {
		t.Fatal(err)
	}
	worlds, err := judge.Worlds(source, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	fits := func(shards, world int) bool {
		_, _, err := source.With(append(worlds[world].Values, plan.Value{Path: "ps.num_shard", Text: strconv.Itoa(shards)}))
		if err != nil {
			return false
		}
		one, _, _ := source.With(append(worlds[world].Values, plan.Value{Path: "ps.num_shard", Text: strconv.Itoa(shards)}))
		return float64(one.Memory("ps", one.Versions("ps"))) <= 0.95*float64(one.Fleet.PS.Mem)
	}
	cost := func(shards int) float64 { return 2 + 2*float64(shards) }
	var compared []int
	for _, c := range r.Regret {
		n, err := strconv.Atoi(c.Point["fleet.ps.num_shard"])
		if err != nil {
			t.Fatal(err)
		}
		compared = append(compared, n)
	}
	least, most := slices.Min(compared), slices.Max(compared)
	last := 0.0
	for i, c := range r.Regret {
		sum, holds := 0.0, 0
		for w := range worlds {
			price := cost(most)
			for n := most; n >= least; n-- {
				if fits(n, w) {
					price = cost(n)
				}
			}
			if fits(compared[i], w) {
				holds++
				sum += cost(compared[i]) - price
			} else {
				sum += price
			}
		}
		if want := sum / float64(len(worlds)); math.Abs(c.Mean-want) > 1e-9 || c.Holds != holds || c.Worlds != len(worlds) || c.Mean < last {
			t.Errorf("%d shards: regret %g in the mean, holds in %d of %d, want %g and %d, and the least first", compared[i], c.Mean, c.Holds, c.Worlds, want, holds)
		}
		last = c.Mean
	}
	if r.Regret[0].Mean >= r.Regret[3].Mean || r.Regret[0].Holds == 0 {
		t.Errorf("all are the same: %+v", r.Regret)
	}
}
