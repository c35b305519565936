package observe_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/tfserving/server"
	"github.com/monosim/monosim/runners/whatif/lab/observe"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

const dying = `apiVersion: capacity/v1
name: dying
model: {size: {embeddings: 1GiB, dense: 1GiB}, ram_factor: 1x}
override: {num_ps: 2, fetch_ps_timeout: 60s}
fleet:
  entry: {replicas: 1, cpu: 100, mem: 8GiB}
  ps: {num_shard: 1, replicas: 2, cpu: 4, mem: 8GiB}
service:
  entry: {cpu: 0.1ms}
  ps: {cpu: 5ms, threads: 1}
  contention: {model: none}
client: {retry_target: distinct}
workload: {rate: 60/s, horizon: 3s}
events: [{at: 1s, kill: {ps: {count: 1}, refuse: true}, restart_after: 1h}]
`

// Goal: a plan is run by real processes, and the observation records what happened. Method:
// two containers whose servers have one thread and work 5 ms on a call, and one container is
// killed. On any machine, no server works faster or on two calls at once. The arrivals equal
// those of the simulation, and each request is answered by a container that is alive.
func TestAPlanIsRunByProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster of processes")
	}
	const work = 5 * time.Millisecond
	_, p, _, err := plan.Parse("dying.yaml", []byte(dying))
	if err != nil {
		t.Fatal(err)
	}
	o, err := observe.Run(t.Context(), p, observe.Options{Monosim: filepath.Join(filepath.Dir(server.Monosim(t)), "monosim"), Dir: t.TempDir(), Warm: time.Second / 2, Saturate: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	spec := model.Compile(p, model.Condition{})
	spec.Windows = []model.Window{observe.WindowOf(int64(time.Second/2), int64(3*time.Second))}
	want, err := spec.ArrivalTimes(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if q := o.Load.Requests; !slices.Equal(q.Intended, want) || slices.Contains(q.OK, false) {
		t.Errorf("%d requests came, want %d, and all answered: %v", len(q.Intended), len(want), q.OK)
	}
	if len(o.Servers) != 2 || len(o.Memory) != 2 || o.ReadyNs <= 0 || o.Threads != 1 {
		t.Errorf("servers %v with %v bytes, ready after %v", o.Servers, o.Memory, time.Duration(o.ReadyNs))
	}
	outcomes := map[uint8]int{}
	for i, outcome := range o.Load.Calls.Outcome {
		outcomes[outcome]++
		if c := &o.Load.Calls; outcome == observe.Answered && c.Worked[i] < int64(work) {
			t.Errorf("call %d was worked on for %v, want %v", i, time.Duration(c.Worked[i]), work)
		}
	}
	if outcomes[observe.Answered] != 2*len(want) || outcomes[observe.Refused] == 0 || len(outcomes) != 2 {
		t.Errorf("calls by outcome: %v, want %d that are answered, and some refused", outcomes, 2*len(want))
	}
	c, answered := &o.Saturated.Calls, map[int16]int64{}
	for i, outcome := range c.Outcome {
		if outcome == observe.Answered {
			answered[c.Server[i]]++
		}
	}
	for at, n := range answered {
		if most := o.Saturated.Until / int64(work); n > most {
			t.Errorf("server %d answered %d calls of %v in %v, want at most %d", at, n, work, time.Duration(o.Saturated.Until), most)
		}
	}
	if len(answered) != 2 {
		t.Errorf("answered by server: %v, want both", answered)
	}
}

const eventful = `apiVersion: capacity/v1
name: eventful
model: {size: {embeddings: 1MiB, dense: 1GiB}, ram_factor: 1x}
override: {num_ps: 3, fetch_ps_timeout: 60s, fs_poll_ps: 1s}
fleet:
  entry: {replicas: 1, cpu: 100, mem: 8GiB}
  ps: {num_shard: 2, replicas: 1, cpu: 4, mem: 8GiB}
  boot: {load_fixed: 1s}
service:
  entry: {cpu: 0.1ms}
  ps: {cpu: 5ms, threads: 4}
  contention: {model: none}
workload: {rate: 60/s, horizon: 4s}
zookeeper: {election: "det(1s)"}
events:
  - {at: 500ms, publish: {version: 2}}
  - {at: 1s, zookeeper: {leader_loss: true}}
  - {at: 1500ms, slow: {ps: {count: 2, factor: 4x}}, for: 1s}
`

// Goal: the events of a plan happen to the processes. Method: a version is published, which
// each container serves only after it has loaded all its PS. Servers work four times slower
// for a second. ZooKeeper has no leader for another second, which requests do not notice.
func TestEventsHappenToProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster of processes")
	}
	const work, load = 5 * time.Millisecond, time.Second
	_, p, _, err := plan.Parse("eventful.yaml", []byte(eventful))
	if err != nil {
		t.Fatal(err)
	}
	o, err := observe.Run(t.Context(), p, observe.Options{Monosim: filepath.Join(filepath.Dir(server.Monosim(t)), "monosim"), Dir: t.TempDir(), Warm: time.Second / 2})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(o.Load.Requests.OK, false) {
		t.Errorf("requests answered: %v", o.Load.Requests.OK)
	}
	// The time of a state is the server's own. On a busy machine it lags behind the clock that
	// times the publish, so a load seems shorter by that lag.
	if least := load / 2; len(o.Rollouts) != 1 || len(o.Rollouts[0]) != 2 || slices.Min(o.Rollouts[0]) < int64(least) {
		t.Errorf("roll-outs %v, want one, of two containers, each after at least %v of %v", o.Rollouts, least, load)
	}
	c, slow, fast := &o.Load.Calls, 0, 0
	for i := range c.Len() {
		switch worked := time.Duration(c.Worked[i]); {
		case c.Outcome[i] != observe.Answered || worked < work:
			t.Errorf("call %d ended by outcome %d after %v of work, want an answer after %v", i, c.Outcome[i], worked, work)
		case worked >= 4*work:
			slow++
		case time.Duration(c.Sent[i]) < 1500*time.Millisecond:
			fast++
		}
	}
	if slow == 0 || fast == 0 {
		t.Errorf("%d calls were worked on for %v, and %d before for less, want some of both", slow, 4*work, fast)
	}
}
