package parity

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// carried holds what the tests of a file show: quirks, modules and operations of the reference. A
// test shows one of these if it asserts something and the name of the quirk, module or operation
// occurs in its own name, in one of its strings, or in a declaration that it uses. Comments do not
// count.
type carried struct {
	quirks       []int
	modules, ops []string
	// tests lists the tests that assert something.
	tests []string
	// bothWays lists quirks that a test shows twice: with the fault, and repaired.
	bothWays []int
}

// declaration is a function, or a group of variables, in a file.
type declaration struct {
	texts   []string // names, identifiers and strings in the function
	uses    []string // identifiers in the function
	asserts bool     // whether the function can fail a test, or passes the test to another function
	both    []int    // numbers of the quirks for which it calls BothWays
}

// carriedBy parses a test file, and returns what its tests show.
func carriedBy(name, text string) (c carried, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return c, fmt.Errorf("sources: %w", err)
	}
	declared := map[string]*declaration{}
	var tests []string
	for _, d := range file.Decls {
		names, decl := readDeclaration(d)
		for _, n := range names {
			declared[n] = decl
			if f, ok := d.(*ast.FuncDecl); ok && isTest(f) {
				tests = append(tests, n)
			}
		}
	}
	for _, name := range tests {
		if texts, asserts := reach(declared, name); asserts {
			c.tests = append(c.tests, name)
			c.add(texts)
			c.bothWays = append(c.bothWays, declared[name].both...)
		}
	}
	c.quirks = sortedOnce(c.quirks)
	c.modules, c.ops = sortedOnce(c.modules), sortedOnce(c.ops)
	return c, nil
}

func isTest(f *ast.FuncDecl) bool {
	return f.Recv == nil && (strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Fuzz"))
}

// readDeclaration returns the names that a declaration declares, and what it contains.
func readDeclaration(d ast.Decl) (names []string, decl *declaration) {
	decl = &declaration{}
	switch d := d.(type) {
	case *ast.FuncDecl:
		names = []string{d.Name.Name}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				names = append(names, lists.Map(v.Names, func(n *ast.Ident) string { return n.Name })...)
			}
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CommentGroup:
			return false
		case *ast.Ident:
			decl.texts = append(decl.texts, n.Name)
			decl.uses = append(decl.uses, n.Name)
		case *ast.BasicLit:
			decl.texts = append(decl.texts, literalText(n))
		case *ast.CallExpr:
			decl.asserts = decl.asserts || assertsIn(n)
			decl.both = append(decl.both, bothWaysIn(n)...)
		}
		return true
	})
	return names, decl
}

func literalText(lit *ast.BasicLit) string {
	if text, err := strconv.Unquote(lit.Value); err == nil && lit.Kind == token.STRING {
		return `"` + text + `"`
	}
	return lit.Value
}

// bothWaysIn returns the quirks in a call of agenttest.BothWays, which tests them with the fault
// and repaired. For any other call it returns none.
func bothWaysIn(call *ast.CallExpr) (numbers []int) {
	if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "BothWays" {
		return nil
	}
	for _, arg := range call.Args {
		if q, ok := arg.(*ast.SelectorExpr); ok {
			numbers = append(numbers, quirksIn(q.Sel.Name)...)
		}
	}
	return numbers
}

var failures = []string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}

// assertsIn reports whether a call can fail a test: directly, or by passing the test to a function.
func assertsIn(call *ast.CallExpr) bool {
	if f, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(failures, f.Sel.Name) {
		return true
	}
	return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		id, ok := arg.(*ast.Ident)
		return ok && id.Name == "t"
	})
}

// reach collects the texts of a test, and of all functions in its file that it uses. asserts
// reports whether any of them can fail the test.
func reach(declared map[string]*declaration, name string) (texts []string, asserts bool) {
	seen := map[*declaration]bool{}
	var visit func(name string)
	visit = func(name string) {
		d := declared[name]
		if d == nil || seen[d] {
			return
		}
		seen[d] = true
		texts = append(texts, d.texts...)
		asserts = asserts || d.asserts
		for _, used := range d.uses {
			visit(used)
		}
	}
	visit(name)
	return texts, asserts
}

var (
	quirkChoice = regexp.MustCompile(`-?Q\d+(?:,+-?Q\d+)+`)
	quirkName   = regexp.MustCompile(`\b(?:Test)?Q(\d{1,3})\b`)
	moduleName  = regexp.MustCompile(`\b(?:monolith/agent_service/)?((?:monolith/(?:\w+/)*)?\w+\.py)\b`)
	moduleOp    = regexp.MustCompile(`"\w+\.(\w+)[\w.]*"`)
)

// fileEndings lists file extensions, by which the name of a file such as "agent.conf" differs from
// the name of an operation.
var fileEndings = []string{"conf", "cfg", "feature", "go", "json", "jsonl", "log", "md", "pb", "proto", "py", "txt", "xml", "yaml"}

func (c *carried) add(texts []string) {
	for _, text := range texts {
		c.quirks = append(c.quirks, quirksIn(text)...)
		for _, m := range moduleName.FindAllStringSubmatch(text, -1) {
			c.modules = append(c.modules, m[1])
		}
		for _, m := range moduleOp.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(fileEndings, m[1]) && !isFault(m[0]) {
				c.ops = append(c.ops, strings.Trim(m[0], `"`))
			}
		}
	}
}

// quirksIn lists the quirks that a text mentions. A list such as Q22,Q117 or -Q22,-Q117 does not
// count, because it only selects quirks.
func quirksIn(text string) (numbers []int) {
	words := strings.ReplaceAll(quirkChoice.ReplaceAllString(text, ""), "_", " ") // TestQ7_Q101_It
	for _, m := range quirkName.FindAllStringSubmatch(words, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
