package report

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/show/junit"
)

// mostFailures is the most failures of one scenario that the report describes.
const mostFailures = 5

// junitForm is the listener of NewJUnit.
type junitForm struct {
	out   io.Writer
	cases []*junitCase
	of    map[scenarioKey]*junitCase
	named map[string]int // number of cases with the same name in a file, by "path\x00name"
}

// junitCase is a scenario, or a row of an outline, with the totals of its runs.
type junitCase struct {
	feature, path, name   string
	runs, failed, skipped int
	wall, virtual         time.Duration
	message               string   // text of the first failure
	failures              []string // the first few
}

// NewJUnit makes a listener that writes a test suite for each file and a test case for each
// scenario. A case describes the failures of its first failed seeds, so that the size does not grow
// with the seeds. Names have no line number, so that editing a file does not change them. Time is
// wall time, and the property virtual_seconds is the clusters' time.
func NewJUnit(w io.Writer) steps.Listener {
	return &junitForm{out: w, of: map[scenarioKey]*junitCase{}, named: map[string]int{}}
}

func (f *junitForm) Begin(steps.Plan) error { return nil }

func (f *junitForm) Add(r *steps.Result) error {
	key := scenarioKey{r.Path, r.Line}
	c := f.of[key]
	if c == nil {
		c = &junitCase{feature: r.Feature, path: r.Path, name: r.Name}
		same := r.Path + "\x00" + r.Name
		if f.named[same]++; f.named[same] > 1 {
			c.name = fmt.Sprintf("%s [%d]", r.Name, f.named[same])
		}
		f.of[key], f.cases = c, append(f.cases, c)
	}
	c.runs++
	c.wall += r.Wall
	c.virtual += r.Stats.Virtual
	switch r.Status {
	case steps.Failed:
		err := r.Failure()
		if c.failed++; c.failed == 1 {
			c.message = err.Error()
		}
		if c.failed <= mostFailures {
			c.failures = append(c.failures, fmt.Sprintf("seed %d: %s", r.Seed, why(r, err)))
		}
	case steps.Skipped:
		c.skipped++
	}
	return nil
}

func (f *junitForm) End(s *steps.Summary) error {
	all := junit.Suites{Name: "monosim"}
	if remark := s.Remark(); remark != "" {
		all.Remark = " " + remark + " "
	}
	for _, c := range f.cases {
		all.Add(junit.Suite{Name: c.feature, File: c.path}, c.element())
	}
	return all.Write(f.out)
}

// element returns the case as an element of the JUnit file.
func (c *junitCase) element() junit.Case {
	e := junit.Case{
		Class: c.path, Name: c.name, Time: fmt.Sprintf("%.3f", c.wall.Seconds()),
		Properties: &junit.Properties{List: []junit.Property{
			{Name: "seeds", Value: fmt.Sprint(c.runs)}, {Name: "virtual_seconds", Value: fmt.Sprintf("%.3f", c.virtual.Seconds())},
		}},
	}
	switch {
	case c.failed > 0:
		text := strings.Join(c.failures, "\n\n")
		if more := c.failed - len(c.failures); more > 0 {
			text += fmt.Sprintf("\n\nand with %d more seeds", more)
		}
		if c.runs > 1 {
			text = fmt.Sprintf("failed with %d of %d seeds\n\n%s", c.failed, c.runs, text)
		}
		e.Failure = &junit.Failure{Message: c.message, Text: text}
	case c.skipped == c.runs:
		e.Skipped = &struct{}{}
	}
	return e
}

var lineOfPath = regexp.MustCompile(`^(.*\.feature)(:\d+)+$`)

// WriteInputErrors writes a JUnit report of an error in the input, which kept anything from
// running. Each file with errors is a case. Errors that are about no file belong to the case
// "monosim test".
func WriteInputErrors(w io.Writer, err error) error {
	var files []string
	texts := map[string][]string{}
	for _, one := range errorsIn(err) {
		file := "monosim test"
		if input := (*steps.InputError)(nil); errors.As(one, &input) {
			file = lineOfPath.ReplaceAllString(input.Where, "$1")
		}
		if texts[file] == nil {
			files = append(files, file)
		}
		texts[file] = append(texts[file], one.Error())
	}
	all := junit.Suites{Name: "monosim"}
	for _, file := range files {
		all.Add(junit.Suite{Name: "input", File: file}, junit.Case{
			Class: file, Name: "can be run", Time: "0.000",
			Error: &junit.Failure{Message: texts[file][0], Text: strings.Join(texts[file], "\n")},
		})
	}
	return all.Write(w)
}

// errorsIn returns the single errors that are joined in err.
func errorsIn(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, errorsIn(one)...)
	}
	return all
}
