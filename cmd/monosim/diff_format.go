package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/runners/testee/conformance"
)

// diffFormats are the ways to write a comparison.
var diffFormats = map[string]func(io.Writer, []conformance.SubjectReport) error{
	"table": conformance.WriteTable,
	"junit": conformance.WriteJUnit,
	"json":  conformance.WriteSubjectsJSON,
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

func (o diffOutput) write(stdout io.Writer, diffs []conformance.SubjectReport) error {
	if o.file == "" {
		return diffFormats[o.format](stdout, diffs)
	}
	var b bytes.Buffer
	if err := diffFormats[o.format](&b, diffs); err != nil {
		return err
	}
	return wholefile.Write(o.file, b.Bytes())
}
