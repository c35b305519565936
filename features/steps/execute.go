package steps

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners"
)

// runOne runs a job, one scenario with one seed. While it fails, it runs again on slower clocks, if
// the suite has any.
func (s *Suite) runOne(j job) (r Result) {
	if s.Clock != nil {
		begin := s.Clock()
		defer func() { r.Wall = s.Clock().Sub(begin) }()
	}
	r = s.runOnce(j)
	for times := 1; r.Status == Failed && s.Slower != nil; times++ {
		slower := *s
		if slower.Runner, slower.Flags = s.Slower(times); slower.Runner == nil {
			break
		}
		r = slower.runOnce(j)
	}
	r.TooBusy()
	return r
}

// runOnce runs a job on one clock, and a second time if the suite compares two runs.
func (s *Suite) runOnce(j job) Result {
	var adjust func(*runners.Spec)
	if s.Detail {
		adjust = detail
	}
	x := s.execute(j, adjust)
	defer x.world.close()
	if s.Twice {
		s.compare(x)
	}
	if s.Detail && x.world.cluster != nil {
		x.result.Log = x.world.cluster.Log()
	}
	return x.result
}

// execution is a finished run of a job. Its world, with the cluster, has not been closed yet.
type execution struct {
	job
	world  *World
	result Result
}

// execute runs a job. adjust, if not nil, can change the spec right before the cluster is built.
func (s *Suite) execute(j job, adjust func(*runners.Spec)) *execution {
	x := s.begin(j, adjust)
	goesOn := true
	for i := range j.which.steps {
		goesOn = x.step(&j.which.steps[i], goesOn) && goesOn
	}
	x.mourn()
	x.result.finish(x.world)
	return x
}

// mostEnded is the maximum number of pods with ended processes that the error of a failed step
// names.
const mostEnded = 3

// mourn adds lines to the error of the failed step, if the cluster can tell them. Each line says
// how the agent or the model servers of a pod have ended.
func (x *execution) mourn() {
	i := slices.IndexFunc(x.result.Steps, func(s Step) bool { return s.Status == Failed })
	m, knows := x.world.cluster.(runners.Mourner)
	if i < 0 || !knows {
		return
	}
	lines := m.Ended()
	if more := len(lines) - mostEnded; more > 0 {
		lines = append(lines[:mostEnded], fmt.Sprintf("and %d more", more))
	}
	if len(lines) > 0 {
		x.result.Steps[i].Err = fmt.Errorf("%w\n%s", x.result.Steps[i].Err, strings.Join(lines, "\n"))
	}
}

// begin prepares the run of a job.
func (s *Suite) begin(j job, adjust func(*runners.Spec)) *execution {
	replay := s.replay(j)
	x := &execution{
		job:   j,
		world: &World{runner: s.Runner, adjust: adjust, spec: runners.Spec{Seed: j.seed, Quirks: s.Quirks, Replay: replay, NoLeaps: s.NoLeaps && !s.Twice}},
		result: Result{
			Feature: j.scenario.feature, Name: j.which.name, Path: j.scenario.path, Line: j.which.line(j.scenario),
			Written: j.which.written, Tags: j.which.tags, Runner: s.Runner.Name(), Seed: j.seed, Replay: replay, Steps: make([]Step, 0, len(j.which.steps)),
		},
	}
	for i := range j.which.steps {
		x.world.expect(j.which.steps[i].said)
	}
	return x
}

// expect prepares the spec of the cluster for a sentence that runs later, because the cluster is
// built before the sentence runs.
func (w *World) expect(said *Sentence) {
	if said.fault != "" {
		w.spec.Faults = append(w.spec.Faults, said.fault)
	}
	w.spec.Watch = w.spec.Watch || said.watches
}

// step runs a step, or skips it if an earlier step did not pass. It records the result and reports
// whether the step passed.
func (x *execution) step(source *step, runs bool) bool {
	st := Step{Keyword: source.keyword, KeywordAsWritten: source.keywordAsWritten, Text: source.text, Line: source.line, Status: Skipped}
	if runs {
		x.world.say(source.text)
		switch err := source.run(x.world); {
		case err == nil:
			st.Status = Passed
		case !errors.Is(err, runners.ErrUnsupported):
			st.Status, st.Err = Failed, err
			x.keepLogs()
		default:
			x.result.Unable = err
		}
	}
	if w := x.world; w.cluster != nil {
		now := w.cluster.Now()
		st.Took, w.seen = now-w.seen, now
	}
	x.result.Steps = append(x.result.Steps, st)
	return st.Status == Passed
}

// keepLogs keeps the logs of the cluster's processes after a failure, and adds the name of their
// folder to the result. Otherwise they are deleted with the cluster.
func (x *execution) keepLogs() {
	if k, ok := x.world.cluster.(runners.Keeper); ok {
		x.result.Explanation = append(x.result.Explanation, "what its processes have written is in "+k.Keep())
	}
}

// run runs the step in a world. A panic becomes an error with the functions that led to it.
func (st *step) run(w *World) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, panicked())
		}
	}()
	return st.said.say(w, st.args)
}

// panicked lists the functions on the stack from the panic down to the step.
func panicked() string {
	calls := make([]uintptr, 32)
	frames := runtime.CallersFrames(calls[:runtime.Callers(3, calls)])
	var b strings.Builder
	for frame, more := frames.Next(); more; frame, more = frames.Next() {
		if strings.HasSuffix(frame.Function, "(*step).run") {
			break
		}
		if !strings.HasPrefix(frame.Function, "runtime.") && !strings.HasPrefix(frame.Function, "reflect.") {
			fmt.Fprintf(&b, "  in %s, %s:%d\n", frame.Function, frame.File, frame.Line)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

var plainForShell = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// forShell quotes a word for a shell if that is necessary.
func forShell(word string) string {
	if plainForShell.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// replay returns the shell command that repeats a run.
func (s *Suite) replay(j job) string {
	if s.command != "" {
		return s.command
	}
	text := fmt.Sprintf("monosim test %s --seed %d", forShell(fmt.Sprintf("%s:%d", j.scenario.path, j.which.line(j.scenario))), j.seed)
	if s.Quirks != "" {
		text += " --quirks " + forShell(s.Quirks)
	}
	if s.Twice {
		text += " --check-determinism"
	}
	if s.NoLeaps {
		text += " --no-leaps"
	}
	if s.Flags != "" {
		text += " " + s.Flags
	}
	for _, choice := range s.Choices {
		text += fmt.Sprintf(" --choice '%v'", choice)
	}
	return text
}
