package train

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/training/gflagsutils"
	"github.com/monosim/monosim/runners"
)

// Goal: all mistakes in a plan are reported at once, each with line and column.
func TestFaultsOfPlansAreTold(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", []string{"p.yaml:1:1: found nothing, want a plan"}},
		{"a list", "- 1", []string{"p.yaml:1:1: plan: found a list, want keys and values"}},
		{"an unknown key", "seeds: 1\njob: {ps: 1}", []string{`p.yaml:1:1: plan: found key "seeds", want one of expect, for, job, quirks, run_config, runner_config, script, seed, serving`}},
		{"a key twice", "seed: 1\nseed: 2\njob: {ps: 1}", []string{`p.yaml:2:1: plan: found key "seed" twice, want it once`}},
		{"a number that is none", "job:\n  workers: many\n  ps: 1", []string{`p.yaml:2:12: job: workers: found "many", want a whole number`}},
		{"a fraction", "job:\n  workers: 1.5\n  tide_start_hour: 1e0\n  ps: 1", []string{`p.yaml:2:12: job: workers: found "1.5", want a whole number`, `p.yaml:3:20: job: tide_start_hour: found "1e0", want a whole number`}},
		{"a time that is none", "for: soon\njob: {ps: 1}", []string{`p.yaml:1:6: for: found "soon", want a time as 90s, 10m or 1h30m`}},
		{"a time of nothing", "for: 0s\njob: {ps: 1}", []string{"p.yaml:1:6: for: found 0s, want a time above 0"}},
		{"no PS", "job:\n  workers: 1", []string{"p.yaml:2:3: job: ps: found 0, want 1 or more"}},
		{"a wrong hour", "job:\n  ps: 1\n  tide_start_hour: 24", []string{"p.yaml:3:20: job: tide_start_hour: found 24, want an hour from 0 to 23"}},
		{"quirks that are none", "quirks: some\njob: {ps: 1}", []string{`p.yaml:1:9: quirks: found "some"`}},
		{"both say it", "run_config:\n  num_ps: 2\njob:\n  ps: 1", []string{"p.yaml:2:11: run_config: found num_ps beside job's ps, want one of them"}},
		{"a script that is a text", "job: {ps: 1}\nscript: now", []string{`p.yaml:2:9: script: found "now", want a list of lines`}},
		{"a line that is a mapping", "job: {ps: 1}\nscript:\n- 10m: ps0 is killed", []string{"p.yaml:3:3: script: found keys and values, want a line in quotes"}},
		{"no worker", "run_config:\n  num_ps: 1\n  num_workers: 0", []string{"p.yaml:3:16: run_config: num_workers: found 0, want 1 or more"}},
		{"less than none", "run_config:\n  num_ps: 1\n  save_checkpoints_secs: -5", []string{"p.yaml:3:26: run_config: save_checkpoints_secs: found -5, want 0 or more"}},
		{"no YAML", "seed: 1\nfor: [1\n", []string{"p.yaml:1:1: did not find expected ',' or ']'"}},
		{"no YAML at once", "\t- x", []string{"p.yaml:1:1: found character that cannot start any token"}},
		{"a field that is none", "run_config:\n  sav_checkpoint_secs: 5", []string{`p.yaml:2:3: run_config: found no field "sav_checkpoint_secs", want one as save_checkpoints_secs, which is the nearest`}},
		{"a field of the other", "run_config: {tide_start_hour: 1}\nrunner_config: {enable_local_profiling: true}", []string{
			`p.yaml:1:14: run_config: found "tide_start_hour", which is a field of runner_config`,
			`p.yaml:2:17: runner_config: found "enable_local_profiling", which is a field of run_config`,
		}},
		{"a field twice", "runner_config:\n  num_ps: 1\n  num_ps: 2", []string{"p.yaml:3:3: runner_config: found num_ps twice, want it once"}},
		{"no fields", "run_config: [1]\njob: {ps: 1}", []string{"p.yaml:1:13: run_config: found a list, want fields and their values"}},
		{"values of other types", "runner_config: {num_ps: many, is_local: 1, discovery_type: etcd, model_dir: null, tide_save_secs: 1.5, deep_insight_sample_ratio: x}", []string{
			`p.yaml:1:25: runner_config: num_ps: found "many", want a whole number`, `p.yaml:1:41: runner_config: is_local: found "1", want true or false`,
			`p.yaml:1:60: runner_config: discovery_type: found "etcd", want one of primus, consul, zk, mlp`,
			`p.yaml:1:77: runner_config: model_dir: found "null", want a text`, `p.yaml:1:99: runner_config: tide_save_secs: found "1.5", want a whole number`,
			`p.yaml:1:131: runner_config: deep_insight_sample_ratio: found "x", want a number`,
		}},
		{"of real time without a business", "run_config: {num_ps: 1, enable_parameter_sync: true}", []string{"p.yaml:1:48: run_config: found no bzid, want one: Business id cannot be none while realtime training."}},
		{"of real time without a name", "run_config: {bzid: b}\nrunner_config: {num_ps: 1, enable_realtime_training: true}", []string{"p.yaml:2:54: runner_config: found no base_name, want one: Base name cannot be none while realtime training."}},
		{"a job of 0", "runner_config: {num_ps: 1, retry_wait_in_secs: 0}", []string{"p.yaml:1:48: runner_config: retry_wait_in_secs: found 0, want 1 or more: no job of 0 is simulated"}},
		{"a wrong minute", "runner_config: {num_ps: 1, tide_start_minute: 60}", []string{"p.yaml:1:47: runner_config: tide_start_minute: found 60, want a minute from 0 to 59"}},
		{"half a tide", "runner_config: {num_ps: 1, tide_start_hour: 6}", []string{"tide_start_hour, tide_end_hour: found one of them, want both or none"}},
		{"both configurations beside the job", "runner_config: {num_ps: 1, save_checkpoints_secs: 5}\njob: {save_every: 5s}", []string{"p.yaml:1:51: runner_config: found save_checkpoints_secs beside job's save_every, want one of them"}},
		{"values beside other mistakes", "seed: -3\njob: {ps: 1, step_time: -5s, max_retries: -1}\nrun_config: {save_checkpoints_sec: 1}", []string{
			`p.yaml:1:7: seed: found "-3", want a whole number, 0 or more`, `p.yaml:2:25: job: step_time: found "-5s", want 0 or more`,
			`p.yaml:2:43: job: max_retries: found -1, want 0 or more`, `p.yaml:3:14: run_config: found no field "save_checkpoints_sec"`,
		}},
		{"two of one in the words of the plan", "run_config: {num_ps: 1, save_checkpoints_secs: 60, save_checkpoints_steps: 5}", []string{
			"p.yaml:1:76: run_config: save_checkpoints_steps: found it beside save_checkpoints_secs, want one of them",
		}},
		{"a directory that is not from the root", "job: {ps: 1, restore_dir: old, model_dir: m}", []string{
			`p.yaml:1:43: job: model_dir: found "m", want a path from the root`, `p.yaml:1:27: job: restore_dir: found "old", want a path from the root`,
		}},
		{"an invariant that is none", "expect: [INV-9, INV-8, INV-8]\njob: {ps: 1}", []string{
			`p.yaml:1:10: expect: found "INV-9", want one of INV-1, INV-2`, "p.yaml:1:24: expect: found INV-8 twice, want it once",
		}},
		{"expectations that are a text", "expect: INV-8\njob: {ps: 1}", []string{`p.yaml:1:9: expect: found "INV-8", want a list of invariants as [INV-8]`}},
		{"more processes than there is memory", "job: {ps: 1000000000, workers: 20001}\nrunner_config: {num_redundant_ps: 30000}\nserving: {}", []string{
			"p.yaml:1:11: job: ps: found 1000000000, want 20000 or fewer", "p.yaml:1:32: job: workers: found 20001, want 20000 or fewer", "p.yaml:2:35: runner_config: num_redundant_ps: found 30000, want 20000 or fewer",
		}},
		{"agents of no sizes", "job: {ps: 1}\nserving: {entry: 0, ps_shards: -1, densee: 2, restart_after: soon}", []string{
			`p.yaml:2:18: serving: entry: found 0, want 1 or more`, `p.yaml:2:32: serving: ps_shards: found -1, want 1 or more`, `p.yaml:2:36: serving: found key "densee", want one of dense, entry`,
			`p.yaml:2:62: serving: restart_after: found "soon", want a time`,
		}},
		{"a sub-graph twice", "job: {ps: 1, export_graphs: [entry, entry]}", []string{`p.yaml:1:29: job: export_graphs: found "entry" twice, want it once`}},
		{"agents that are a number", "job: {ps: 1}\nserving: 3", []string{`p.yaml:2:10: serving: found "3", want keys and values`}},
		{"more agents than there is memory", "job: {ps: 1}\nserving: {ps_shards: 3000, ps_replicas: 3000}", []string{"p.yaml:2:10: serving: found 3000 x 3000 PS pods, 1 entry and 0 dense, want 20000 pods or fewer"}},
		{"a model that is a path", "job: {ps: 1}\nserving: {model: a/b}", []string{`p.yaml:2:18: serving: model: found "a/b", want a name as ctr`}},
		{"a parameter sync to nobody", "job: {ps: 1, parameter_sync: true}", []string{"p.yaml:1:30: job: parameter_sync: found true without serving, want agents to push to"}},
		{"a parameter sync to whom", "job: {ps: 1, parameter_sync: true}\nserving: {}", []string{"p.yaml:1:6: job: bzid: found none, want that of the agents", "p.yaml:1:6: job: base_name: found none"}},
		{"two who they are", "run_config: {num_ps: 1, bzid: b}\njob: {bzid: c}\nserving: {}", []string{"p.yaml:1:31: run_config: found bzid beside job's bzid, want one of them"}},
		{"numbers and times out of range", "seed: 18446744073709551616\nfor: 9999999h\njob: {ps: 9223372036854775808, max_retries: -9223372036854775809, step_time: 1e3s}\nrun_config: {retry_wait_in_secs: 9223372036854775808}\nserving: {dense: 9_223_372_036_854_775_808}", []string{
			`p.yaml:1:7: seed: found "18446744073709551616", want 18446744073709551615 or less`, `p.yaml:2:6: for: found "9999999h", want a time of 292 years or less`,
			`p.yaml:3:11: job: ps: found "9223372036854775808", want 9223372036854775807 or less`, `p.yaml:3:45: job: max_retries: found "-9223372036854775809", want -9223372036854775808 or more`,
			`p.yaml:3:78: job: step_time: found "1e3s", want a time as 90s, 10m or 1h30m`, `p.yaml:4:34: run_config: retry_wait_in_secs: found "9223372036854775808", want 9223372036854775807 or less`,
			`p.yaml:5:18: serving: dense: found "9_223_372_036_854_775_808", want 9223372036854775807 or less`,
		}},
		{"numbers in quotes", "seed: '7'\njob: {ps: \"2\"}\nrun_config: {num_workers: &n '1'}\nserving: {entry: *n}", []string{
			`p.yaml:1:7: seed: found the text "7", want a whole number, 0 or more`, `p.yaml:2:11: job: ps: found the text "2", want a whole number`,
			`p.yaml:3:27: run_config: num_workers: found the text "1", want a whole number`, `p.yaml:3:27: serving: entry: found the text "1", want a whole number`,
		}},
		{"two", "sed: 1\njob: {ps: x}", []string{`p.yaml:1:1: plan: found key "sed"`, `p.yaml:2:11: job: ps: found "x", want a whole number`}},
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

// Goal: a checkpoint that should be restored but that nothing creates is reported, with its
// place in the plan.
func TestACheckpointThatIsNotThereIsSaid(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
	}{
		{"an empty restore_dir", "job: {ps: 1, restore_dir: /train/old}", "p.yaml:1:27: restore_dir /train/old has no checkpoint"},
		{"one of a configuration", "run_config: {num_ps: 1, restore_dir: /train/old}", "p.yaml:1:38: restore_dir /train/old has no checkpoint"},
		{"a name in it", "job: {ps: 1, restore_dir: /train/old, restore_ckpt: model.ckpt-7}\nscript: [\"0s: the stored file /train/old/checkpoint is written with \\\"x\\\"\"]", "p.yaml:1:53: restore_ckpt model.ckpt-7 is not in /train/old"},
		{"a directory that is a pattern", "job: {ps: 1, model_dir: '/models/run[1]'}", "p.yaml:1:25: model_dir /models/run[1] is a pattern to TensorFlow"},
		{"a directory of a configuration", "run_config: {num_ps: 1, model_dir: /models/a*b}", "p.yaml:1:36: model_dir /models/a*b is a pattern to TensorFlow"},
		{"a directory to begin with", "job: {ps: 1, restore_dir: '/models/job?'}", "p.yaml:1:27: restore_dir /models/job? is a pattern to TensorFlow"},
		{"a pattern that is none where that is repaired", "quirks: -Q330\njob: {ps: 1, model_dir: '/models/run[1]'}", ""},
		{"a bracket that closes only", "job: {ps: 1, model_dir: '/models/run]'}", ""},
		{"a name of the job's own", "job: {ps: 1, restore_ckpt: model.ckpt-7}", "p.yaml:1:28: restore_ckpt model.ckpt-7 is not in /train/model"},
		{"what the script writes", "job: {ps: 1, restore_dir: /train/old}\nscript: [\"0s: the stored file /train/old/checkpoint is written with \\\"x\\\"\"]", ""},
	} {
		_, notes := jobOf(t, c.text)
		if got := strings.Join(notes, "\n"); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// jobOf returns the job of a plan and the notes on its configurations.
// Goal: in a job in real time a chief goes on after a save that failed twice (cpu_training.py:1209).
// In another one it fails.
func TestASaveThatFailsIsIgnoredInRealTime(t *testing.T) {
	const plan = "for: 20m\nrun_config: {num_ps: 1, save_checkpoints_secs: 300, bzid: b, base_name: n, enable_parameter_sync: %t}\n"
	for realtime, want := range map[bool]int{true: 0, false: 1} {
		p, err := Read("p.yaml", fmt.Appendf(nil, plan, realtime))
		if err != nil {
			t.Fatal(err)
		}
		report, err := p.Run(t.Context(), []runners.Act{{At: 7 * time.Minute, Until: 7 * time.Minute, Text: "writes fail", Do: func(c runners.Cluster) error {
			return c.BeginFault(runners.Fault{Kind: "trainer.save-errors", N: 2})
		}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Deeds["failed"]; got != want || report.Work.WritesFailed != 2 {
			t.Errorf("real time %t: %d processes failed and %d writes, want %d and 2", realtime, got, report.Work.WritesFailed, want)
		}
	}
}

// Goal: a plan that asks for parameter sync in its job means the same as one that asks for it in a
// configuration: only PS that were started since are restored, without more tries.
func TestAParameterSyncOfTheJobIsRealTime(t *testing.T) {
	for said, want := range map[string]bool{"": true, ", partial_recovery: false": false} {
		job, _ := jobOf(t, "job: {ps: 2, parameter_sync: true, bzid: b, base_name: n"+said+"}\nserving: {}")
		if job.PartialRecovery != want || *job.MaxRetries != 0 {
			t.Errorf("%q: partial recovery %t with %d tries, want %t with 0", said, job.PartialRecovery, *job.MaxRetries, want)
		}
	}
}

func jobOf(t *testing.T, text string) (runners.TrainingSpec, []string) {
	t.Helper()
	plan, err := Read("p.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return plan.Job, plan.Notes
}

// Goal: a RunConfig wins over the command line, except that a field equal to RunConfig's
// default counts as not set. Then the command line counts, or else RunnerConfig's default
// (TRN-2.15).
func TestARunConfigGoesBeforeTheCommandLine(t *testing.T) {
	none, three, six := 0, 3, 6
	for _, c := range []struct {
		name, text string
		want       runners.TrainingSpec
		notes      []string
	}{
		{"nothing but PS", "run_config: {num_ps: 1}", runners.TrainingSpec{PS: 1, MaxRetries: &none, RetryWait: 30 * time.Second}, nil},
		{"defaults of RunConfig", "run_config: {num_ps: 1, max_retry_times: 6, retry_wait_in_secs: 5}", runners.TrainingSpec{PS: 1, MaxRetries: &none, RetryWait: 30 * time.Second}, []string{
			"run_config: max_retry_times 6 is what a RunConfig has by itself, which says nothing (Q253): 0 counts",
			"run_config: retry_wait_in_secs 5 is what a RunConfig has by itself, which says nothing (Q253): 30 counts",
		}},
		{"defaults of RunConfig that count", "quirks: -Q253\nrun_config: {num_ps: 1}", runners.TrainingSpec{PS: 1, MaxRetries: &six, RetryWait: 5 * time.Second}, nil},
		{"others", "run_config: {num_ps: 1, max_retry_times: 3, retry_wait_in_secs: 7}", runners.TrainingSpec{PS: 1, MaxRetries: &three, RetryWait: 7 * time.Second}, nil},
		{"defaults beside a command line", "run_config: {num_ps: 1, retry_wait_in_secs: 5}\nrunner_config: {retry_wait_in_secs: 9, max_retry_times: 3}", runners.TrainingSpec{PS: 1, MaxRetries: &three, RetryWait: 9 * time.Second}, []string{
			"run_config: retry_wait_in_secs 5 is what a RunConfig has by itself, which says nothing (Q253): 9 counts",
		}},
		{"another beside a command line", "run_config: {num_ps: 1}\nrunner_config: {num_ps: 7, num_workers: 4}", runners.TrainingSpec{PS: 1, Workers: 3, MaxRetries: &none, RetryWait: 30 * time.Second}, []string{
			"runner_config: num_ps 7: beside run_config it is 1 that counts",
		}},
		{"retries of a partial recovery", "run_config: {num_ps: 1, partial_recovery: true}", runners.TrainingSpec{PS: 1, PartialRecovery: true, MaxRetries: &six, RetryWait: 30 * time.Second}, nil},
		{"the command line alone", "runner_config: {num_ps: 1, uuid: u}", runners.TrainingSpec{PS: 1, Discovery: "consul", Job: "u", MaxRetries: &none, RetryWait: 30 * time.Second}, nil},
		{"Consul asked for beside a RunConfig", "run_config: {num_ps: 1}\nrunner_config: {discovery_type: consul, deep_insight_name: d}", runners.TrainingSpec{PS: 1, Job: "d", MaxRetries: &none, RetryWait: 30 * time.Second}, []string{
			"runner_config: discovery_type consul: beside run_config it is zk that counts",
		}},
		{"places", "run_config: {num_ps: 1}\nrunner_config: {discovery_type: mlp}", runners.TrainingSpec{PS: 1, Discovery: "mlp", MaxRetries: &none, RetryWait: 30 * time.Second}, nil},
		{"real time", "run_config: {num_ps: 1, enable_parameter_sync: true, bzid: b, base_name: n}", runners.TrainingSpec{PS: 1, KeepPS: true, IgnoreSaveErrors: true, PartialRecovery: true, MaxRetries: &none, RetryWait: 30 * time.Second}, nil},
		{"real time that ends", "run_config: {num_ps: 1, enable_parameter_sync: true, bzid: b, base_name: n}\nrunner_config: {force_shutdown_ps: true}", runners.TrainingSpec{PS: 1, IgnoreSaveErrors: true, PartialRecovery: true, MaxRetries: &none, RetryWait: 30 * time.Second}, nil},
		{"real time without a partial recovery", "run_config: {num_ps: 1, enable_parameter_sync: true, bzid: b, base_name: n}\nrunner_config: {partial_recovery: false}", runners.TrainingSpec{PS: 1, KeepPS: true, IgnoreSaveErrors: true, MaxRetries: &none, RetryWait: 30 * time.Second}, nil},
		{"without effect", "run_config: {num_ps: 1, kafka_topics: a, reload_alias_map: {x: 1}, save_summary_steps: 5}\nrunner_config: {filter_type: no_filter, deep_insight_sample_ratio: 1}",
			runners.TrainingSpec{PS: 1, MaxRetries: &none, RetryWait: 30 * time.Second}, []string{
				"without effect on a simulated job: run_config kafka_topics, reload_alias_map, save_summary_steps; runner_config filter_type, deep_insight_sample_ratio",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			job, notes := jobOf(t, c.text)
			c.want.MaxToKeep, c.want.ChiefTimeout, c.want.SessionTimeout, c.want.MaxSlowStart = 10, 30*time.Minute, 2*time.Hour, 10*time.Minute
			if diff := cmp.Diff(c.want, job); diff != "" {
				t.Errorf("job (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.notes, notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

// Goal: every field of the configurations can be set. Each changes a setting of the job, or
// a note says that it has no effect.
func TestEveryFieldOfTheConfigurationsCanBeSaid(t *testing.T) {
	for key, fields := range map[string][]gflagsutils.Field{runConfigKey: runConfigFields, runnerConfigKey: runnerConfigFields} { //lint:ordered each by itself
		for _, f := range fields {
			value := map[gflagsutils.Kind]string{gflagsutils.Int: "7", gflagsutils.Bool: "true", gflagsutils.Float: "0.5", gflagsutils.String: "x", gflagsutils.Enum: "mlp", gflagsutils.Other: "{a: 1}"}[f.Kind]
			if f.Name == "model_dir" || f.Name == "restore_dir" {
				value = "/x"
			}
			text := fmt.Sprintf("%s: {%s: %s, ", key, f.Name, value)
			for name, other := range map[string]string{"num_ps": "1", "bzid": "b", "base_name": "n"} { //lint:ordered keys of a mapping
				if name != f.Name {
					text += name + ": " + other + ", "
				}
			}
			text += "}"
			if other, ok := map[string]string{"tide_start_hour": "tide_end_hour", "tide_end_hour": "tide_start_hour"}[f.Name]; ok {
				text = strings.Replace(text, "{", "{"+other+": 8, ", 1)
			}
			plain, _ := jobOf(t, key+": {num_ps: 1}")
			job, notes := jobOf(t, text)
			silent := len(notes) == 1 && strings.HasSuffix(notes[0], " "+f.Name) && strings.HasPrefix(notes[0], "without effect")
			if changed := cmp.Diff(plain, job) != ""; changed == silent && f.Name != "bzid" && f.Name != "base_name" && f.Name != "force_shutdown_ps" && f.Name != "deep_insight_name" {
				t.Errorf("%s.%s: the job changes %v, notes %q", key, f.Name, changed, notes)
			}
		}
	}
}

// Goal: a broken invariant is reported. Method: a list of checkpoints with a missing
// checkpoint, which breaks INV-4.
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

// Goal: an evaluator waits for each checkpoint anew, and an evaluation is no wait for one.
func TestAnEvaluatorWaitsForEachCheckpointAnew(t *testing.T) {
	for _, c := range []struct{ length, want string }{
		{"4m15s", "its evaluation of /train/model/model.ckpt-"},
		{"8m", "checkpoints to evaluate"},
	} {
		plan, err := Read("p.yaml", []byte("for: "+c.length+"\njob: {ps: 1, evaluator: true, save_every: 4m, eval_time: 1m}"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := plan.Run(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range r.Processes {
			if d.Processes[0] == "evaluator" && (!strings.Contains(d.For, c.want) || d.SinceSeconds < 240) {
				t.Errorf("after %s: got %+v, want it to wait for %s since the save at 4m at least", c.length, d, c.want)
			}
		}
	}
}

// Goal: what happens at the same moment is one failure, with all that it cost.
func TestWhatHappensAtOnceIsOneFailure(t *testing.T) {
	plan, err := Read("p.yaml", []byte("for: 20m\njob: {ps: 2, workers: 1, save_every: 4m, restart_after: 20s, max_retries: 3}"))
	if err != nil {
		t.Fatal(err)
	}
	var acts []runners.Act
	for _, ps := range []string{"ps0", "ps1"} {
		acts = append(acts, runners.Act{At: 10 * time.Minute, Until: 10 * time.Minute, Text: ps + " is killed", Do: func(c runners.Cluster) error {
			return c.BeginFault(runners.Fault{Kind: "trainer.killed", Pod: ps})
		}})
	}
	r, err := plan.Run(context.Background(), acts)
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Work.Failures; len(f) != 2 || f[1].What != "ps0 is killed; ps1 is killed" || f[1].PausedSeconds < 20 || f[1].StepsLost == 0 {
		t.Errorf("got %+v, want the start, and one failure of both PS with the time and the steps", f)
	}
}

// Goal: a job that is over with its PS has lost what no checkpoint has, and one without a step has no
// goodput. Method: the only PS of a job dies, whose chief then ends; a job whose save at its end is the
// last step; and one that waits for a checkpoint that is nowhere.
func TestStepsThatGoWithThePSAreLost(t *testing.T) {
	for _, c := range []struct {
		plan   string
		killed bool
		lost   bool
	}{
		{"for: 20m\njob: {ps: 1, workers: 1, save_every: 4m, restart_after: 20s, max_retries: 0}", true, true},
		{"for: 20m\njob: {ps: 1, workers: 1, save_every: 4m, max_steps: 500}", false, false},
	} {
		plan, err := Read("p.yaml", []byte(c.plan))
		if err != nil {
			t.Fatal(err)
		}
		var acts []runners.Act
		if c.killed {
			acts = append(acts, runners.Act{At: 10 * time.Minute, Until: 10 * time.Minute, Text: "ps0 is killed", Do: func(c runners.Cluster) error {
				return c.BeginFault(runners.Fault{Kind: "trainer.killed", Pod: "ps0"})
			}})
		}
		r, err := plan.Run(context.Background(), acts)
		if err != nil {
			t.Fatal(err)
		}
		w, want := r.Work, int64(0)
		if c.lost {
			want = r.GlobalStep - lastSaved(r.Checkpoints)
		}
		if w.StepsMade == 0 || slices.Contains(r.Running, "ps0") || c.lost != (want > 0) || w.StepsLost != want || w.Goodput != float64(w.StepsMade-want)/float64(w.StepsMade) {
			t.Errorf("%s: got %+v of step %d with %v, running %v, want %d steps lost", c.plan, w, r.GlobalStep, r.Checkpoints, r.Running, want)
		}
		if f := w.Failures; c.lost && (f[len(f)-1].What != "ps0 is killed" || f[len(f)-1].StepsLost != want) {
			t.Errorf("got %+v, want that the death of ps0 lost %d steps", f, want)
		}
	}
	plan, err := Read("p.yaml", []byte("for: 20m\njob: {ps: 1, restore_dir: /train/old, restore_ckpt: model.ckpt-9}"))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := plan.Run(context.Background(), nil); err != nil || r.Work.StepsMade != 0 || r.Work.Goodput != 0 {
		t.Errorf("got %v, %+v, want no step and no goodput", err, r.Work)
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

// Goal: the report says which writes of checkpoints failed, how far the evaluator was behind, and
// why a process that failed did not try again. The time of a save is no failure's.
func TestTheReportTellsOfSavesAndEvaluations(t *testing.T) {
	plan, err := Read("p.yaml", []byte("for: 30m\njob: {ps: 2, workers: 2, save_every: 2m, save_time: 50s, evaluator: true, eval_time: 3m, restart_after: 20s}\n"))
	if err != nil {
		t.Fatal(err)
	}
	fault := func(at time.Duration, f runners.Fault) runners.Act {
		return runners.Act{At: at, Until: at, Text: f.Kind, Do: func(c runners.Cluster) error { return c.BeginFault(f) }}
	}
	report, err := plan.Run(context.Background(), []runners.Act{
		fault(7*time.Minute, runners.Fault{Kind: "trainer.save-errors", N: 1}), fault(12*time.Minute, runners.Fault{Kind: "trainer.killed", Pod: "worker1"}),
		fault(29*time.Minute, runners.Fault{Kind: "trainer.killed", Pod: "ps1"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	report.Print(&text)
	for _, want := range []string{
		"chief      write-failed InternalError: /train/model/model.ckpt-", ": the write was not confirmed\n", "writes that failed       1, each save is tried twice\n",
		"a write of a checkpoint failed: 100.", " skipped, ", "chief      failed UnavailableError: failed to connect to all addresses: 10.250.0.5:30000 (the cluster had changed once more than the 0 times it is tried again)\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("got\n%s\nwant %s", text.String(), want)
		}
	}
	e := report.Work.Evaluated
	if e.Saved != report.Deeds["saved"] || e.Evaluated+e.Skipped+e.Left != e.Saved || e.Evaluated != report.Deeds["evaluated"] || e.Skipped == 0 || e.WorstLagSeconds < 180 || e.LagSeconds > e.WorstLagSeconds {
		t.Errorf("got %+v, want the evaluations of %v", e, report.Deeds)
	}
	for _, f := range report.Work.Failures {
		if f.What == "trainer.killed" && f.AtSeconds == 720 && f.PausedSeconds > 1 || f.What == "trainer.save-errors" {
			t.Errorf("got %+v, want no time of a save", f)
		}
	}
}
