package steps

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
)

// trainerName matches the name of a process of a training job.
const trainerName = `chief|worker\d+|ps\d+|evaluator`

var trainerWord = regexp.MustCompile(`^(?:` + trainerName + `)$`)

// trainingJob adds a training job to the cluster's shape.
func (w *World) trainingJob(workers, ps int) error {
	w.spec.Training = &runners.TrainingSpec{Workers: workers, PS: ps}
	return w.spec.Training.CheckFields()
}

// jobSetting sets a field of the training job. Names are those of plans, and values are YAML.
func (w *World) jobSetting(name, value string) error {
	if w.spec.Training == nil {
		return errors.New("the job: found none, want one that the scenario has asked for by \"a training job with 2 workers and 1 PS\"")
	}
	d := yaml.NewDecoder(strings.NewReader(name + ": " + value + "\n"))
	d.KnownFields(true)
	if err := d.Decode(w.spec.Training); err != nil {
		return fmt.Errorf("the job setting %s: found %q: %s", name, value, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return w.spec.Training.CheckFields()
}

// trainer returns the cluster as a Trainer, or an error if it cannot train or has no training job.
func (w *World) trainer() (runners.Trainer, error) {
	t, ok := w.cluster.(runners.Trainer)
	if !ok {
		return nil, runners.ErrUnsupported
	}
	return t, nil
}

// onTraining calls fn with the cluster's training job.
func (w *World) onTraining(fn func(t runners.Trainer) error) error {
	t, err := w.trainer()
	if err != nil {
		return err
	}
	return fn(t)
}

// ofTraining makes a check that calls fn with the training job.
func (w *World) ofTraining(fn func(t runners.Trainer) error) check {
	return func() error { return w.onTraining(fn) }
}

func (w *World) startTraining() error { return w.onTraining(runners.Trainer.StartTraining) }

func (w *World) startTrainer(name string) error {
	return w.onTraining(func(t runners.Trainer) error { return t.StartTrainer(name) })
}

// operate calls a method of the job's controller and keeps the answer.
func (w *World) operate(method string) error {
	return w.onTraining(func(t runners.Trainer) error {
		answer, err := t.Operate(method)
		w.operated = &answer
		return err
	})
}

func (w *World) beginOperate(method string) error {
	w.operated = nil
	return w.onTraining(func(t runners.Trainer) error { return t.BeginOperate(method) })
}

// answer returns the answer to the last call of the controller. ok is false if there is none yet.
func (w *World) answer(t runners.Trainer) (runners.TrainingAnswer, bool) {
	if w.operated != nil {
		return *w.operated, true
	}
	return t.Operated()
}

func (w *World) operatedWith(text string) check {
	return w.answeredBy(func(a runners.TrainingAnswer) error {
		if a.Err != nil || a.Text != text {
			return differ("the operator's call", strconv.Quote(text), said(a))
		}
		return nil
	})
}

func (w *World) operateFails(code, text string) check {
	return w.answeredBy(func(a runners.TrainingAnswer) error {
		var refused *env.RPCError
		if !errors.As(a.Err, &refused) || refused.Code.String() != code || refused.Message != text {
			return differ("the operator's call", code+" "+strconv.Quote(text), said(a))
		}
		return nil
	})
}

func (w *World) operateRaises(exception string) check {
	return w.answeredBy(func(a runners.TrainingAnswer) error {
		if a.Err == nil || !strings.HasPrefix(a.Err.Error(), exception+":") {
			return differ("the operator's call", "it to raise "+exception, said(a))
		}
		return nil
	})
}

func (w *World) answeredBy(fn func(a runners.TrainingAnswer) error) check {
	return w.ofTraining(func(t runners.Trainer) error {
		a, ok := w.answer(t)
		if !ok {
			return differ("the operator's call", "an answer", "none")
		}
		return fn(a)
	})
}

func (w *World) notOperated() check {
	return w.ofTraining(func(t runners.Trainer) error {
		if a, ok := w.answer(t); ok {
			return differ("the operator's call", "no answer", said(a))
		}
		return nil
	})
}

// said returns an answer as text for a message.
func said(a runners.TrainingAnswer) string {
	if a.Err != nil {
		return a.Err.Error()
	}
	return strconv.Quote(a.Text)
}

// requestAction writes a request for the controller into a file in the model's directory.
func (w *World) requestAction(text string) error {
	return w.storeFile(w.spec.Training.WithDefaults().ModelDir+"/monolith_action", text)
}

func (w *World) storeFile(path, text string) error {
	return w.onTraining(func(t runners.Trainer) error { return t.StoreFile(path, []byte(text)) })
}

func (w *World) storedHolds(path, text string) check {
	return w.ofTraining(func(t runners.Trainer) error {
		data, ok, err := t.StoredFile(path)
		if err != nil {
			return err
		}
		if !ok || !strings.Contains(string(data), text) {
			return differ("file "+path, "one with "+strconv.Quote(text), fmt.Sprintf("%q", data))
		}
		return nil
	})
}

func (w *World) isStored(path string) check { return w.stored(path, true) }
func (w *World) notStored(path string) check {
	return w.stored(path, false)
}

func (w *World) stored(path string, want bool) check {
	return w.ofTraining(func(t runners.Trainer) error {
		_, ok, err := t.StoredFile(path)
		if err != nil {
			return err
		}
		if ok != want {
			return differ("file "+path, presence(want), presence(ok))
		}
		return nil
	})
}

func presence(there bool) string {
	if there {
		return "one"
	}
	return "none"
}

// checkpointPath returns the path with which the names of all files of a checkpoint begin, without
// their extensions.
func (w *World) checkpointPath(step int64) string {
	return fmt.Sprintf("%s/model.ckpt-%d", w.spec.Training.WithDefaults().ModelDir, step)
}

func (w *World) checkpointStored(step int64) check {
	return w.isStored(w.checkpointPath(step) + ".index")
}
func (w *World) checkpointNotStored(step int64) check {
	return w.notStored(w.checkpointPath(step) + ".index")
}

// checkpointsListed makes a check of how many checkpoints the file "checkpoint" lists.
func (w *World) checkpointsListed(n int) check {
	return w.ofTraining(func(t runners.Trainer) error {
		if listed := t.TrainingStatus().Checkpoints; len(listed) != n {
			return differ("the checkpoints that are listed", n, listed)
		}
		return nil
	})
}

func (w *World) checkpointListed(step int64) check    { return w.listed(step, true) }
func (w *World) checkpointNotListed(step int64) check { return w.listed(step, false) }

func (w *World) listed(step int64, want bool) check {
	return w.ofTraining(func(t runners.Trainer) error {
		listed := t.TrainingStatus().Checkpoints
		if slices.Contains(listed, w.checkpointPath(step)) != want {
			return differ(fmt.Sprintf("checkpoint %d in the list", step), presence(want), listed)
		}
		return nil
	})
}

// listedAreStored makes a check that each listed checkpoint exists (INV-4).
func (w *World) listedAreStored() check {
	return w.ofTraining(func(t runners.Trainer) error {
		for _, path := range t.TrainingStatus().Checkpoints {
			if _, ok, err := t.StoredFile(path + ".index"); err != nil || !ok {
				return differ("checkpoint "+path, "one that is listed to be there", presence(ok))
			}
		}
		return nil
	})
}

func (w *World) stepAtLeast(n int64) check {
	return w.ofTraining(func(t runners.Trainer) error {
		if got := t.TrainingStatus().GlobalStep; got < n {
			return differ("the global step", fmt.Sprintf("%d or more", n), got)
		}
		return nil
	})
}

func (w *World) stepAtMost(n int64) check {
	return w.ofTraining(func(t runners.Trainer) error {
		if got := t.TrainingStatus().GlobalStep; got > n {
			return differ("the global step", fmt.Sprintf("%d or less", n), got)
		}
		return nil
	})
}

func (w *World) barrierPlaced() check { return w.barrier(true) }
func (w *World) noBarrier() check     { return w.barrier(false) }

func (w *World) barrier(want bool) check {
	return w.ofTraining(func(t runners.Trainer) error {
		if got := t.TrainingStatus().Barrier; got != want {
			return differ("the barrier", presence(want), presence(got))
		}
		return nil
	})
}

// workersBlocked makes a check that exactly these workers wait at the barrier, such as "1, 2". ""
// means none.
func (w *World) workersBlocked(text string) check {
	return w.ofTraining(func(t runners.Trainer) error {
		got := lists.MapOrNil(t.TrainingStatus().Blocked, strconv.Itoa)
		if strings.Join(got, ", ") != text {
			return differ("the workers that wait at the barrier", strconv.Quote(text), strconv.Quote(strings.Join(got, ", ")))
		}
		return nil
	})
}

func (w *World) trainerRuns(name string) check {
	return w.ofTrainer(name, func(s runners.TrainerState) error {
		if !s.Running {
			return differ(name, "it to run", fmt.Sprintf("its end with exit code %d", s.ExitCode))
		}
		return nil
	})
}

func (w *World) trainerEnded(name string, code int) check {
	return w.ofTrainer(name, func(s runners.TrainerState) error {
		if s.Running || s.Starts == 0 || s.ExitCode != code {
			return differ(name, fmt.Sprintf("its end with exit code %d", code), fmt.Sprintf("%+v", s))
		}
		return nil
	})
}

func (w *World) trainerStarted(name string, n int) check {
	return w.ofTrainer(name, func(s runners.TrainerState) error {
		if s.Starts != n {
			return differ("starts of "+name, n, s.Starts)
		}
		return nil
	})
}

func (w *World) ofTrainer(name string, fn func(s runners.TrainerState) error) check {
	return w.ofTraining(func(t runners.Trainer) error {
		s, err := t.TrainerState(name)
		if err != nil {
			return err
		}
		return fn(s)
	})
}

// discovered returns the address that the job's discovery lists for a process. The bool reports
// whether it lists one.
func (w *World) discovered(name string) (string, bool, error) {
	if w.spec.Training.Discovery == "consul" {
		r, ok := w.cluster.(runners.Registry)
		if !ok {
			return "", false, runners.ErrUnsupported
		}
		return r.Registered(name)
	}
	job := w.spec.Training.WithDefaults().Job
	node := cmp.Or(map[string]string{"evaluator": "evaluator.0"}[name], "worker.0")
	if i := strings.IndexAny(name, "0123456789"); i > 0 {
		node = name[:i] + "." + name[i:]
	}
	n, ok, err := w.cluster.Znode("/monolith/" + job + "/" + node)
	return string(n.Data), ok, err
}

func (w *World) discoveryHas(name string) check { return w.discovery(name, true) }

func (w *World) discoveryHasOther(name string) check { return w.discovery(name, false) }

func (w *World) discovery(name string, own bool) check {
	return w.ofTrainer(name, func(s runners.TrainerState) error {
		addr, ok, err := w.discovered(name)
		if err != nil {
			return err
		}
		if !ok || s.Addr == "" || (addr == s.Addr) != own {
			return differ("the address of "+name+" in discovery", map[bool]string{true: "its own, ", false: "another than "}[own]+s.Addr, strconv.Quote(addr))
		}
		return nil
	})
}

// discoveryKnows makes a check that discovery lists a process, whether the process runs or not.
func (w *World) discoveryKnows(name string) check {
	return func() error {
		_, ok, err := w.discovered(name)
		if err == nil && !ok {
			return differ(name+" in discovery", "an address", "none")
		}
		return err
	}
}

func (w *World) discoveryLacks(name string) check {
	return func() error {
		addr, ok, err := w.discovered(name)
		if err == nil && ok {
			return differ(name+" in discovery", "none", addr)
		}
		return err
	}
}

// arriveAtPS makes a worker arrive at a barrier of the PS service.
func (w *World) arriveAtPS(worker, numWorkers int, name, timeout string) error {
	d, err := time.ParseDuration(timeout)
	if err != nil {
		return err
	}
	return w.onTraining(func(t runners.Trainer) error { return t.PSBarrier(name, worker, numWorkers, d) })
}

// psAnswer makes a check of the answer to the n-th arrival, counted from 1.
func (w *World) psAnswer(n int, want string) check {
	return w.nthAnswer("arrival", runners.Trainer.PSBarriers, n, want)
}

func (w *World) startLocal(workers int) error {
	return w.onTraining(func(t runners.Trainer) error { return t.StartLocal(workers) })
}

func (w *World) localSteps(worker, n int) error {
	return w.onTraining(func(t runners.Trainer) error { return t.LocalSteps(worker, n) })
}

func (w *World) localBarrier(worker int, timeout string) error {
	d, err := time.ParseDuration(timeout)
	if err != nil {
		return err
	}
	return w.onTraining(func(t runners.Trainer) error { return t.LocalBarrier(worker, d) })
}

// localAnswer makes a check of the answer to the n-th wait, counted from 1.
func (w *World) localAnswer(n int, want string) check {
	return w.nthAnswer("wait", runners.Trainer.LocalBarriers, n, want)
}

// nthAnswer makes a check that the n-th answer, or its error, contains the text want. The function
// of returns all answers.
func (w *World) nthAnswer(what string, of func(runners.Trainer) []runners.TrainingAnswer, n int, want string) check {
	return w.ofTraining(func(t runners.Trainer) error {
		answers := of(t)
		if n < 1 || n > len(answers) {
			return fmt.Errorf("%s: found number %d, want one of %d", what, n, len(answers))
		}
		got := answers[n-1]
		text := got.Text
		var refused *env.RPCError
		switch {
		case errors.As(got.Err, &refused):
			text = refused.Message
		case got.Err != nil:
			text = got.Err.Error()
		}
		if text != want {
			return differ(fmt.Sprintf("the answer to %s %d", what, n), strconv.Quote(want), strconv.Quote(text))
		}
		return nil
	})
}

// times makes a check of how often a process of the training job has done something.
func (w *World) times(name, op, path string, want int) check {
	return w.ofTraining(func(t runners.Trainer) error {
		if got := t.TrainingDeeds(name, op, path); got != want {
			return differ(strings.TrimRight(fmt.Sprintf("times that %s has %s %s", name, op, path), " "), want, got)
		}
		return nil
	})
}

// cameToBarrier makes a check of how often a process was blocked at a barrier for an action. The
// barrier of an operator has no action.
func (w *World) cameToBarrier(name, action string, n int) check {
	return w.times(name, "blocked", cmp.Or(action, noAction), n)
}

// noAction stands for the missing action of an operator's barrier.
const noAction = "no action"

func (w *World) retried(name string, n int) check  { return w.times(name, "retry", "", n) }
func (w *World) reported(name string, n int) check { return w.times("chief", "unhealthy", name, n) }
func (w *World) savedTimes(n int) check            { return w.times("chief", "saved", "", n) }
func (w *World) restoredTimes(n int) check         { return w.times("chief", "restored", "", n) }

// reportedAs makes a check of how often the chief has reported this end of the job to the
// application master.
func (w *World) reportedAs(end string, n int) check { return w.times("chief", "reported", end, n) }

// heartbeats makes a check of how often the chief's metric has changed to typ, running or stopped.
func (w *World) heartbeats(typ string, n int) check { return w.times("chief", "heartbeat", typ, n) }

// evaluatedTimes makes a check of how often the evaluator has evaluated a checkpoint.
func (w *World) evaluatedTimes(step int64, n int) check {
	return w.times("evaluator", "evaluated", w.checkpointPath(step), n)
}

// evaluatedInAll makes a check of how many evaluations the evaluator has made.
func (w *World) evaluatedInAll(n int) check { return w.times("evaluator", "evaluated", "", n) }

// passedOver makes a check of how many checkpoints the evaluator skipped, because they were
// deleted.
func (w *World) passedOver(n int) check { return w.times("evaluator", "passed-over", "", n) }

// newestExport returns the newest version that the job has exported of a servable.
func (w *World) newestExport(t runners.Trainer, servable string) (int64, error) {
	names, err := t.StoredNames(w.basePath(servable))
	if err != nil {
		return 0, err
	}
	newest := int64(0)
	for _, name := range names {
		if v, err := strconv.ParseInt(name, 10, 64); err == nil {
			newest = max(newest, v)
		}
	}
	return newest, nil
}

// servesNewest makes a check that the newest export of the job is available on the named servers.
func (w *World) servesNewest(who, servable string) check {
	return w.ofTraining(func(t runners.Trainer) error {
		newest, err := w.newestExport(t, servable)
		if err != nil {
			return err
		}
		if newest == 0 {
			return differ("exports of "+servable, "one at least", "none")
		}
		return w.hasVersion(who, newest, servable, "AVAILABLE")()
	})
}

// servesOlder makes a check that an export of the job is available on the named servers, but not
// the newest.
func (w *World) servesOlder(who, servable string) check {
	return w.ofTraining(func(t runners.Trainer) error {
		newest, err := w.newestExport(t, servable)
		if err != nil {
			return err
		}
		return w.eachServer(who, servable, func(s modelServer, versions []env.ModelVersionStatus, err error) error {
			what := fmt.Sprintf("%s: exports of %s", s, servable)
			if err != nil {
				return differ(what, "one before the newest", err)
			}
			served := slices.DeleteFunc(slices.Clone(versions), func(v env.ModelVersionStatus) bool { return v.State.String() != "AVAILABLE" })
			isNewest := func(v env.ModelVersionStatus) bool { return v.Version == newest }
			if len(served) == 0 || slices.ContainsFunc(served, isNewest) {
				return differ(what, "one before the newest", statuses(versions))
			}
			return nil
		})()
	})
}

// exportsStored makes a check of how many exported versions of a servable are stored.
func (w *World) exportsStored(n int, servable string) check {
	return w.ofTraining(func(t runners.Trainer) error {
		names, err := t.StoredNames(w.basePath(servable))
		if err != nil {
			return err
		}
		names = slices.DeleteFunc(names, func(name string) bool {
			_, err := strconv.ParseInt(name, 10, 64)
			return err != nil
		})
		if len(names) != n {
			return differ("exports of "+servable, n, names)
		}
		return nil
	})
}
