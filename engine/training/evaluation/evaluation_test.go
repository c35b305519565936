package evaluation_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/evaluation"
	"github.com/monosim/monosim/engine/training/summaries"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: an evaluation handles whatever a directory contains. Method: prepare directories by hand,
// in virtual time. features/training/life.feature has a job that writes such a directory.

func TestWhatADirectoryMayHold(t *testing.T) {
	for _, c := range []struct {
		name, latest, holds string
		fails               string
		told                []string
	}{
		{"a name without a step", "m/model", "5", "IndexError", nil},
		{"one that is no number", "m/model.ckpt-7", "seven", "DataLossError", nil},
		{"the last one", "m/model.ckpt-9", "9", "", []string{"evaluated m/model.ckpt-9"}},
	} {
		var told []string
		worldtest.Run(t, nil, func(w *worldtest.Case) {
			w.Must(w.Env.Files.MkdirAll("m"))
			w.Must(w.Env.Files.WriteFile(c.latest+checkpoints.IndexSuffix, []byte(c.holds)))
			w.Must(checkpoints.UpdateState(w.Env.Files, "m", c.latest, nil, checkpoints.Filename))
			err := evaluation.Run(w.Env, evaluation.Options{ModelDir: "m", MaxSteps: 9, Happened: func(op, path, _ string) { told = append(told, op+" "+path) }})
			if (err == nil) != (c.fails == "") || err != nil && pysem.TypeOf(err) != c.fails {
				t.Errorf("%s: got %v, want %q", c.name, err, c.fails)
			}
		})
		if diff := cmp.Diff(c.told, told); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Goal: the results of an evaluation have the step of its checkpoint.
func TestAnEvaluationWritesTheStep(t *testing.T) {
	worldtest.Run(t, nil, func(w *worldtest.Case) {
		w.Must(w.Env.Files.MkdirAll("m"))
		w.Must(w.Env.Files.WriteFile("m/model.ckpt-9"+checkpoints.IndexSuffix, []byte("9")))
		w.Must(checkpoints.UpdateState(w.Env.Files, "m", "m/model.ckpt-9", nil, checkpoints.Filename))
		w.Must(evaluation.Run(w.Env, evaluation.Options{ModelDir: "m", MaxSteps: 9, Happened: func(string, string, string) {}}))
		files, err := w.Env.Files.ReadDir("m/eval")
		w.Must(err)
		content, err := w.Env.Files.ReadFile("m/eval/" + files[0])
		w.Must(err)
		events, err := summaries.Read(content)
		w.Must(err)
		var found []string
		for _, e := range events {
			for _, v := range e.GetSummary().GetValue() {
				found = append(found, fmt.Sprintf("%d %s %v", e.GetStep(), v.GetTag(), v.GetSimpleValue()))
			}
		}
		if diff := cmp.Diff([]string{"9 global_step 9"}, found); diff != "" || len(files) != 1 {
			t.Errorf("results in %v (-want +got):\n%s", files, diff)
		}
	})
}
