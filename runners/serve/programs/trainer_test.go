package programs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/runners/serve/programs"
)

// Goal: invalid options are refused. That a valid process runs is tested by the scenarios of
// runners/test/realrun/loopback.
func TestTrainerRefusesWhatMakesNoSense(t *testing.T) {
	job := cluster.TrainingSpec{Workers: 1, PS: 2}
	for _, c := range []struct {
		o    programs.TrainerOptions
		want string
	}{
		{programs.TrainerOptions{Job: job, ServerType: "master", ZooKeeper: "z:1"}, `server_type: found "master", want chief, worker, ps or evaluator`},
		{programs.TrainerOptions{Job: job, ServerType: "evaluator"}, "server_type: found evaluator, want a job with one: evaluator: true in its plan"},
		{programs.TrainerOptions{Job: job, ServerType: "chief", Index: 1, ZooKeeper: "z:1"}, "index: found 1 of the chief, want 0"},
		{programs.TrainerOptions{Job: job, ServerType: "worker", Index: 2, ZooKeeper: "z:1"}, "index: found 2, want 0 to 1: the job has 2 of the type worker"},
		{programs.TrainerOptions{Job: job, ServerType: "ps", Index: -1, ZooKeeper: "z:1"}, "index: found -1, want 0 to 1: the job has 2 of the type ps"},
		{programs.TrainerOptions{Job: job, ServerType: "ps", ZooKeeper: "127.0.0.1:2181,[::1]:0"}, `zk_server: found "[::1]:0"`},
		{programs.TrainerOptions{Job: job, ServerType: "ps", ZooKeeper: "a,b:x/chroot"}, `zk_server: found "b:x"`},
		{programs.TrainerOptions{Job: job, ServerType: "ps"}, "zk_server: found none, want host:port of a ZooKeeper"},
		{programs.TrainerOptions{Job: cluster.TrainingSpec{PS: 1, SaveSteps: -1}, ServerType: "ps", ZooKeeper: "z:1"}, "save_steps: found -1, want 0 or more"},
		{programs.TrainerOptions{Job: job, ServerType: "ps", ZooKeeper: "z:1", Root: "/data"}, `model_dir: found "/train/model", want a directory below /data, or another --root`},
		{programs.TrainerOptions{Job: cluster.TrainingSpec{PS: 1, ModelDir: "/data/m", ExportDir: "/data/../e"}, ServerType: "ps", ZooKeeper: "z:1", Root: "/data"}, `export_dir: found "/data/../e", want a directory below /data`},
		{programs.TrainerOptions{Job: cluster.TrainingSpec{PS: 1, ExportGraphs: []string{"a/b"}}, ServerType: "ps", ZooKeeper: "z:1"}, `export_graphs: found "a/b", want plain names`},
		{programs.TrainerOptions{Job: cluster.TrainingSpec{PS: 1, RestoreCkpt: "../m"}, ServerType: "ps", ZooKeeper: "z:1"}, `restore_ckpt: found "../m", want the plain name`},
		{programs.TrainerOptions{Job: job, ServerType: "ps", ZooKeeper: "z:1", Quirks: "none"}, `none`},
		{programs.TrainerOptions{Job: job, ServerType: "ps", ZooKeeper: "z:1", Surroundings: programs.Surroundings{Listen: "x"}}, `listen: found "x"`},
		{programs.TrainerOptions{Job: job, ServerType: "ps", ZooKeeper: "z:1", Events: filepath.Join(t.TempDir(), "none", "events")}, "events: open "},
	} {
		if _, err := programs.Trainer(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: found %v, want %s", c.o, err, c.want)
		}
	}
}
