package report

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/monosim/monosim/features/steps"
)

// The parts of a Cucumber JSON report. Durations are cluster time in nanoseconds.
type (
	CucumberFeature struct {
		URI      string            `json:"uri"`
		ID       string            `json:"id"`
		Keyword  string            `json:"keyword"`
		Name     string            `json:"name"`
		Line     int               `json:"line"`
		Elements []cucumberElement `json:"elements"`
	}
	cucumberElement struct {
		ID      string         `json:"id"`
		Keyword string         `json:"keyword"`
		Name    string         `json:"name"`
		Line    int            `json:"line"`
		Type    string         `json:"type"`
		Tags    []cucumberTag  `json:"tags,omitempty"`
		Steps   []cucumberStep `json:"steps"`
	}
	cucumberTag struct {
		Name string `json:"name"`
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

// WriteCucumber writes what Cucumber's own JSON formatter writes.
func WriteCucumber(w io.Writer, r *steps.Report) error {
	features := []*CucumberFeature{}
	var feature *CucumberFeature
	for i := range r.Results {
		result := &r.Results[i]
		if feature == nil || feature.URI != result.Path {
			feature = &CucumberFeature{URI: result.Path, ID: slug(result.Feature), Keyword: "Feature", Name: result.Feature, Line: 1}
			features = append(features, feature)
		}
		feature.Elements = append(feature.Elements, cucumberScenario(feature.ID, result))
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(features)
}

func cucumberScenario(feature string, r *steps.Result) cucumberElement {
	e := cucumberElement{
		ID:      fmt.Sprintf("%s;%s;seed-%d", feature, slug(r.Name), r.Seed),
		Keyword: "Scenario", Name: r.Name, Line: r.Line, Type: "scenario",
		Steps: []cucumberStep{},
	}
	for _, tag := range r.Tags {
		e.Tags = append(e.Tags, cucumberTag{Name: tag})
	}
	for _, s := range r.Steps {
		step := cucumberStep{Keyword: s.Keyword + " ", Name: s.Text, Line: s.Line,
			Result: cucumberResult{Status: s.Status.String(), DurationNs: s.Took.Nanoseconds()}}
		if s.Err != nil {
			step.Result.Error = s.Err.Error() + "\nreplay with: " + r.Replay
		}
		e.Steps = append(e.Steps, step)
	}
	if r.Err != nil && len(e.Steps) > 0 {
		last := &e.Steps[len(e.Steps)-1].Result
		last.Status, last.Error = "failed", strings.TrimSpace(last.Error+"\n"+r.Err.Error()+"\nreplay with: "+r.Replay)
	}
	return e
}

var notInSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slug is a name in the form of Cucumber's ids.
func slug(name string) string {
	return strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
}
