package trainplan

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
)

var update = flag.Bool("update", false, "rewrite plans/*.txt")

// What makes no sense in a plan is told with line and column, all of it at once.
func TestFaultsOfPlansAreTold(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", []string{"p.yaml:1:1: found nothing, want a plan"}},
		{"a list", "- 1", []string{"p.yaml:1:1: plan: found a list, want keys and values"}},
		{"an unknown key", "seeds: 1\njob: {ps: 1}", []string{`p.yaml:1:1: plan: found key "seeds", want one of for, job, quirks, run_config, script, seed`}},
		{"a key twice", "seed: 1\nseed: 2\njob: {ps: 1}", []string{`p.yaml:2:1: plan: found key "seed" twice, want it once`}},
		{"a number that is none", "job:\n  workers: many\n  ps: 1", []string{`p.yaml:2:12: workers: found "many", want a whole number`}},
		{"a time that is none", "for: soon\njob: {ps: 1}", []string{`p.yaml:1:6: for: found "soon", want a time as 90s, 10m or 1h30m`}},
		{"a time of nothing", "for: 0s\njob: {ps: 1}", []string{"p.yaml:1:6: for: found 0s, want a time above 0"}},
		{"no PS", "job:\n  workers: 1", []string{"p.yaml:2:3: job: ps: found 0, want 1 or more"}},
		{"a wrong hour", "job:\n  ps: 1\n  tide_start_hour: 24", []string{"p.yaml:3:20: job: tide_start_hour: found 24, want an hour from 0 to 23"}},
		{"quirks that are none", "quirks: some\njob: {ps: 1}", []string{`p.yaml:1:9: quirks: found "some"`}},
		{"both say it", "run_config:\n  num_ps: 2\njob:\n  ps: 1", []string{"p.yaml:2:11: run_config: found num_ps beside job's ps, want one of them"}},
		{"a script that is a text", "job: {ps: 1}\nscript: now", []string{`p.yaml:2:9: script: found "now", want a list of lines`}},
		{"a line that is a mapping", "job: {ps: 1}\nscript:\n- 10m: ps0 is killed", []string{"p.yaml:3:3: script: found keys and values, want a line in quotes"}},
		{"no worker", "run_config:\n  num_ps: 1\n  num_workers: 0", []string{"p.yaml:3:16: run_config: num_workers: found 0, want 1 or more"}},
		{"less than none", "run_config:\n  num_ps: 1\n  save_checkpoints_secs: -5", []string{"p.yaml:3:26: run_config: job's save_every: found -5000000000, want 0 or more"}},
		{"no YAML", "seed: 1\nfor: [1\n", []string{"p.yaml:1:1: did not find expected ',' or ']'"}},
		{"no YAML at once", "\t- x", []string{"p.yaml:1:1: found character that cannot start any token"}},
		{"two", "sed: 1\njob: {ps: x}", []string{`p.yaml:1:1: plan: found key "sed"`, `p.yaml:2:11: ps: found "x", want a whole number`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read("p.yaml", []byte(c.text))
			if err == nil {
				t.Fatal("got no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v\nwant %s", err, want)
				}
			}
		})
	}
}

func TestARunConfigSaysWhatTheJobIs(t *testing.T) {
	plan, err := Read("p.yaml", []byte("run_config: {num_ps: 3, num_workers: 5, save_checkpoints_steps: 7, retry_wait_in_secs: 2}\nscript: [\"1s: ps0 is killed\"]"))
	if err != nil {
		t.Fatal(err)
	}
	if plan.Job.PS != 3 || plan.Job.Workers != 4 || plan.Job.SaveSteps != 7 || plan.Job.RetryWait.Seconds() != 2 {
		t.Errorf("got %+v, want 3 PS, 4 workers beside the chief, a save each 7 steps, a wait of 2 s", plan.Job)
	}
	if diff := cmp.Diff([]Line{{Where: "p.yaml:2:10", Text: "1s: ps0 is killed"}}, plan.Script); diff != "" {
		t.Errorf("script (-want +got):\n%s", diff)
	}
}

// The worked plans do the same each time; their reports are those in plans/*.txt. Their
// scripts are run by the tests of cmd/monosim, here they run without.
func TestWorkedPlans(t *testing.T) {
	plans, err := filepath.Glob("plans/*.yaml")
	if err != nil || len(plans) == 0 {
		t.Fatalf("found %d plans, %v", len(plans), err)
	}
	for _, name := range plans {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := Read(name, text)
			if err != nil {
				t.Fatal(err)
			}
			var printed bytes.Buffer
			report, err := plan.Run(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			report.WallSec = 0
			report.Print(&printed)
			golden := strings.TrimSuffix(name, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, printed.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), printed.String()); diff != "" {
				t.Errorf("report (-want +got), -update rewrites it:\n%s", diff)
			}
		})
	}
}

// A list that has a checkpoint which is not there breaks INV-4, and is told so.
func TestAnInvariantThatBreaksIsReported(t *testing.T) {
	plan, err := Read("p.yaml", []byte("for: 5m\njob: {ps: 1}"))
	if err != nil {
		t.Fatal(err)
	}
	report, err := plan.Run(context.Background(), []runners.Act{{At: time.Minute, Text: "the list is wrong", Do: func(c runners.Cluster) error {
		return c.(runners.Trainer).StoreFile("/train/model/checkpoint", []byte("model_checkpoint_path: 'm-7' all_model_checkpoint_paths: 'm-7'"))
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	report.Print(&printed)
	if want := "INV-4 BROKEN: /train/model/m-7 is listed in /train/model/checkpoint"; report.Unknown() != 1 || !strings.Contains(printed.String(), want) {
		t.Errorf("got %+v\n%s\nwant %s", report.Invariants, &printed, want)
	}
}

func TestAnActThatFailsIsReported(t *testing.T) {
	plan, err := Read("p.yaml", []byte("for: 5m\njob: {ps: 1}"))
	if err != nil {
		t.Fatal(err)
	}
	report, err := plan.Run(context.Background(), []runners.Act{{Text: "it fails", Do: func(runners.Cluster) error { return os.ErrInvalid }}})
	if err != nil || report.Failed() != 1 || report.Acts[0].Error != os.ErrInvalid.Error() {
		t.Errorf("got %v, %+v, want one act that failed", err, report.Acts)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if report, err := plan.Run(ctx, nil); err == nil || report.Failure == "" {
		t.Errorf("got %v, want a run that was interrupted to say so", err)
	}
}
