package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/runners/testee"
)

// diffFormats are the ways to write a comparison.
var diffFormats = map[string]func(io.Writer, []subjectDiff) error{
	"table": writeDiffTable,
	"junit": writeDiffJUnit,
	"json":  writeDiffJSON,
}

// diffOutput is a comparison in one format.
type diffOutput struct {
	format string
	file   string // empty for standard output
}

// parseDiffFormats reads "table", "junit:report.xml" and so on.
func parseDiffFormats(texts []string) ([]diffOutput, error) {
	if len(texts) == 0 {
		texts = []string{"table"}
	}
	var list []diffOutput
	for _, text := range texts {
		format, file, toFile := strings.Cut(text, ":")
		if diffFormats[format] == nil || toFile && file == "" {
			return nil, fmt.Errorf("--format: found %q, want table, junit or json, or one of them with :FILE", text)
		}
		list = append(list, diffOutput{format: format, file: file})
	}
	return list, nil
}

func (o diffOutput) write(stdout io.Writer, diffs []subjectDiff) error {
	if o.file == "" {
		return diffFormats[o.format](stdout, diffs)
	}
	var b bytes.Buffer
	if err := diffFormats[o.format](&b, diffs); err != nil {
		return err
	}
	return writeFile(o.file, b.Bytes())
}

// writeDiffJUnit writes a test suite for each operation of each subject.
func writeDiffJUnit(w io.Writer, diffs []subjectDiff) error {
	all := junitSuites{Name: "monosim diff"}
	for _, d := range diffs {
		suites := map[string]*junitSuite{}
		for _, r := range d.report.Results {
			suite := suites[r.Op]
			if suite == nil {
				suite = &junitSuite{Name: d.name + " " + r.Op, File: r.Suite + ".json"}
				suites[r.Op] = suite
				all.Suites = append(all.Suites, suite)
			}
			c := junitCase{Class: r.Op, Name: r.ID, Time: "0"}
			suite.Tests++
			all.Tests++
			switch r.Status {
			case testee.Failed:
				suite.Failures++
				all.Failures++
				c.Failure = &junitFailure{Message: r.ID + " differs", Text: d.text(r)}
			case testee.NotDone:
				suite.Skipped++
				all.Skipped++
				c.Skipped = &struct{}{}
			}
			suite.Cases = append(suite.Cases, c)
		}
	}
	return all.write(w)
}

// writeDiffJSON writes a list with the report of each subject.
func writeDiffJSON(w io.Writer, diffs []subjectDiff) error {
	reports := []json.RawMessage{}
	for _, d := range diffs {
		var b bytes.Buffer
		if err := testee.WriteJSON(&b, &d.report.Report); err != nil {
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
