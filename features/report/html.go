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

// These are the lines of data in the page of NewHTML. A scenario comes before its runs, and a run
// before its chart, if it has one. With several seeds, the round of a seed follows its runs. The
// totals are the last line. Times are nanoseconds of cluster time.
type (
	HTMLScenario struct {
		Kind    string     `json:"kind"` // "scenario"
		ID      int        `json:"id"`
		Feature string     `json:"feature"`
		Name    string     `json:"name"`
		Path    string     `json:"path"`
		Line    int        `json:"line"`
		Tags    []string   `json:"tags,omitempty"`
		About   []string   `json:"about,omitempty"` // quirks that the scenario's tags name
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
		Steps       []string `json:"steps,omitempty"` // status of each step; empty if all passed
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
	// HTMLRound holds the results of all scenarios with one seed. Scenarios 1 to Ran have run.
	// Those in Failed failed, those in Skipped were skipped, and the others passed.
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
		// NotListed counts runs without a line of their own.
		NotListed int    `json:"not_listed,omitempty"`
		Remark    string `json:"remark,omitempty"`
	}
)

// These limit how many runs have a line, so that a browser can open a page of very many seeds:
// passed runs, failed runs of one scenario, and failed runs in all. The first runs are listed. The
// strips of cells show every run.
const (
	mostPassed          = 4_000
	mostFailedAScenario = 50
	mostFailed          = 2_000
)

// mostCharts is the most charts of failed runs on a page.
const mostCharts = 50

// htmlForm is the listener of NewHTML.
type htmlForm struct {
	out       io.Writer
	page      *webpage.Page
	scenarios map[scenarioKey]*htmlScenario
	runs      int
	charts    int
	// passed and failed count the listed runs. failed includes skipped runs.
	passed, failed int
	rounds         bool
	round          HTMLRound // what the present seed has shown so far
}

// htmlScenario is a scenario whose line has been written.
type htmlScenario struct{ id, failed int }

// scenarioKey identifies a scenario, or one row of a scenario outline.
type scenarioKey struct {
	path string
	line int
}

// NewHTML makes a listener that writes a web page. It shows every scenario with its steps and their
// times. For a failure it shows the reason, what led to it, and a chart of the run. With several
// seeds, each scenario has a strip with one cell per seed.
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

// Add writes the line of a run. If the run failed and its log is known, it adds a chart.
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

// lists reports whether there is room to list a run, and if so counts the run as listed.
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

// inRound adds a run to the round of its seed. If the run begins a new round, the previous one is
// written.
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

// scenario returns the scenario of a run. Before the first run of a scenario it writes the
// scenario's line.
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
