package train

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/runners"
)

// Goal: a setting that has no effect beside the others of the plan is a mistake, and one that has an
// effect is none. Method: the same setting in a job that lacks what it needs, and in one that has it.
func TestSettingsWithoutEffectAreTold(t *testing.T) {
	for _, c := range []struct{ key, wrong, want, right string }{
		{"eval_time: 5s", "", "want a job with evaluator: true: it has no effect", "evaluator: true"},
		{"eval_setup: 5s", "evaluator: false", "eval_setup: found \"5s\", want a job with evaluator: true", "evaluator: true"},
		{"export_bytes: 5", "", "want a job with an export_dir", "export_dir: /models/x"},
		{"export_graphs: [a]", "", "found a list, want a job with an export_dir", "export_dir: /models/x"},
		{"tide_save_every: 1m", "", "want a job with tide_start_hour and tide_end_hour", "tide_start_hour: 1, tide_end_hour: 2"},
		{"tide_start_minute: 1", "", "want a job with a tide_start_hour", "tide_start_hour: 1, tide_end_hour: 2, tide_save_every: 1m"},
		{"tide_end_minute: 1", "", "want a job with a tide_end_hour", "tide_start_hour: 1, tide_end_hour: 2, tide_save_every: 1m"},
		{"tide_start_hour: 0", "tide_end_hour: 2", "want a job with tide_save_every", "tide_end_hour: 2, tide_save_every: 1m"},
		{"max_slow_start: 1m", "slow_start_steps: 0", "want a job with slow_start_steps", "slow_start_steps: 5"},
		{"continue_training: true", "", "want a job with clear_nn: true", "clear_nn: true"},
		{"sync_model: x", "", `found "x", want a job with parameter_sync: true`, ""},
		{"unified_serving: true", "", "want a job with parameter_sync: true", ""},
		{"dc_aware: true", "", "want a job with parameter_sync: true", ""},
		{"bzid: x", "", "want a plan with serving", ""},
		{"base_name: x", "", "want a plan with serving", ""},
		{"step_time: 0s", "", "job: step_time: found \"0s\", want more than that", "max_steps: 0"},
		{"max_to_keep: 0", "", "job: max_to_keep: found 0, want more than that", "save_steps: 0"},
		{"retry_wait: 0m0s", "", "job: retry_wait: found \"0m0s\", want more than that", "restart_after: 0s"},
		{`discovery: ""`, "", `job: discovery: found "", want more than that`, ""},
		{"export_graphs: []", "export_dir: /models/x", "job: export_graphs: found a list, want more than that", ""},
		{"evaluator: ", "", "evaluator: found nothing, want true or false", ""},
		{"max_retries: ~", "", "max_retries: found nothing, want a whole number", ""},
		{"model_dir: /", "", `model_dir: found "/", want a directory below it`, ""},
	} {
		read := func(key, job string) error {
			_, err := Read("p.yaml", []byte("job:\n  "+key+"\n  ps: 1\n  "+strings.ReplaceAll(job, ", ", "\n  ")))
			return err
		}
		err := read(c.key, c.wrong)
		if err == nil || !strings.HasPrefix(err.Error(), "p.yaml:2:") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s beside %q: got %v, want %s", c.key, c.wrong, err, c.want)
		}
		switch {
		case c.right == "":
		case strings.HasPrefix(c.want, "job: "): // right names another key, for which 0 is a value
			err = read(c.right, "")
		default:
			err = read(c.key, c.right)
		}
		if c.right != "" && err != nil {
			t.Errorf("%s beside %q: got %v", c.key, c.right, err)
		}
	}
}

// Goal: what has no effect in a configuration of the reference, or in a job that is too small, is
// noted: there it is no mistake.
func TestSettingsOfConfigurationsWithoutEffectAreNoted(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"run_config: {num_ps: 1}\nrunner_config: {tide_save_secs: 60}", "runner_config: tide_save_secs has no effect, but in a job with tide_start_hour and tide_end_hour"},
		{"runner_config: {num_ps: 1, max_slow_start_wait_minute: 4}", "runner_config: max_slow_start_wait_minute has no effect, but in a job with slow_start_steps"},
		{"job: {ps: 1, session_timeout: 5m, max_pending: 1s}", "session_timeout, max_pending: without effect on the job of a chief without workers"},
		{"job: {ps: 1, job: x, discovery: primus}", "job: without effect on the job whose processes know their places"},
		{"job: {ps: 1, save_every: 4m, export_graphs: [ps_0]}\nserving: {}", "serving: 1 entry pod without a sub-graph: the job exports ps_0"},
		{"job: {ps: 1, save_every: 4m, export_graphs: [entry, ps_0]}\nserving: {dense: 2}", "serving: 2 dense pods without a sub-graph: the job exports entry, ps_0"},
		{"job: {ps: 1}\nserving: {}", "serving: nothing to serve: the job has none of save_every, save_steps and max_steps"},
	} {
		plan, err := Read("p.yaml", []byte(c.text))
		if err != nil || len(plan.Notes) != 1 || !strings.HasPrefix(plan.Notes[0], c.want) {
			t.Errorf("%s: got %v, %q, want %s", c.text, err, plan.Notes, c.want)
		}
	}
}

// Goal: a setting that only a line of the script gives an effect is a mistake without one, at its
// place, but in the plan of a process, which has no script. Method: the same plan with other acts.
func TestSettingsWithoutTheirLineAreTold(t *testing.T) {
	arrives := runners.Act{Text: "worker 0 of 2 arrives at the PS barrier step1 for 5s"}
	killed, checks := runners.Act{Text: "ps0 is killed"}, runners.Act{Text: "within 1m ps0 is at work", Checks: true}
	for _, c := range []struct {
		job  string
		acts []runners.Act
		want string
	}{
		{"defective_ps_barrier: true", nil, "p.yaml:2:25: job: defective_ps_barrier: found true, want a script in which a worker arrives at the PS barrier"},
		{"defective_ps_barrier: true", []runners.Act{killed, checks}, "want a script in which a worker arrives"},
		{"defective_ps_barrier: true", []runners.Act{killed, arrives}, ""},
		{"defective_ps_barrier: false", nil, ""},
		{"keep_ps: true", nil, "p.yaml:2:12: job: keep_ps: found true, want a job whose training ends"},
		{"keep_ps: true", []runners.Act{checks}, "want a job whose training ends"},
		{"keep_ps: true", []runners.Act{killed}, ""},
		{"keep_ps: true\n  max_steps: 7", nil, ""},
		{"ignore_save_errors: true", []runners.Act{checks}, "want a script in which a save fails"},
		{"ignore_save_errors: true", []runners.Act{killed}, ""},
		{"max_steps: 0\n  keep_ps: true", nil, "p.yaml:3:12: "},
	} {
		plan, err := Read("p.yaml", []byte("job:\n  "+c.job+"\n  ps: 1\n"))
		if err != nil {
			t.Errorf("%s: got %v", c.job, err)
			continue
		}
		switch err := plan.Unplayed(c.acts); {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s with %d acts: got %v, want %q", c.job, len(c.acts), err, c.want)
		}
	}
}
