package job_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/training/job"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/world"
)

// happened runs a job for some time before each of the steps, which may interfere with it. It
// returns the events of the processes with the process names but without times.
func happened(t *testing.T, spec cluster.TrainingSpec, servers session.Cluster, steps ...func(w *world.World)) []string {
	t.Helper()
	var told []string
	w, err := world.New(cluster.Spec{Seed: 1, Training: &spec}, world.Options{Trainer: func(e *env.Env, p *world.Trainer) int {
		return job.Main(e, job.Options{Spec: spec, Role: p.Role, Index: p.Index, Servers: servers, Happened: func(op, path, note string) {
			if op == "serving" {
				path = ""
			}
			told = append(told, strings.Join(strings.Fields(p.Name+" "+op+" "+path+" "+note), " "))
		}})
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.StartTraining(); err != nil {
		t.Fatal(err)
	}
	until := time.Duration(0)
	for _, step := range append(steps, func(*world.World) {}) {
		until += 3 * time.Minute
		if _, err := w.Run(vtime.Limits{Until: until}); err != nil {
			t.Fatal(err)
		}
		step(w)
	}
	slices.Sort(told)
	return told
}

func TestJobOverGRPCIsTheSame(t *testing.T) {
	spec := cluster.TrainingSpec{Workers: 2, PS: 2, MaxSteps: 300, SaveEvery: 40 * time.Second}
	goOn := func(*world.World) {}
	want := happened(t, spec, session.NewServers(time.Millisecond), goOn)
	got := happened(t, spec, nil, goOn)
	// How many steps were done by the time of a save depends on how long a step's calls take.
	ends := func(list []string) (kept []string) {
		for _, line := range list {
			if !strings.Contains(line, " saved ") {
				kept = append(kept, line)
			}
		}
		return kept
	}
	if !slices.Equal(ends(got), ends(want)) || len(got) != len(want) {
		t.Errorf("over gRPC:\n%s\nwant as in one memory:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !slices.Contains(got, "chief finished step 300") {
		t.Errorf("found no end of the chief at step 300 in %q", got)
	}
}

// A restarted PS has a new address and has lost its variables.
func TestJobOverGRPCGoesBackToItsCheckpoint(t *testing.T) {
	spec := cluster.TrainingSpec{Workers: 1, PS: 2, SaveEvery: 20 * time.Second, RestartAfter: 20 * time.Second}
	got := happened(t, spec, nil, func(w *world.World) {
		p, err := w.FindTrainer("ps1")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Process().Signal(env.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}, func(*world.World) {})
	count := func(begin string) (n int) {
		for _, line := range got {
			if strings.HasPrefix(line, begin) {
				n++
			}
		}
		return n
	}
	if n := count("chief retry"); n == 0 {
		t.Error("found no further try of the chief")
	}
	if n := count("chief restored /train/model/model.ckpt-"); n != 1 {
		t.Errorf("found %d restores, want 1 in\n%s", n, strings.Join(got, "\n"))
	}
	if n := count("ps1 serving"); n != 2 {
		t.Errorf("found ps1 serving %d times, want 2", n)
	}
}

// Goal: a new directory is one of native hash tables, as of a configuration that does not say which
// it has (cpu_training.py:609).
func TestAJobHasNativeHashTables(t *testing.T) {
	happened(t, cluster.TrainingSpec{PS: 1, SaveEvery: time.Minute}, nil, func(w *world.World) {
		store, inside := w.StoreOf("/train/model/monolith_checkpoint")
		text, err := store.ReadFile(inside)
		if err != nil || !strings.Contains(string(text), "builtin_hash_table_type: MULTI_CUCKOO_HASH_MAP\n") {
			t.Errorf("got %q, %v, want MULTI_CUCKOO_HASH_MAP", text, err)
		}
	})
}
