package scope

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
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

// Goal: the quirks with the decision Fix are exactly those that the engine has constants for, and
// that it asks Keeps about. Method: the test reads both from the engine's sources, because vectors
// imports no other package of the project.
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
	declared, asked := toggles(t, filepath.Join("..", "..", "engine"))
	slices.Sort(fixes)
	if diff := cmp.Diff(fixes, declared); diff != "" {
		t.Errorf("constants (-register's fixes +engine/quirks):\n%s", diff)
	}
	if diff := cmp.Diff(declared, asked); diff != "" {
		t.Errorf("toggles (-constants +asked for with Keeps):\n%s", diff)
	}
}

var quirkName = regexp.MustCompile(`^Q\d+$`)

// toggles reads the Go sources below root, except tests. declared lists the quirk constants of packages
// quirks and jobquirks. asked lists the quirks that calls of Keeps name.
func toggles(t *testing.T, root string) (declared, asked []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if strings.HasSuffix(file.Name.Name, "quirks") {
					declared = append(declared, quirkNames(n.Names...)...)
				}
			case *ast.CallExpr:
				asked = append(asked, askedFor(n)...)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(declared)
	slices.Sort(asked)
	return declared, slices.Compact(asked)
}

// askedFor returns the quirk that a call passes to Keeps. It returns nil for any other call.
func askedFor(call *ast.CallExpr) []string {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !strings.EqualFold(f.Sel.Name, "keeps") || len(call.Args) != 1 {
		return nil
	}
	switch arg := call.Args[0].(type) {
	case *ast.Ident:
		return quirkNames(arg)
	case *ast.SelectorExpr:
		return quirkNames(arg.Sel)
	}
	return nil
}

func quirkNames(idents ...*ast.Ident) (names []string) {
	for _, i := range idents {
		if quirkName.MatchString(i.Name) {
			names = append(names, i.Name)
		}
	}
	return names
}

func TestFaultsOfTheQuirkRegisterAreTold(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"no number", "- {id: Qx, where: [a.py:1], effect: e, decision: match}", `quirks.yaml: found "Qx" as entry 1, want Q and a number above 0`},
		{"backwards", "- {id: Q2, where: [a.py:1], effect: e, decision: match}\n- {id: Q1, where: [a.py:1], effect: e, decision: match}",
			`quirks.yaml: found "Q1" as entry 2, want Q and a number above 2`},
		{"twice", "- {id: Q1, where: [a.py:1], effect: e, decision: match}\n- {id: Q1, where: [a.py:1], effect: e, decision: match}",
			`quirks.yaml: found "Q1" as entry 2, want Q and a number above 1`},
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

func TestAnUnknownQuirkIsToldWithTheNearest(t *testing.T) {
	for _, id := range []string{"Q152", "q152", "152"} {
		if q, err := FindQuirk(id); err != nil || q.ID != "Q152" || q.Decision != Fix {
			t.Errorf("%s: got %+v and error %v, want the entry, which is a fix", id, q, err)
		}
	}
	for id, nearest := range map[string]string{"Q15x2": "Q152", "Q229x": "Q229"} {
		if _, err := FindQuirk(id); err == nil || !strings.HasSuffix(err.Error(), "the nearest is "+nearest) {
			t.Errorf("%s: got error %v, want one that names %s", id, err, nearest)
		}
	}
}

func TestOnlyQuirksThatCanBeRepairedAreToggles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"python", ""}, {"fixed", ""}, {"Q22,Q117", ""}, {"-Q22,-Q117", ""},
		{"most", "want python, fixed, ids to keep"},
		{"Q22,-Q117", "want python, fixed, ids to keep"},
		{"-Q" + "9999", `found "Q` + "9999" + `", want an id of the register`},
		{"Q22,Q1", "found Q1, want one that can be repaired; its decision is match"},
	} {
		err := CheckToggles(c.text)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: got error %v, want %q", c.text, err, c.want)
		}
	}
}

func TestQuirkLinesAreThoseThatTheTextNames(t *testing.T) {
	q, err := FindQuirk("Q25")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Q25 (fix): " + q.Effect}
	if diff := cmp.Diff(want, QuirkLines("@Q25, Q"+"9999 and Q25")); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}
