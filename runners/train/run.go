package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// maxTimeline is how many moments a report lists. Further ones are only counted.
const maxTimeline = 200

// slice is the virtual time between two checks whether the run was cancelled.
const slice = time.Minute

// Run runs the plan with the given acts. An error without a report is a mistake in the plan.
// An error with a report says why the run ended early. An act that fails is noted in the
// report and does not stop the run.
func (p *Plan) Run(ctx context.Context, acts []runners.Act) (*Report, error) {
	began := time.Now()
	report := &Report{Plan: p.Name, Seed: p.Seed, Quirks: p.Quirks, Workers: p.Job.Workers, PS: p.Job.PS, Notes: p.Notes, Expected: p.Expect, Deeds: map[string]int{}, due: p.Every}
	job := p.Job.WithDefaults()
	report.TensorFlow, report.FailFast, report.MaxRetries, report.RetryWaitSeconds = job.TensorFlow, *job.FailFast, *job.MaxRetries, job.RetryWait.Seconds()
	if p.Serving != nil {
		report.Serving = newServed(p.Serving, p.Spec())
	}
	built, err := (&simrun.Runner{KeepLog: 1, OnObservation: report.observe}).Build(p.Spec())
	if err != nil {
		return nil, err
	}
	c := built.(*simrun.Cluster)
	defer c.Close()
	report.why = func(process string) string { return c.Training().Why(process) }
	failure := p.live(ctx, c, acts, report)
	report.sum(c, time.Since(began), failure)
	if job.Evaluator {
		report.Work.Evaluated = report.evaluation()
	}
	report.over = true // the events of Close no longer belong to the run
	return report, failure
}

// live starts the job, performs the acts, and passes the rest of the time.
func (p *Plan) live(ctx context.Context, c *simrun.Cluster, acts []runners.Act, report *Report) error {
	if err := c.StartTraining(); err != nil {
		return err
	}
	if p.Serving != nil {
		if err := p.Serving.start(c, &p.Job); err != nil {
			return err
		}
	}
	for _, act := range acts {
		if err := p.pass(ctx, c, report, act.At); err != nil {
			return err
		}
		done := Done{AtSeconds: c.Now().Seconds(), What: act.Text}
		if act.Until == act.At {
			report.causes = append(report.causes, cause{at: c.Now(), what: act.Text})
		}
		if err := act.Do(c); err != nil {
			done.Error = err.Error()
		}
		if broken := c.Failure(); broken != "" {
			return fmt.Errorf("%s: %s", act.Text, broken)
		}
		report.Acts = append(report.Acts, done)
	}
	return p.pass(ctx, c, report, p.For)
}

// pass runs the cluster up to a virtual time, and takes the samples that fall due on the way.
func (p *Plan) pass(ctx context.Context, c *simrun.Cluster, report *Report, until time.Duration) error {
	for now := c.Now(); now < until; now = c.Now() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		step := min(slice, until-now)
		if p.Every > 0 {
			step = min(step, report.due-now)
		}
		if _, err := c.Pass(step, nil); err != nil {
			return err
		}
		if p.Every > 0 && c.Now() >= report.due {
			report.sample(c, c.Now())
			report.due += p.Every
		}
	}
	return nil
}

// observe adds an observation of the job to the timeline and the counts. Other observations
// are ignored.
func (r *Report) observe(o runners.Observation) {
	if r.over {
		return
	}
	if r.pod(o) {
		return
	}
	op, ofJob := strings.CutPrefix(o.Op, "training.")
	switch {
	case ofJob:
	case strings.HasPrefix(o.Op, "process."):
		op = o.Op
	case o.Op == "log.error" && strings.HasPrefix(o.Note, saveFailed):
		op, o.Path, o.Note = "write-failed", "", raised(o.Note)
	default:
		return
	}
	r.Deeds[op]++
	r.draw(o, op)
	r.explains(o, op)
	if op == "serving" || op == "blocked" && o.Pod != "chief" {
		return // these observations are only counted, because every process makes them
	}
	if r.Serving != nil && r.Serving.isRoutine(o, op) {
		return
	}
	said := strings.TrimSpace(strings.Join([]string{about(o), o.Note}, " "))
	if op == "failed" {
		said += " (" + r.why(o.Pod) + ")"
	}
	r.moment(o, op, said)
}

// explains records events that may explain pauses and lost steps: ends of processes, and
// saves.
func (r *Report) explains(o runners.Observation, op string) {
	switch {
	case op == "process.exit" && o.Note != "code 0":
		// a process that ends at the instant of a scripted action was ended by that action
		if n := len(r.causes); n == 0 || r.causes[n-1].at != o.At {
			r.causes = append(r.causes, cause{at: o.At, what: o.Pod + " ended with " + o.Note})
		}
	case op == "write-failed":
		r.causes = append(r.causes, cause{at: o.At, what: "a write of a checkpoint failed"})
	case op == "barrier" && o.Path == saveBarrier:
		r.saves = append(r.saves, saving{o.At, math.MaxInt64})
	case op == "evaluated":
		r.evaluated(o.Path, o.At)
	}
	if n := len(r.saves); n > 0 && o.Pod == "chief" && (op == "saved" || op == "retry" || op == "process.exit") {
		r.saves[n-1].to = min(r.saves[n-1].to, o.At)
	}
	if op == "saved" {
		r.savedAt(o.Path, o.At)
	}
}

const (
	// saveFailed begins what the chief logs of a write of a checkpoint that failed (save_utils.py:377).
	saveFailed = "Failed to save, retrying"
	// saveBarrier is the action of the barrier that the chief places for a save.
	saveBarrier = "Save"
)

// raised returns the error in the text of a traceback, without the module of its class.
func raised(traceback string) string {
	lines := strings.Split(strings.TrimSpace(traceback), "\n")
	class, text, _ := strings.Cut(lines[len(lines)-1], ": ")
	return class[strings.LastIndexByte(class, '.')+1:] + ": " + text
}

// about returns the subject of a moment, such as a path. It is "" for starts and ends of
// processes.
func about(o runners.Observation) string {
	if strings.HasPrefix(o.Op, "process.") {
		return ""
	}
	return o.Path
}

// lastSaved returns the step of the last checkpoint in a list of paths, 0 if there is none.
func lastSaved(paths []string) int64 {
	if len(paths) == 0 {
		return 0
	}
	step, _ := saveutils.SaveHelper{}.GlobalStep(paths[len(paths)-1])
	return step
}

// sum adds the state of the job at the end to the report.
func (r *Report) sum(c *simrun.Cluster, wall time.Duration, failure error) {
	status, stats := c.TrainingStatus(), c.Stats()
	r.GlobalStep, r.Checkpoints = status.GlobalStep, status.Checkpoints
	gone := int64(0)
	if r.GlobalStep < 0 { // unknown, because the PS with the step counter has ended
		r.GlobalStep = c.Training().Step()
		gone = max(0, r.GlobalStep-lastSaved(r.Checkpoints))
	}
	r.Running, r.Invariants = []string{}, []Broken{}
	check := c.Training()
	r.Undecided = check.Finish(c.Now())
	r.NotChecked, r.Processes, r.Work = check.Unchecked(), doings(check), account(check, r.causes, r.saves, gone)
	r.Work.WritesFailed = r.Deeds["write-failed"]
	for _, b := range check.Broken() {
		r.Invariants = append(r.Invariants, Broken{Invariant: b.Invariant, AtSeconds: b.At.Seconds(), What: b.Text, Known: b.Known})
	}
	r.Held = r.held()
	for _, name := range c.TrainerNames() {
		if s, err := c.TrainerState(name); err == nil && s.Running {
			r.Running = append(r.Running, name)
		}
	}
	r.Counts, r.Trace = stats.Counts, fmt.Sprintf("%016x", stats.TraceHash)
	r.closeBars(c.Now())
	if r.Serving != nil {
		r.Serving.sum(c.Freshness(), c.Now())
	}
	r.VirtualSec, r.WallSec = stats.Virtual.Seconds(), wall.Seconds()
	if failure != nil {
		r.Failure = cmp.Or(failure.Error(), "the run broke off")
	}
}
