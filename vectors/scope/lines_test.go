package scope

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Goal: the port stays so close to the Python that each module's Go and Python can be read side by
// side. Method: the test counts lines of code on both sides, and lets no module's Go grow.

var update = flag.Bool("update", false, "write lines that became fewer into lines.yaml")

const root = "../.."

func TestNoModuleGrows(t *testing.T) {
	ports, err := Ports()
	if err != nil {
		t.Fatal(err)
	}
	claims := claimedFiles(t, ports)
	measured := make([]int, len(ports))
	for i, files := range claims {
		for _, name := range files {
			measured[i] += codeLines(t, name)
		}
	}
	if *update {
		updateLines(t, measured)
		return
	}
	for i := range ports {
		p := &ports[i]
		switch {
		case measured[i] > p.Lines:
			t.Errorf("%v: found %d lines of Go for the %d of %v, want at most the %d of lines.yaml", p.Go, measured[i], p.PythonLines, p.Python, p.Lines)
		case measured[i] < p.Lines:
			t.Errorf("%v: found %d lines of Go, fewer than the %d of lines.yaml; run make parity", p.Go, measured[i], p.Lines)
		}
		if p.PythonLines > 0 {
			t.Logf("%5d lines of Go, %5d of Python, %.2f: %s", measured[i], p.PythonLines, p.Ratio(), strings.Join(p.Python, " "))
		}
	}
}

// claimedFiles returns the Go files that belong to each port. It fails the test if a Go file of the
// ported packages belongs to none.
func claimedFiles(t *testing.T, ports []Port) [][]string {
	t.Helper()
	owner := map[string]int{}
	claim := func(i int, pattern string, alone bool) {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("lines.yaml: %s: found files %v, error %v; want some", pattern, names, err)
		}
		for _, name := range sourceFiles(names) {
			other, claimed := owner[name]
			if claimed && alone {
				t.Errorf("lines.yaml: %s is in entries %d and %d, want it in one", name, other+1, i+1)
			}
			if !claimed {
				owner[name] = i
			}
		}
	}
	each := func(folders bool, do func(i int, pattern string)) {
		for i, p := range ports {
			for _, pattern := range p.Go {
				if path.Ext(pattern) != ".go" == folders {
					do(i, pattern)
				}
			}
		}
	}
	each(false, func(i int, file string) { claim(i, file, true) })
	each(true, func(i int, folder string) { claim(i, folder+"/*.go", false) }) // what the other patterns have left of the folder
	claims := make([][]string, len(ports))
	for _, name := range ported(t) {
		i, ok := owner[name]
		if !ok {
			t.Errorf("%s is in no entry of lines.yaml, want it beside the Python that it ports", name)
			continue
		}
		claims[i] = append(claims[i], name)
	}
	return claims
}

// ported lists the Go source files in engine/agent and engine/training.
func ported(t *testing.T) (names []string) {
	t.Helper()
	for _, folder := range []string{"engine/agent", "engine/training"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, d fs.DirEntry, err error) error {
			names = append(names, name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return sourceFiles(names)
}

// sourceFiles filters names. It keeps the Go files that are neither tests nor test data.
func sourceFiles(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		return path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/")
	})
}

// codeLines counts the lines of code in a Go file. Blank lines and lines with only a comment do not
// count.
func codeLines(t *testing.T, name string) int {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	if parsed, err := parser.ParseFile(files, name, text, parser.ParseComments); err != nil || ast.IsGenerated(parsed) {
		if err != nil {
			t.Fatal(err)
		}
		return 0
	}
	return countCode(text)
}

func countCode(text []byte) int {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue // the scanner's own
		}
		for i := range strings.Count(literal, "\n") + 1 {
			lines[file.Line(pos)+i] = true
		}
	}
}

func TestLinesOfCodeAreThoseWithMoreThanAComment(t *testing.T) {
	text := "// Package a.\npackage a\n\n/* two\nlines */\nvar b = `x\ny` // c\n\nfunc f() {\n\t// why\n\tg()\n}\n"
	if got, want := countCode([]byte(text)), 6; got != want {
		t.Errorf("found %d lines of code, want %d", got, want)
	}
}

// updateLines lowers the counts in lines.yaml to the measured ones. It raises none: a larger count
// must be written by hand.
func updateLines(t *testing.T, measured []int) {
	t.Helper()
	const name = "lines.yaml"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	text = regexp.MustCompile(`lines: \d+`).ReplaceAllFunc(text, func(was []byte) []byte {
		now := fmt.Appendf(nil, "lines: %d", measured[i])
		i++
		if len(now) > len(was) || len(now) == len(was) && string(now) > string(was) {
			return was
		}
		return now
	})
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestPortsSayWhyTheyAreLong(t *testing.T) {
	code := map[string]int{"a.py": 10}
	for _, c := range []struct{ text, want string }{
		{"- {python: [b.py], go: [b.go], lines: 3}", "lines.yaml: found b.py in entry 1, want a file of names.json with code"},
		{"- {python: [a.py], go: [a.go], lines: 21}", "lines.yaml: [a.go]: found 21 lines of Go for 10 of the reference, want at most 2 for each, or why"},
		{"- {python: [a.py], go: [a.go], lines: 20, why: long}", "lines.yaml: [a.go]: found a reason for 20 lines of Go for 10 of the reference, want none for so few"},
		{"- {go: [a.go], lines: 1}", "lines.yaml: [a.go]: found 1 lines of Go for 0 of the reference, want at most 2 for each, or why"},
		{"- {python: [a.py], go: [a.go], lines: 20}", ""},
	} {
		_, err := parsePorts([]byte(c.text), code)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: found error %q, want %q", c.text, got, c.want)
		}
	}
}
