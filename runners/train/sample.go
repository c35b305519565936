package train

import (
	"io"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/series"
	"github.com/monosim/monosim/runners/test/simrun"
	"github.com/monosim/monosim/runners/test/simrun/traincheck"
)

// Sample is the state of the job at an instant.
type Sample struct {
	AtSeconds float64
	// GlobalStep is the step counter after the latest step. StepsMade counts all steps made so
	// far. StepsLost counts those that a restore or restart undid. StepsPerSecond is the mean
	// rate since the previous sample.
	GlobalStep, StepsMade, StepsLost int64
	StepsPerSecond                   float64
	// StandsSeconds is the time since any process last made a step.
	StandsSeconds float64
	// Running counts the running processes. Waiting counts those of them that wait for another
	// process.
	Running, Waiting int
	// ParametersAge is the age in seconds of the oldest parameters that a pod serves. StepsMissing
	// is the largest number of steps whose updates no push will bring to a pod. Both are 0 without
	// agents.
	ParametersAge float64
	StepsMissing  int64
}

var columns = []series.Column[Sample]{
	{Name: "at_s", Value: func(s *Sample) float64 { return s.AtSeconds }},
	{Name: "global_step", Value: func(s *Sample) float64 { return float64(s.GlobalStep) }},
	{Name: "steps_made", Value: func(s *Sample) float64 { return float64(s.StepsMade) }},
	{Name: "steps_lost", Value: func(s *Sample) float64 { return float64(s.StepsLost) }},
	{Name: "steps_per_s", Value: func(s *Sample) float64 { return s.StepsPerSecond }},
	{Name: "stands_s", Value: func(s *Sample) float64 { return s.StandsSeconds }},
	{Name: "running", Value: func(s *Sample) float64 { return float64(s.Running) }},
	{Name: "waiting", Value: func(s *Sample) float64 { return float64(s.Waiting) }},
}

// sample adds a sample of the job's present state.
func (r *Report) sample(c *simrun.Cluster, now time.Duration) {
	check := c.Training()
	made, last := check.Steps()
	one := Sample{AtSeconds: now.Seconds(), GlobalStep: check.Step(), StepsMade: made, StandsSeconds: max(now-last, 0).Seconds()}
	var before Sample
	if n := len(r.Samples); n > 0 {
		before = r.Samples[n-1]
	}
	one.StepsPerSecond = float64(made-before.StepsMade) / (one.AtSeconds - before.AtSeconds)
	for _, l := range check.Losses() {
		one.StepsLost += l.Steps
	}
	for _, a := range check.Activities() {
		if !a.Running {
			continue
		}
		one.Running++
		if !a.Stepping && !a.Waits.Serves {
			one.Waiting++
		}
	}
	if r.Serving != nil {
		for _, p := range c.Freshness().Parameters(now) {
			one.ParametersAge, one.StepsMissing = max(one.ParametersAge, p.EndSeconds), max(one.StepsMissing, p.MissingSteps)
		}
	}
	r.Samples = append(r.Samples, one)
}

// WriteSeries writes the samples as CSV.
func (r *Report) WriteSeries(out io.Writer) error { return series.Write(out, r.columns(), r.Samples) }

// SweepColumns lists the result columns of a sweep. In its table they follow the columns of
// the swept values.
var SweepColumns = []string{
	"global_step", "steps_made", "steps_lost", "goodput", "paused_s", "saves_s", "saved", "restored", "retries", "gave_up", "running", "broken", "failed", "stands_still",
}

// SweepRow returns a run's row in the table of a sweep. retries counts the processes'
// retries after errors, and gave_up their ends by errors. broken counts broken invariants
// that the reference keeps, and failed the failed lines of the script. stands_still is 1 if
// INV-8 broke.
func (r *Report) SweepRow() []string {
	stands := 0
	for _, b := range r.Invariants {
		if b.Invariant == traincheck.Liveness {
			stands = 1
		}
	}
	w := &r.Work
	row := lists.Map([]float64{
		float64(r.GlobalStep), float64(w.StepsMade), float64(w.StepsLost), w.Goodput, w.PausedSeconds, w.SavesSeconds, float64(r.Deeds["saved"]), float64(r.Deeds["restored"]),
		float64(r.Deeds["retry"]), float64(r.Deeds["failed"]), float64(len(r.Running)), float64(r.Unknown()), float64(r.Failed()), float64(stands),
	}, series.Decimal)
	if r.Serving != nil {
		row = append(row, r.Serving.sweepRow()...)
	}
	return row
}

// Bar is a part of a process's life: from its start until it serves, or from then until it
// ends.
type Bar struct {
	Who string `json:"who"`
	// What is "start" or "running".
	What  string  `json:"what"`
	From  float64 `json:"from_s"`
	Until float64 `json:"until_s"`
	// End says how the process ended, "" if the bar ends otherwise.
	End string `json:"end,omitempty"`
}

// mostBars is the largest number of bars that are kept.
const mostBars = 5000

// draw begins or ends the bars that an observation of a process affects.
func (r *Report) draw(o runners.Observation, op string) {
	at := o.At.Seconds()
	switch op {
	case "process.start":
		r.bar(o.Pod, "start", at)
	case "serving":
		r.end(o.Pod, at, "")
		r.bar(o.Pod, "running", at)
	case "process.exit":
		r.end(o.Pod, at, o.Note)
	}
}

func (r *Report) bar(who, what string, at float64) {
	if len(r.Bars) < mostBars {
		r.Bars = append(r.Bars, Bar{Who: who, What: what, From: at, Until: -1})
	}
}

// end closes the open bar of a process.
func (r *Report) end(who string, at float64, how string) {
	for i := len(r.Bars) - 1; i >= 0; i-- {
		if b := &r.Bars[i]; b.Who == who && b.Until < 0 {
			b.Until, b.End = at, strings.TrimSpace(how)
			return
		}
	}
}

// closeBars closes all open bars at the end of the run.
func (r *Report) closeBars(now time.Duration) {
	for i := range r.Bars {
		if r.Bars[i].Until < 0 {
			r.Bars[i].Until = now.Seconds()
		}
	}
}
