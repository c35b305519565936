package vectors

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheRegisterHasEveryQuirkOfTheFirstReading(t *testing.T) {
	quirks, err := Quirks()
	if err != nil {
		t.Fatal(err)
	}
	if len(quirks) < 205 {
		t.Errorf("got %d quirks, want the 205 of the first reading and those found since", len(quirks))
	}
}

// What --quirks fixed repairs is what the engine has constants for, and what it
// asks Keeps for. The method is to read both from its sources, for vectors imports
// nothing of ours.
func TestFixesAreTheTogglesOfTheEngine(t *testing.T) {
	quirks, err := Quirks()
	if err != nil {
		t.Fatal(err)
	}
	var fixes []string
	for _, q := range quirks {
		if q.Decision == Fix {
			fixes = append(fixes, q.ID)
		}
	}
	declared, asked := toggles(t, filepath.Join("..", "engine", "agent"))
	slices.Sort(fixes)
	if diff := cmp.Diff(fixes, declared); diff != "" {
		t.Errorf("constants (-register's fixes +engine/agent/quirks*.go):\n%s", diff)
	}
	if diff := cmp.Diff(declared, asked); diff != "" {
		t.Errorf("toggles (-constants +asked for with Keeps):\n%s", diff)
	}
}

var quirkName = regexp.MustCompile(`^Q\d+$`)

// toggles lists the quirk constants of quirks*.go, and the quirks that Keeps is
// asked for anywhere in the package.
func toggles(t *testing.T, dir string) (declared, asked []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: found no Go files: %v", dir, err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if strings.HasPrefix(filepath.Base(path), "quirks") {
					declared = append(declared, quirkNames(n.Names)...)
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && strings.EqualFold(f.Sel.Name, "keeps") && len(n.Args) == 1 {
					if name, ok := n.Args[0].(*ast.Ident); ok {
						asked = append(asked, quirkNames([]*ast.Ident{name})...)
					}
				}
			}
			return true
		})
	}
	slices.Sort(declared)
	slices.Sort(asked)
	return declared, slices.Compact(asked)
}

func quirkNames(idents []*ast.Ident) (names []string) {
	for _, i := range idents {
		if quirkName.MatchString(i.Name) {
			names = append(names, i.Name)
		}
	}
	return names
}

func TestFaultsOfTheQuirkRegisterAreTold(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"gap", "- {id: Q2, where: [a.py:1], effect: e, decision: match}", `quirks.yaml: found "Q2" as entry 1, want Q1`},
		{"twice", "- {id: Q1, where: [a.py:1], effect: e, decision: match}\n- {id: Q1, where: [a.py:1], effect: e, decision: match}",
			`quirks.yaml: found "Q1" as entry 2, want Q2`},
		{"no place", "- {id: Q1, effect: e, decision: match}", `quirks.yaml: Q1: found 0 places and effect "e", want one of each at least`},
		{"no line", "- {id: Q1, where: [a.py], effect: e, decision: match}", `quirks.yaml: Q1: found place "a.py", want file:line or file:line-line`},
		{"mark", "- {id: Q1, where: [a.py:1-2], effect: e, decision: match, marks: [Y]}", `quirks.yaml: Q1: found mark "Y", want X or Z`},
		{"decision", "- {id: Q1, where: [a.py:1], effect: e, decision: keep}", `quirks.yaml: Q1: found decision "keep", want match, fix, diverge or later`},
		{"diverge without reason", "- {id: Q1, where: [a.py:1], effect: e, decision: diverge}",
			`quirks.yaml: Q1: found decision diverge with reason "", want one for diverge and later only`},
		{"match with reason", "- {id: Q1, where: [a.py:1], effect: e, decision: match, reason: r}",
			`quirks.yaml: Q1: found decision match with reason "r", want one for diverge and later only`},
		{"fix without what it does", "- {id: Q1, where: [a.py:1], effect: e, decision: fix}",
			`quirks.yaml: Q1: found decision fix with repaired "", want one for fix only`},
		{"later that is unshown", "- {id: Q1, where: [a.py:1], effect: e, decision: later, reason: r, unshown: u}",
			`quirks.yaml: Q1: found decision later with unshown "u", want it for match and diverge only`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseQuirks([]byte(c.yaml))
			if err == nil || err.Error() != c.want {
				t.Errorf("got error %v, want %s", err, c.want)
			}
		})
	}
}
