package judge_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/whatif/result"
)

// Goal: the detection of dead containers and its closed form are reported for the event that
// killed them, and for no other. Method: one of three replicas of a shard dies, so 1/3 of
// the requests wait, 1/9 wait twice and 1/27 fail. Later a version is published.
func TestWhatDiesIsToldOfItsEvent(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for a minute under the race detector")
	}
	r := run(t, incident)
	got := map[string]result.Incident{}
	for _, i := range r.Incidents {
		got[i.Event] = i
	}
	if death := got["death"]; time.Duration(death.DetectNs) < 6*time.Second || math.Abs(death.Closed1-1./3) > 1e-9 || math.Abs(death.Closed2-1./9) > 1e-9 || math.Abs(death.ClosedFailed-1./27) > 1e-9 {
		t.Errorf("death: got %+v, want it noticed after some 9 s, and the formulas of 1 dead of 3", death)
	}
	if other := got["new version"]; other.DetectNs != 0 || other.Closed1 != 0 || other.LostSessions != 0 {
		t.Errorf("publish: got %+v, want nothing that died", other)
	}
}

// alone is a plan with one entry and one PS of version 3 and ten minutes without ZooKeeper.
// After the entry's agent has reconnected, the PS is never listed again.
const alone = `apiVersion: capacity/v1
budget: {min_replications: 5, max_replications: 5}
model: {agent_version: 3, size: {embeddings: 1GiB, dense: 1GiB}}
fleet:
  entry: {replicas: 1, cpu: 4, mem: 8GiB}
  ps: {num_shard: 1, replicas: 1, cpu: 4, mem: 8GiB}
service: {entry: {cpu: 1ms}, ps: {cpu: 1ms}}
workload: {rate: 5/s, horizon: 1h, detail: {windows: [%s]}}
events:
  - {at: 10s, name: gone, zookeeper: {outage: true}, for: 600s}
slo: [errors <= 1%%]
`

// Goal: a window in which requests are answered in few replications, in one or in none
// either has numbers or says why not. The cause of failures is taken from the window with
// most failures. Method: windows during the time in which agents reconnect one after
// another.
func TestWindowsInWhichHardlyAnythingIsAnswered(t *testing.T) {
	long(t)
	var windows []string
	for at := 620; at < 2400; at += 10 {
		windows = append(windows, fmt.Sprintf("\"at %ds 2s\"", at))
	}
	r := run(t, fmt.Sprintf(alone, strings.Join(windows, ", ")))
	r.SHA256() // called because it panics if a value is not a number
	kinds := map[string]bool{}
	for i := range r.Estimates {
		if e := &r.Estimates[i]; e.Metric == "mean(request)" {
			if (e.Value == nil) != (e.Runs < 2) || e.Value == nil && !strings.HasPrefix(e.Text, "not enough data") {
				t.Errorf("%s: got value %v of %d replications, %q", e.Scope.Window, e.Value, e.Runs, e.Text)
			}
			kinds[fmt.Sprint(min(e.Runs, 2))] = true
		}
	}
	if !kinds["2"] || !kinds["1"] {
		t.Errorf("windows answered in few replications and in one: got %v, want both", kinds)
	}
	if r.Saturation.State != "STABLE" {
		t.Errorf("got %s, want nothing that waits", r.Saturation.State)
	}
	for _, c := range r.Errors {
		if want := c.Name == "no_replica"; want != (c.Fraction > 0.5) {
			t.Errorf("failures for %s: got %v", c.Name, c.Fraction)
		}
	}
}
