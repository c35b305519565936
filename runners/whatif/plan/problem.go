package plan

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/monosim/monosim/engine/lists"
)

// Codes of problems.
const (
	unknownKey     = "CAP-E01"
	duplicateKey   = "CAP-E02"
	missingUnit    = "CAP-E03"
	wrongUnit      = "CAP-E04"
	outOfRange     = "CAP-E05"
	requiredKey    = "CAP-E06"
	badLaw         = "CAP-E07"
	conflict       = "CAP-E08"
	unknownName    = "CAP-E09"
	afterHorizon   = "CAP-E10"
	doesNotFit     = "CAP-E11"
	overloaded     = "CAP-E12" // a warning
	badSLO         = "CAP-E13"
	tooPrecise     = "CAP-E14"
	thinRefused    = "CAP-E15"
	fileError      = "CAP-E16"
	unquotedLaw    = "CAP-E17"
	tooLarge       = "CAP-E18"
	noEffect       = "CAP-E19" // a warning
	maxNameMistake = 3
)

// Problem is a mistake in a plan, with its place in the file.
type Problem struct {
	Code    string `json:"code"`
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1
	Message string `json:"message"`
}

// String returns "FILE:LINE:COLUMN: message [code]".
func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s [%s]", p.File, p.Line, p.Column, p.Message, p.Code)
}

// Unmarked returns the text of String without the word "warning", for callers that print
// that word themselves.
func (p Problem) Unmarked() string {
	p.Message = strings.TrimPrefix(p.Message, warned)
	return p.String()
}

// Problems lists the problems of a plan, sorted by their places in the file.
type Problems []Problem

// NoEffect returns the warnings about keys without effect. It removes the word "warning", because
// with --strict these problems are errors.
func (p Problems) NoEffect() Problems {
	var list Problems
	for _, one := range p {
		if one.Code == noEffect {
			one.Message = strings.TrimPrefix(one.Message, warned)
			list = append(list, one)
		}
	}
	return list
}

func (p Problems) Error() string {
	return strings.Join(lists.Map(p, Problem.String), "\n")
}

func (p Problems) sort() {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// err returns the problems as an error. It returns nil if there are none.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	p.sort()
	return p
}

// Portable returns the text of an error about a plan. The text names files without their folders,
// so that reports have the same bytes wherever the plan is stored.
func Portable(err error) string {
	problems, ok := err.(Problems)
	if !ok {
		return err.Error()
	}
	short := slices.Clone(problems)
	for i := range short {
		short[i].File = filepath.Base(short[i].File)
	}
	return short.Error()
}

// Nearest returns ` - did you mean "x"?` with the name most similar to a wrong name. It
// returns "" if none is similar.
func Nearest(wrong string, names []string) string {
	best, edits := "", maxNameMistake+1
	for _, n := range names {
		if d := levenshtein.ComputeDistance(wrong, n); d < edits && d < len(wrong) {
			best, edits = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" - did you mean %q?", best)
}

// place holds the line and column of a key and of its value in the file.
type place struct{ keyLine, keyColumn, line, column int }

// report adds a problem at the value of a path. If the file has no such value, it is
// reported at the nearest parent.
func (d *decoder) report(path, code, format string, args ...any) {
	pl := d.nearest(path)
	d.at(pl.line, pl.column, code, format, args...)
}

// reportBoth reports a value at path that contradicts another value, whose path is other. If the
// file has the other value, the message says where.
func (d *decoder) reportBoth(path, other, code, format string, args ...any) {
	if pl, ok := d.places[other]; ok {
		format += " (%s at %d:%d)"
		args = append(args, other, pl.line, pl.column)
	}
	d.report(path, code, format, args...)
}

// reportKey reports a problem at the key of a path.
func (d *decoder) reportKey(path, code, format string, args ...any) {
	pl := d.nearest(path)
	d.at(pl.keyLine, pl.keyColumn, code, format, args...)
}

func (d *decoder) at(line, column int, code, format string, args ...any) {
	d.problems = append(d.problems, Problem{Code: code, File: d.file, Line: line, Column: column, Message: fmt.Sprintf(format, args...)})
}

func (d *decoder) nearest(path string) place {
	for {
		if pl, ok := d.places[path]; ok {
			return pl
		}
		parent, _, found := cutLast(path)
		if !found {
			return place{1, 1, 1, 1}
		}
		path = parent
	}
}

// Misfit reports whether every problem is one of containers that are too small for their models.
func (p Problems) Misfit() bool {
	return !slices.ContainsFunc(p, func(one Problem) bool { return one.Code != doesNotFit })
}
