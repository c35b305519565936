package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/cmd/monosim/whatif"
	"github.com/monosim/monosim/runners/whatif/lab/observe"
	"github.com/monosim/monosim/runners/whatif/plan"
)

const observedPlan = `apiVersion: capacity/v1
name: observed
budget: {min_replications: 20, max_replications: 20}
model: {size: {embeddings: 1GiB, dense: 1GiB}, ram_factor: 1x}
fleet:
  entry: {replicas: 1, cpu: 10000, mem: 8GiB}
  ps: {num_shard: 1, replicas: 1, cpu: 4, mem: 8GiB}
service:
  entry: {cpu: 0.1ms, threads: 10000}
  ps: {cpu: 5ms, threads: 1}
  contention: {model: none}
workload: {arrivals: {process: deterministic}, rate: 100/s, horizon: 13s, detail: {windows: ["at 3s 2s"]}}
`

// run runs a command of monosim-lab or of monosim whatif.
func run(args ...string) (code int, stdout, message string) {
	var out, errs bytes.Buffer
	root := newRoot()
	root.AddCommand(whatif.New(nil).Commands()...)
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&errs)
	err := root.Execute()
	if err != nil {
		message = err.Error()
	}
	return command.ExitCode(err), out.String(), errs.String() + message
}

// files writes a plan and a made-up observation of it. Its servers take 6 ms for a call, and
// half as much again for every tenth call.
func files(t *testing.T) (dir, planFile, observed string) {
	t.Helper()
	dir = t.TempDir()
	planFile, observed = filepath.Join(dir, "plan.yaml"), filepath.Join(dir, "observed.json")
	if err := os.WriteFile(planFile, []byte(observedPlan), 0o644); err != nil {
		t.Fatal(err)
	}
	_, p, _, err := plan.Read(planFile)
	if err != nil {
		t.Fatal(err)
	}
	o := &observe.Observation{Format: observe.Format, Plan: p.Name, ScenarioHash: observe.Scenario(p), Began: time.Unix(1.8e9, 0), Threads: 1}
	o.Load.Warm, o.Load.Until = int64(time.Second), int64(13*time.Second)
	q, c := &o.Load.Requests, &o.Load.Calls
	for i := range 1300 {
		at, works := int64(i)*int64(10*time.Millisecond), int64(6*time.Millisecond)
		if i%10 == 0 {
			works += works / 2
		}
		sent, beyond := at+50_000+int64(i%7)*1000, int64(200_000+i%13*1000)
		done := sent + beyond + works
		q.Intended, q.Sent, q.Done, q.OK = append(q.Intended, at), append(q.Sent, sent), append(q.Done, done), append(q.OK, true)
		c.Request, c.Slot, c.Attempt, c.Server = append(c.Request, int32(i)), append(c.Slot, 0), append(c.Attempt, 0), append(c.Server, 0)
		c.Sent, c.Done, c.Waited, c.Worked, c.Outcome = append(c.Sent, sent), append(c.Done, done), append(c.Waited, 0), append(c.Worked, works), append(c.Outcome, observe.Answered)
	}
	file, err := os.Create(observed)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := o.Write(file); err != nil {
		t.Fatal(err)
	}
	return dir, planFile, observed
}

// Goal: an observation can be turned into a profile, with which the plan predicts the
// observation, and the report's TRUST section says so. Method: all commands in turn, on a
// made-up observation of servers that are slower than the plan says.
func TestFromAnObservationToTrust(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for seconds, with goroutines that others have, too")
	}
	dir, planFile, observed := files(t)
	code, out, message := run("replay", planFile, observed)
	if code != command.ExitFailed || !strings.Contains(out, "missed") {
		t.Fatalf("replay of the plan as it is: exit code %d, %s\n%s\nwant 1, as its servers are too fast", code, message, out)
	}
	profile := filepath.Join(dir, "plan.profile")
	if code, out, message = run("calibrate", observed, "-o", profile); code != 0 || !strings.Contains(out, "service.ps.cpu mean 6.3") {
		t.Fatalf("calibrate: exit code %d, %s\n%s", code, message, out)
	}
	text := observedPlan[:strings.Index(observedPlan, "service:")] + "service: {profile: plan.profile}\n" + observedPlan[strings.Index(observedPlan, "workload:"):]
	if err := os.WriteFile(planFile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, message = run("run", planFile)
	if code != 0 || !strings.Contains(out, "calibrated 2027-01-15 on 1,200 calls of 1 run; held to no other measurement") {
		t.Fatalf("run: exit code %d, %s\n%s", code, message, out)
	}
	if code, out, message = run("replay", planFile, observed, "--into", profile); code != 0 || !strings.Contains(out, "reached") || strings.Contains(out, "missed") {
		t.Fatalf("replay with the profile: exit code %d, %s\n%s", code, message, out)
	}
	code, out, message = run("run", planFile)
	if code != 0 || !strings.Contains(out, "held-out error on 1 other plan at most: p50 ") {
		t.Fatalf("run after the replay: exit code %d, %s\n%s", code, message, out)
	}
	a, b := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	for _, one := range [][]string{{a, planFile}, {b, planFile, "--seed", "7"}} {
		code, out, message := run(append([]string{"run", "--json"}, one[1:]...)...)
		if code != 0 {
			t.Fatal(message)
		}
		if err := os.WriteFile(one[0], []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, message = run("diff", a, b); code != 0 || !strings.Contains(out, "mean(request)") || !strings.Contains(out, "cannot be told from 0") {
		t.Errorf("diff of two seeds: exit code %d, %s\n%s", code, message, out)
	}
}

// Goal: mistakes in files and plans are reported, with exit code 2.
func TestObservationsThatCannotBe(t *testing.T) {
	dir, planFile, observed := files(t)
	other := filepath.Join(dir, "other.yaml")
	if err := os.WriteFile(other, []byte(strings.Replace(observedPlan, "100/s", "90/s", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(dir, "gamma.yaml")
	if err := os.WriteFile(closed, []byte(strings.Replace(observedPlan, "cpu: 5ms", `cpu: "gamma(mean=5ms, cv=1)"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	lost := filepath.Join(dir, "lost.yaml")
	text := observedPlan[:strings.Index(observedPlan, "service:")] + "service: {profile: no.profile}\n" + observedPlan[strings.Index(observedPlan, "workload:"):]
	if err := os.WriteFile(lost, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"observe", planFile}, "-o: found no file"},
		{[]string{"observe", closed, "-o", filepath.Join(dir, "x")}, "service.ps.cpu: found gamma, want det, uniform, lognormal or affine"},
		{[]string{"observe", planFile, "-o", filepath.Join(dir, "x"), "--warm", "1m"}, "the warm-up: found 1m0s, want less than the horizon of 13s"},
		{[]string{"calibrate"}, "found no observation"},
		{[]string{"calibrate", planFile, "-o", filepath.Join(dir, "x")}, "found no observation, want a file of monosim-lab observe"},
		{[]string{"calibrate", observed}, "-o: found no file"},
		{[]string{"replay", planFile}, "found 1 arguments"},
		{[]string{"replay", other, observed}, "replay the plan that was observed"},
		{[]string{"replay", planFile, observed, "--into", planFile}, "unknown key"},
		{[]string{"run", lost}, "no.profile: no such file or directory (from "},
		{[]string{"diff", planFile}, "found 1 arguments"},
		{[]string{"diff", planFile, planFile}, "found no result, want a file of monosim whatif"},
	} {
		code, out, message := run(c.args...)
		if code != command.ExitBadInput || !strings.Contains(message, c.want) || out != "" {
			t.Errorf("%v: exit code %d, %q and %q, want 2 and %s", c.args, code, out, message, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("a file was written")
	}
}
