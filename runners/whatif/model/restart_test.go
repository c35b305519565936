package model

import (
	"fmt"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// rolling is a plan that restarts the four containers of a tier, in a fleet whose calls take
// 50 ms each.
const rolling = `apiVersion: capacity/v1
model: {agent_version: 3, size: {embeddings: 3GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 10s, fetch_ps_retry: 0}
fleet:
  entry: {replicas: 4, cpu: 100, mem: 16GiB}
  ps: {replicas: 4, cpu: 100, mem: 32GiB}
  boot: {schedule: det(2s), load_fixed: 0s}
network: {same_cluster: 0ms, overhead_per_rpc: 0us}
service:
  entry: {cpu: det(50ms)}
  ps: {cpu: det(50ms)}
workload: {rate: 400/s, horizon: 5m}
events:
  - {at: 10s, restart: {tier: TIER, at_once: ONCE, drain: DRAIN}}
`

// rolled simulates a rolling restart several times and merges the samples.
func rolled(t *testing.T, tier string, once int, drain string, runs int) *Sample {
	t.Helper()
	_, p, _, err := plan.Parse("plan.yaml", []byte(strings.NewReplacer("TIER", tier, "ONCE", fmt.Sprint(once), "DRAIN", drain).Replace(rolling)))
	if err != nil {
		t.Fatal(err)
	}
	s := Compile(p, Condition{})
	s.Windows[0].Step = 0
	return total(t, s, runs)
}

// Goal: a container that drains for longer than a request takes loses none; one that does not loses
// what it has. Method: Little's law: 400/s of 50 ms are 20 under way, a quarter of them in each container;
// none comes to it after that, as callers know at once. A container of the PS that is not the first goes
// when the one before is listed again, so that it has a third of them.
func TestARestartLosesWhatItDoesNotDrain(t *testing.T) {
	for _, tier := range []string{"entry", "ps"} {
		const runs = 8
		if one := rolled(t, tier, 1, "200ms", 1); one.Completed != one.Arrived {
			t.Errorf("%s drained: %d of %d answered, failed %v", tier, one.Completed, one.Arrived, one.Failed)
		}
		one := rolled(t, tier, 1, "0s", runs)
		want := 5 + 3*20/3.0
		if tier == "entry" {
			want = 4 * 5 * 2 // requests wait for the PS for as long again
		}
		near(t, tier+": lost in a restart", float64(one.Failed[causeTimeout])/runs, want, 0.25)
	}
}

// Goal: in a rolling restart, each container is drained, scheduled, loaded and listed before
// the next one ends. Method: the times in the containers' lives, with loads of 10 s.
func TestContainersAreRestartedOneAfterTheOther(t *testing.T) {
	for _, once := range []int{1, 3} {
		steps := rolled(t, "ps", once, "20s", 1).Life.Live[PS]
		least, away := 4, 0.0
		for k, step := range steps {
			least = min(least, step.N)
			if step.N < 4 && k+1 < len(steps) {
				away += float64((4-step.N)*int(steps[k+1].At-step.At)) / 1e9
			}
		}
		if least != 4-once {
			t.Errorf("%d at once: %d containers at least, want %d", once, least, 4-once)
		}
		near(t, "container-seconds away", away, 4*(2+10), 0.001)
		// The next container ends after the drain, the boot, and up to 30 s until the container
		// before it is listed.
		if first := float64(steps[1].At) / 1e9; first != 30 {
			t.Errorf("%d at once: the first goes at %g s, want 20 s after the event at 10 s", once, first)
		}
	}
}
