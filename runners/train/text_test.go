package train

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
)

// Goal: the plan of a job is read as this job, also where a setting has no effect or is 0.
func TestAPlanOfAJobIsReadAsTheJob(t *testing.T) {
	zero, hour, slow := 0, 3, false
	for _, c := range []struct{ job, vain runners.TrainingSpec }{
		{job: runners.TrainingSpec{PS: 1}},
		{job: runners.TrainingSpec{PS: 2, Workers: 3, Discovery: "consul", SaveSteps: 50, RestartAfter: 90 * time.Second, MaxRetries: &zero, PartialRecovery: true, FailFast: &slow}},
		{job: runners.TrainingSpec{PS: 1, TideStartHour: &zero, TideEndHour: &hour, TideSaveEvery: time.Minute, TideEndMinute: 5}},
		{job: runners.TrainingSpec{PS: 1, Evaluator: true, EvalTime: 5 * time.Second, ExportDir: "/exported", ExportGraphs: []string{"ps_0"}, SaveEvery: time.Hour}},
		{job: runners.TrainingSpec{PS: 1}, vain: runners.TrainingSpec{EvalTime: 5 * time.Second, ExportBytes: 7, ExportGraphs: []string{"ps_0"}, MaxSlowStart: time.Hour}},
		{job: runners.TrainingSpec{PS: 1}.WithDefaults()},
	} {
		given := c.job
		if c.vain.EvalTime > 0 {
			given.EvalTime, given.ExportBytes, given.ExportGraphs, given.MaxSlowStart = c.vain.EvalTime, c.vain.ExportBytes, c.vain.ExportGraphs, c.vain.MaxSlowStart
		}
		text, err := Text("fixed", given)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := Read("p.yaml", text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(c.job.WithDefaults(), plan.Job.WithDefaults()); diff != "" || plan.Quirks != "fixed" {
			t.Errorf("read from\n%s quirks %s (-job +plan):\n%s", text, plan.Quirks, diff)
		}
	}
}
