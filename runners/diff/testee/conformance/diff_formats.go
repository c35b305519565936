package conformance

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/monosim/monosim/runners/show/junit"
)

// WriteJUnit writes a JUnit file with a test suite for each operation of each subject.
func WriteJUnit(w io.Writer, diffs []SubjectReport) error {
	all := junit.Suites{Name: "monosim diff"}
	for _, d := range diffs {
		suites := map[string]*junit.Suite{}
		for _, r := range d.Results {
			suite := suites[r.Op]
			if suite == nil {
				suite = &junit.Suite{Name: d.Name + " " + r.Op, File: r.Suite + ".json"}
				suites[r.Op] = suite
				all.Suites = append(all.Suites, suite)
			}
			c := junit.Case{Class: r.Op, Name: r.ID, Time: "0"}
			suite.Tests++
			all.Tests++
			switch r.Status {
			case Failed:
				suite.Failures++
				all.Failures++
				c.Failure = &junit.Failure{Message: r.ID + " differs", Text: d.text(r)}
			case NotDone:
				suite.Skipped++
				all.Skipped++
				c.Skipped = &struct{}{}
			}
			suite.Cases = append(suite.Cases, c)
		}
	}
	return all.Write(w)
}

// WriteSubjectsJSON writes a list with the report of each subject.
func WriteSubjectsJSON(w io.Writer, diffs []SubjectReport) error {
	reports := []json.RawMessage{}
	for _, d := range diffs {
		var b bytes.Buffer
		if err := WriteJSON(&b, &d.Report); err != nil {
			return err
		}
		reports = append(reports, b.Bytes())
	}
	text, err := json.MarshalIndent(reports, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
