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
// and, where it has one, the chart of a run after it; the totals are the last line. Times
// are nanoseconds of cluster time.
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
	HTMLTotals struct {
		Kind      string `json:"kind"` // "totals"
		Runs      int    `json:"runs"`
		Passed    int    `json:"passed"`
		Failed    int    `json:"failed"`
		Skipped   int    `json:"skipped"`
		Steps     int    `json:"steps"`
		VirtualNs int64  `json:"virtual_ns"`
		Trace     string `json:"trace"`
		// NotListed counts the passed runs that have no line.
		NotListed int    `json:"not_listed,omitempty"`
		Remark    string `json:"remark,omitempty"`
	}
)

// mostListed bounds the passed runs that have a line, so that a page of very many seeds can
// be opened. The first ones are listed.
const mostListed = 10_000

// mostCharts bounds the charts of failures.
const mostCharts = 50

// htmlForm writes the page of NewHTML.
type htmlForm struct {
	out       io.Writer
	page      *webpage.Page
	scenarios map[scenarioKey]int
	runs      int
	listed    int
	charts    int
}

// scenarioKey names a scenario, or a row of an outline.
type scenarioKey struct {
	path string
	line int
}

// NewHTML makes a listener that writes a page for a browser. It has every scenario with its steps
// and their times and, for a failure, the reason, what led to it, and the run over time.
func NewHTML(w io.Writer) steps.Listener {
	return &htmlForm{out: w, scenarios: map[scenarioKey]int{}}
}

func (f *htmlForm) Begin(steps.Plan) error {
	f.page = webpage.Begin(f.out, webpage.Head{
		Title: "Scenarios", Styles: []string{timeline.DrawingStyle, htmlStyle}, Scripts: []string{timeline.DrawingScript, htmlScript},
	})
	return nil
}

// Add writes a run, and the chart of a failure whose log is known.
func (f *htmlForm) Add(r *steps.Result) error {
	f.runs++
	if r.Status == steps.Passed {
		if f.listed == mostListed {
			return nil
		}
		f.listed++
	}
	id, err := f.scenario(r)
	if err != nil {
		return err
	}
	if err := f.page.Line(htmlRun(r, f.runs, id)); err != nil || r.Status != steps.Failed || len(r.Log) == 0 || f.charts == mostCharts {
		return err
	}
	f.charts++
	return f.page.Line(HTMLChart{Kind: "chart", Run: f.runs, Chart: timeline.NewChart(r.Log, r.Stats.Virtual)})
}

// scenario returns the id of a scenario. It writes the scenario's line before its first run.
func (f *htmlForm) scenario(r *steps.Result) (id int, err error) {
	key := scenarioKey{r.Path, r.Line}
	if id, ok := f.scenarios[key]; ok {
		return id, nil
	}
	id = len(f.scenarios) + 1
	f.scenarios[key] = id
	sc := HTMLScenario{
		Kind: "scenario", ID: id, Feature: r.Feature, Name: r.Name, Path: r.Path, Line: r.Line, Tags: r.Tags,
		About: r.About(), Steps: []HTMLStep{},
	}
	for _, s := range r.Steps {
		sc.Steps = append(sc.Steps, HTMLStep{s.Keyword, s.Text, s.Line})
	}
	return id, f.page.Line(sc)
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

// End writes the totals and ends the page.
func (f *htmlForm) End(s *steps.Summary) error {
	totals := HTMLTotals{
		Kind: "totals", Runs: s.Runs, Passed: s.Passed, Failed: s.Failed, Skipped: s.Skipped, Steps: s.Steps,
		VirtualNs: int64(s.Virtual), Trace: fmt.Sprintf("%016x", s.TraceHash()), NotListed: s.Passed - f.listed,
	}
	totals.Remark = s.Remark()
	if err := f.page.Line(totals); err != nil {
		return err
	}
	return f.page.End()
}
