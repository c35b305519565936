package cluster_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/cluster"
)

// Goal: each name of a job's process gives the right role and index. Method: check all names of a
// job.

func TestTrainerRoleUndoesTrainerNames(t *testing.T) {
	spec := cluster.TrainingSpec{Workers: 11, PS: 2, RedundantPS: 1, Evaluator: true}
	var got []string
	for _, name := range spec.TrainerNames() {
		role, index := cluster.TrainerRole(name)
		got = append(got, fmt.Sprintf("%s/%d", role, index))
	}
	want := "worker/0 worker/1 worker/2 worker/3 worker/4 worker/5 worker/6 worker/7 worker/8 worker/9 worker/10 worker/11 ps/0 ps/1 ps/2 evaluator/0"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
