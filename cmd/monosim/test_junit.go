package main

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/monosim/monosim/features/steps"
)

// The parts of a JUnit report. Times are cluster time, so that a report is the
// same whenever it is made.
type (
	junitSuites struct {
		XMLName  xml.Name      `xml:"testsuites"`
		Name     string        `xml:"name,attr"`
		Tests    int           `xml:"tests,attr"`
		Failures int           `xml:"failures,attr"`
		Skipped  int           `xml:"skipped,attr"`
		Suites   []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		File     string      `xml:"file,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
		Skipped *struct{}     `xml:"skipped"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes a test suite for each file and a test case for each run.
func writeJUnit(w io.Writer, r *steps.Report) error {
	all := junitSuites{Name: "monosim", Tests: len(r.Results), Failures: r.Failed, Skipped: r.Skipped}
	var suite *junitSuite
	for i := range r.Results {
		result := &r.Results[i]
		if suite == nil || suite.File != result.Path {
			suite = &junitSuite{Name: result.Feature, File: result.Path}
			all.Suites = append(all.Suites, suite)
		}
		suite.Tests++
		c := junitCase{
			Class: result.Path, Name: fmt.Sprintf("%s (line %d, seed %d)", result.Name, result.Line, result.Seed),
			Time: fmt.Sprintf("%.3f", result.Stats.Virtual.Seconds()),
		}
		switch result.Status {
		case steps.Failed:
			suite.Failures++
			why := result.Failure().Error()
			c.Failure = &junitFailure{Message: why, Text: why + "\nreplay with: " + result.Replay}
		case steps.Skipped:
			suite.Skipped++
			c.Skipped = &struct{}{}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return all.write(w)
}

func (s *junitSuites) write(w io.Writer) error {
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
