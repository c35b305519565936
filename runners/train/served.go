package train

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/series"
	"github.com/monosim/monosim/runners/test/simrun/freshness"
)

// Served says what agents of the plan served of the job's exports and pushes.
type Served struct {
	Model string `json:"model"`
	Pods  int    `json:"pods"`
	// Exports lists the versions of all sub-graphs, in the order in which they were made.
	Exports []freshness.Version `json:"exports"`
	// Parameters lists the sub-graphs of PS in each pod.
	Parameters []freshness.Parameters `json:"parameters"`
	// PushesEnded lists the PS whose parameter sync an error has ended.
	PushesEnded []string `json:"pushes_ended,omitempty"`

	described string
	// kept has the quirks of the reference that the run kept.
	kept jobquirks.Set
	// failing says, by PS and target, whether the latest push failed. known says whether the
	// outcome of a push is in the timeline already.
	failing, known map[string]bool
	// told has the versions whose first load is in the timeline.
	told map[string]bool
	// names has the pods.
	names map[string]bool
	// up has the pods whose model server has a version.
	up map[string]bool
}

func newServed(s *Serving, spec runners.Spec) *Served {
	kept, _ := quirks.Parse(spec.Quirks) // cannot fail: Read has refused invalid sets
	served := &Served{Model: s.Model, Pods: s.Pods(), described: s.String(), kept: kept, failing: map[string]bool{}, known: map[string]bool{}, told: map[string]bool{}, names: map[string]bool{}, up: map[string]bool{}}
	for _, p := range spec.Pods() {
		served.names[p.Name] = true
	}
	return served
}

// pod handles an observation of a pod. It adds the starts and ends of processes, and the first load
// of each version, to the timeline of the report. ok is false if the observation is not about a
// pod.
func (r *Report) pod(o runners.Observation) (ok bool) {
	s := r.Serving
	if s == nil || !s.names[o.Pod] {
		return false
	}
	at := o.At.Seconds()
	switch {
	case o.Op == "process.start" || o.Op == "process.exit":
		r.moment(o, o.Op, strings.TrimSpace(o.Path+" "+exitOf(o)))
		switch {
		case o.Op == "process.start" && o.Path == runners.AgentProcess:
			r.bar(o.Pod, "start", at)
		case o.Op == "process.exit" && (o.Path == runners.AgentProcess || o.Path == runners.ModelServerProcess && s.up[o.Pod]):
			r.end(o.Pod, at, exitOf(o))
			s.up[o.Pod] = false
		}
	case o.Op == "modelserver.state" && o.Note == "AVAILABLE" && strings.HasPrefix(o.Path, s.Model+":"):
		if !s.told[o.Path] {
			s.told[o.Path] = true
			r.moment(o, "loaded", o.Path+", the first")
		}
		if !s.up[o.Pod] {
			s.up[o.Pod] = true
			r.end(o.Pod, at, "")
			r.bar(o.Pod, "running", at)
		}
	}
	return true
}

// exitOf returns how a process ended, "" for another observation.
func exitOf(o runners.Observation) string {
	if o.Op == "process.exit" {
		return o.Note
	}
	return ""
}

// moment adds a moment to the timeline, which is limited.
func (r *Report) moment(o runners.Observation, what, about string) {
	if r.MomentsTotal++; len(r.Timeline) < maxTimeline {
		r.Timeline = append(r.Timeline, Moment{AtSeconds: o.At.Seconds(), Who: o.Pod, What: what, About: about})
	}
}

// isRoutine reports whether an action of the parameter sync brings nothing new. This holds for
// rounds, and for pushes that end as the previous push to the same pod did. Routine actions are
// only counted.
func (s *Served) isRoutine(o runners.Observation, op string) bool {
	switch op {
	case "sync-round":
		return true
	case "sync-ended":
		s.PushesEnded = append(s.PushesEnded, o.Pod)
	case "pushed", "push-failed":
		key := o.Pod + " " + o.Path
		same := s.known[key] && s.failing[key] == (op == "push-failed")
		s.known[key], s.failing[key] = true, op == "push-failed"
		return same
	}
	return false
}

// checkpoint sums up the exports of one checkpoint.
type checkpoint struct {
	step                  int64
	saved, loaded, served float64 // times at which that had happened to all sub-graphs; -1 before
	graphs, pods          int
}

// checkpoints groups the exports by checkpoint. A checkpoint is loaded and served when the last pod
// of each sub-graph has it.
func (s *Served) checkpoints() (list []checkpoint) {
	latest := func(sum, one float64) float64 {
		if sum < 0 || one < 0 {
			return -1
		}
		return max(sum, one)
	}
	for _, v := range s.Exports {
		if n := len(list); n == 0 || list[n-1].step != v.Step || list[n-1].saved != v.SavedSeconds {
			list = append(list, checkpoint{step: v.Step, saved: v.SavedSeconds})
		}
		c := &list[len(list)-1]
		c.graphs++
		c.pods += v.Pods
		c.loaded, c.served = latest(c.loaded, v.LastLoadedSeconds), latest(c.served, v.LastServedSeconds)
	}
	return list
}

// took returns the mean and the longest time from a checkpoint to the last address that serves it,
// and the number of checkpoints that are served.
func (s *Served) took() (mean, worst float64, n int) {
	for _, c := range s.checkpoints() {
		if c.served >= 0 {
			mean, worst, n = mean+c.served-c.saved, max(worst, c.served-c.saved), n+1
		}
	}
	if n > 0 {
		mean /= float64(n)
	}
	return mean, worst, n
}

// ages returns the mean age of all parameters, weighted by the time for which they were served, and
// their worst age. It also returns the total numbers of failed pushes and of missing steps.
func (s *Served) ages() (mean, worst float64, failed int, missing int64) {
	total := 0.0
	for _, p := range s.Parameters {
		total += p.ServedSeconds
		mean += p.MeanSeconds * p.ServedSeconds
		worst, failed, missing = max(worst, p.WorstSeconds), failed+p.Failed, missing+p.MissingSteps
	}
	if total > 0 {
		mean /= total
	}
	return mean, worst, failed, missing
}

// mostCheckpoints is how many checkpoints the printed report lists.
const mostCheckpoints = 20

// print writes the report's sections on serving.
func (s *Served) print(w io.Writer) {
	fmt.Fprintf(w, "\nfrom step to served address: %s\n", s.described)
	list := s.checkpoints()
	for _, c := range list[:min(len(list), mostCheckpoints)] {
		fmt.Fprintf(w, "  %10.3fs  step %d saved, %d exports: %s\n", c.saved, c.step, c.graphs, c.fate())
	}
	if more := len(list) - mostCheckpoints; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	mean, worst, n := s.took()
	fmt.Fprintf(w, "  %-24s %d of %d, after %.3fs in the mean, %.3fs at most\n", "checkpoints served", n, len(list), mean, worst)
	if len(s.Parameters) == 0 {
		return
	}
	fmt.Fprintln(w, "\nage of the parameters of serving PS")
	for _, p := range s.Parameters {
		end := "not served at the end"
		if p.EndSeconds >= 0 {
			end = fmt.Sprintf("%.3fs at the end", p.EndSeconds)
		}
		fmt.Fprintf(w, "  %-10s %s: %.3fs in the mean, %.3fs at worst, %s; %d pushes, %d failed; updates of %d steps are missing, of %d at most\n",
			p.Model, p.Pod, p.MeanSeconds, p.WorstSeconds, end, p.Pushes, p.Failed, p.MissingSteps, p.MostMissingSteps)
	}
	if _, _, failed, _ := s.ages(); failed > 0 && s.kept.Keeps(jobquirks.Q331) {
		fmt.Fprintln(w, "  what a push that failed carried is not sent again: its ids left their list before (Q331)")
	}
	for _, ps := range s.PushesEnded {
		fmt.Fprintf(w, "  the parameter sync of %s has ended by an error\n", ps)
	}
}

// fate says what became of a checkpoint.
func (c *checkpoint) fate() string {
	switch {
	case c.served >= 0:
		return fmt.Sprintf("loaded by %.3fs, served by %.3fs, %.3fs after the save", c.loaded, c.served, c.served-c.saved)
	case c.loaded >= 0:
		return fmt.Sprintf("loaded by %.3fs, not all served", c.loaded)
	}
	return "not all loaded"
}

// ServingColumns lists the further columns of a sweep whose plan has agents: the mean and the longest
// time from a checkpoint to its last served address, the mean and the worst age of parameters, failed
// pushes, and steps whose updates are missing at the end.
var ServingColumns = []string{"served", "to_address_s", "to_address_worst_s", "age_s", "age_worst_s", "pushes_failed", "steps_missing"}

func (s *Served) sweepRow() []string {
	mean, worst, n := s.took()
	age, oldest, failed, missing := s.ages()
	var row []string
	for _, v := range []float64{float64(n), mean, worst, age, oldest, float64(failed), float64(missing)} {
		row = append(row, series.Decimal(v))
	}
	return row
}

// servingColumns are further columns of the time series of a plan with agents.
var servingColumns = []series.Column[Sample]{
	{Name: "parameters_age_s", Value: func(s *Sample) float64 { return s.ParametersAge }},
	{Name: "steps_missing", Value: func(s *Sample) float64 { return float64(s.StepsMissing) }},
}

// columns returns the columns of the time series.
func (r *Report) columns() []series.Column[Sample] {
	if r.Serving == nil {
		return columns
	}
	return slices.Concat(columns, servingColumns)
}

// sum stores what the meter has measured until now.
func (s *Served) sum(m *freshness.Meter, now time.Duration) {
	s.Exports, s.Parameters = m.Versions(), m.Parameters(now)
}
