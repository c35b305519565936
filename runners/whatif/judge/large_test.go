package judge

import (
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

const overfull = `apiVersion: capacity/v1
model: {size: {embeddings: 10GiB}}
override: {num_ps: 4, num_shard: 2, fetch_ps_timeout: 20ms}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB}
  ps: {replicas: 3, cpu: 4, mem: 32GiB}
service: {entry: {cpu: 0.1ms}, ps: {cpu: "exp(mean=1ms)"}}
workload: {rate: RATE/s, horizon: LONG}
`

// Goal: the size of a simulation is known in advance. Method: compare the expected size of a
// replication with the real one, below the fleet's capacity and above it, where calls are
// retried. Also check the message for a plan that takes minutes.
func TestWhatAPlanTakesIsKnownBefore(t *testing.T) {
	read := func(rate, long string) *plan.Plan {
		_, p, _, err := plan.Parse("plan.yaml", []byte(strings.NewReplacer("RATE", rate, "LONG", long).Replace(overfull)))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, c := range []struct {
		rate  string
		calls float64 // for each request
		full  string
	}{{"1k", 4, ""}, {"9k", 12, "ps"}} {
		s := model.Compile(read(c.rate, "2s"), Normal)
		s.Windows[0].Carries = false // nothing before it
		e := s.Expected()
		one, err := s.Run(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(e.Requests/float64(one.Arrived)-1) > 0.1 || math.Abs(e.Calls/e.Requests-c.calls) > 1e-9 || e.Full != c.full {
			t.Errorf("%s/s: expected %.0f requests, %.0f calls, full %q; there are %d requests, want %v calls each and %q", c.rate, e.Requests, e.Calls, e.Full, one.Arrived, c.calls, c.full)
		}
		if most := float64(one.Calls.Sent); c.full == "" && math.Abs(e.Calls/float64(one.Calls.Sent)-1) > 0.1 || e.Calls < 0.4*most {
			t.Errorf("%s/s: expected %.0f calls, %d were sent", c.rate, e.Calls, one.Calls.Sent)
		}
	}
	j := &Judge{Workers: 2}
	if text := j.TakesLong(read("1k", "10s")); text != "" {
		t.Errorf("a plan of seconds: got %q", text)
	}
	text := j.TakesLong(read("9k", "10m"))
	for _, want := range []string{"20 replications are about 119 M requests and 1.43 G calls", "as ps is full and calls are repeated", "which take 6m26s at the least", "budget.requests"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %q, want %q in it", text, want)
		}
	}
	if text := j.TakesLong(read("9k", "60m")); !strings.Contains(text, "more than budget.wall 10m: nothing will be decided") {
		t.Errorf("got %q, want it to be more than budget.wall", text)
	}
}
