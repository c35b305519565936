// Package junit writes JUnit reports, which build servers read.
//
// The two things to use first are [Suites], which is a report, and [Suites.Write]. features/report
// fills one for scenarios, runners/diff/testee/conformance for cases. To change
//
//   - the attributes of a report: junit.go;
//   - reports that are too large for memory: spool.go.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
)

// The elements of a report. Times are cluster time, so that a report is the same whenever
// it is made.
type (
	Suites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Suites   []*Suite `xml:"testsuite"`
	}
	Suite struct {
		Name     string `xml:"name,attr"`
		File     string `xml:"file,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []Case `xml:"testcase"`
	}
	Case struct {
		Class   string    `xml:"classname,attr"`
		Name    string    `xml:"name,attr"`
		Time    string    `xml:"time,attr"`
		Failure *Failure  `xml:"failure"`
		Skipped *struct{} `xml:"skipped"`
	}
	Failure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// Write writes the report.
func (s *Suites) Write(w io.Writer) error {
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
