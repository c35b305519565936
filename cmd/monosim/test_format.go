package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/monosim/monosim/cmd/monosim/explore"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/features/report"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/timeline"
)

// formats maps the names of formats to the listeners that write them.
var formats = map[string]func(io.Writer) steps.Listener{
	"progress": report.NewProgress,
	"pretty":   report.NewPretty,
	"junit":    report.NewJUnit,
	"cucumber": report.NewCucumber,
	"messages": func(w io.Writer) steps.Listener { return report.NewMessages(w, thisVersion().Version) },
	"html":     report.NewHTML,
}

// output says in which format a report is written, and to which file.
type output struct {
	format string
	file   string // path of the file; "" for standard output
	quiet  bool
}

// parseFormats parses report specifications such as "pretty" or "junit:report.xml".
func parseFormats(texts []string, quiet bool) ([]output, error) {
	if len(texts) == 0 {
		texts = []string{"progress"}
	}
	var list []output
	for _, text := range texts {
		format, file, toFile := strings.Cut(text, ":")
		if formats[format] == nil || toFile && file == "" {
			return nil, fmt.Errorf("--format: found %q, want progress, pretty, junit, cucumber, messages or html, or one of them with :FILE", text)
		}
		list = append(list, output{format: format, file: file, quiet: quiet})
	}
	return list, nil
}

// spoilt reports whether a line of text after the report would make the report invalid.
func (o output) spoilt() bool {
	return o.file == "" && slices.Contains([]string{"junit", "cucumber", "messages", "html"}, o.format)
}

// report makes the report.
func (o output) report(stdout io.Writer) steps.Listener {
	if o.file == "" && o.quiet && o.format == "progress" {
		return report.NewFailures(stdout)
	}
	if o.file == "" {
		return formats[o.format](stdout)
	}
	return &fileReport{name: o.file, form: formats[o.format]}
}

// inFile is a report that is written into a file. An older file of that name stays until the report
// is complete.
type inFile interface {
	// open creates a temporary file for the report. It is called before Begin.
	open() error
	// discard removes the temporary file. It does nothing after End, or if open was not called.
	discard()
}

// fileReport writes a report into a temporary file. At the end it renames the file to name.
type fileReport struct {
	name string
	form func(io.Writer) steps.Listener
	file *wholefile.File // nil until open has created it
	steps.Listener
}

func (r *fileReport) open() (err error) {
	if r.file, err = wholefile.Create(r.name); err != nil {
		return err
	}
	r.Listener = r.form(r.file)
	return nil
}

func (r *fileReport) discard() {
	if r.file != nil {
		r.file.Discard()
	}
}

// End completes the report and gives the temporary file its final name.
func (r *fileReport) End(s *steps.Summary) error {
	defer r.file.Discard()
	if err := r.Listener.End(s); err != nil {
		return err
	}
	return r.file.Close()
}

// reportInput writes an input error into the reports for CI servers. Otherwise they would show the
// results of an earlier run. It returns the error, joined with errors of writing.
func reportInput(stdout io.Writer, outputs []output, err error) error {
	told := err
	for _, o := range outputs {
		if o.format != "junit" {
			continue
		}
		var text bytes.Buffer
		wrong := report.WriteInputErrors(&text, told)
		if wrong == nil && o.file == "" {
			_, wrong = stdout.Write(text.Bytes())
		} else if wrong == nil {
			wrong = wholefile.Write(o.file, text.Bytes())
		}
		err = errors.Join(err, wrong)
	}
	return err
}

// listeners calls several listeners in turn. If one of them fails, the others are still ended.
type listeners []steps.Listener

// open creates the files of all reports that go to files. If one fails, it discards the others.
func (l listeners) open() error {
	for _, one := range l {
		if r, ok := one.(inFile); ok {
			if err := r.open(); err != nil {
				l.discard()
				return err
			}
		}
	}
	return nil
}

// discard removes the temporary files of reports that have not ended.
func (l listeners) discard() {
	for _, one := range l {
		if r, ok := one.(inFile); ok {
			r.discard()
		}
	}
}

// Begin tells all.
func (l listeners) Begin(p steps.Plan) error {
	return l.each(func(one steps.Listener) error { return one.Begin(p) })
}

// Add tells all.
func (l listeners) Add(r *steps.Result) error {
	return l.each(func(one steps.Listener) error { return one.Add(r) })
}

// End tells all.
func (l listeners) End(s *steps.Summary) error {
	return l.each(func(one steps.Listener) error { return one.End(s) })
}

func (l listeners) each(tell func(steps.Listener) error) error {
	var all error
	for _, one := range l {
		all = errors.Join(all, tell(one))
	}
	return all
}

// traceReport writes the events of every run into the file of --trace.
type traceReport struct {
	name string
	file *timeline.File // nil until open has created it
}

func (t *traceReport) open() (err error) {
	t.file, err = timeline.Create(t.name)
	return err
}

func (t *traceReport) discard() {
	if t.file != nil {
		t.file.Discard()
	}
}

// Begin does nothing, because a trace file begins with its first run.
func (t *traceReport) Begin(steps.Plan) error { return nil }

// Add writes a run.
func (t *traceReport) Add(r *steps.Result) error {
	t.file.Begin(timeline.Run{Name: r.Name, Path: r.Path, Line: r.Line, Seed: r.Seed})
	for _, one := range r.Log {
		t.file.Observe(one)
	}
	return nil
}

// End completes the trace file and gives it its final name.
func (t *traceReport) End(*steps.Summary) error { return t.file.Close() }

// exploring holds the functions of `monosim test` that `monosim explore` uses.
var exploring = explore.Parts{
	Runner: newSimulation,
	Suite: func(paths []string, runner runners.Runner) (*steps.Suite, error) {
		found, err := findFeatures(paths)
		return &steps.Suite{Runner: runner, FS: featureFS{}, Paths: found}, err
	},
	Reports: func(texts []string, out io.Writer) (steps.Listener, error) {
		outputs, err := parseFormats(texts, false)
		var all listeners
		for _, o := range outputs {
			all = append(all, o.report(out))
		}
		return all, errors.Join(err, all.open())
	},
}
