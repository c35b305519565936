package main

import (
	"go/ast"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// docNames reports doc comments that begin with the name of another declaration, as happens
// after a rename or when a function is put between a comment and its own.
//
// A first word that begins with a small letter is a name, of the declaration or of a
// parameter. A word with a capital may begin a sentence, and counts as a name only where
// the package declares it. Functions that go test calls may begin with anything.
var docNames = &analysis.Analyzer{
	Name: "docnames",
	Doc:  "a doc comment begins with the name that it stands on, not with another",
	Run:  runDocNames,
}

// firstWord matches the first word of a comment, if it could be a Go name.
var firstWord = regexp.MustCompile(`^([A-Za-z]\w*)[ ,]`)

// testedByName matches the functions that go test calls because of their names.
var testedByName = regexp.MustCompile(`^(?:Test|Benchmark|Fuzz|Example)`)

func runDocNames(pass *analysis.Pass) (any, error) {
	check := func(name *ast.Ident, doc *ast.CommentGroup, parameters map[string]bool) {
		m := firstWord.FindStringSubmatch(doc.Text())
		if m == nil || m[1] == name.Name || parameters[m[1]] || name.Name == "_" {
			return
		}
		small := m[1][0] >= 'a'
		if small || pass.Pkg.Scope().Lookup(m[1]) != nil {
			pass.Reportf(name.Pos(), "comment on %s begins with %s: begin it with %s, or move it to what it is about", name.Name, m[1], name.Name)
		}
	}
	for _, file := range pass.Files {
		if ast.IsGenerated(file) {
			continue
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !isTest(pass, file) || !testedByName.MatchString(d.Name.Name) {
					check(d.Name, d.Doc, parametersOf(d))
				}
			case *ast.GenDecl:
				if name := onlyName(d); name != nil {
					check(name, d.Doc, nil)
				}
			}
		}
	}
	return nil, nil
}

// parametersOf returns the names of the receiver, parameters and results of a function.
func parametersOf(d *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	for _, list := range []*ast.FieldList{d.Recv, d.Type.Params, d.Type.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				names[name.Name] = true
			}
		}
	}
	return names
}

// onlyName returns the declared name if the declaration has one name and no parentheses, else nil.
// The comment on a group in parentheses is about the whole group.
func onlyName(d *ast.GenDecl) *ast.Ident {
	if len(d.Specs) != 1 || d.Lparen.IsValid() {
		return nil
	}
	switch s := d.Specs[0].(type) {
	case *ast.TypeSpec:
		return s.Name
	case *ast.ValueSpec:
		if len(s.Names) == 1 {
			return s.Names[0]
		}
	}
	return nil
}

// semicolonsInASentence is how many semicolons one sentence of a package comment may have.
const semicolonsInASentence = 2

// sentenceBorder matches the end of a sentence or a paragraph.
var sentenceBorder = regexp.MustCompile(`[.!?:]\s|\n\s*\n|\n\s*- `)

// chained returns the first words of the first sentence with too many semicolons, or "".
func chained(text string) string {
	for _, sentence := range sentenceBorder.Split(text, -1) {
		if strings.Count(sentence, ";") > semicolonsInASentence {
			return firstWords(sentence)
		}
	}
	return ""
}
