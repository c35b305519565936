package conformance

import (
	_ "embed"
	"io"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/show/webpage"
)

var (
	//go:embed cause.js
	causeScript string
	//go:embed cause.css
	causeStyle string
)

// jsonCause is a cause in the form of the JSON report and of the page's data.
type jsonCause struct {
	Cause    string   `json:"cause"`
	Failures []string `json:"failures"` // ids
	Alone    int      `json:"alone"`
	Left     int      `json:"left"`
	Kinds    []string `json:"kinds,omitempty"`
	Instead  []string `json:"instead,omitempty"` // classes of the expected exceptions
	Places   []string `json:"places,omitempty"`
	Ops      []string `json:"ops"`
	Lines    []string `json:"lines,omitempty"`
	Example  string   `json:"example"` // an id
}

func jsonCauses(results []Result) []jsonCause {
	return lists.Map(CausesOf(results), func(c Cause) jsonCause {
		return jsonCause{Cause: c.String(), Failures: lists.Map(c.Failures, func(r Result) string { return r.ID }), Alone: c.Alone, Left: c.Left,
			Kinds: c.otherKinds(), Instead: c.otherInstead(), Places: c.Places, Ops: c.Ops, Lines: c.Lines, Example: c.Example.ID}
	})
}

// pageSubject is one line of the page's data. It describes a subject with its counts, causes and
// failures.
type pageSubject struct {
	Name     string       `json:"name"`
	Counts   jsonCounts   `json:"counts"`
	Ignored  int          `json:"ignored"`
	Ops      []jsonGroup  `json:"ops"`
	Causes   []jsonCause  `json:"causes"`
	Failures []pageResult `json:"failures"`
}

type pageResult struct {
	ID    string `json:"id"`
	Asked string `json:"asked"`
	Text  string `json:"text"`
}

// WriteHTML writes a web page as a single file. It shows the causes of failures with counts, and
// each failure with its question and answers.
func WriteHTML(w io.Writer, diffs []SubjectReport) error {
	page := webpage.Begin(w, webpage.Head{Title: "monosim diff", Styles: []string{causeStyle}, Scripts: []string{causeScript}})
	for _, d := range diffs {
		subject := pageSubject{Name: d.Name, Counts: jsonCounts(d.Counts()), Ignored: d.Ignored, Ops: jsonGroups(d.By(ByOp)), Causes: jsonCauses(d.Results), Failures: []pageResult{}}
		for _, r := range d.Results {
			if r.Status == Failed {
				subject.Failures = append(subject.Failures, pageResult{ID: r.ID, Asked: ReadableCase(r.Asked), Text: d.text(r)})
			}
		}
		if err := page.Line(subject); err != nil {
			return err
		}
	}
	return page.End()
}
