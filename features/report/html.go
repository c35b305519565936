package report

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/show/timeline"
	"github.com/monosim/monosim/runners/show/webpage"
)

var (
	//go:embed html.js
	htmlScript string
	//go:embed html.css
	htmlStyle string
)

// These are the lines of data in the page of NewHTML. A scenario stands before its runs
// and, where it has one, the chart of a run after it. With several seeds the round of a seed
// stands after its runs. The totals are the last line. Times are nanoseconds of cluster time.
type (
	HTMLScenario struct {
		Kind    string     `json:"kind"` // "scenario"
		ID      int        `json:"id"`
		Feature string     `json:"feature"`
		Name    string     `json:"name"`
		Path    string     `json:"path"`
		Line    int        `json:"line"`
		Tags    []string   `json:"tags,omitempty"`
		About   []string   `json:"about,omitempty"` // the quirks that the tags name
		Steps   []HTMLStep `json:"steps"`
	}
	HTMLStep struct {
		Keyword string `json:"keyword"`
		Text    string `json:"text"`
		Line    int    `json:"line"`
	}
	HTMLRun struct {
		Kind        string   `json:"kind"` // "run"
		ID          int      `json:"id"`
		Scenario    int      `json:"scenario"`
		Seed        uint64   `json:"seed"`
		Status      string   `json:"status"`
		Steps       []string `json:"steps,omitempty"` // the statuses of steps; missing when all passed
		TookNs      []int64  `json:"took_ns"`
		VirtualNs   int64    `json:"virtual_ns"`
		Events      uint64   `json:"events"`
		Trace       string   `json:"trace"`
		Replay      string   `json:"replay"`
		Error       string   `json:"error,omitempty"`
		Explanation []string `json:"explanation,omitempty"`
	}
	HTMLChart struct {
		Kind  string          `json:"kind"` // "chart"
		Run   int             `json:"run"`
		Chart *timeline.Chart `json:"chart"`
	}
	// HTMLRound has what became of all scenarios with one seed: of those with the numbers from 1
	// to Ran those of Failed failed, those of Skipped were skipped, and the others passed.
	HTMLRound struct {
		Kind    string `json:"kind"` // "round"
		Seed    uint64 `json:"seed"`
		Ran     int    `json:"ran"`
		Failed  []int  `json:"failed,omitempty"`
		Skipped []int  `json:"skipped,omitempty"`
	}
	HTMLTotals struct {
		Kind      string `json:"kind"` // "totals"
		Runs      int    `json:"runs"`
		Passed    int    `json:"passed"`
		Failed    int    `json:"failed"`
		Skipped   int    `json:"skipped"`
		Steps     int    `json:"steps"`
		VirtualNs int64  `json:"virtual_ns"`
		Trace     string `json:"trace"`
		// NotListed counts the runs that have no line.
		NotListed int    `json:"not_listed,omitempty"`
		Remark    string `json:"remark,omitempty"`
	}
)

// These bound the runs that have a line, so that a page of very many seeds can be opened: those
// that passed, those of a scenario that did not, and all of these. The first ones are listed. The
// strips of rounds have every run.
const (
	mostPassed          = 4_000
	mostFailedAScenario = 50
	mostFailed          = 2_000
)

// mostCharts bounds the charts of failures.
const mostCharts = 50

// htmlForm writes the page of NewHTML.
type htmlForm struct {
	out       io.Writer
	page      *webpage.Page
	scenarios map[scenarioKey]*htmlScenario
	runs      int
	charts    int
	// passed and failed count the runs that are listed; failed has all that did not pass.
	passed, failed int
	rounds         bool
	round          HTMLRound // of the present seed
}

// htmlScenario is a scenario that has its line.
type htmlScenario struct{ id, failed int }

// scenarioKey names a scenario, or a row of an outline.
type scenarioKey struct {
	path string
	line int
}

// NewHTML makes a listener that writes a page for a browser. It has every scenario with its steps
// and their times and, for a failure, the reason, what led to it, and the run over time. With
// several seeds it has a strip for each scenario, with a cell for each seed.
func NewHTML(w io.Writer) steps.Listener {
	return &htmlForm{out: w, scenarios: map[scenarioKey]*htmlScenario{}}
}

func (f *htmlForm) Begin(p steps.Plan) error {
	f.rounds = p.Seeds > 1
	f.page = webpage.Begin(f.out, webpage.Head{
		Title: "Scenarios", Styles: []string{timeline.DrawingStyle, htmlStyle}, Scripts: []string{timeline.DrawingScript, htmlScript},
	})
	return nil
}

// Add writes a run, and the chart of a failure whose log is known.
func (f *htmlForm) Add(r *steps.Result) error {
	f.runs++
	sc, err := f.scenario(r)
	if err != nil {
		return err
	}
	if err := f.inRound(r, sc.id); err != nil || !f.lists(r, sc) {
		return err
	}
	if err := f.page.Line(htmlRun(r, f.runs, sc.id)); err != nil || r.Status != steps.Failed || len(r.Log) == 0 || f.charts == mostCharts {
		return err
	}
	f.charts++
	return f.page.Line(HTMLChart{Kind: "chart", Run: f.runs, Chart: timeline.NewChart(r.Log, r.Stats.Virtual, r.Instants...)})
}

// lists counts a run as listed, if there is room for it.
func (f *htmlForm) lists(r *steps.Result, sc *htmlScenario) bool {
	switch {
	case r.Status == steps.Passed && f.passed < mostPassed:
		f.passed++
	case r.Status != steps.Passed && f.failed < mostFailed && sc.failed < mostFailedAScenario:
		f.failed++
		sc.failed++
	default:
		return false
	}
	return true
}

// inRound counts a run in the round of its seed, and writes the round before it.
func (f *htmlForm) inRound(r *steps.Result, id int) error {
	if !f.rounds {
		return nil
	}
	if f.round.Ran > 0 && f.round.Seed != r.Seed {
		if err := f.page.Line(f.round); err != nil {
			return err
		}
		f.round = HTMLRound{Failed: f.round.Failed[:0], Skipped: f.round.Skipped[:0]}
	}
	f.round.Kind, f.round.Seed = "round", r.Seed
	f.round.Ran++
	switch r.Status {
	case steps.Failed:
		f.round.Failed = append(f.round.Failed, id)
	case steps.Skipped:
		f.round.Skipped = append(f.round.Skipped, id)
	}
	return nil
}

// scenario returns a scenario, and writes its line before its first run.
func (f *htmlForm) scenario(r *steps.Result) (*htmlScenario, error) {
	key := scenarioKey{r.Path, r.Line}
	if known := f.scenarios[key]; known != nil {
		return known, nil
	}
	known := &htmlScenario{id: len(f.scenarios) + 1}
	f.scenarios[key] = known
	sc := HTMLScenario{
		Kind: "scenario", ID: known.id, Feature: r.Feature, Name: r.Name, Path: r.Path, Line: r.Line, Tags: r.Tags,
		About: r.About(), Steps: []HTMLStep{},
	}
	for _, s := range r.Steps {
		sc.Steps = append(sc.Steps, HTMLStep{s.Keyword, s.Text, s.Line})
	}
	return known, f.page.Line(sc)
}

func htmlRun(r *steps.Result, id, scenario int) HTMLRun {
	run := HTMLRun{
		Kind: "run", ID: id, Scenario: scenario, Seed: r.Seed, Status: r.Status.String(), TookNs: []int64{},
		VirtualNs: int64(r.Stats.Virtual), Events: r.Stats.Events, Trace: fmt.Sprintf("%016x", r.Stats.TraceHash),
		Replay: r.Replay, Explanation: r.Explanation,
	}
	for _, s := range r.Steps {
		run.TookNs = append(run.TookNs, int64(s.Took))
		if r.Status != steps.Passed {
			run.Steps = append(run.Steps, s.Status.String())
		}
	}
	if err := r.Failure(); err != nil {
		run.Error = err.Error()
	}
	return run
}

// End writes the last round and the totals, and ends the page.
func (f *htmlForm) End(s *steps.Summary) error {
	if f.round.Ran > 0 {
		if err := f.page.Line(f.round); err != nil {
			return err
		}
	}
	totals := HTMLTotals{
		Kind: "totals", Runs: s.Runs, Passed: s.Passed, Failed: s.Failed, Skipped: s.Skipped, Steps: s.Steps,
		VirtualNs: int64(s.Virtual), Trace: fmt.Sprintf("%016x", s.TraceHash()), NotListed: s.Runs - f.passed - f.failed,
	}
	totals.Remark = s.Remark()
	if err := f.page.Line(totals); err != nil {
		return err
	}
	return f.page.End()
}
