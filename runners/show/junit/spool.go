package junit

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
)

// Spool writes a report of any number of cases without keeping them in memory. The totals
// stand in front of the cases, so the cases wait in a temporary file.
type Spool struct {
	name   string
	file   *os.File
	gone   bool // whether the file has been removed already
	out    *bufio.Writer
	length int64
	suites []spooled
}

// spooled is a suite with the offset at which its cases end in the file.
type spooled struct {
	Suite
	end int64
}

// NewSpool begins a report with a name. The caller has to call End.
func NewSpool(name string) (*Spool, error) {
	file, err := os.CreateTemp("", "junit.*.tmp")
	if err != nil {
		return nil, err
	}
	// Unix removes an open file at once, so that no signal leaves it behind.
	gone := os.Remove(file.Name()) == nil
	return &Spool{name: name, file: file, gone: gone, out: bufio.NewWriterSize(file, 1<<16)}, nil
}

// Add adds a case to a suite, which its name and file identify. Cases of one suite have to
// be added one after another.
func (s *Spool) Add(suite Suite, c Case) error {
	last := len(s.suites) - 1
	if last < 0 || s.suites[last].File != suite.File {
		last++
		s.suites = append(s.suites, spooled{Suite: Suite{Name: suite.Name, File: suite.File}})
	}
	of := &s.suites[last]
	of.Tests++
	if c.Failure != nil {
		of.Failures++
	}
	if c.Skipped != nil {
		of.Skipped++
	}
	text, err := indented(c, "testcase", "    ")
	if err != nil {
		return err
	}
	s.length += int64(len(text))
	of.end = s.length
	_, err = s.out.Write(text)
	return err
}

// indented encodes an element as xml.MarshalIndent does, with a line end.
func indented(v any, name, by string) ([]byte, error) {
	text, err := xml.MarshalIndent(named{v, name}, by, "  ")
	return append(text, '\n'), err
}

// named encodes a value as an element with a given name.
type named struct {
	value any
	name  string
}

// MarshalXML writes the element.
func (n named) MarshalXML(e *xml.Encoder, _ xml.StartElement) error {
	return e.EncodeElement(n.value, xml.StartElement{Name: xml.Name{Local: n.name}})
}

// End writes the report and removes the file. A remark that is not empty becomes a comment.
func (s *Spool) End(w io.Writer, remark string) error {
	defer s.discard()
	if err := s.out.Flush(); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	total := Suites{Name: s.name}
	for _, suite := range s.suites {
		total.Tests += suite.Tests
		total.Failures += suite.Failures
		total.Skipped += suite.Skipped
	}
	out := bufio.NewWriter(w)
	_, _ = out.WriteString(xml.Header) // out keeps its first error until Flush returns it
	if remark != "" {
		fmt.Fprintf(out, "<!-- %s -->\n", remark)
	}
	err := around(out, total, "testsuites", "", s.copySuites)
	return errors.Join(err, out.Flush())
}

// copySuites writes the suites with their cases.
func (s *Spool) copySuites(out *bufio.Writer) error {
	begin := int64(0)
	for _, suite := range s.suites {
		err := around(out, suite.Suite, "testsuite", "  ", func(out *bufio.Writer) error {
			_, err := io.CopyN(out, s.file, suite.end-begin)
			return err
		})
		if err != nil {
			return err
		}
		begin = suite.end
	}
	return nil
}

// around writes an element and calls inside for its content.
func around(out *bufio.Writer, v any, name, by string, inside func(*bufio.Writer) error) error {
	text, err := indented(v, name, by)
	if err != nil {
		return err
	}
	end := "</" + name + ">\n"
	_, _ = out.Write(bytes.TrimSuffix(text, []byte(end)))
	_, _ = out.WriteString("\n")
	err = inside(out)
	_, _ = out.WriteString(by + end)
	return err
}

func (s *Spool) discard() {
	s.file.Close()
	if !s.gone {
		os.Remove(s.file.Name())
	}
}
