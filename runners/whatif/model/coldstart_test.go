package model

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// cold is a plan whose whole cluster starts at the same time. PS take 20 minutes to load,
// and entry waits for them.
const cold = `apiVersion: capacity/v1
model: {agent_version: 3, size: {embeddings: 360GB, dense: 1GB}, ram_factor: 1x}
override: {num_ps: 1, quirks: fixed, max_waiting: 1300s}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB}
  ps: {replicas: 1, cpu: 4, mem: 720GiB}
service:
  entry: {cpu: 1ms}
  ps: {cpu: 1ms}
workload: {rate: 10/s, horizon: 2h, cold_start: true, detail: {windows: ["at 110m 10s"]}}
`

// Goal: entry containers that wait too long for PS never come up. Method: a load of 1200 s,
// with limits just above and below. With the faults of the reference the limit is an hour,
// whatever max_waiting says.
func TestColdStartsThatTakeTooLongFail(t *testing.T) {
	for _, c := range []struct {
		old, new string
		up       bool
	}{
		{"", "", true}, {"max_waiting: 1300s", "max_waiting: 1100s", false},
		{"quirks: fixed, max_waiting: 1300s", "quirks: python, max_waiting: 1100s", true},
	} {
		_, p, _, err := plan.Parse("plan.yaml", []byte(strings.Replace(cold, c.old, c.new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		one, err := Compile(p, Condition{}).Run(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if up := one.Completed > 0; up != c.up || one.Completed+one.Failed[causeNoReplica] != one.Arrived {
			t.Errorf("%s: %d of %d are answered, %d find no replica, want it up: %v", c.new, one.Completed, one.Arrived, one.Failed[causeNoReplica], c.up)
		}
	}
}
