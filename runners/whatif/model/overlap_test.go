package model

import (
	"fmt"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// twoPlaces is a fleet in two idcs, with 4 entry containers and 2 of ps.
const twoPlaces = `apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 1GB, dense: 1GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 100ms, fetch_ps_retry: 0, fs_poll_ps: 1s}
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
		{"what is not wanted is not restarted", "{at: 5s, restart: {tier: entry}}", "{at: 7s, scale: {entry: 1}}", Entry, 1},
		{"nor what is down", "{at: 5s, restart: {tier: entry}}", "{at: 6s, kill: {entry: {count: 4}}, restart_after: 40s}", Entry, 1}, // the one that is being restarted
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

// Goal: a container that is down or starts when a version is published, or ends before it has loaded it,
// serves it when it is listed after its start: a process that starts loads the newest version, and does
// not load it a second time. One that was starting with the old version loads the new one behind it. One
// that does not come back does not count. Method: when the slowest of two PS, of which loads take 3.36 s
// and lists up to 1 s, served it, and how many loads there were, with and without a store that never
// limits.
func TestContainersThatAreNotUpGetAVersionAtTheirStart(t *testing.T) {
	for _, c := range []struct {
		name, events string
		least, most  float64 // seconds after the publish at 20 s
		loads, of    int
	}{
		{"all are up", "", 3.36, 5.4, 2, 2},
		{"down until 35 s", "{at: 10s, kill: {ps: {count: 1}}, restart_after: 25s}", 18.36, 19.4, 1, 2},
		{"starts after the publish", "{at: 19s, kill: {ps: {count: 1}}, restart_after: 2s}", 5, 11, 1, 2},
		{"starts before the publish", "{at: 18s, kill: {ps: {count: 1}}}", 4, 10, 2, 2},
		{"starts long before the publish", "{at: 8s, kill: {ps: {count: 1}}, restart_after: 10s}", 4.7, 5.8, 2, 2},
		{"ends before it has loaded it", "{at: 22s, kill: {ps: {count: 1}}, restart_after: 16s}", 21.36, 22.4, 2, 2},
		{"ends before it has found it", "{at: 20s, kill: {ps: {count: 1}}, restart_after: 18s}", 21.36, 22.4, 1, 2},
		{"ends for ever", "{at: 22s, scale: {ps: 1}}", 3.36, 5.4, 2, 1},
	} {
		for _, store := range []string{"0B/s", "100GB/s"} {
			for _, list := range []string{c.events + ", " + release, release + ", " + c.events} {
				s := overlapping(t, "", strings.Trim(list, ", "))
				s.Control.Plan.Fleet.Boot.Store = plan.ByteRate(map[string]float64{"100GB/s": 1e11}[store])
				for run := range 5 {
					w := s.world(0, run)
					w.clock.Close()
					one := w.sample.Life.Rollouts[0]
					loads := 0
					for _, change := range w.tape {
						if change.what == loaded && w.servers[change.server].tier == PS {
							loads++
						}
					}
					if took := float64(one.Took) / 1e9; took < c.least || took > c.most || loads != c.loads || one.Of[PS][0] != c.of || len(one.Served[PS][0]) != c.of {
						t.Errorf("%s, store %s: took %.3f s, want %g to %g; %d loads, want %d; %d of %v served it, want %d", c.name, store, took, c.least, c.most, loads, c.loads, len(one.Served[PS][0]), one.Of[PS], c.of)
					}
				}
			}
		}
	}
}

const release = "{at: 20s, publish: {version: 2}}"

// Goal: containers that fail at random beside events are those that are up: one that an event has ended
// is down until the event brings it back, and one that an event has added fails, too. Method: how many
// are up at 25 s, and whether the two of the begin are ever not the only ones that are down.
func TestRandomFailuresBesideEvents(t *testing.T) {
	failing := func(events, mtbf string, run int) *Sample {
		s := overlapping(t, "", events, "random_failures: {ps: {mtbf: "+mtbf+", mttr: 1s}}\n")
		one, err := s.Run(0, run)
		if err != nil {
			t.Fatal(err)
		}
		return one
	}
	more := 0
	for run := range 20 {
		if got := StepAt(failing("{at: 5s, kill: {ps: {count: 2}}, restart_after: 50s}", "6s", run).Life.Live[PS], 25e9); got != 0 {
			t.Errorf("run %d: %d of those that an event has ended until 55 s are up at 25 s", run, got)
		}
		steps := failing("{at: 1s, scale: {ps: 5}}", "20s", run).Life.Live[PS]
		for k, step := range steps[1:] { // of the two of the begin no more than two are down
			if step.At > 10e9 && step.N < steps[k].N && step.N < 3 {
				more++
			}
		}
	}
	if more == 0 {
		t.Error("of five containers, three of which an event has added, never three were down at once")
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

// Goal: a window behind an overload begins with its queue in every replication, wherever the instants at which
// containers are listed again divide the time (CAP-3.18). Method: half of the entry containers are lost, and their
// clients go to the others, which have 150 % of what they can do for 35 s; the last second of the backlog's drain
// by a fluid, (300 - 200) x 35 / (200 - 150) s behind it.
func TestAQueueIsNotForgottenBetweenTwoInstants(t *testing.T) {
	text := strings.NewReplacer("entry: {replicas: 4, cpu: 8", "entry: {replicas: 4, cpu: 1", "entry: {cpu: 1ms}", "entry: {cpu: exp(10ms)}", "rate: 50/s, horizon: 60s", "rate: 300/s, horizon: 200s").Replace(twoPlaces)
	_, p, _, err := plan.Parse("plan.yaml", fmt.Appendf(nil, text, ", places: {hl: 50%, lf: 50%}", "{at: 10s, lose_idc: lf, for: 30s}, {at: 10s, evacuate: {idc: lf, after: 5s}, for: 40s}"))
	if err != nil {
		t.Fatal(err)
	}
	s := Compile(p, Condition{})
	for run := range 60 {
		w := s.world(0, run)
		for _, one := range w.stretches(119e9) {
			if one.relax < 0 || one.relax < never && one.from >= 10e9 {
				t.Errorf("run %d: at rest from %d on, which takes %d ns to be so", run, one.from, one.relax)
			}
		}
		w.clock.Close()
	}
}

// Goal: a budget of retries that takes years to fill does not make a simulation of years. Method: a window behind a
// death, which begins at most a million calls before the horizon.
func TestABudgetThatFillsInYears(t *testing.T) {
	s := overlapping(t, "", "{at: 10s, kill: {ps: {count: 1}}, restart_after: 5s}", "client: {retry_budget: {share: 0.0001%%, burst: 1000000}}\n")
	w := s.world(0, 0)
	defer w.clock.Close()
	if before, _, _ := w.before(25e9); before < 25e9 || before > 25e9+mostCalls/100*1e9 {
		t.Errorf("the simulation begins %d ns before the window, want the begin of the horizon or at most 10,000 s before it", before)
	}
	if got := s.memory(); got < 0 {
		t.Errorf("what callers remember takes %d ns", got)
	}
}

func overlapping(t *testing.T, clients, events string, more ...string) *Spec {
	t.Helper()
	_, p, _, err := plan.Parse("plan.yaml", fmt.Appendf(nil, twoPlaces+strings.Join(more, ""), clients, events))
	if err != nil {
		t.Fatal(err)
	}
	return Compile(p, Condition{})
}
