package model

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// oneStation is the template of a plan whose requests pass through one or two tiers. The
// tests replace its words in capitals by the values of a Ciw plan.
const oneStation = `apiVersion: capacity/v1
seed: 11
model: {agent_version: 1, size: {embeddings: 1GB}, ram_factor: 1x}
override: {num_ps: PARTS, num_shard: 1, fetch_ps_timeout: TIMEOUT, fetch_ps_retry: 0, fetch_ps_long_conn_num: LINKS}
network: {same_cluster: 0s, overhead_per_rpc: 0s}
fleet:
  entry: {replicas: 1, cpu: FIRST, mem: 16GiB}
  ps: {replicas: COPIES, cpu: CORES, mem: 32GiB}
service:
  entry: {cpu: "WORK"HOLD}
  ps: {cpu: "CALL"ROOM}
  contention: {model: SHARE}
client: {balance: BALANCE}
workload: {LOAD, horizon: UNTIL, detail: {windows: [WINDOW]}}
events: [EVENTS]
`

// ciwPlan is a plan that was simulated with Ciw, in the form of this project.
type ciwPlan struct {
	name  string
	rate  float64 // arrivals per second, unless the law of arrivals is given in pairs
	pairs string  // replacements in the plan oneStation: texts and what takes their place, separated by |
}

var ciwPlans = []ciwPlan{
	{name: "M/M/1", rate: 80, pairs: "CALL|exp(mean=10ms)"},
	{name: "M/M/4", rate: 360, pairs: "CALL|exp(mean=10ms)|CORES|4"},
	{name: "M/G/1 log-normal", rate: 70, pairs: "CALL|lognormal(mean=10ms, cv=2)"},
	{name: "M/G/2 gamma", rate: 170, pairs: "CALL|gamma(mean=10ms, cv=0.5)|CORES|2"},
	{name: "GI/M/1 gamma", rate: 70, pairs: "CALL|exp(mean=10ms)|LOAD|rate: 70/s, arrivals: {process: gamma, cv: 2}"},
	{name: "D/M/1", rate: 90, pairs: "CALL|exp(mean=10ms)|LOAD|rate: 90/s, arrivals: {process: deterministic}"},
	{name: "M/Weibull/2", rate: 120, pairs: "CALL|weibull(mean=10ms, k=0.5)|CORES|2"},
	{name: "M/M/1/4", rate: 90, pairs: "CALL|exp(mean=10ms)|ROOM|, queue: 3"},
	{name: "M/G/4/10", rate: 480, pairs: "CALL|lognormal(mean=10ms, cv=1.5)|ROOM|, queue: 6|CORES|4"},
	{name: "M/G/1-PS", rate: 70, pairs: "CALL|lognormal(mean=10ms, cv=2)|ROOM|, threads: 100000|SHARE|processor_sharing"},
	{name: "PS on 4 cores", rate: 320, pairs: "CALL|lognormal(mean=10ms, cv=2)|ROOM|, threads: 100000|SHARE|processor_sharing|CORES|4"},
	{name: "tandem", rate: 80, pairs: "FIRST|1|WORK|exp(mean=10ms)|CALL|lognormal(mean=20ms, cv=1)|CORES|2"},
	{name: "3 replicas, random", rate: 240, pairs: "CALL|exp(mean=10ms)|COPIES|3"},
	{name: "3 replicas, round robin", rate: 240, pairs: "CALL|exp(mean=10ms)|COPIES|3|BALANCE|round_robin"},
	{name: "3 replicas, least loaded", rate: 240, pairs: "CALL|exp(mean=10ms)|COPIES|3|BALANCE|least_loaded"},
	{name: "batches of 5 calls", rate: 32, pairs: "CALL|exp(mean=10ms)|PARTS|5|CORES|2"},
	{name: "timeout, work goes on", rate: 80, pairs: "CALL|exp(mean=10ms)|TIMEOUT|50ms"},
	{name: "two classes", rate: 180, pairs: "CALL|exp(mean=10ms)|CORES|4|LOAD|rate: 180/s, mix: [{model: a, share: 66.6666666667%}, {model: b, class_of: a, share: 33.3333333333%, ps: {cpu: \"exp(mean=30ms)\"}}]"},
	{name: "closed", rate: 98, pairs: "CALL|exp(mean=10ms)|LOAD|loop: \"closed(clients=30, think=exp(mean=200ms))\""},
	{name: "traffic of 3 times", rate: 60, pairs: "CALL|exp(mean=10ms)|EVENTS|{at: 40s, for: 20s, traffic: {factor: 3x}}|UNTIL|140s|WINDOW|at 0s 140s"},
	{name: "slow for a while", rate: 70, pairs: "CALL|exp(mean=10ms)|EVENTS|{at: 40s, for: 20s, slow: {ps: {count: 1, factor: 3x}}}|UNTIL|140s|WINDOW|at 0s 140s"},
	{name: "2 connections", rate: 160, pairs: "CALL|exp(mean=10ms)|CORES|16|LINKS|2"},
	{name: "entry holds its threads", rate: 250, pairs: "WORK|exp(mean=4ms)|FIRST|4|HOLD|, hold: true|CALL|lognormal(mean=8ms, cv=1)|CORES|1000"},
}

// sample simulates one replication of a plan, for about as long as Ciw did.
func (c *ciwPlan) sample(t *testing.T, replication int) *Sample {
	t.Helper()
	window := 15000 * 0.8 / c.rate
	if strings.HasPrefix(c.name, "batches") {
		window /= 5
	}
	pairs := append(strings.Split(c.pairs, "|"), "LOAD", fmt.Sprintf("rate: %g/s", c.rate), "PARTS", "1", "TIMEOUT", "1000s", "LINKS", "100000", "FIRST", "1000", "COPIES", "1", "CORES", "1",
		"WORK", "1ns", "HOLD", "", "CALL", "1ns", "ROOM", "", "SHARE", "none", "BALANCE", "random", "UNTIL", "2000s", "WINDOW", fmt.Sprintf("at 300s %.3fs", window), "EVENTS", "")
	_, p, _, err := plan.Parse("plan.yaml", []byte(strings.NewReplacer(pairs...).Replace(oneStation)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Compile(p, Condition{}).Run(0, replication)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Goal: an independent simulator gives the same results. Method: the means, 99th percentiles
// and shares of lost requests of 23 plans, as computed by Ciw 3.2.7 (testdata/ciw_plans.py,
// which wrote ciw.jsonl). They are compared with as many runs of this model, about as long.
// The difference of the means over runs must be within the variation of both, at 99 %.
func TestCiwHasTheSameAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	text, err := os.ReadFile("testdata/ciw.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	type answers struct {
		Plan, Ciw       string
		Mean, P99, Lost []float64
	}
	theirs := map[string]answers{}
	for line := range strings.Lines(string(text)) {
		var one answers
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		theirs[one.Plan] = one
	}
	if len(theirs) != len(ciwPlans) {
		t.Fatalf("Ciw has %d plans, want %d", len(theirs), len(ciwPlans))
	}
	for _, c := range ciwPlans {
		want, own := theirs[c.name], answers{}
		for k := range want.Mean {
			s := c.sample(t, k)
			own.Mean = append(own.Mean, float64(s.SumNs)/float64(s.Completed)/1e6)
			own.P99 = append(own.P99, float64(s.Latency.Quantile(0.99))/1e6)
			own.Lost = append(own.Lost, 1-float64(s.Completed)/float64(s.Arrived))
		}
		for _, m := range []struct {
			what      string
			own, want []float64
		}{{"mean", own.Mean, want.Mean}, {"p99", own.P99, want.P99}, {"lost", own.Lost, want.Lost}} {
			a, da := stats.Interval(m.own, 0.99)
			b, db := stats.Interval(m.want, 0.99)
			t.Logf("%-26s %-5s %9.4f ± %.4f, Ciw %s %9.4f ± %.4f", c.name, m.what, a, da, want.Ciw, b, db)
			if math.Abs(a-b) > math.Hypot(da, db)+1e-9 {
				t.Errorf("%s: %s is %.4f ± %.4f, by Ciw %.4f ± %.4f", c.name, m.what, a, da, b, db)
			}
		}
	}
}
