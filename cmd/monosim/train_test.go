package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: the example plans run, every line of their scripts takes effect, and they print what is in
// the .txt file beside each. Only the wall time may differ.
func TestTrainPrintsTheWorkedPlans(t *testing.T) {
	plans, err := filepath.Glob(filepath.Join("..", "..", "runners", "train", "plans", "*.yaml"))
	if err != nil || len(plans) == 0 {
		t.Fatalf("found %d plans, %v", len(plans), err)
	}
	for _, name := range plans {
		code, out, message := monosim("train", name)
		if code != 0 || !strings.Contains(out, ": done\n") || strings.Contains(out, "FAILED") {
			t.Errorf("%s: exit code %d, %s, want 0 and acts that are done", name, code, message)
		}
		out = strings.TrimPrefix(trainedIn.ReplaceAllString(out, " in 0.000s wall"), "../../")
		golden := strings.TrimSuffix(name, ".yaml") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(out), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), out); diff != "" {
			t.Errorf("%s (-want +got), -update rewrites it:\n%s", golden, diff)
		}
	}
}

var trainedIn = regexp.MustCompile(` in [0-9.]+s wall`)

// Goal: the report and the exit code tell when a job stands still. The plans each contain one cause
// that users may meet.
func TestTrainTellsAJobThatStandsStill(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.yaml")
	for _, c := range []struct {
		name, text string
		code       int
		want       string
	}{
		{"an outage of Consul that ends heartbeats", "for: 2h\njob: {ps: 4, workers: 8, discovery: consul, restart_after: 45s, save_every: 5m}\nscript: [\"25m: ps2 is killed\", \"25m10s: Consul goes down for 3m\"]", 1,
			"INV-8 BROKEN, as in the reference (Q300): no step since 24m59.821s: chief to worker8 (9) wait for ps 0, 1, 3 of 4, cluster_manager, every 5s, since 28m1"},
		{"one that the plan expects", "for: 2h\nexpect: [INV-8]\njob: {ps: 4, workers: 8, discovery: consul, restart_after: 45s, save_every: 5m}\nscript: [\"25m: ps2 is killed\", \"25m10s: Consul goes down for 3m\"]", 0,
			"INV-8 broken, as the plan expects: no step since 24m59.821s"},
		{"none, which the plan expects", "for: 20m\nexpect: [INV-8]\njob: {ps: 1}", 1, "INV-8 holds, which the plan expects to break"},
		{"a PS that nobody starts again", "for: 30m\njob: {ps: 2, workers: 1}\nscript: [\"25m: ps1 is killed\"]", 1, "no step since 24m59"},
		{"the same with TF_CONFIG", "for: 30m\njob: {ps: 2, workers: 1, discovery: primus}\nscript: [\"25m: ps1 is killed\"]", 1, "ps1 has ended at 25m0s with code -9"},
		{"the same with MLP", "for: 2h\njob: {ps: 2, workers: 1, discovery: mlp}\nscript: [\"25m: ps1 is killed\"]", 1, "no step since 24m59"},
		{"an empty restore_dir", "for: 1h\njob: {ps: 2, workers: 1, restore_dir: /train/old}", 1, "ps0, ps1 wait for the chief to set up /train/model, runner_utils, every 30s, since"},
		{"redundant PS of which one has died", "for: 2h\njob: {ps: 1, workers: 1, redundant_ps: 1, max_steps: 100}\nscript: [\"30s: ps1 is killed\"]", 1, "chief waits for 2 ps, 1 listed, not ps 1"},
		{"a chief that begins again and again", "for: 40m\nrun_config: {num_ps: 1, model_dir: '/models/run[1]', save_checkpoints_secs: 120}\njob: {restart_after: 20s, keep_ps: true}\nscript: [\"20m: chief is killed\"]", 1,
			"and made no step since its end with code 1: not tried again, after ValueError: The passed save_path is not a valid checkpoint: /models/run[1]/model.ckpt-1072"},
		{"a chief that ended its PS, which nobody starts again", "for: 40m\njob: {ps: 2, workers: 1, restart_after: 1m}\nscript: [\"10m: ps1 is killed\"]", 1,
			"INV-8 BROKEN, as in the reference (Q327): no step since 9m59.89s: chief, worker1 wait for ps 0, 1 of 2"},
		{"a cut that is longer than answers are sent", "for: 40m\njob: {ps: 2, workers: 1}\nscript: [\"10m: ps1 is unreachable for 40s\"]", 1,
			"INV-8 BROKEN, as in the reference (TRN-8.15): no step since 9m59.89s: chief, worker1 wait for an answer of the server of /job:ps/task:1/device:CPU:0 that was given up, session, since 10m20"},
		{"the same at the end of a run", "for: 12m\njob: {ps: 2, workers: 1}\nscript: [\"10m: ps1 is unreachable for 40s\"]", 1, "INV-8 BROKEN, as in the reference (TRN-8.15)"},
		{"a shorter cut", "for: 40m\njob: {ps: 2, workers: 1}\nscript: [\"10m: ps1 is unreachable for 10s\"]", 0, "INV-8 hold"},
		{"a PS that is slow to come", "for: 40m\njob: {ps: 2, workers: 1, restart_after: 8m, max_retries: 6}\nscript: [\"10m: ps1 is killed\"]", 0, "INV-8 hold"},
		{"a stop of an operator", "for: 1h\njob: {ps: 1, workers: 1}\nscript: [\"10m: the operator begins to call StopTraining\"]", 0, "INV-8 hold"},
		{"a ZooKeeper that stays away", "for: 1h\njob: {ps: 2, workers: 1, restart_after: 30s}\nscript: [\"10m: ZooKeeper is down for 40m\", \"11m: ps1 is killed\"]", 0, "INV-8 not decided: no step since 10m59.95s, for less than 31m10s: chief waits for ps 0 of 2"},
	} {
		if err := os.WriteFile(plan, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, message := monosim("train", plan)
		if _, end, ok := strings.Cut(out, "\nthe work\n"); code != c.code || !ok || !strings.Contains(end, c.want) {
			t.Errorf("%s: exit code %d, %s\n%s\nwant %d and %s", c.name, code, message, end, c.code, c.want)
		}
	}
}

// Goal: a flag overrides the plan's value, and also changes the defaults that follow from it
// (Q253).
func TestFlagsOfTrainCountInsteadOfThePlan(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(plan, []byte("seed: 3\nfor: 20m\nrun_config: {num_ps: 1}\njob: {restart_after: 30s}\nscript: [\"15m: chief is killed\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{nil, 0, []string{"seed 3, quirks python", "tried 0 more times, 30s after"}},
		{[]string{"--seed", "0", "--at", "10m: ps0 is killed"}, 1, []string{"seed 0, quirks python", "600.000s  ps0 is killed: done", "900.000s  chief is killed: done"}},
		{[]string{"--quirks", "fixed"}, 0, []string{"seed 3, quirks fixed", "tried 6 more times, 5s after"}},
		{[]string{"--quirks", "Q" + "9999"}, 2, []string{"--quirks: "}},
		{[]string{"--at", "10m: ps7 is killed"}, 2, []string{"--at: process of the training job: found ps7, want one of chief, ps0"}},
	} {
		code, out, message := monosim(append([]string{"train", plan}, c.args...)...)
		for _, want := range c.want {
			if code != c.code || !strings.Contains(out+message, want) {
				t.Errorf("%q: exit code %d, %s\n%s\nwant %d and %s", c.args, code, message, out, c.code, want)
			}
		}
	}
}

// Goal: a sweep has a row for each combination, whatever became of the job. Output files appear
// only after a run.
func TestTrainWritesSeriesPagesAndSweeps(t *testing.T) {
	dir := t.TempDir()
	plan, page, table := filepath.Join(dir, "plan.yaml"), filepath.Join(dir, "run.html"), filepath.Join(dir, "run.csv")
	if err := os.WriteFile(plan, []byte("for: 20m\njob: {ps: 2, workers: 1, restart_after: 30s, save_every: 2m}\nscript: [\"5m: ps1 is killed\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, message := monosim("train", plan, "--sweep", "job.max_retries=0,6", "--sweep", "seed=1,2")
	rows := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(rows) != 5 || !strings.HasPrefix(rows[0], "job.max_retries,seed,global_step,") || !strings.HasPrefix(rows[2], "0,2,") || !strings.HasSuffix(rows[2], ",1") || !strings.HasPrefix(rows[4], "6,2,") || !strings.HasSuffix(rows[4], ",0") {
		t.Errorf("exit code %d, %s, %q: want a job that stands still without tries and one that goes on with six", code, message, rows)
	}
	code, out, message = monosim("train", plan, "--sweep", "serving.ps_replicas=1,2")
	rows = strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(rows) != 3 || !strings.HasSuffix(rows[0], ",stands_still,served,to_address_s,to_address_worst_s,age_s,age_worst_s,pushes_failed,steps_missing") || strings.Count(rows[1], ",") != strings.Count(rows[0], ",") {
		t.Errorf("exit code %d, %s, %q: want columns of agents, which the plan has by the sweep alone", code, message, rows)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--sweep", "job.max_retries"}, 2, `--sweep: found "job.max_retries", want a place of the plan and its values`},
		{[]string{"--sweep", "job.retries=1"}, 2, `plan.yaml:2:6: job: found key "retries", want one of application_master`},
		{[]string{"--sweep", "script.more=1"}, 2, "script.more: found no such place in the plan"},
		{[]string{"--seed", "5", "--sweep", "seed=1,2"}, 2, "--seed: found it beside --sweep seed=, want one of them"},
		{[]string{"--quirks", "fixed", "--sweep", "quirks=python"}, 2, "--quirks: found it beside --sweep quirks=, want one of them"},
		{[]string{"--sweep", "seed=1", "--json"}, 2, "--sweep: found it with --json"},
		{[]string{"--every", "-1s"}, 2, "--every: found -1s, want a time above 0"},
		{[]string{"--every", "1s"}, 2, "--every: found 1s, want a time above 0, and a file for its rows by --series or --html"},
		{[]string{"--every", "0s", "--series", table}, 2, "--every: found 0s, want a time above 0"},
		{[]string{"--html", filepath.Join(dir, "not", "there.html")}, 2, "no such file or directory"},
		{[]string{"--html", page, "--series", table, "--every", "1m"}, 1, "the job stands still"},
	} {
		code, _, message := monosim(append([]string{"train", plan}, c.args...)...)
		if code != c.code || !strings.Contains(message, c.want) {
			t.Errorf("%q: exit code %d, %s, want %d and %s", c.args, code, message, c.code, c.want)
		}
	}
	if text, err := os.ReadFile(table); err != nil || strings.Count(string(text), "\n") != 21 {
		t.Errorf("got %d lines, %v, want one each minute below the names", strings.Count(string(text), "\n"), err)
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "<title>monosim train: ") {
		t.Errorf("got no page, %v", err)
	}
}

func TestTrainRefusesPlansThatMakeNoSense(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.yaml")
	for _, c := range []struct{ text, want string }{
		{"job: {ps: 0}", ":1:11: job: ps: found 0, want 1 or more"},
		{"job: {ps: 1}\nscript: [\"5m: Consul goes down for 3m\"]", ":2:10: Consul: found none, want a training job whose processes find each other by it"},
		{"job: {ps: 1, discovery: consul}\nscript: [\"5m: ZooKeeper goes down for 3m\"]", ":2:10: ZooKeeper: found nobody who uses it, want a training job whose processes find each other by it; they do by consul"},
		{"job: {ps: 1, discovery: primus}\nscript: [\"5m: ps0 loses ZooKeeper\"]", ":2:10: ZooKeeper: found nobody who uses it"},
		{"job: {ps: 1}\nscript: [\"5m: the application master is unreachable for 1m\"]", ":2:10: the application master: found none, want a training job with one"},
		{"job: {ps: 1, workers: 1}\nscript: [\"1m: chief stops\"]", ":2:10: process of the training job: found chief, want one of role ps"},
		{"job: {ps: 1, workers: 1}\nscript: [\"1m: ps0 stops\", \"2m: worker1 is stopped for 5s\"]", ":2:27: process of the training job: found worker1, want one of role ps"},
		{"job: {ps: 1, workers: 1}\nscript: [\"3m: the memory of chief comes to 5 GB\"]", ":2:10: process of the training job: found chief, want one of role ps"},
		{"job: {ps: 1}\nscript: [\"10m: ps7 is killed\"]", ":2:10: process of the training job: found ps7, want one of chief, ps0"},
		{"job: {ps: 1}\nscript: [\"2h: ps0 is killed\"]", ":2:10: found 2h0m0s, want a time before the end of the run at 1h0m0s"},
		{"job: {ps: 1}\nscript: [\"1h: within 1m ps0 is at work\"]", ":2:10: found \"within 1m ps0 is at work\", which waits until 1h1m0s"},
		{"job: {ps: 1}\nscript:\n- \"50m: within 1m ps0 is at work\"\n- \"50m30s: ps0 is killed\"", ":4:3: found \"ps0 is killed\" at 50m30s, want nothing before 51m0s, until when \"within 1m ps0 is at work\" of"},
		{"sed: 1\njob: {ps: 1}\nscript: [\"2h: ps0 is killed\", \"1m: ps0 falls over\"]", ":3:10: found 2h0m0s, want a time before the end"},
		{"sed: 1\njob: {ps: 1}\nscript: [\"2h: ps0 is killed\", \"1m: ps0 falls over\"]", ":3:31: no sentence says"},
		{"for: -1m\nquirks: half\njob: {ps: 1}\nscript: [\"2h: ps7 is killed\"]", ":4:10: process of the training job: found ps7, want one of chief, ps0"},
		{"job: {ps: 1}\nscript: [\"1m: every pod runs\"]", ":2:10: every pod: found none, want a cluster with agents; there is a training job only, without agents"},
		{"job: {ps: 1}\nserving: {}\nscript: [\"1m: ps0 is cut off from ZooKeeper\"]", ":3:10: places: found ps0 beside ZooKeeper, want pods on one side"},
		{"job: {ps: 2}\nserving: {}\nscript: [\"1m: ps0 is cut off from ps1 for 1m\"]", ":3:10: places: found ps0 beside ps1, want pods on one side"},
		{"job: {ps: 1}\nserving: {}\nscript: [\"1m: the model server of ps-shard1-replica0 is killed\"]", ":3:10: pod: found ps-shard1-replica0, want one of the cluster: entry-shard0-replica0, ps-shard0-replica0"},
	} {
		if err := os.WriteFile(plan, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, message := monosim("train", plan)
		if code != 2 || !strings.Contains(message, c.want) {
			t.Errorf("%q: exit code %d, %s, want 2 and %s", c.text, code, message, c.want)
		}
	}
}

func TestTrainTakesOnePlan(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"train"}, "found no PLAN, want one; see monosim train --help"},
		{[]string{"train", "a", "b"}, `found argument "b", want one PLAN; see monosim train --help`},
		{[]string{"trainer"}, "found no PLAN, want one; see monosim trainer --help"},
	} {
		if code, _, message := monosim(c.args...); code != 2 || !strings.Contains(message, c.want) {
			t.Errorf("%q: exit code %d, %s, want 2 and %s", c.args, code, message, c.want)
		}
	}
}

func TestTrainerRefusesWhatMakesNoSense(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(plan, []byte("run_config: {num_ps: 1, num_workers: 2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{plan + "x"}, "no such file"},
		{[]string{plan, "--root=/"}, "zk_server: found none, want host:port of a ZooKeeper"},
		{[]string{plan, "--zk_server=127.0.0.1:1"}, "model_dir: found \"/train/model\", want a directory below " + filepath.Dir(plan)},
		{[]string{plan, "--root=/", "--server_type=ps", "--index=1", "--zk_server=127.0.0.1:1"}, "index: found 1, want 0 to 0: the job has 1 of the type ps"},
		{[]string{plan, "--speed=0x"}, `found "0x", want a number above 0`},
		{[]string{plan, "--root=/", "--zk_server=127.0.0.1:1,127.0.0.1:99999"}, `zk_server: found "127.0.0.1:99999", want host:port, with a port from 1 to 65535`},
		{[]string{plan, "--root=/", "--zk_server=[::1]:x/chroot"}, `zk_server: found "[::1]:x", want host:port`},
		{[]string{plan, "--root=/", "--zk_server=127.0.0.1:1", "--events=" + filepath.Join(plan, "x")}, "--events: open "},
	} {
		code, _, message := monosim(append([]string{"trainer"}, c.args...)...)
		if code != 2 || !strings.Contains(message, c.want) {
			t.Errorf("%q: exit code %d, %s, want 2 and %s", c.args, code, message, c.want)
		}
	}
}
