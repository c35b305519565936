package traincheck_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/job"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun/traincheck"
)

// disk stands for the shared directories: content by path.
type disk map[string]string

func (d disk) StoredFile(path string) ([]byte, bool, error) {
	text, ok := d[path]
	return []byte(text), ok, nil
}

// story reports made-up events to a checker, and passes time in steps of a second.
type story struct {
	t     *testing.T
	check *traincheck.Checker
	files disk
	now   time.Duration
	steps int64
	// listed holds the addresses that Consul's look-ups return.
	listed map[string]string
	// lost, if set, is when the chief began to wait for an answer that was given up.
	lost time.Duration
}

func begin(t *testing.T, kept quirks.Set, spec cluster.TrainingSpec) *story {
	spec.Workers, spec.PS = 2, max(spec.PS, 1)
	s := &story{t: t, check: traincheck.New(spec, kept), files: disk{}}
	for _, name := range spec.TrainerNames() {
		s.op(name, "process.start", "")
	}
	s.check.Present = func(name string) (job.Wait, bool) {
		if name == "chief" && s.lost > 0 {
			return job.Wait{In: "session", For: "an answer", Since: s.lost, Lost: true}, true
		}
		return job.Wait{In: "nowhere", For: "nobody", Every: 5 * time.Second, Since: time.Minute}, true
	}
	s.check.Registered = func(name string) (string, bool) {
		addr, ok := s.listed[name]
		return addr, ok
	}
	return s
}

func (s *story) op(who, op, path string) {
	o := observation(who, op)
	o.At, o.Path = s.now, path
	s.check.Observe(o)
}

// tries reports that a process tries again after an error.
func (s *story) tries(who, after string) {
	s.check.Observe(runners.Observation{At: s.now, Pod: who, Op: "training.retry", Note: after})
}

// ends reports that a process ends with an error.
func (s *story) ends(who, failed string) {
	for _, o := range []runners.Observation{{Op: "training.failed", Note: failed}, {Op: "process.exit", Note: "code 1"}} {
		o.At, o.Pod = s.now, who
		s.check.Observe(o)
	}
}

// model is the model's directory.
const model = "/train/model/"

// saves reports saves of checkpoints by the chief.
func (s *story) saves(names ...string) {
	for _, name := range names {
		s.op("chief", "training.saved", model+name)
	}
}

// restores reports that the chief restores a checkpoint.
func (s *story) restores(name, step string) {
	s.t.Helper()
	s.check.Initialized(s.now)
	s.goesBack(name, step)
}

// goesBack reports that the chief restores a checkpoint over the variables of a PS that has lived on.
func (s *story) goesBack(name, step string) {
	s.t.Helper()
	s.check.Observe(runners.Observation{At: s.now, Pod: "chief", Op: "training.restored", Path: model + name, Note: "step " + step})
	s.pass(time.Second)
}

// lists reports a save of the last of some checkpoints, with all of them there and in the list of
// checkpoints, and one that is exempt, "" for none.
func (s *story) lists(exempt string, names ...string) {
	s.t.Helper()
	s.files[model+"checkpoint"], s.files[model+"monolith_checkpoint"] = "", ""
	if exempt != "" {
		s.files[model+"monolith_checkpoint"] = "exempt_model_checkpoint_paths: '" + exempt + "'"
	}
	maps.DeleteFunc(s.files, func(name, _ string) bool { return strings.HasSuffix(name, ".index") })
	for _, name := range names {
		s.files[model+"checkpoint"] += " all_model_checkpoint_paths: '" + name + "'"
		s.files[model+name+".index"] = ""
	}
	s.saves(names[len(names)-1])
	s.pass(time.Second)
}

// step reports n steps of a process, the last of which ends now.
func (s *story) step(n int64) {
	s.steps += n
	s.check.Counted(s.now, n, s.steps)
	s.check.Stepped("worker1", s.now-time.Duration(n)*time.Second, s.now)
}

func (s *story) serve(names ...string) {
	for _, name := range names {
		s.op(name, "training.serving", "10.0.0.1:1")
	}
}

func (s *story) pass(d time.Duration) {
	s.t.Helper()
	s.now += d
	if err := s.check.Look(s.now, s.files); err != nil {
		s.t.Fatal(err)
	}
}

// assign reports an assignment to an element of barrier_var. Index 0 is the barrier itself.
func (s *story) assign(who string, index int, on bool) {
	s.check.Assigned(s.now, who, "barrier_var", index, on)
}

func (s *story) place(action string) {
	s.assign("chief", 0, true)
	s.check.Assigned(s.now, "chief", "barrier_op_action", -1, []byte(action))
}

// Goal: each invariant can break, is then reported once with its name and what was wanted,
// and holds where nothing is wrong. known is the rule by which the reference breaks it. The
// invariant "-" stands for cases in which all hold.
func TestInvariantsBreakAndHold(t *testing.T) {
	for _, c := range []struct {
		name, invariant, known, text string
		// life also checks INV-8. The other cases make no steps.
		life bool
		kept quirks.Set
		spec cluster.TrainingSpec
		tell func(s *story)
	}{
		{name: "a save", invariant: "-", tell: func(s *story) {
			s.place("Save")
			s.pass(time.Second)
			s.assign("worker1", 1, true)
			s.assign("chief", 0, false)
			s.pass(time.Second)
			s.assign("worker1", 1, false)
			s.pass(time.Hour)
		}},
		{name: "two barriers", invariant: "INV-1", text: "a barrier was placed while the one of 0s was there", tell: func(s *story) {
			s.place("Save")
			s.pass(time.Second)
			s.place("Save")
		}},
		{name: "a barrier that its owner keeps", invariant: "INV-1", text: `the barrier "Save" of 0s was not removed by its owner`, tell: func(s *story) {
			s.place("Save")
			s.pass(2 * time.Minute)
		}},
		{name: "a barrier whose owner died", invariant: "-", tell: func(s *story) {
			s.place("Save")
			s.op("chief", "process.exit", "chief")
			s.pass(2 * time.Minute)
		}},
		{name: "somebody else removes an operator's barrier", invariant: "INV-1", text: "was removed without that call", tell: func(s *story) {
			s.place("")
			s.pass(time.Second)
			s.assign("chief", 0, false)
		}},
		{name: "an operator resumes", invariant: "-", tell: func(s *story) {
			s.place("")
			s.pass(time.Second)
			s.check.Calls(s.now, "ResumeTraining")
			s.assign("chief", 0, false)
			s.pass(time.Hour)
		}},
		{name: "nobody resumes", invariant: "INV-1", known: "TRN-2.8 and TRN-2.9", text: "it waits for ResumeTraining", tell: func(s *story) {
			s.place("")
			s.pass(time.Minute)
			s.pass(time.Minute)
		}},
		{name: "a worker that does not notice", invariant: "INV-2", text: "worker1 has not unblocked since the barrier was removed at 1s, want that within 1.2s", tell: func(s *story) {
			s.place("Save")
			s.assign("worker1", 1, true)
			s.pass(time.Second)
			s.assign("chief", 0, false)
			s.pass(2 * time.Second)
		}},
		{name: "a worker that notices late", invariant: "INV-2", text: "worker1 has not unblocked", tell: func(s *story) {
			s.place("Save")
			s.assign("worker1", 1, true)
			s.assign("chief", 0, false)
			s.now += 3 * time.Second
			s.assign("worker1", 1, false)
		}},
		{name: "a worker that died", invariant: "-", tell: func(s *story) {
			s.place("Save")
			s.assign("worker1", 1, true)
			s.op("worker1", "process.exit", "worker1")
			s.assign("chief", 0, false)
			s.pass(time.Hour)
		}},
		{name: "a barrier that is placed again", invariant: "INV-2", known: "Q238", text: "worker1 has not unblocked", tell: placeAgain},
		{name: "a barrier that is placed again with Q238 repaired", invariant: "INV-2", kept: quirks.Fixed, text: "worker1 has not unblocked", tell: placeAgain},
		{name: "a worker that left its mark", invariant: "INV-2", known: "Q324", text: "worker1 has not unblocked", tell: leaveMark},
		{name: "a worker that takes its mark back", invariant: "-", kept: quirks.Fixed, tell: leaveMark},
		{name: "a PS that dies with the variables", invariant: "-", tell: func(s *story) {
			s.place("Save")
			s.assign("worker1", 1, true)
			s.assign("chief", 0, false)
			s.op("ps0", "process.exit", "ps0")
			s.pass(time.Hour)
		}},
		{name: "a restore", invariant: "-", spec: restoring, tell: func(s *story) {
			s.files[model+"checkpoint"], s.files[model+"monolith_checkpoint"] = "model_checkpoint_path: 'a'", ""
			s.serve("chief")
			s.pass(35 * time.Second)
			s.serve("worker1", "worker2", "ps0")
			s.pass(time.Minute)
		}},
		{name: "a worker that does not wait for the second file", invariant: "INV-3", spec: restoring, text: "worker1 left the restore wait", tell: func(s *story) {
			s.files[model+"checkpoint"] = "model_checkpoint_path: 'a'"
			s.serve("worker1")
			s.pass(time.Second)
		}},
		{name: "a worker that waits on", invariant: "INV-3", spec: restoring, text: "worker2 waits for the chief to restore, who was done at 0s", tell: func(s *story) {
			s.files[model+"checkpoint"], s.files[model+"monolith_checkpoint"] = "model_checkpoint_path: 'a'", ""
			s.serve("chief", "worker1", "ps0")
			s.pass(time.Minute)
		}},
		{name: "a worker that waits for files that are late", invariant: "-", spec: restoring, tell: func(s *story) {
			s.check.FilesLate(0, time.Minute)
			s.files[model+"checkpoint"], s.files[model+"monolith_checkpoint"] = "model_checkpoint_path: 'a'", ""
			s.serve("chief", "worker1", "ps0")
			s.pass(90 * time.Second)
		}},
		{name: "a worker that waits on when files no longer are late", invariant: "INV-3", spec: restoring, text: "worker2 waits for the chief to restore, who was done at 0s", tell: func(s *story) {
			s.check.FilesLate(0, time.Hour)
			s.files[model+"checkpoint"], s.files[model+"monolith_checkpoint"] = "model_checkpoint_path: 'a'", ""
			s.serve("chief", "worker1", "ps0")
			s.pass(10 * time.Minute)
			s.check.FilesLate(s.now, 0)
			s.pass(time.Minute)
		}},
		{name: "an empty restore_dir", invariant: "INV-3", known: "Q251", spec: restoring, text: "without its two files", tell: func(s *story) {
			s.serve("chief")
			s.op("worker1", "process.exit", "worker1")
			s.op("ps0", "process.exit", "ps0")
			s.pass(time.Minute)
		}},
		{name: "a listed checkpoint that is gone", invariant: "INV-4", text: model + "m-2 is listed", tell: func(s *story) {
			s.files[model+"checkpoint"] = "model_checkpoint_path: 'm-2' all_model_checkpoint_paths: 'm-1' all_model_checkpoint_paths: 'm-2'"
			s.files[model+"m-1.index"] = ""
			s.pass(time.Second)
		}},
		{name: "an exempt checkpoint that is deleted", invariant: "INV-4", text: model + "m-1 is exempt and was deleted", tell: func(s *story) {
			s.files[model+"monolith_checkpoint"] = "exempt_model_checkpoint_paths: 'm-1'"
			s.files[model+"m-1.index"] = ""
			s.pass(time.Second)
			delete(s.files, model+"m-1.index")
			s.pass(time.Second)
		}},
		{name: "a checkpoint that is exempt no more", invariant: "-", tell: func(s *story) {
			s.files[model+"monolith_checkpoint"] = "exempt_model_checkpoint_paths: 'm-1'"
			s.files[model+"m-1.index"] = ""
			s.pass(time.Second)
			s.files[model+"monolith_checkpoint"] = ""
			delete(s.files, model+"m-1.index")
			s.pass(time.Second)
		}},
		{name: "a step that is saved twice", invariant: "once", kept: quirks.Fixed, text: model + "m-1 was saved twice", tell: func(s *story) {
			s.saves("m-1", "m-2", "m-1", "m-1")
		}},
		{name: "a step that is saved twice, by the reference", invariant: "once", known: "Q242", text: "saved twice", tell: func(s *story) {
			s.saves("m-1", "m-1")
		}},
		{name: "a step that is saved again by another life", invariant: "-", tell: func(s *story) {
			s.saves("m-1")
			s.op("chief", "process.exit", "chief")
			s.op("chief", "process.start", "")
			s.saves("m-1", "m-2")
			s.tries("chief", "AbortedError")
			s.saves("m-2")
		}},
		{name: "a checkpoint that is deleted before an older one", invariant: "oldest", known: "Q247", text: model + "m-3 was deleted, and the older " + model + "m-1", tell: func(s *story) {
			s.lists("", "m-1")
			s.lists("", "m-1", "m-2")
			s.lists("m-1", "m-1", "m-3")
			s.lists("", "m-1", "m-3", "m-4")
			s.lists("", "m-1", "m-4", "m-5")
		}},
		{name: "checkpoints that are deleted in order", invariant: "-", tell: func(s *story) {
			s.lists("", "m-1")
			s.lists("", "m-1", "m-2")
			s.lists("m-1", "m-1", "m-3")
			s.lists("", "m-3", "m-4")
			s.lists("m-4", "m-4", "m-5")
			s.lists("m-\xff", "m-4", "m-6")                                    // what cannot be parsed changes nothing for the chief
			s.files[model+"checkpoint"] = " all_model_checkpoint_paths: 'm-4'" // a file that is torn
			s.pass(time.Second)
			s.lists("", "m-6", "m-7")
		}},
		{name: "a torn list of checkpoints that are all there", invariant: "-", tell: func(s *story) {
			s.lists("", "m-1", "m-2", "m-3")
			s.files[model+"checkpoint"] = " all_model_checkpoint_paths: 'm-1' all_model_check"
			s.pass(time.Second)
		}},
		{name: "a worker that goes on at a barrier", invariant: "holds", text: "worker1 makes steps since", tell: func(s *story) {
			s.place("Save")
			for range 8 {
				s.pass(time.Second)
				s.step(1)
			}
		}},
		{name: "a worker that begins a session four times", invariant: "-", tell: func(s *story) {
			s.place("Save")
			for range 4 {
				s.pass(10 * time.Second)
				s.step(1)
				s.tries("worker1", "UnavailableError: gone")
			}
		}},
		{name: "a worker that joins late, and one that goes on after the barrier", invariant: "-", tell: func(s *story) {
			s.place("Save")
			s.pass(20 * time.Second)
			s.step(1)
			s.assign("worker1", 1, true)
			s.assign("chief", 0, false)
			s.pass(time.Second)
			s.assign("worker1", 1, false)
			for range 5 {
				s.pass(time.Second)
				s.step(1)
			}
		}},
		{name: "a checkpoint that is restored and goes away", invariant: "resumes", text: "gone on from step 1, want it to from step 50", tell: func(s *story) {
			s.restores("m-50", "50")
			s.step(1) // lost: made between the restore and its assignment
			s.pass(5 * time.Second)
			s.step(1)
			s.step(1)
		}},
		{name: "a checkpoint that is restored though another is current", invariant: "resumes", text: model + "m-9 was restored, want " + model + "m-50", tell: func(s *story) {
			s.files[model+"checkpoint"] = "model_checkpoint_path: 'm-50' all_model_checkpoint_paths: 'm-9'"
			s.files[model+"m-9.index"] = ""
			s.restores("m-9", "9")
		}},
		{name: "a job that goes on from the current checkpoint", invariant: "-", tell: func(s *story) {
			s.files[model+"checkpoint"] = "model_checkpoint_path: 'm-50'"
			s.restores("m-50", "50")
			s.steps = 50
			s.pass(5 * time.Second)
			s.step(1)
			s.check.Initialized(s.now)
			s.steps = 0
			s.step(1)
		}},
		{name: "torn lists", invariant: "-", tell: func(s *story) {
			s.files[model+"monolith_checkpoint"], s.files[model+"checkpoint"] = "exempt_model_checkp", "\xff"
			s.pass(time.Second)
		}},
		{name: "a process that never comes back", invariant: "INV-5", text: "worker1 runs and is not in discovery since 1m0s", tell: func(s *story) {
			s.serve("worker1")
			s.op("worker1", "zookeeper.create", "/monolith/job/worker.1")
			s.pass(time.Minute)
			s.op("zookeeper", "zookeeper.delete", "/monolith/job/worker.1")
			s.pass(32 * time.Minute)
		}},
		{name: "a process that has ended and stays", invariant: "INV-5", text: "ps0 ended at 0s and is in discovery", tell: func(s *story) {
			s.op("ps0", "zookeeper.create", "/monolith/job/ps.0")
			s.op("ps0", "process.exit", "ps0")
			s.pass(32 * time.Minute)
		}},
		{name: "a process that registers again in time", invariant: "-", tell: func(s *story) {
			s.serve("worker1")
			s.pass(29 * time.Minute)
			s.op("worker1", "zookeeper.create", "/monolith/job/worker.1")
			s.pass(time.Hour)
		}},
		{name: "a ZooKeeper that is away", invariant: "-", tell: func(s *story) {
			s.serve("worker1")
			s.check.Disturbed(s.now, "zookeeper.down", true, false)
			s.pass(time.Hour)
			s.check.Disturbed(s.now, "zookeeper.down", true, true)
			s.pass(10 * time.Minute)
			s.op("worker1", "zookeeper.create", "/monolith/job/worker.1")
			s.pass(time.Hour)
		}},
		{name: "a ZooKeeper that is back", invariant: "INV-5", text: "worker1 runs and is not in discovery since 1h0m0s", tell: func(s *story) {
			s.serve("worker1")
			s.check.Disturbed(s.now, "zookeeper.down", true, false)
			s.pass(time.Hour)
			s.check.Disturbed(s.now, "zookeeper.down", true, true)
			s.pass(time.Hour)
		}},
		{name: "a job that goes on", life: true, invariant: "-", tell: func(s *story) {
			for range 10 {
				s.pass(9 * time.Minute)
				s.step(10)
			}
		}},
		{name: "a job that stands still", life: true, invariant: "INV-8", text: "no step since 1m0s: chief, worker1, worker2 wait for nobody, nowhere, every 5s, since 1m0s; ps0 waits for nobody", tell: func(s *story) {
			s.pass(time.Minute)
			s.step(10)
			s.pass(11 * time.Minute)
		}},
		{name: "a chief that hears no more while the others go on", life: true, invariant: "INV-8", known: "TRN-8.15", text: "no save since 2m0s: chief waits for an answer, session, since 2m0s; worker1", tell: func(s *story) {
			s.lost = 2 * time.Minute
			for range 15 {
				s.pass(time.Minute)
				s.step(10)
			}
		}},
		{name: "a chief that hears again in time", life: true, invariant: "-", tell: func(s *story) {
			s.lost = 2 * time.Minute
			for range 8 {
				s.pass(time.Minute)
				s.step(10)
			}
			s.lost = 0
			for range 8 {
				s.pass(time.Minute)
				s.step(10)
			}
		}},
		{name: "processes that ended one after the other", life: true, invariant: "INV-8", text: "chief, worker1 have ended from 1m0s to 3m0s with code 1: not tried again, after ValueError: no checkpoint; worker2", tell: func(s *story) {
			s.pass(time.Minute)
			s.step(10)
			s.ends("chief", "ValueError: no checkpoint")
			s.pass(2 * time.Minute)
			s.check.FilesWritten(s.now)
			s.ends("worker1", "ValueError: no checkpoint")
			s.pass(11 * time.Minute)
		}},
		{name: "a chief that gave up", life: true, invariant: "INV-8", text: "no step since 1m0s: chief has ended at 1m0s with code 1: not tried again, after ValueError: no checkpoint; worker1", tell: func(s *story) {
			s.pass(time.Minute)
			s.step(10)
			s.ends("chief", "ValueError: no checkpoint")
			s.pass(11 * time.Minute)
		}},
		{name: "a worker that tried often enough", life: true, invariant: "INV-8", text: "worker1 has ended at 1m0s with code 1: the cluster had changed once more than the 2 times it is tried again, after UnavailableError: gone", spec: cluster.TrainingSpec{MaxRetries: new(2)}, tell: func(s *story) {
			s.pass(time.Minute)
			s.step(10)
			s.tries("worker1", "UnavailableError: gone")
			s.ends("worker1", "UnavailableError: gone")
			s.pass(11 * time.Minute)
		}},
		{name: "a chief that could not end its PS", life: true, invariant: "INV-8", known: "TRN-8.14", text: "chief has ended at 1m0s with code 1: it could not end its PS, after DeadlineExceededError: gone", spec: cluster.TrainingSpec{MaxRetries: new(2)}, tell: func(s *story) {
			s.pass(time.Minute)
			s.step(10)
			s.tries("chief", "UnavailableError: gone")
			s.ends("chief", "DeadlineExceededError: gone")
			s.pass(11 * time.Minute)
		}},
		{name: "a job that has made its steps and could not end its PS", life: true, invariant: "INV-8", known: "TRN-8.14",
			text: "the training is over since 1m0s, and the job does not end: chief has ended at 1m0s with code 1: it could not end its PS, after UnavailableError: gone; worker1",
			tell: func(s *story) {
				s.pass(time.Minute)
				s.step(10)
				s.op("chief", "training.finished", "")
				s.ends("chief", "UnavailableError: gone")
				s.pass(11 * time.Minute)
			}},
		{name: "a chief that failed and ended the PS", life: true, invariant: "INV-8", known: "Q327", text: "ps0 has ended at 1m0s with code 0", spec: cluster.TrainingSpec{RestartAfter: time.Second}, tell: failWithPS},
		{name: "a PS that ended with Q327 repaired", life: true, invariant: "INV-8", kept: quirks.Fixed, text: "ps0 has ended at 1m0s with code 0", tell: failWithPS},
		{name: "a job that never begins", life: true, invariant: "INV-8", text: "no step since 0s", tell: func(s *story) { s.pass(11 * time.Minute) }},
		{name: "a job that an operator holds", life: true, invariant: "INV-1", known: "TRN-2.8 and TRN-2.9", text: "it waits for ResumeTraining", tell: func(s *story) {
			s.step(10)
			s.place("")
			s.pass(time.Hour)
		}},
		{name: "a job that is over", life: true, invariant: "-", tell: func(s *story) {
			s.step(10)
			s.check.Observe(runners.Observation{Pod: "chief", Op: "process.exit", Note: "code 0"})
			s.pass(time.Hour)
		}},
		{name: "a chief that waits for its workers in the end", life: true, invariant: "-", tell: func(s *story) {
			s.step(10)
			s.op("worker1", "training.finished", "")
			s.pass(29 * time.Minute)
		}},
		{name: "a chief that waits longer", life: true, invariant: "INV-8", text: "no step since 0s", tell: func(s *story) {
			s.step(10)
			s.op("worker1", "training.finished", "")
			s.pass(32 * time.Minute)
		}},
		{name: "a fault that goes on", life: true, invariant: "-", tell: func(s *story) {
			s.check.Disturbed(s.now, "consul.down", true, false)
			s.pass(time.Hour)
		}},
		{name: "a process that Consul does not list", invariant: "INV-5", spec: cluster.TrainingSpec{Discovery: cluster.DiscoveryConsul}, text: "worker1 runs at 10.0.0.1:1 and look-ups give nothing", tell: func(s *story) {
			s.serve("worker1", "chief")
			s.listed = map[string]string{"chief": "10.0.0.1:1"}
			s.pass(5 * time.Minute)
		}},
		{name: "a process whose heartbeat has ended", invariant: "INV-5", known: "Q300", spec: cluster.TrainingSpec{Discovery: cluster.DiscoveryConsul}, text: "worker1 runs at", tell: func(s *story) {
			s.serve("worker1")
			s.op("worker1", "training.heartbeat-ended", "")
			s.pass(5 * time.Minute)
		}},
		{name: "a process that Consul has forgotten", invariant: "INV-5", known: "Q303", spec: cluster.TrainingSpec{Discovery: cluster.DiscoveryConsul}, text: "worker1 runs at", tell: func(s *story) {
			s.serve("worker1")
			s.check.Disturbed(s.now, "consul.forgets ", false, false)
			s.pass(5 * time.Minute)
		}},
		{name: "another address in Consul", invariant: "INV-5", spec: cluster.TrainingSpec{Discovery: cluster.DiscoveryConsul}, text: "look-ups give 10.0.0.9:9", tell: func(s *story) {
			s.serve("ps0")
			s.listed = map[string]string{"ps0": "10.0.0.9:9"}
			s.pass(5 * time.Minute)
		}},
		{name: "a process that has ended and that Consul lists", invariant: "INV-5", spec: cluster.TrainingSpec{Discovery: cluster.DiscoveryConsul}, text: "ps0 ended at 0s and look-ups give 10.0.0.1:1", tell: func(s *story) {
			s.op("ps0", "process.exit", "")
			s.listed = map[string]string{"ps0": "10.0.0.1:1"}
			s.pass(5 * time.Minute)
		}},
		{name: "a process at another place", invariant: "INV-5", spec: cluster.TrainingSpec{Discovery: cluster.DiscoveryPrimus}, text: "ps0 serves at 10.0.0.1:1, want 10.0.0.3:30000", tell: func(s *story) {
			s.serve("ps0")
			s.check.Placed = func(string) string { return "10.0.0.3:30000" }
			s.pass(time.Second)
		}},
		{name: "all workers of a LocalCluster", invariant: "-", tell: func(s *story) {
			s.check.LocalStarted(2)
			s.check.LocalArrived(s.now, 0, 1)
			s.check.LocalAnswered(s.now, 0, 1, false)
			s.check.LocalArrived(s.now, 1, 1)
			s.check.LocalAnswered(s.now, 1, 1, true)
		}},
		{name: "a LocalCluster that is released too early", invariant: "INV-6", text: "the barrier of epoch 1 was released with 1 of 2 workers", tell: func(s *story) {
			s.check.LocalStarted(2)
			s.check.LocalArrived(s.now, 0, 1)
			s.check.LocalAnswered(s.now, 0, 1, true)
		}},
		{name: "a LocalCluster that is never released", invariant: "INV-6", text: "the barrier of epoch 1 was not released with 2 of 2 workers", tell: func(s *story) {
			s.check.LocalStarted(2)
			s.check.LocalArrived(s.now, 0, 1)
			s.check.LocalArrived(s.now, 1, 1)
			s.check.LocalAnswered(s.now, 0, 1, false)
		}},
		{name: "a PS barrier", invariant: "-", tell: psBarrier(2, true, true)},
		{name: "a PS barrier that lets one through alone", invariant: "INV-7", text: "PS barrier b was released with 1 arrivals, want exactly 2", tell: psBarrier(1, true)},
		{name: "a PS barrier of f415ff3", invariant: "INV-7", known: "the PS barrier of f415ff3", spec: cluster.TrainingSpec{DefectivePSBarrier: true}, text: "released with 1 arrivals", tell: psBarrier(1, true)},
		{name: "a PS barrier that forgets one", invariant: "INV-7", text: "a call of a generation that was released was not", tell: psBarrier(2, true, false)},
		{name: "a PS barrier after a time-out", invariant: "-", tell: func(s *story) {
			psBarrier(1, false)(s)
			psBarrier(2, true, true)(s)
		}},
		{name: "a PS that is not healthy stops the workers", invariant: "-", tell: func(s *story) {
			s.op("chief", "training.unhealthy", "ps0")
			s.pass(time.Minute)
			s.op("chief", "training.unhealthy", "ps0") // the first worker came to the barrier of a save
			s.pass(time.Minute)
			s.place("")
			s.pass(time.Second)
			s.check.Calls(s.now, "ResumeTraining")
			s.assign("chief", 0, false)
			s.pass(time.Hour)
		}},
		{name: "two calls resume, and the owner of the first barrier removes a later one", invariant: "-", tell: func(s *story) {
			s.place("Save")
			for range 2 { // the second finds no barrier
				call := s.check.Calls(s.now, "ResumeTraining")
				s.assign("chief", 0, false)
				call.Answered(true)
				s.pass(time.Second)
			}
			s.place("")
			s.pass(time.Second)
			s.assign("chief", 0, false)
			s.pass(time.Hour)
		}},
		{name: "a PS that is healthy again before the chief looks again", invariant: "-", tell: func(s *story) {
			s.op("chief", "training.unhealthy", "ps0")
			s.pass(15 * time.Second)
			s.check.Disturbed(s.now, "trainer.memory ps0", false, false)
			s.pass(time.Hour)
		}},
		{name: "a PS that is not healthy, and a chief that looks no more", invariant: "health", known: "Q240", kept: quirks.Python,
			text: "a PS was reported as not healthy at 0s", tell: reportOnce},
		{name: "a chief that looks no more, repaired", invariant: "health", kept: quirks.Fixed, text: "nor the PS looked at again, want that within 1m13s", tell: reportOnce},
		{name: "a chief that leaves its session after a report", invariant: "-", kept: quirks.Fixed, tell: func(s *story) {
			s.op("chief", "training.unhealthy", "ps0")
			s.op("chief", "training.retry", "UnavailableError")
			s.pass(time.Hour)
		}},
		{name: "a chief that waits for a worker that died", invariant: "ends", known: "Q239", kept: quirks.Python, text: "no worker is left since 1m0s", tell: waitFor("code -9")},
		{name: "a chief that waits, repaired", invariant: "ends", kept: quirks.Fixed, text: "the chief has not ended, want it to within 2m12s", tell: waitFor("code -9")},
		{name: "a chief that waits for nobody", invariant: "ends", kept: quirks.Python, text: "no worker is left", tell: waitFor("code 0")},
		{name: "a worker that comes back", invariant: "-", kept: quirks.Python, spec: cluster.TrainingSpec{RestartAfter: 10 * time.Second}, tell: waitFor("code -9")},
		{name: "a chief that waits for a PS", invariant: "-", kept: quirks.Fixed, tell: func(s *story) {
			finish("code -9")(s)
			s.pass(5 * time.Minute)
		}},
		{name: "a save that waits for both workers", invariant: "-", tell: saveAfter(2*time.Second, "worker1", "worker2")},
		{name: "a save that does not wait", invariant: "still", text: "model.ckpt-9 was written from 5m1s on, when worker2 did not wait at a barrier", tell: saveAfter(2*time.Second, "worker1")},
		{name: "a save that has waited long enough", invariant: "-", tell: saveAfter(40*time.Second, "worker1")},
		{name: "a save without a barrier", invariant: "still", text: "when worker1 did not wait at a barrier", tell: func(s *story) {
			s.train("worker1")
			s.saves("model.ckpt-9")
		}},
		{name: "a save that began when it took longer", invariant: "-", tell: func(s *story) {
			s.train("worker1")
			s.check.SaveTakes(s.now, 100*time.Second)
			s.pass(time.Second)
			s.check.SaveTakes(s.now, 0)
			s.pass(99 * time.Second)
			s.saves("model.ckpt-9")
		}},
		{name: "a save soon after a fault", invariant: "-", tell: func(s *story) {
			s.train("worker1", "worker2")
			s.check.Disturbed(s.now, "trainer.unreachable worker2", false, false)
			s.saves("model.ckpt-9")
		}},
		{name: "a save while a worker is in no session", invariant: "-", tell: func(s *story) {
			s.train("worker1")
			s.tries("worker1", "UnavailableError: gone")
			s.saves("model.ckpt-9")
		}},
		{name: "a chief that restores a PS that has lived on", invariant: "keeps", text: "model.ckpt-9 on ps0, which has run since it was marked", spec: partial, tell: restoreAgain("")},
		{name: "a chief that restores a PS that has started again", invariant: "-", spec: partial, tell: restoreAgain("ps0")},
		{name: "a chief that restores all PS", invariant: "-", tell: restoreAgain("")},
		{name: "a chief that restores nothing", invariant: "resumes", text: "the chief has begun with step 1, want it to go on from step 9", tell: beginAgain(1)},
		{name: "a chief that goes on from its checkpoint", invariant: "-", tell: beginAgain(10)},
		{name: "a job that has saved its last step", invariant: "-", tell: endAt("410")},
		{name: "a job that has not", invariant: "last", text: "ended its training with step 411, and the newest checkpoint is that of step 410", tell: endAt("411")},
		{name: "a PS that the chief has left behind", invariant: "ends", text: "the chief has ended at 5m0s, and ps0 runs, want it to have ended within 2m0s", tell: endChief(0)},
		{name: "a PS that the chief has ended", invariant: "-", tell: func(s *story) {
			s.pass(5 * time.Minute)
			for _, name := range []string{"worker1", "worker2", "chief", "ps0"} {
				s.check.Observe(runners.Observation{At: s.now, Pod: name, Op: "process.exit", Note: "code 0"})
			}
			s.pass(10 * time.Minute)
		}},
		{name: "a PS that started when the chief ended", invariant: "-", tell: endChief(time.Minute)},
		{name: "a PS that goes on", invariant: "-", spec: cluster.TrainingSpec{KeepPS: true}, tell: endChief(0)},
		{name: "a barrier that a chief leaves behind", invariant: "INV-1", text: `the barrier "Stop" of 0s was there when its owner ended`, tell: func(s *story) {
			s.place("Stop")
			s.check.Observe(runners.Observation{At: s.now, Pod: "chief", Op: "process.exit", Note: "code 0"})
		}},
		{name: "a chief that fails for no reason", invariant: "fails", text: "chief has failed by ValueError: no, and nothing disturbs the job since 0s", tell: func(s *story) {
			s.pass(5 * time.Minute)
			s.check.Stepped("chief", s.now-time.Second, s.now)
			s.ends("chief", "ValueError: no")
		}},
		{name: "a chief that fails before it has made a step", invariant: "-", tell: func(s *story) {
			s.pass(5 * time.Minute)
			s.ends("chief", "ValueError: no")
		}},
		{name: "a chief that fails after a fault", invariant: "-", tell: func(s *story) {
			s.pass(5 * time.Minute)
			s.check.Stepped("chief", s.now-time.Second, s.now)
			s.check.Disturbed(s.now, "trainer.unreachable ps0", false, false)
			s.ends("chief", "ValueError: no")
		}},
		{name: "a chief that fails after an operator has written a file", invariant: "-", tell: func(s *story) {
			s.pass(5 * time.Minute)
			s.check.Stepped("chief", s.now-time.Second, s.now)
			s.check.FilesWritten(s.now)
			s.ends("chief", "ValueError: no")
		}},
		{name: "a chief that fails long after a file was damaged", invariant: "-", tell: failAfter(func(s *story) { s.check.Disturbed(s.now, "trainer.torn-file", false, false) })},
		{name: "a chief that fails by a write that was to fail", invariant: "-", tell: failAfter(func(s *story) { s.check.Disturbed(s.now, "trainer.save-errors", false, false) })},
		{name: "a chief that fails after a write that was to fail, and one that did not", invariant: "fails", text: "chief has failed by ValueError: no", tell: failAfter(func(s *story) {
			s.check.Disturbed(s.now, "trainer.save-errors", false, false)
			s.pass(time.Minute)
			s.saves("model.ckpt-9")
		})},
		{name: "a barrier that a call under way removes", invariant: "-", tell: func(s *story) {
			s.check.Calls(s.now, "ResumeTraining")
			s.place("")
			s.assign("chief", 0, false)
		}},
		{name: "a barrier that a call removes after it was given up", invariant: "-", tell: func(s *story) {
			s.check.Calls(s.now, "ResumeTraining").Answered(false)
			s.place("")
			s.assign("chief", 0, false)
		}},
		{name: "a barrier that is removed after a call has succeeded", invariant: "INV-1", text: "was removed without that call", tell: func(s *story) {
			s.check.Calls(s.now, "ResumeTraining").Answered(true)
			s.place("")
			s.assign("chief", 0, false)
		}},
		{name: "a barrier that the owner of one removes which a call has removed", invariant: "-", tell: robbed},
		{name: "a barrier that goes after that owner has removed one", invariant: "INV-1", text: "was removed without that call", tell: func(s *story) {
			robbed(s)
			s.place("")
			s.assign("chief", 0, false)
		}},
		{name: "a save whose barrier an operator removes", invariant: "-", tell: func(s *story) {
			s.train("worker1")
			s.check.Calls(s.now, "ResumeTraining")
			s.saves("model.ckpt-9")
		}},
		{name: "a stop without effect", invariant: "obeys", text: "StopTraining has succeeded, and no barrier was placed", tell: func(s *story) { s.check.Calls(s.now, "StopTraining").Answered(true) }},
		{name: "a call that goes on without effect", invariant: "obeys", text: "the barrier of 0s is there, want it removed", tell: func(s *story) {
			s.place("")
			s.check.Calls(s.now, "ResumeTraining").Answered(true)
		}},
		{name: "a save without effect", invariant: "obeys", known: "Q243", text: "the newest checkpoint is that of step 9, want one of step 20 or later", tell: saveOnCall},
		{name: "a save without effect, repaired", invariant: "obeys", kept: quirks.Fixed, text: "SaveCheckpoint has succeeded", tell: saveOnCall},
		{name: "a save after a restore that has gone back", invariant: "-", kept: quirks.Fixed, tell: func(s *story) {
			s.saves("model.ckpt-9")
			s.step(20)
			s.goesBack("model.ckpt-9", "9")
			s.check.Calls(s.now, "SaveCheckpoint").Answered(true)
		}},
		{name: "a save without effect whose write was to fail", invariant: "-", kept: quirks.Fixed, tell: func(s *story) {
			s.pass(time.Minute)
			s.check.Disturbed(s.now, "trainer.save-errors", false, false)
			s.step(20)
			s.check.Calls(s.now, "SaveCheckpoint").Answered(true)
		}},
		{name: "calls with effect", invariant: "-", tell: func(s *story) {
			stop := s.check.Calls(s.now, "StopTraining")
			s.place("")
			stop.Answered(true)
			resume := s.check.Calls(s.now, "ResumeTraining")
			s.assign("chief", 0, false)
			resume.Answered(true)
			s.step(20)
			save := s.check.Calls(s.now, "SaveCheckpoint")
			s.saves("model.ckpt-20")
			save.Answered(true)
		}},
		{name: "a chief that makes steps after its workers", invariant: "-", kept: quirks.Fixed, tell: func(s *story) {
			s.pass(time.Minute)
			finish("code 0")(s)
			s.step(200)
			s.pass(2 * time.Minute)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(t, c.kept, c.spec)
			c.tell(s)
			broken := slices.DeleteFunc(s.check.Broken(), func(b runners.Broken) bool { return !c.life && b.Invariant == traincheck.Liveness })
			if c.invariant == "-" {
				if len(broken) > 0 {
					t.Fatalf("got %v, want all to hold", broken)
				}
				return
			}
			if len(broken) != 1 || broken[0].Invariant != c.invariant || broken[0].Known != c.known || !strings.Contains(broken[0].Text, c.text) {
				t.Errorf("got %v, want %s to break once, known %q: %s", broken, c.invariant, c.known, c.text)
			}
			if line := broken[0].String(); !strings.HasPrefix(line, c.invariant+" broke by ") || !strings.Contains(line, c.known) {
				t.Errorf("got %q, want it to begin with the invariant, and to say what is known", line)
			}
		})
	}
}

// train reports five minutes in which workers make steps.
func (s *story) train(workers ...string) {
	s.serve("chief", "worker1", "worker2", "ps0")
	s.pass(5 * time.Minute)
	for _, w := range workers {
		s.check.Stepped(w, s.now-time.Second, s.now)
	}
}

// saveAfter reports a save that ends some time after its barrier was placed, at which some workers wait.
func saveAfter(d time.Duration, waiting ...string) func(s *story) {
	return func(s *story) {
		s.train("worker1", "worker2")
		s.place("Save")
		for _, w := range waiting {
			s.assign(w, int(w[len(w)-1]-'0'), true)
		}
		s.pass(d)
		s.saves("model.ckpt-9")
	}
}

var partial = cluster.TrainingSpec{PS: 2, PartialRecovery: true}

// restoreAgain reports that the chief makes a step, and restores a checkpoint in another session. A
// process, if given, starts again between them.
func restoreAgain(started string) func(s *story) {
	return func(s *story) {
		s.pass(time.Minute)
		s.check.Stepped("chief", s.now-time.Second, s.now)
		if started != "" {
			s.op(started, "process.exit", "")
			s.op(started, "process.start", "")
		}
		s.check.Observe(runners.Observation{At: s.now, Pod: "chief", Op: "training.restored", Path: model + "model.ckpt-9", Note: "step 9"})
	}
}

// Goal: a worker that makes no steps although it could is named, with the time of its last one. One
// that a barrier holds for an operator, that has just started, or that waits for its turn is not.
func TestIdleWorkers(t *testing.T) {
	const limit = 2 * time.Minute
	for _, c := range []struct {
		name, want string
		tell       func(s *story)
	}{
		{"two that make steps", "", func(s *story) { s.train("chief", "worker1", "worker2") }},
		{"one that makes none", "worker2", func(s *story) { s.train("chief", "worker1") }},
		{"one that is held", "", func(s *story) {
			s.place("")
			s.train("chief")
		}},
		{"one that has just tried again", "", func(s *story) {
			s.train("chief", "worker1")
			s.tries("worker2", "UnavailableError: gone")
		}},
		{"one that has ended", "", func(s *story) {
			s.train("chief", "worker1")
			s.ends("worker2", "ValueError: no")
		}},
		{"one that waits for its turn", "", func(s *story) {
			s.train("chief", "worker1")
			s.check.Present = func(string) (job.Wait, bool) { return job.Wait{In: "session_run_hooks"}, true }
		}},
	} {
		s := begin(t, quirks.Python, cluster.TrainingSpec{})
		c.tell(s)
		if who, since := s.check.Idle(0, limit); who != c.want || who != "" && since != 0 {
			t.Errorf("%s: got %q since %v, want %q", c.name, who, since, c.want)
		}
		if who, _ := s.check.Idle(s.now-limit, limit); who != "" {
			t.Errorf("%s: got %q within the limit, want nobody", c.name, who)
		}
	}
}

// robbed reports that a call of ResumeTraining removes the barrier of a save, which removes another at its end.
func robbed(s *story) {
	s.place("Save")
	resume := s.check.Calls(s.now, "ResumeTraining")
	s.assign("chief", 0, false)
	resume.Answered(true)
	s.place("")
	s.assign("chief", 0, false)
}

// failAfter reports that a chief that makes steps fails five minutes after something.
func failAfter(something func(s *story)) func(s *story) {
	return func(s *story) {
		something(s)
		s.pass(5 * time.Minute)
		s.check.Stepped("chief", s.now-time.Second, s.now)
		s.ends("chief", "ValueError: no")
	}
}

// saveOnCall reports a call to save, after which there is no new checkpoint.
func saveOnCall(s *story) {
	s.saves("model.ckpt-9")
	s.step(20)
	s.check.Calls(s.now, "SaveCheckpoint").Answered(true)
}

// beginAgain reports that the chief initializes the variables while there is a checkpoint of step 9, and
// makes a step that brings the step counter to first.
func beginAgain(first int64) func(s *story) {
	return func(s *story) {
		s.files[model+"checkpoint"], s.files[model+"monolith_checkpoint"] = "model_checkpoint_path: 'model.ckpt-9' all_model_checkpoint_paths: 'model.ckpt-9'", ""
		s.files[model+"model.ckpt-9.index"] = ""
		s.pass(time.Minute)
		s.check.Initialized(s.now)
		s.pass(5 * time.Second)
		s.check.Counted(s.now, 1, first)
		s.check.Stepped("chief", s.now-time.Second, s.now)
	}
}

// endAt reports that the chief ends its training with a step, after a save of step 410.
func endAt(step string) func(s *story) {
	return func(s *story) {
		s.saves("model.ckpt-410")
		s.check.Observe(runners.Observation{At: s.now, Pod: "chief", Op: "training.finished", Note: "step " + step})
	}
}

// endChief reports that all processes but the PS end after five minutes. With late, the PS has started
// again that long before.
func endChief(late time.Duration) func(s *story) {
	return func(s *story) {
		s.pass(5*time.Minute - late)
		if late > 0 {
			s.op("ps0", "process.exit", "")
			s.op("ps0", "process.start", "")
		}
		s.pass(late)
		for _, name := range []string{"worker1", "worker2", "chief"} {
			s.check.Observe(runners.Observation{At: s.now, Pod: name, Op: "process.exit", Note: "code 0"})
		}
		s.pass(endsWithin - time.Second)
		s.pass(2 * time.Second)
	}
}

// endsWithin is how long a PS may take to end after the chief.
const endsWithin = 2 * time.Minute

// reportOnce reports a PS that is not healthy, and nothing after that.
func reportOnce(s *story) {
	s.op("chief", "training.unhealthy", "ps0")
	s.pass(10 * time.Minute)
}

// finish reports that worker1 ends well and worker2 in another way, while the chief goes on.
func finish(other string) func(s *story) {
	return func(s *story) {
		s.op("worker1", "training.finished", "")
		for worker, note := range map[string]string{"worker1": "code 0", "worker2": other} {
			s.check.Observe(runners.Observation{At: s.now, Pod: worker, Op: "process.exit", Note: note})
		}
		s.pass(time.Minute)
	}
}

// waitFor reports the same, after which the chief does nothing for minutes.
func waitFor(other string) func(s *story) {
	return func(s *story) {
		s.pass(time.Minute)
		finish(other)(s)
		s.check.Present = func(string) (job.Wait, bool) { return job.Wait{In: "sync_hooks", For: "the workers to end"}, true }
		s.pass(5 * time.Minute)
	}
}

var restoring = cluster.TrainingSpec{RestoreDir: "/train/old"}

func placeAgain(s *story) {
	s.place("Save")
	s.assign("worker1", 1, true)
	s.assign("chief", 0, false)
	s.place("Save")
	s.pass(2 * time.Second)
}

// leaveMark reports a worker that leaves its session at a barrier, which is removed later.
func leaveMark(s *story) {
	s.place("Save")
	s.assign("worker1", 1, true)
	s.op("worker1", "training.retry", "UnavailableError")
	s.assign("chief", 0, false)
	s.pass(2 * time.Second)
}

// failWithPS reports a chief that fails and starts again, while its PS ends normally.
func failWithPS(s *story) {
	s.pass(time.Minute)
	s.step(10)
	s.ends("chief", "ValueError: no checkpoint")
	s.check.Observe(runners.Observation{At: s.now, Pod: "ps0", Op: "process.exit", Note: "code 0"})
	s.op("chief", "process.start", "")
	s.pass(11 * time.Minute)
}

// psBarrier reports calls of a barrier for two workers, and whether the first of them were
// released.
func psBarrier(calls int, released ...bool) func(s *story) {
	return func(s *story) {
		var numbers []int
		for range calls {
			numbers = append(numbers, s.check.PSArrived(s.now, "b", 2))
		}
		for i, r := range released {
			s.check.PSAnswered(s.now, numbers[i], r)
		}
	}
}

func observation(who, op string) runners.Observation { return runners.Observation{Pod: who, Op: op} }
