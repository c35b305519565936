// Package junit writes JUnit reports, which build servers read.
//
// The two things to use first are [Suites], which is a report, and [Suites.Write]. features/report
// fills one for scenarios, runners/diff/testee/conformance for cases. To change
//
//   - the attributes of a report: the fields of its elements
//
// Unstable: any commit may change it.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
)

// These are the XML elements of a report. Times are in seconds. An error is a mistake in the input,
// and a failure is a check that did not hold.
type (
	Suites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Remark   string   `xml:",comment"`
		Suites   []*Suite `xml:"testsuite"`
	}
	Suite struct {
		Name     string `xml:"name,attr"`
		File     string `xml:"file,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []Case `xml:"testcase"`
	}
	Case struct {
		Class      string      `xml:"classname,attr"`
		Name       string      `xml:"name,attr"`
		Time       string      `xml:"time,attr"`
		Properties *Properties `xml:"properties"`
		Failure    *Failure    `xml:"failure"`
		Error      *Failure    `xml:"error"`
		Skipped    *struct{}   `xml:"skipped"`
	}
	Properties struct {
		List []Property `xml:"property"`
	}
	Property struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	Failure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// Add counts a case and adds it to the suite whose File equals of.File. If the file has no suite
// yet, Add appends one.
func (s *Suites) Add(of Suite, c Case) {
	i := slices.IndexFunc(s.Suites, func(one *Suite) bool { return one.File == of.File })
	if i < 0 {
		i = len(s.Suites)
		s.Suites = append(s.Suites, &Suite{Name: of.Name, File: of.File})
	}
	suite := s.Suites[i]
	suite.Cases = append(suite.Cases, c)
	for _, count := range []struct{ tests, failures, errors, skipped *int }{
		{&s.Tests, &s.Failures, &s.Errors, &s.Skipped}, {&suite.Tests, &suite.Failures, &suite.Errors, &suite.Skipped},
	} {
		*count.tests++
		switch {
		case c.Error != nil:
			*count.errors++
		case c.Failure != nil:
			*count.failures++
		case c.Skipped != nil:
			*count.skipped++
		}
	}
}

// Write writes the report.
func (s *Suites) Write(w io.Writer) error {
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
