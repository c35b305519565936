package model

import (
	"fmt"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// twoPlaces is a fleet in two idcs, with 4 entry containers and 2 of ps.
const twoPlaces = `apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 1GB, dense: 1GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 100ms, fetch_ps_retry: 0}
fleet:
  idcs: [{name: hl}, {name: lf}]
  entry: {replicas: 4, cpu: 8, mem: 8GiB}
  ps: {replicas: 2, cpu: 8, mem: 8GiB}
service:
  entry: {cpu: 1ms}
  ps: {cpu: 2ms}
workload: {rate: 50/s, horizon: 60s, detail: {windows: [at 25s 3s]}%s}
events: [%s]
`

// Goal: of events that overlap, the end of one does not end the others, whatever their order in the
// file. Method: a window in which one of two is over.
func TestEventsThatOverlap(t *testing.T) {
	const evacuated = `, places: {hl: 50%, lf: 50%}`
	events := func(first, second string) [2]string {
		return [2]string{first + ", " + second, second + ", " + first}
	}
	failed := func(s *Sample) float64 { return 1 - float64(s.Completed)/float64(s.Arrived) }
	work := func(s *Sample) float64 { return float64(s.Tiers[PS].BusyNs) / float64(s.Tiers[PS].Attempts) / 1e6 }
	for _, c := range []struct {
		name, clients string
		events        [2]string
		measure       func(s *Sample) float64
		want, within  float64
	}{
		{"a slow container", "", events("{at: 10s, for: 30s, slow: {ps: {count: 2, factor: 5x}}}", "{at: 15s, for: 5s, slow: {ps: {count: 2, factor: 3x}}}"), work, 10, 0.03},
		{"one slow after the other", "", events("{at: 10s, for: 5s, slow: {ps: {count: 2, factor: 5x}}}", "{at: 15s, for: 25s, slow: {ps: {count: 2, factor: 3x}}}"), work, 6, 0.03},
		{"twice as slow at once", "", events("{at: 10s, for: 25s, slow: {ps: {count: 2, factor: 5x}}}", "{at: 15s, for: 25s, slow: {ps: {count: 2, factor: 3x}}}"), work, 30, 0.03},
		{"two losses at once", "", events("{at: 10s, for: 25s, loss: {rate: 20%}}", "{at: 15s, for: 25s, loss: {rate: 50%}}"), failed, 1 - 0.4*0.4, 0.05},
		{"a loss that lasts", "", events("{at: 10s, for: 25s, loss: {rate: 20%}}", "{at: 15s, for: 5s, loss: {rate: 50%}}"), failed, 1 - 0.8*0.8, 0.1},
		{"clients that stay away", evacuated, events("{at: 10s, for: 30s, evacuate: {idc: lf}}, {at: 10s, for: 30s, lose_idc: lf}", "{at: 12s, for: 5s, evacuate: {idc: lf}}"), failed, 0, 0},
	} {
		for _, list := range c.events {
			got := c.measure(total(t, overlapping(t, c.clients, list), 16))
			if d := got - c.want; d > c.within*c.want || -d > c.within*c.want {
				t.Errorf("%s, %s: got %g, want %g", c.name, list, got, c.want)
			}
		}
	}
}

// Goal: events happen to the containers that there are by then. Method: the number of live containers
// after two events, whatever their order in the file.
func TestEventsHappenToWhatThereIs(t *testing.T) {
	for _, c := range []struct {
		name, first, second string
		tier, want          int
	}{
		{"fewer, then more", "{at: 5s, scale: {entry: 2}}", "{at: 15s, scale: {entry: 7}}", Entry, 7},
		{"more, then fewer", "{at: 5s, scale: {entry: 7}}", "{at: 15s, scale: {entry: 2}}", Entry, 2},
		{"what was added goes with its idc", "{at: 5s, scale: {entry: 8}}", "{at: 15s, lose_idc: lf}", Entry, 4},
		{"what is gone is not killed", "{at: 5s, kill: {ps: {count: 1}}, restart_after: 50s}", "{at: 15s, kill: {ps: {count: 1}}, restart_after: 50s}", PS, 0},
		{"nothing starts in a lost idc", "{at: 5s, for: 30s, lose_idc: lf}", "{at: 6s, for: 5s, lose_cluster: \"lf:a\"}", Entry, 2},
		{"who starts goes with its idc", "{at: 19s, kill: {entry: {count: 4}}}", "{at: 20s, lose_idc: lf}", Entry, 2},
		{"nor after a kill", "{at: 5s, kill: {entry: {count: 4}}, restart_after: 3s}", "{at: 6s, for: 30s, lose_idc: lf}", Entry, 2},
	} {
		for _, list := range []string{c.first + ", " + c.second, c.second + ", " + c.first} {
			for run := range 4 {
				one := total(t, overlapping(t, "", list), run+1)
				if got := StepAt(one.Life.Live[c.tier], 25e9); got != c.want {
					t.Errorf("%s, %s: %d live at 25 s, want %d", c.name, list, got, c.want)
				}
			}
		}
	}
}

// Goal: a version goes to the containers that there are when it is published. Method: the number that
// served it, after the tier was scaled.
func TestAVersionGoesToWhatThereIs(t *testing.T) {
	for _, want := range []int{2, 7} {
		one := total(t, overlapping(t, "", fmt.Sprintf("{at: 5s, scale: {entry: %d}}, {at: 20s, publish: {version: 2}}", want)), 1)
		if got := len(one.Life.Rollouts[0].Served[Entry][0]); got != want {
			t.Errorf("%d containers served it, want %d", got, want)
		}
	}
}

// Goal: how full a fleet gets is said of the horizon. Method: containers that are restarted go behind it,
// as ZooKeeper cannot be written to before.
func TestHowFullAFleetGetsIsOfTheHorizon(t *testing.T) {
	one := total(t, overlapping(t, "", "{at: 50s, for: 10s, zookeeper: {outage: true}}, {at: 58s, restart: {tier: ps, drain: 3s}}"), 1)
	if at := one.Life.Fullest[PS].At; at >= 60e9 {
		t.Errorf("fullest at %d, behind the horizon", at)
	}
}

func overlapping(t *testing.T, clients, events string) *Spec {
	t.Helper()
	_, p, _, err := plan.Parse("plan.yaml", fmt.Appendf(nil, twoPlaces, clients, events))
	if err != nil {
		t.Fatal(err)
	}
	return Compile(p, Condition{})
}
