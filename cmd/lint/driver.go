package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// finding is one violation of a rule at one place.
type finding struct {
	File string // path of the file, relative to the working directory
	Line int    // line number from 1; 0 for the whole file or package
	Rule string
	Text string // says what was found and what to do instead
}

func (f finding) String() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", f.File, f.Rule, f.Text)
	}
	return fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Rule, f.Text)
}

// compareFindings orders findings by file and line, then by rule and text.
func compareFindings(a, b finding) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
}

// lint applies every rule. Findings are returned even when a part of the check fails, so that one
// broken package does not hide the findings elsewhere.
func lint(patterns []string) ([]finding, error) {
	analyzed, errAnalyze := analyze(patterns)
	imports, errImports := lintDirections("./...")
	ported, errPorted := lintPort()
	texts, errTexts := lintSpeech()
	numbers, errNumbers := lintCitations()
	examples, errExamples := lintExamples()

	found := slices.Concat(analyzed, imports, ported, texts, numbers, examples)
	slices.SortFunc(found, compareFindings)
	// A file with tests beside it is analyzed twice, without and with its tests. So the same
	// finding can appear twice.
	return slices.Compact(found), errors.Join(errAnalyze, errImports, errPorted, errTexts, errNumbers, errExamples)
}

// analyze runs the analyzers on the packages and their tests.
func analyze(patterns []string) ([]finding, error) {
	pkgs, err := packages.Load(&packages.Config{
		Mode:  packages.LoadSyntax | packages.NeedModule,
		Tests: true,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool {
		return strings.HasSuffix(p.ID, ".test") // the package is the generated main of a test binary
	})
	if len(pkgs) == 0 {
		return nil, fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}

	var broken []string
	for _, p := range pkgs {
		broken = append(broken, loadErrors(p)...)
	}
	healthy := slices.DeleteFunc(pkgs, func(p *packages.Package) bool { return p.IllTyped || len(p.Errors) > 0 })

	graph, err := checker.Analyze(rules, healthy, nil)
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, action := range graph.Roots {
		if action.Err != nil {
			broken = append(broken, fmt.Sprintf("%s: %v", action, action.Err))
		}
		for _, d := range action.Diagnostics {
			at := action.Package.Fset.Position(d.Pos)
			found = append(found, finding{
				File: relative(at.Filename), Line: at.Line,
				Rule: action.Analyzer.Name, Text: d.Message,
			})
		}
	}
	if len(broken) > 0 {
		slices.Sort(broken)
		return found, fmt.Errorf("packages that do not load:\n%s", strings.Join(slices.Compact(broken), "\n"))
	}
	return found, nil
}

// errorsShown is how many compile errors of one package are shown. The compiler prints all.
const errorsShown = 3

// loadErrors returns the compile errors that keep the package from being analyzed.
func loadErrors(p *packages.Package) []string {
	var texts []string
	for _, e := range p.Errors {
		continued := strings.HasPrefix(e.Msg, "\t") // an indented line belongs to the error above it
		if (e.Kind == packages.TypeError || e.Kind == packages.ParseError) && !continued {
			file, position, _ := strings.Cut(e.Pos, ":")
			texts = append(texts, fmt.Sprintf("%s:%s: %s", relative(file), position, e.Msg))
		}
	}
	switch {
	case len(texts) > errorsShown:
		return texts[:errorsShown]
	case len(texts) == 0 && len(p.Errors) > 0:
		return []string{p.Errors[0].Error()}
	case len(texts) == 0 && p.IllTyped:
		return []string{p.PkgPath + ": something that it imports does not load"}
	}
	return texts
}

// relative makes a path relative to the working directory. A path outside of it stays as it is.
func relative(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return filepath.ToSlash(rel)
}
