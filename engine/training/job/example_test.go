package job_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/training/job"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/world"
)

// A chief and a PS run in virtual time. The chief trains alone, and the PS waits until the chief
// shuts it down.
func Example() {
	spec := cluster.Spec{Seed: 1, Training: &cluster.TrainingSpec{PS: 1, MaxSteps: 20, SaveSteps: 10}}
	servers := session.NewServers(time.Millisecond)
	w, err := world.New(spec, world.Options{Trainer: func(e *env.Env, t *world.Trainer) int {
		return job.Main(e, job.Options{Spec: *spec.Training, Role: t.Role, Index: t.Index, Servers: servers,
			Happened: func(op, path, note string) {
				if op == "saved" || op == "finished" {
					fmt.Printf("%s %s %s%s\n", t.Name, op, path, note)
				}
			}})
	}})
	if err != nil {
		panic(err)
	}
	defer w.Close()
	if err := w.StartTraining(); err != nil {
		panic(err)
	}
	if _, err := w.Run(vtime.Limits{Until: time.Minute}); err != nil {
		panic(err)
	}
	for _, t := range w.Trainers() {
		fmt.Println(t.Name, "ended with", t.ExitCode(), t.Process() == nil)
	}

	// Output:
	// chief saved /train/model/model.ckpt-10
	// chief saved /train/model/model.ckpt-20
	// chief finished step 20
	// chief ended with 0 true
	// ps0 ended with 0 true
}
