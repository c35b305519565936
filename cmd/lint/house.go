package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/monosim/monosim/engine/lists"
)

// These limits hold for each package and function. Split a package that exceeds them. In a long
// function, move a part into a function of its own.
const (
	maxSourceFiles   = 35
	maxExportedNames = 100
	maxMedianLines   = 9
	maxFuncLines     = 64
)

// baseLines is the number of lines of all packages at commit ad81760. The report compares the
// present number with it.
const baseLines = 207067

// crowded lists packages that may exceed a limit for now, each with its own higher limits. An entry
// that is no longer needed is reported, so the list only gets shorter.
var crowded = map[string]roomSize{}

// house holds the sizes of all packages and functions.
type house struct {
	rooms map[string]*roomSize // by folder
	funcs []funcSize           // the longest first
	// back holds the findings about imports against the allowed directions.
	back []finding
}

// roomSize is the size of one package.
type roomSize struct {
	files    int
	exported int // exported names at package level; methods and fields belong to their types
	lines    int
}

// funcSize is the length of a function in lines, from its first to its last.
type funcSize struct {
	name, at string // at is file:line
	lines    int
}

// measureHouse measures the size of every Go file that git tracks or would add.
func measureHouse() (*house, error) {
	files, err := trackedTexts(counts)
	if err != nil {
		return nil, err
	}
	h := &house{rooms: map[string]*roomSize{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := h.add(name, files[name]); err != nil {
			return nil, err
		}
	}
	h.sort()
	h.back, err = lintDirections("./...")
	return h, err
}

// counts reports whether a file is measured: a Go file that is neither a test nor test data.
func counts(name string) bool {
	return path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") &&
		!slices.Contains(strings.Split(name, "/"), "testdata")
}

// add measures one file. It ignores generated files.
func (h *house) add(name, text string) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(file) {
		return nil
	}
	at := path.Dir(name)
	room := h.rooms[at]
	if room == nil {
		room = &roomSize{}
		h.rooms[at] = room
	}
	room.files++
	room.lines += strings.Count(string(text), "\n")
	for _, d := range file.Decls {
		room.exported += exportedNames(d)
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			begin := files.Position(f.Pos())
			h.funcs = append(h.funcs, funcSize{
				name: funcName(f), at: fmt.Sprintf("%s:%d", name, begin.Line),
				lines: files.Position(f.End()).Line - begin.Line + 1,
			})
		}
	}
	return nil
}

// exportedNames counts the exported names that a declaration adds to its package.
func exportedNames(d ast.Decl) int {
	var names []*ast.Ident
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name)
			case *ast.ValueSpec:
				names = append(names, s.Names...)
			}
		}
	}
	n := 0
	for _, name := range names {
		if name.IsExported() {
			n++
		}
	}
	return n
}

// funcName returns a function's name, or Type.Name for a method.
func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

func (h *house) sort() {
	slices.SortFunc(h.funcs, func(a, b funcSize) int {
		return cmp.Or(cmp.Compare(b.lines, a.lines), cmp.Compare(a.at, b.at))
	})
}

// median returns the median length of functions in lines; 0 without functions.
func (h *house) median() int {
	if len(h.funcs) == 0 {
		return 0
	}
	return h.funcs[len(h.funcs)/2].lines
}

// over describes every size that exceeds its limit, one line for each.
func (h *house) over() []string {
	var lines []string
	for _, at := range slices.Sorted(maps.Keys(h.rooms)) {
		most, isCrowded := crowded[at]
		files, exported := max(most.files, maxSourceFiles), max(most.exported, maxExportedNames)
		if n := h.rooms[at].files; n > files {
			lines = append(lines, fmt.Sprintf("%s: %d source files, want at most %d: give what belongs together a package of its own", at, n, files))
		}
		if n := h.rooms[at].exported; n > exported {
			lines = append(lines, fmt.Sprintf("%s: %d exported names, want at most %d: unexport what nobody uses, or give what belongs together a package of its own", at, n, exported))
		}
		if isCrowded && h.rooms[at].files <= maxSourceFiles && h.rooms[at].exported <= maxExportedNames {
			lines = append(lines, fmt.Sprintf("%s: is crowded no more: take it out of the list in cmd/lint/house.go", at))
		}
	}
	if m := h.median(); m > maxMedianLines {
		lines = append(lines, fmt.Sprintf("median function of %d lines, want at most %d", m, maxMedianLines))
	}
	for _, f := range h.funcs {
		if f.lines > maxFuncLines {
			lines = append(lines, fmt.Sprintf("%s: %s has %d lines, want at most %d: give a part of it a name", f.at, f.name, f.lines, maxFuncLines))
		}
	}
	lines = append(lines, lists.Map(h.back, finding.String)...)
	return lines
}

// longestShown is how many of the longest functions are listed.
const longestShown = 3

// write prints a line for each package, the totals of the module, and the sizes that exceed a
// limit.
func (h *house) write(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "files\texported\tlines\t  package\n")
	total := roomSize{}
	for _, at := range slices.Sorted(maps.Keys(h.rooms)) {
		r := h.rooms[at]
		fmt.Fprintf(w, "%d\t%d\t%d\t  %s\n", r.files, r.exported, r.lines, at)
		total.files, total.exported, total.lines = total.files+r.files, total.exported+r.exported, total.lines+r.lines
	}
	fmt.Fprintf(w, "%d\t%d\t%d\t  all %d packages\n", total.files, total.exported, total.lines, len(h.rooms))
	w.Flush()
	fmt.Fprintf(out, "Without tests, testdata and generated files. Names are those at package level.\n\n")
	most, widest := h.largest()
	fmt.Fprintf(out, "hand-written lines: %d, at ad81760 %d: %+d\n", total.lines, baseLines, total.lines-baseLines)
	fmt.Fprintf(out, "packages that are crowded for the time being: %d\n", len(crowded))
	fmt.Fprintf(out, "most source files in a package: %d of %d\n", most, maxSourceFiles)
	fmt.Fprintf(out, "most exported names of a package: %d of %d\n", widest, maxExportedNames)
	fmt.Fprintf(out, "functions: %d, median %d of %d lines\n", len(h.funcs), h.median(), maxMedianLines)
	for _, f := range h.funcs[:min(longestShown, len(h.funcs))] {
		fmt.Fprintf(out, "  %d of %d lines: %s in %s\n", f.lines, maxFuncLines, f.name, f.at)
	}
	fmt.Fprintf(out, "imports that run back up: %d\n", len(h.back))
	over := h.over()
	for _, line := range over {
		fmt.Fprintln(out, "over: "+line)
	}
	fmt.Fprintf(out, "over the limits: %d\n", len(over))
}

// largest returns the most source files and the most exported names of any package.
func (h *house) largest() (files, exported int) {
	for _, r := range h.rooms {
		files, exported = max(files, r.files), max(exported, r.exported)
	}
	return files, exported
}
