package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/train"
)

// The worked plans run with their scripts, of which every line is done.
func TestTrainRunsTheWorkedPlans(t *testing.T) {
	plans, err := filepath.Glob(filepath.Join("..", "..", "runners", "train", "plans", "*.yaml"))
	if err != nil || len(plans) == 0 {
		t.Fatalf("found %d plans, %v", len(plans), err)
	}
	for _, name := range plans {
		code, out, message := monosim("train", name, "--json")
		var report train.Report
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 {
			t.Fatalf("%s: exit code %d, %v\n%s", name, code, err, message)
		}
		if len(report.Acts) == 0 || report.Failed() != 0 {
			t.Errorf("%s: acts: got %+v, want some, and all done", name, report.Acts)
		}
	}
}

func TestTrainRefusesPlansThatMakeNoSense(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.yaml")
	for _, c := range []struct{ text, want string }{
		{"job: {ps: 0}", ":1:11: job: ps: found 0, want 1 or more"},
		{"job: {ps: 1}\nscript: [\"10m: ps7 is killed\"]", ":2:10: process of the training job: found ps7, want one of chief, ps0"},
		{"job: {ps: 1}\nscript: [\"2h: ps0 is killed\"]", ":2:10: found 2h0m0s, want a time before the end of the run at 1h0m0s"},
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
	} {
		code, _, message := monosim(append([]string{"trainer"}, c.args...)...)
		if code != 2 || !strings.Contains(message, c.want) {
			t.Errorf("%q: exit code %d, %s, want 2 and %s", c.args, code, message, c.want)
		}
	}
}
