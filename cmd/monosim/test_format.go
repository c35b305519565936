package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/features/report"
	"github.com/monosim/monosim/features/steps"
)

// formats are the ways to write a report.
var formats = map[string]func(io.Writer, *steps.Report) error{
	"progress": report.WriteProgress,
	"pretty":   report.WritePretty,
	"junit":    report.WriteJUnit,
	"cucumber": report.WriteCucumber,
}

// output is a report in one format.
type output struct {
	format string
	file   string // empty for standard output
}

// parseFormats reads "pretty", "junit:report.xml" and so on.
func parseFormats(texts []string) ([]output, error) {
	if len(texts) == 0 {
		texts = []string{"progress"}
	}
	var list []output
	for _, text := range texts {
		format, file, toFile := strings.Cut(text, ":")
		if formats[format] == nil || toFile && file == "" {
			return nil, fmt.Errorf("--format: found %q, want progress, pretty, junit or cucumber, or one of them with :FILE", text)
		}
		list = append(list, output{format: format, file: file})
	}
	return list, nil
}

// spoilt reports whether a line after the report would make it unreadable.
func (o output) spoilt() bool {
	return o.file == "" && (o.format == "junit" || o.format == "cucumber")
}

func (o output) write(stdout io.Writer, r *steps.Report) error {
	if o.file == "" {
		return formats[o.format](stdout, r)
	}
	var b bytes.Buffer
	if err := formats[o.format](&b, r); err != nil {
		return err
	}
	return wholefile.Write(o.file, b.Bytes())
}
