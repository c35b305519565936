package model

import (
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
)

const relatedPlan = `apiVersion: capacity/v1
model: {size: {embeddings: 1GiB}}
fleet:
  entry: {replicas: 1, cpu: 1, mem: 8GiB}
  ps: {replicas: 1, cpu: 64, mem: 8GiB}
service:
  agent_cpu: 0
  entry: {cpu: exp(10ms), threads: 1}
  ps: {cpu: 1us}
workload: {rate: 80/s, horizon: 1h, detail: {windows: ["at 1m 60s"]}}
`

// Goal: how many requests hang together follows from the plan. Method: numbers by hand. In 1.25
// relaxation times of M/M/1 at 80 % there are 1.25*0.8/(1-sqrt(0.8))^2 = 89.7 requests; as many of
// each container where there are several, since each has its own queue. Of requests that come four
// at once there are 2.5 times as many, and three come with each.
func TestRequestsHangTogetherAsThePlanHasIt(t *testing.T) {
	gap := 1 - math.Sqrt(0.8)
	queue := 1.25 * 0.8 / (gap * gap)
	for _, c := range []struct {
		name, old, with string
		want            float64
	}{
		{"one queue", "", "", queue},
		{"two containers at the same load", "entry: {replicas: 1, cpu: 1, mem: 8GiB}\n  ps: {replicas: 1, cpu: 64, mem: 8GiB}\nRATE80/s", "entry: {replicas: 2, cpu: 1, mem: 8GiB}\n  ps: {replicas: 1, cpu: 64, mem: 8GiB}\nRATE160/s", queue},
		{"work that is always the same", "exp(10ms)", "10ms", queue / 2},
		{"four at once", "horizon: 1h", "horizon: 1h, arrivals: {batch: det(4)}", 2.5*queue + 3},
		{"bursts of 2 s at 3 times the rate", "horizon: 1h", "horizon: 1h, arrivals: {process: mmpp, burst: 3x, mean_burst: 2s, mean_quiet: 8s}", queue + 80/1.4*3*2},
		{"containers that fail at random", "workload:", "random_failures: {ps: {mtbf: 1000s, mttr: 20s}}\nworkload:", queue + 80*10},
		{"a queue that is never there", "80/s", "0.1/s", 1},
		{"a full queue", "80/s", "120/s", 1},
		{"a queue that relaxes for longer than the window", "80/s", "99.9/s", 60 * 99.9},
		{"twenty clients that wait", "rate: 80/s", "loop: 'closed(clients=20, think=100ms)'", 20},
	} {
		text := relatedPlan
		old, with := strings.Split(c.old, "\nRATE"), strings.Split(c.with, "\nRATE")
		for k := range old {
			text = strings.Replace(text, old[k], with[k], 1)
		}
		_, p, _, err := plan.Parse("plan.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		s := Compile(p, Condition{})
		if got := s.Related(s.Windows[0], Life{}).Requests; math.Abs(got-c.want) > 0.01*c.want {
			t.Errorf("%s: got %.1f requests, want %.1f", c.name, got, c.want)
		}
	}
}

// Goal: containers that die or come count while they do. Method: two containers at 80 % of one, of
// which one dies for the second half of the window; and one at 160 % that gets a second.
func TestRequestsHangTogetherOnWhatIsLeft(t *testing.T) {
	gap := 1 - math.Sqrt(0.8)
	queue := 1.25 * 0.8 / (gap * gap)
	for _, c := range []struct {
		replicas, rate string
		steps          []Step
		want           float64
	}{
		{"2", "80/s", []Step{{0, 2}, {90e9, 1}}, queue},
		{"1", "160/s", []Step{{0, 1}, {90e9, 2}}, queue},
		{"2", "80/s", []Step{{0, 2}, {120e9, 1}}, 1.25 * 0.4 / math.Pow(1-math.Sqrt(0.4), 2)},
	} {
		text := strings.NewReplacer("replicas: 1, cpu: 1,", "replicas: "+c.replicas+", cpu: 1,", "80/s", c.rate).Replace(relatedPlan)
		_, p, _, err := plan.Parse("plan.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s := Compile(p, Condition{})
		if got := s.Related(s.Windows[0], Life{Live: [tiers][]Step{c.steps}}).Requests; math.Abs(got-c.want) > 0.01*c.want {
			t.Errorf("%s containers, %v: got %.1f requests, want %.1f", c.replicas, c.steps, got, c.want)
		}
	}
}
