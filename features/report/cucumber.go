package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
)

// These are the parts of a Cucumber JSON report. Durations count nanoseconds of cluster time.
type (
	CucumberFeature struct {
		URI         string            `json:"uri"`
		ID          string            `json:"id"`
		Keyword     string            `json:"keyword"`
		Name        string            `json:"name"`
		Description string            `json:"description"`
		Line        int               `json:"line"`
		Tags        []cucumberTag     `json:"tags"`
		Elements    []cucumberElement `json:"elements"`
	}
	cucumberElement struct {
		ID          string         `json:"id"`
		Keyword     string         `json:"keyword"`
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Line        int            `json:"line"`
		Type        string         `json:"type"`
		Tags        []cucumberTag  `json:"tags"`
		Steps       []cucumberStep `json:"steps"`
	}
	cucumberTag struct {
		Name string `json:"name"`
		Line int    `json:"line"`
	}
	cucumberStep struct {
		Keyword string         `json:"keyword"`
		Name    string         `json:"name"`
		Line    int            `json:"line"`
		Result  cucumberResult `json:"result"`
	}
	cucumberResult struct {
		Status     string `json:"status"`
		Error      string `json:"error_message,omitempty"`
		DurationNs int64  `json:"duration"`
	}
)

// cucumber is the listener of NewCucumber.
type cucumber struct {
	out     io.Writer
	feature *CucumberFeature // feature that is being written
	any     bool             // whether an element was written, so that the next needs a comma before it
}

// NewCucumber makes a listener that writes Cucumber JSON, the same as Cucumber's own formatter.
func NewCucumber(w io.Writer) steps.Listener { return &cucumber{out: w} }

func (c *cucumber) Begin(steps.Plan) error {
	_, err := io.WriteString(c.out, "[")
	return err
}

func (c *cucumber) Add(r *steps.Result) error {
	var b bytes.Buffer
	if c.feature == nil || c.feature.URI != r.Path {
		c.close(&b, ",")
		f := written(r).Feature
		c.feature = &CucumberFeature{URI: r.Path, ID: slug(f.Name), Keyword: f.Keyword, Name: f.Name, Description: f.Description,
			Line: f.Line, Tags: cucumberTags(f.Tags), Elements: []cucumberElement{}}
		head, err := json.MarshalIndent(c.feature, "  ", "  ")
		if err != nil {
			return err
		}
		b.WriteString("\n  ")
		b.Write(bytes.TrimSuffix(head, []byte("]\n  }")))
		c.any = false
	}
	element, err := json.MarshalIndent(cucumberScenario(c.feature.ID, r), "      ", "  ")
	if err != nil {
		return err
	}
	if c.any {
		b.WriteByte(',')
	}
	c.any = true
	b.WriteString("\n      ")
	b.Write(element)
	_, err = c.out.Write(b.Bytes())
	return err
}

// close writes the end of the current feature, and then the text after.
func (c *cucumber) close(b *bytes.Buffer, after string) {
	if c.feature != nil {
		b.WriteString("\n    ]\n  }" + after)
	}
}

func (c *cucumber) End(*steps.Summary) error {
	var b bytes.Buffer
	c.close(&b, "\n")
	b.WriteString("]\n")
	_, err := c.out.Write(b.Bytes())
	return err
}

func cucumberScenario(feature string, r *steps.Result) cucumberElement {
	w := written(r)
	if w.Rule != "" {
		feature += ";" + slug(w.Rule)
	}
	e := cucumberElement{
		ID:      fmt.Sprintf("%s;%s;seed-%d", feature, slug(r.Name), r.Seed),
		Keyword: w.Scenario.Keyword, Name: r.Name, Description: w.Scenario.Description, Line: r.Line, Type: "scenario",
		Tags: cucumberTags(w.Scenario.Tags), Steps: []cucumberStep{},
	}
	for _, s := range r.Steps {
		step := cucumberStep{Keyword: s.KeywordAsWritten, Name: s.Text, Line: s.Line,
			Result: cucumberResult{Status: s.Status.String(), DurationNs: s.Took.Nanoseconds()}}
		if s.Err != nil {
			step.Result.Error = why(r, s.Err)
		}
		e.Steps = append(e.Steps, step)
	}
	if r.Err != nil && len(e.Steps) > 0 {
		last := &e.Steps[len(e.Steps)-1].Result
		last.Status, last.Error = "failed", strings.TrimSpace(last.Error+"\n"+why(r, r.Err))
	}
	return e
}

// written returns a scenario as its file has it. If the result lacks that (r.Written is nil),
// written builds a scenario from the other fields of the result.
func written(r *steps.Result) *steps.Written {
	if r.Written != nil {
		return r.Written
	}
	w := &steps.Written{
		Feature:  steps.Heading{Keyword: "Feature", Name: r.Feature, Line: 1},
		Scenario: steps.Heading{Keyword: "Scenario", Name: r.Name, Line: r.Line},
	}
	for _, tag := range r.Tags {
		w.Scenario.Tags = append(w.Scenario.Tags, steps.Tag{Name: tag, Line: r.Line})
	}
	return w
}

func cucumberTags(list []steps.Tag) []cucumberTag {
	return lists.Map(list, func(t steps.Tag) cucumberTag { return cucumberTag{t.Name, t.Line} })
}

// slug writes a name in the form of Cucumber's ids.
func slug(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }
