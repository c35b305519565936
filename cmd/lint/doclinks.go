package main

import (
	"go/ast"
	"go/doc/comment"
	"go/types"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/monosim/monosim/engine/lists"
)

// docLinks checks that each link in a comment leads to a declaration: a name, method or
// field in brackets to a declaration of the package; one with a package in front to a
// declaration of a package that this one imports, or names by its whole path. A renamed
// declaration leaves links behind that go doc prints as plain brackets.
//
// Go doc links only exported names. Readers take lower-case names in brackets for links
// too, so those with a dot are checked; a single lower-case word may be anything, and a
// word all in capitals is a placeholder.
var docLinks = &analysis.Analyzer{
	Name: "doclinks",
	Doc:  "links in comments lead to declarations, and Go files that comments name are there",
	Run:  runDocLinks,
}

func runDocLinks(pass *analysis.Pass) (any, error) {
	l := newLinker(pass)
	for _, file := range pass.Files {
		if ast.IsGenerated(file) {
			continue
		}
		dir := filepath.Dir(pass.Fset.Position(file.FileStart).Filename)
		for _, group := range file.Comments {
			for _, name := range l.broken(group.Text()) {
				pass.Reportf(group.Pos(), "link [%s] leads nowhere: name what it is called now, with its package, or say it in words", name)
			}
			if group == file.Doc {
				continue // package comments are checked by pkgdoc
			}
			for _, name := range missingFiles(pass, dir, group.Text()) {
				pass.Reportf(group.Pos(), "comment names %s, which is not in this folder: name the file that does it now, with its folder", name)
			}
		}
	}
	return nil, nil
}

// linker looks up the links in the comments of one package.
type linker struct {
	pkg      *types.Package
	imported map[string]*types.Package // imported packages, by path and by the name that the file uses for them
	parser   comment.Parser
}

func newLinker(pass *analysis.Pass) *linker {
	l := &linker{pkg: pass.Pkg, imported: map[string]*types.Package{}}
	for _, p := range pass.Pkg.Imports() {
		l.imported[p.Path()], l.imported[p.Name()] = p, p
	}
	for _, file := range pass.Files {
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if p := l.imported[path]; err == nil && p != nil && spec.Name != nil {
				l.imported[spec.Name.Name] = p
			}
		}
	}
	l.parser.LookupSym = func(string, string) bool { return true }
	l.parser.LookupPackage = func(name string) (string, bool) { return name, true }
	return l
}

// lowerLink matches a lower-case name with a dot, which go doc takes for a name in another
// package.
var lowerLink = regexp.MustCompile(`^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$`)

// broken returns the doc links in a text that lead to no declaration.
func (l *linker) broken(text string) (names []string) {
	return lists.Filter(l.links(text), func(link string) bool { return !l.leads(link) })
}

// links returns the doc links in a text. It skips code blocks.
func (l *linker) links(text string) (names []string) {
	for _, block := range l.parser.Parse(text).Content {
		switch b := block.(type) {
		case *comment.Paragraph:
			names = append(names, linksIn(b.Text)...)
		case *comment.List:
			for _, item := range b.Items {
				for _, inner := range item.Content {
					if p, ok := inner.(*comment.Paragraph); ok {
						names = append(names, linksIn(p.Text)...)
					}
				}
			}
		}
	}
	return names
}

func linksIn(texts []comment.Text) (names []string) {
	for _, t := range texts {
		link, ok := t.(*comment.DocLink)
		switch {
		case !ok:
		case link.Name != "":
			parts := lists.Filter([]string{link.ImportPath, link.Recv, link.Name}, func(part string) bool { return part != "" })
			names = append(names, strings.Join(parts, "."))
		case lowerLink.MatchString(link.ImportPath):
			names = append(names, link.ImportPath)
		}
	}
	return names
}

// leads reports whether a doc link names an existing declaration.
func (l *linker) leads(name string) bool {
	slash := strings.LastIndex(name, "/") + 1
	first, rest, dotted := strings.Cut(name[slash:], ".")
	first = name[:slash] + first
	if declares(l.pkg, name) || declares(l.tested(), name) {
		return true
	}
	if !dotted {
		return name == strings.ToUpper(name)
	}
	if first == l.pkg.Name() || first == l.pkg.Path() {
		return declares(l.pkg, rest)
	}
	if p := l.imported[first]; p != nil {
		return declares(p, rest)
	}
	// The linked package is not imported here, so its declarations are unknown. Only links into
	// the standard library are trusted.
	_, standard := comment.DefaultLookupPackage(first)
	return standard
}

// tested returns the package under test if the linker's package is an external test package, else
// nil.
func (l *linker) tested() *types.Package {
	if path, ok := strings.CutSuffix(l.pkg.Path(), "_test"); ok {
		return l.imported[path]
	}
	return nil
}

// declares reports whether a package declares Name, Type.Method or Type.Field.
func declares(p *types.Package, name string) bool {
	if p == nil {
		return false
	}
	first, member, dotted := strings.Cut(name, ".")
	obj := p.Scope().Lookup(first)
	if obj == nil || !dotted {
		return obj != nil
	}
	found, _, _ := types.LookupFieldOrMethod(obj.Type(), true, p, member)
	return found != nil
}
