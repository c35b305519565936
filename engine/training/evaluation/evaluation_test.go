package evaluation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/evaluation"
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
