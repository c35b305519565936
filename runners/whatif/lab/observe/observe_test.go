package observe

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/whatif/plan"
)

const small = `apiVersion: capacity/v1
name: small
model: {size: {embeddings: 1GiB, dense: 1GiB}, ram_factor: 1x}
override: {num_ps: 2}
fleet:
  entry: {replicas: 1, cpu: 100, mem: 8GiB}
  ps: {num_shard: 2, replicas: 2, cpu: 4, mem: 8GiB}
service:
  entry: {cpu: 0.1ms}
  ps: {cpu: 5ms}
  contention: {model: none}
workload: {rate: 50/s, horizon: 10s}
`

func planWith(t *testing.T, old, new string) *plan.Plan {
	t.Helper()
	text := strings.Replace(small, old, new, 1)
	if text == small && old != "" {
		t.Fatalf("the plan has no %q", old)
	}
	_, p, _, err := plan.Parse("small.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Goal: a plan that a cluster of processes cannot realize is refused before anything starts,
// and all reasons are given.
func TestPlansThatCannotBeObserved(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"cpu: 5ms", `cpu: "gamma(mean=5ms, cv=1)"`, "service.ps.cpu: found gamma, want det, uniform, lognormal or affine"},
		{"cpu: 5ms", "cpu: 5ms, noise: lognormal(sigma=0.1)", "service.ps.noise: found it with det, want it with affine alone"},
		{"cpu: 5ms", `cpu: "affine(base=5ms, per_item=1us)", noise: gamma(cv=0.1)`, "service.ps.noise: found gamma, want lognormal or uniform"},
		{"cpu: 5ms", `cpu: "affine(base=0ms, per_item=1us)"`, "found an affine law with a base of 0, want some time"},
		{"override:", "client: {hedge: {after: p95}}\noverride:", "client.hedge.after: found a quantile, want a duration or off"},
		{"num_ps: 2", "num_ps: 2, fs_poll_ps: 500ms", "override.fs_poll_ps: found 500ms, want whole seconds"},
		{"override:", "network: {loss: 1%}\noverride:", "network.loss: found it, want 0%"},
		{"workload:", "random_failures: {ps: {mtbf: 1h, mttr: 1m}}\nworkload:", "random_failures: found them, want events"},
		{"workload:", "autoscale: {ps: {target: 60%, min: 1, max: 4}}\nworkload:", "autoscale: found it, want a fleet that stays"},
		{"rate: 50/s,", "loop: \"closed(clients=3, think=1s)\",", "workload.loop: found a closed one, want an open one"},
		{"size:", "agent_version: 3, size:", "model.agent_version: found 3, want 1"},
		{"workload:", "events: [{at: 1s, kill: {ps: {count: 1}}}]\nworkload:", "want {ps: {count: N}, refuse: true}"},
		{"workload:", "events: [{at: 1s, slow: {ps: {count: 1, factor: 2x, pick: same_idc}}, for: 2s}]\nworkload:", "found this slow, want {ps: {count: N, factor: F}}, picked at random"},
		{"workload:", "events: [{at: 1s, publish: {version: 2}}]\nworkload:", "found publish with override.fs_poll_ps 0, with which PS of version 1 look for versions once"},
		{"workload:", "events: [{at: 1s, zookeeper: {expire_all: true}}]\nworkload:", "found expire_all, want leader_loss or outage"},
		{"workload:", "events: [{at: 1s, loss: {rate: 1%}, for: 2s}]\nworkload:", "found loss, want none: the network is the loopback, which loses nothing"},
		{"workload:", "events: [{at: 1s, traffic: {factor: 2x}, for: 2s}]\nworkload:", "found traffic, want kill, slow, publish or zookeeper"},
		{"cpu: 5ms", "cpu: 5ms, queue: 10", "service.ps.queue: found a limit, want none"},
	} {
		err := Supported(planWith(t, c.old, c.new), Options{Warm: time.Second})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.new, err, c.want)
		}
	}
	if err := Supported(planWith(t, "", ""), Options{Warm: time.Second}); err != nil {
		t.Error(err)
	}
	if err := Supported(planWith(t, "", ""), Options{Warm: time.Minute}); err == nil || !strings.Contains(err.Error(), "less than the horizon of 10s") {
		t.Errorf("got %v of a warm-up that is longer than the horizon", err)
	}
}

// Goal: the example plan cluster.yaml can be observed.
func TestTheWorkedPlanCanBeObserved(t *testing.T) {
	_, p, _, err := plan.Read(filepath.Join("..", "..", "plans", "cluster.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Supported(p, Options{Warm: 2 * time.Second}); err != nil {
		t.Error(err)
	}
}

// Goal: an observation fits a plan that differs only in service times and network delays,
// and no other plan.
func TestScenariosAreTold(t *testing.T) {
	same := planWith(t, "cpu: 5ms", "cpu: 7ms")
	same.Network.PerRPC = 1
	if Scenario(same) != Scenario(planWith(t, "", "")) {
		t.Error("service times and the network change the scenario")
	}
	for _, other := range [][2]string{{"50/s", "51/s"}, {"num_ps: 2", "num_ps: 4"}, {"cpu: 5ms", "cpu: 5ms, threads: 3"}} {
		if Scenario(planWith(t, other[0], other[1])) == Scenario(planWith(t, "", "")) {
			t.Errorf("%s is the same scenario as %s", other[1], other[0])
		}
	}
}

// Goal: a written observation can be read back, and other files are refused.
func TestObservationsAreReadAgain(t *testing.T) {
	o := &Observation{Format: Format, Plan: "p", Threads: 2, Load: Load{Warm: 1, Until: 9,
		Requests: Requests{Intended: []int64{1}, Sent: []int64{2}, Done: []int64{8}, OK: []bool{true}},
		Calls: Calls{Request: []int32{0}, Slot: []int16{1}, Attempt: []uint8{0}, Server: []int16{3}, Sent: []int64{2}, Done: []int64{8},
			Waited: []int64{1}, Worked: []int64{3}, Outcome: []uint8{Answered}},
	}}
	var text bytes.Buffer
	if err := o.Write(&text); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "o.json")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(text.String())
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(o, got); d != "" {
		t.Errorf("written and read (-written +read):\n%s", d)
	}
	for _, c := range []struct{ text, want string }{
		{"no json", "found no observation, want a file of monosim-lab observe"},
		{`{"format": "monosim.whatif/v1"}`, `found the format "monosim.whatif/v1", want ` + Format},
		{strings.Replace(text.String(), `"sent":[2]`, `"sent":[2,3]`, 1), "found columns of 1, 2, 1 and 1 values, want as many in each"},
		{strings.Replace(text.String(), `"slot":[1]`, `"slot":[]`, 1), "found a column of 0 values beside one of 1"},
	} {
		write(c.text)
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: got %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := Read(path + ".not"); err == nil {
		t.Error("a file that is not there was read")
	}
}

// Goal: a measurement counts as disturbed if the load generator had to wait for the machine.
func TestDisturbed(t *testing.T) {
	o := Observation{Load: Load{Until: int64(time.Second)}}
	q := &o.Load.Requests
	for i := range 100 {
		late := int64(0)
		if i >= 98 {
			late = int64(10 * time.Millisecond)
		}
		q.Intended, q.Sent = append(q.Intended, int64(i)), append(q.Sent, int64(i)+late)
	}
	o.Machine.Late, o.Machine.Others = o.Load.late(), 0.5
	if !o.Machine.IsDisturbed() || !strings.Contains(o.String(), "others had 50 % of the machine") {
		t.Errorf("one in fifty began 10 ms late, and %s", o.String())
	}
	if (Machine{Late: int64(time.Millisecond), Others: 1}).IsDisturbed() {
		t.Error("a millisecond is called disturbed")
	}
}
