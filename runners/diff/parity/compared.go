package parity

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/features/steps"
)

// comparedFile holds the results of the last run of monosim test --compare --record. Writing the
// page does not run anything.
const comparedFile = "vectors/compared.json"

// trainedFile holds the results of training jobs on TensorFlow, which are made on other machines
// and days.
const trainedFile = "vectors/compared_tensorflow.json"

const comparedTitle = "Scenarios on other runners"

// readCompared reads comparedFile and trainedFile, and hashes the code that their results depend
// on. If comparedFile is missing, it returns nil.
func readCompared(sources fs.FS, report *steps.Report) (*compare.Matrix, *compare.Code, error) {
	m, err := readRecord(sources, comparedFile)
	if m == nil || err != nil {
		return nil, nil, err
	}
	trained, err := readRecord(sources, trainedFile)
	if err != nil {
		return nil, nil, err
	}
	if trained != nil {
		m = trained.Over(m, func(path, name string) (order int, ok bool) {
			order = slices.IndexFunc(report.Results, func(r steps.Result) bool { return r.Path == path && r.Name == name })
			return order, order >= 0
		})
	}
	code, err := compare.ReadCode(sources, report.Results)
	return m, code, err
}

// readRecord reads the results in a file. If the file is missing, it returns nil.
func readRecord(sources fs.FS, name string) (*compare.Matrix, error) {
	text, err := fs.ReadFile(sources, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sources: %w", err)
	}
	m, err := compare.ParseMatrix(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// refresh is the command that runs again, and records, only the results that are older than the
// code.
const refresh = "make check-runners RECORD=" + comparedFile + " STALE=1"

// CheckRecords returns an error if recorded results on other runners are older than the code that
// they depend on. The error gives their number for each runner, and why they are older. Those on
// TensorFlow are no error, because they are made at the clock's own speed, and take hours. PARITY.md
// gives the number of all that are older.
func CheckRecords(sources fs.FS, report *steps.Report) error {
	p := &evidence{report: report}
	var err error
	if p.compared, p.code, err = readCompared(sources, report); err != nil || p.compared == nil {
		return err
	}
	var older []error
	for _, runner := range p.compared.Runners[1:] {
		if runner == tensorflow {
			continue
		}
		list := p.comparedTo(runner)
		for _, why := range reasonsOf(list, func(c *comparedCell) string { return c.older }) {
			older = append(older, fmt.Errorf("%s: %d results on %s are older than the code: %s; %s", comparedFile, why.count, runner, why.text, refresh))
		}
	}
	return errors.Join(older...)
}

// comparedCell is the recorded result of one of the project's scenarios on a runner.
type comparedCell struct {
	compare.Cell
	of *steps.Result
	// older says why the result is older than the code, "" if it is not.
	older string
}

// comparedTo returns the recorded results on a runner for the project's scenarios, in the order of
// the report. A scenario that was not recorded, or was excluded then but not now, has no verdict.
func (p *evidence) comparedTo(runner string) (list []comparedCell) {
	for i := range p.report.Results {
		r := &p.report.Results[i]
		if runner == tensorflow && !trains(r) {
			continue
		}
		c := comparedCell{Cell: p.compared.Cell(r.Path, r.Name, runner), of: r}
		switch excluded := excludes(r, runner); {
		case c.Verdict == compare.NotRun && !excluded && !c.Backend:
			c.Cell = compare.Cell{}
		case c.Verdict == "" && excluded:
			c.Cell = compare.Cell{Verdict: compare.NotRun, Why: "not recorded yet, its feature says why"}
		}
		c.older = p.code.Older(r.Path, r.Name, runner, c.Cell)
		list = append(list, c)
	}
	return list
}

// tensorflow is the name of the runner for training jobs. It has the same servers as the runner
// real.
const tensorflow = "tensorflow"

// trains reports whether a scenario has a training job.
func trains(r *steps.Result) bool {
	return slices.ContainsFunc(r.Steps, func(s steps.Step) bool { return strings.Contains(s.Text, "training job with") })
}

// excludes reports whether a scenario's tags exclude a runner.
func excludes(r *steps.Result, runner string) bool {
	asReal := runner == tensorflow && !slices.Contains(r.Tags, steps.OnTensorFlow)
	return slices.Contains(r.Tags, "@not-"+runner) || asReal && slices.Contains(r.Tags, "@not-real")
}

// comparedColumns holds the columns of the table of results, each with the outcome that it counts.
var comparedColumns = []struct {
	name string
	is   func(c *comparedCell) bool
}{
	{"ran", func(c *comparedCell) bool {
		return c.Ran()
	}},
	{"passed", func(c *comparedCell) bool { return c.Verdict == steps.Passed.String() }},
	{compare.Same, func(c *comparedCell) bool { return c.Log == compare.Same }},
	{compare.Explained, func(c *comparedCell) bool { return c.Log == compare.Explained }},
	{compare.Differs, func(c *comparedCell) bool { return c.Log == compare.Differs }},
	{"older", func(c *comparedCell) bool { return c.older != "" }},
	{"not there", func(c *comparedCell) bool { return c.Verdict == compare.NotRun }},
	{"not recorded", func(c *comparedCell) bool { return c.Verdict == "" }},
}

// summariseCompared writes one line of the summary for each runner with recorded results.
func (p *evidence) summariseCompared(line func(what, title string, numbers ...string)) {
	if p.compared == nil {
		return
	}
	for _, runner := range p.compared.Runners[1:] {
		list := p.comparedTo(runner)
		var numbers []string
		for _, column := range comparedColumns {
			numbers = append(numbers, fmt.Sprintf("%d %s", countCells(list, column.is), column.name))
		}
		line("scenarios on "+runner, onTitle(runner), numbers...)
	}
}

func countCells(list []comparedCell, is func(c *comparedCell) bool) (n int) {
	for i := range list {
		n += one(is(&list[i]))
	}
	return n
}

// onTitle returns the heading of the section about a runner.
func onTitle(runner string) string { return "On " + runner }

// writeCompared writes a section for each runner: a row for each feature, what is known of the
// seeds, every difference, and why scenarios do not run there.
func (p *evidence) writeCompared(b *bytes.Buffer) {
	if p.compared == nil {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\nWhat `monosim test --runner sim,... --compare --record` found, kept in %s. What was done is the same as in the simulation where some seeds do it too: the record has the set of these seeds or, where none does the same in all tracks at once, says that there is one for each track. Otherwise it differs, or a quirk explains it. A result is older where the scenario, its trace in the simulation, or the code that only processes run through is another than when it was recorded; `%s` runs what is older or missing, and `make parity-check` fails before that, but not of those on TensorFlow, which take hours at the clock's own speed.\n",
		comparedTitle, toFile(comparedFile), refresh)
	for _, runner := range p.compared.Runners[1:] {
		list := p.comparedTo(runner)
		fmt.Fprintf(b, "\n### %s\n\n| feature |", onTitle(runner))
		for _, c := range comparedColumns {
			fmt.Fprintf(b, " %s |", c.name)
		}
		fmt.Fprintf(b, "\n|---|%s\n", strings.Repeat("---|", len(comparedColumns)))
		var features []string
		for _, c := range list {
			if !slices.Contains(features, c.of.Path) {
				features = append(features, c.of.Path)
			}
		}
		slices.Sort(features)
		for _, f := range append(features, "") {
			writeComparedRow(b, f, list)
		}
		writeSeeds(b, list)
		writeDifferences(b, list)
		writeLeft(b, list)
	}
}

// writeComparedRow writes a row that counts the outcomes of a feature's scenarios. The feature ""
// stands for all.
func writeComparedRow(b *bytes.Buffer, feature string, list []comparedCell) {
	name := "all"
	if feature != "" {
		name = toFile(feature)
	}
	fmt.Fprintf(b, "| %s |", name)
	for _, column := range comparedColumns {
		n := countCells(list, func(c *comparedCell) bool {
			return (feature == "" || c.of.Path == feature) && column.is(c)
		})
		fmt.Fprintf(b, " %d |", n)
	}
	b.WriteString("\n")
}

// writeSeeds writes how many results are the same as the simulation with one set of seeds for all
// tracks at once, and how many only with another seed for each track.
func writeSeeds(b *bytes.Buffer, list []comparedCell) {
	whole := countCells(list, func(c *comparedCell) bool { return c.Seeds != nil && c.Seeds.Whole != "" })
	tracks := countCells(list, func(c *comparedCell) bool { return c.Seeds != nil && c.Seeds.Whole == "" })
	if whole+tracks > 0 {
		fmt.Fprintf(b, "\nOf what is the same, %d are so with a set of seeds for the whole, %d with a seed for each track.\n", whole, tracks)
	}
}

// at returns a link to the result's scenario.
func (c *comparedCell) at() string {
	return fmt.Sprintf("[%s](%s#L%d)", c.of.Name, c.of.Path, c.of.Line)
}

// writeDifferences lists the scenarios that fail or differ. It counts by reason those that do not
// run, and those whose results are older than the code.
func writeDifferences(b *bytes.Buffer, cells []comparedCell) {
	var list []string
	for i := range cells {
		c := &cells[i]
		if c.Verdict == steps.Failed.String() {
			list = append(list, fmt.Sprintf("%s: failed: %s", c.at(), c.Why))
		}
		for _, d := range c.Differences {
			text := fmt.Sprintf("%s: %s, in its %s", c.at(), strings.ReplaceAll(d.Track, "|", `\|`), d.Kind)
			if d.Quirk != "" {
				text += ", explained by " + d.Quirk
			}
			list = append(list, text)
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(b, "\nDifferences:\n\n- %s\n", strings.Join(list, "\n- "))
	}
	writeReasons(b, "Why results are older", reasonsOf(cells, func(c *comparedCell) string { return c.older }))
	writeReasons(b, "Why scenarios are not there", reasonsOf(cells, func(c *comparedCell) string {
		if c.Verdict == compare.NotRun {
			return c.Why
		}
		return ""
	}))
}

// reason is why several scenarios do not run, or are older than the code, with their number.
type reason struct {
	text  string
	count int
}

// reasonsOf counts how often each reason occurs, in the order in which they first occur.
func reasonsOf(list []comparedCell, why func(*comparedCell) string) (reasons []reason) {
	for i := range list {
		text := why(&list[i])
		if text == "" {
			continue
		}
		k := slices.IndexFunc(reasons, func(r reason) bool { return r.text == text })
		if k < 0 {
			k = len(reasons)
			reasons = append(reasons, reason{text: text})
		}
		reasons[k].count++
	}
	return reasons
}

func writeReasons(b *bytes.Buffer, title string, reasons []reason) {
	if len(reasons) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n\n", title)
	for _, r := range reasons {
		fmt.Fprintf(b, "- %s: %d\n", r.text, r.count)
	}
}

// scale is the speed at which records are made: a run takes a tenth of the cluster's time.
const scale = 0.1

// writeLeft lists the scenarios that can run but are not recorded, with the time that each would
// take.
func writeLeft(b *bytes.Buffer, cells []comparedCell) {
	var list []string
	for i := range cells {
		if c := &cells[i]; c.Verdict == "" {
			took := c.of.Stats.Virtual
			list = append(list, fmt.Sprintf("%s: %s of the cluster, %s at a tenth of the clock", c.at(), about(took), about(time.Duration(scale*float64(took)))))
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(b, "\nNot recorded:\n\n- %s\n", strings.Join(list, "\n- "))
	}
}

// about writes a time in hours, or in minutes if it is less than an hour.
func about(d time.Duration) string {
	if d >= time.Hour {
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.1f min", d.Minutes())
}
