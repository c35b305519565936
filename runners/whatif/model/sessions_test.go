package model_test

import (
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

const leaderless = `apiVersion: capacity/v1
model: {size: {embeddings: 1GiB, dense: 1GiB}, ram_factor: 1x}
fleet:
  entry: {replicas: 1, cpu: 4, mem: 8GiB}
  ps: {num_shard: 1, replicas: 2, cpu: 4, mem: 8GiB}
service: {entry: {cpu: 1ms}, ps: {cpu: 1ms}}
workload: {rate: 1/s, horizon: 2m}
zookeeper: {election: "det(5s)", session_timeout: 10s, tick: 2s}
events:
`

// Goal: after the loss of a leader, the next leader gives every existing session its whole
// timeout. Sessions that ended before the election, or begin to expire after it, are not
// affected. Method: a container dies around an election from 30 s to 35 s.
func TestElectionsGiveSessionsTheirTimeoutsAnew(t *testing.T) {
	for _, c := range []struct {
		dies string
		// time from a container's death until callers no longer see it: the earliest, and the later
		// ones in ticks of 2 s
		earliest, after time.Duration
	}{
		{"10s", 7 * time.Second, 12 * time.Second},
		{"28s", (46 - 28) * time.Second, (46 - 28) * time.Second},
		{"32s", (46 - 32) * time.Second, (46 - 32) * time.Second},
		{"40s", 7 * time.Second, 12 * time.Second},
	} {
		_, p, _, err := plan.Parse("leaderless.yaml", []byte(leaderless+
			"  - {at: 30s, zookeeper: {leader_loss: true}}\n  - {at: "+c.dies+", kill: {ps: {count: 1}}, restart_after: 1h}\n"))
		if err != nil {
			t.Fatal(err)
		}
		spec := model.Compile(p, model.Condition{})
		spec.Windows = []model.Window{{Window: plan.Window{Name: "all", End: p.Workload.Horizon}}}
		for k := range 20 {
			s, err := spec.Run(0, k)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Life.Detected; len(got) != 1 || time.Duration(got[0]) < c.earliest || time.Duration(got[0]) > c.after {
				t.Errorf("killed at %s, replication %d: listed for %v, want %v to %v", c.dies, k, got, c.earliest, c.after)
			}
		}
	}
}

const stormy = `apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 1GiB, dense: 1GiB}, ram_factor: 1x}
override: {fetch_ps_timeout: 20ms}
fleet:
  entry: {replicas: 1, cpu: 4, mem: 8GiB}
  ps: {num_shard: 1, replicas: 2, cpu: 4, mem: 8GiB}
service: {entry: {cpu: 1ms}, ps: {cpu: 1ms}}
workload: {rate: 100/s, horizon: 10m, detail: {windows: ["at 2m 10s", "at 8m 10s"]}}
events:
  - {at: 1m, zookeeper: {expire_all: true}}
  - {at: 5m, publish: {version: 2}}
`

// Goal: an agent whose session expires while it runs is listed again as with the agents' own
// code. In version 1 that takes ten seconds, in version 3 it needs a new publish
// (features/sessions.feature: A session that expires under a v3 agent takes its bindings
// until the model is published anew). Method: requests a minute after all sessions expired,
// and three minutes after a publish.
func TestVersion3IsListedByNobodyAfterAStorm(t *testing.T) {
	for _, c := range []struct {
		old, new string
		before   bool // whether requests find replicas before the publish
		after    bool
	}{
		{"", "", true, true},
		{"agent_version: 1", "agent_version: 3", false, true},
		{"agent_version: 1, size: {embeddings: 1GiB, dense: 1GiB}", "agent_version: 3, size: {embeddings: 1GiB, dense: 1GiB}, resident_versions: 1", false, false},
	} {
		text := strings.Replace(stormy, c.old, c.new, 1)
		if !c.after { // only the case without a publish
			text = strings.Replace(text, "publish: {version: 2}", "traffic: {factor: 1x}", 1)
		}
		_, p, _, err := plan.Parse("stormy.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		spec := model.Compile(p, model.Condition{})
		for window, want := range []bool{c.before, c.after} {
			s, err := spec.Run(window, 0)
			if err != nil {
				t.Fatal(err)
			}
			if s.Arrived == 0 || (s.Completed == s.Arrived) != want || !want && s.Completed > 0 {
				t.Errorf("%q, window %d: %d of %d are answered, want all: %v", c.new, window, s.Completed, s.Arrived, want)
			}
		}
	}
}

// Goal: a server loads one version after another. A version whose load fails delays the next
// one by all of its attempts, five minutes by default. With load threads nothing waits
// (CAP-3.13).
func TestABadVersionKeepsTheNextOneWaiting(t *testing.T) {
	for _, c := range []struct {
		conf          string
		least, before time.Duration // times from the publish of the second version at 2 m until it is served
	}{
		{"fs_poll: 1s", 4*time.Minute - time.Second, 4*time.Minute + 10*time.Second},
		{"max_num_load_retries: 1", 0, 10 * time.Second},
		{"num_load_threads: 1", 0, 10 * time.Second},
	} {
		text := strings.NewReplacer("fetch_ps_timeout: 20ms", c.conf, "at: 1m, zookeeper: {expire_all: true}", "at: 1m, publish: {version: 2, bad: load_failure}",
			"at: 5m, publish: {version: 2}", "at: 2m, publish: {version: 3}").Replace(stormy)
		_, p, _, err := plan.Parse("bad.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := model.Compile(p, model.Condition{}).Run(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Life.Rollouts; len(got) != 2 || got[0].Took != -1 || time.Duration(got[1].Took) < c.least || time.Duration(got[1].Took) > c.before {
			t.Errorf("%s: got %v, want the bad version never, the next one after %v to %v", c.conf, got, c.least, c.before)
		}
	}
}

// Goal: ZooKeeper is in one idc (CAP-12.12). If that idc is lost nothing is written, and a
// container that died meanwhile is listed until its session ends after ZooKeeper's return.
func TestZooKeeperIsLostWithItsIDC(t *testing.T) {
	for _, c := range []struct {
		idc           string
		least, before time.Duration // limits of the time for which callers see the containers of hl
	}{
		{"lf", 7 * time.Second, 12*time.Second + 1},
		{"hl", 40 * time.Second, 52*time.Second + 1},
	} {
		text := strings.NewReplacer("fleet:\n", "fleet:\n  idcs: [{name: lf}, {name: hl}]\n", "session_timeout: 10s", "session_timeout: 10s, idc: "+c.idc).Replace(leaderless)
		_, p, _, err := plan.Parse("lost.yaml", []byte(text+"  - {at: 30s, lose_idc: hl, for: 40s}\n"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := model.Compile(p, model.Condition{}).Run(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Life.Detected; len(got) == 0 || time.Duration(got[0]) < c.least || time.Duration(got[0]) > c.before {
			t.Errorf("ZooKeeper in %s: listed for %v, want %v to %v", c.idc, got, c.least, c.before)
		}
	}
}
