package scope

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: every public name of the reference has a port or a reason, and every Go name in names.yaml
// exists. Method: names.yaml is compared with the recorded Python names, and with the declarations
// of the Go packages.

func readNames(t *testing.T) []ModuleNames {
	t.Helper()
	modules, err := Names()
	if err != nil {
		t.Fatal(err)
	}
	return modules
}

func TestEveryNameIsMapped(t *testing.T) {
	for _, m := range readNames(t) {
		for _, n := range m.Names {
			if len(n.Go) == 0 == (n.Reason == "") {
				t.Errorf("%s:%d: %s: found Go %v and reason %q, want one of them", m.File, n.Line, n.Name, n.Go, n.Reason)
			}
		}
	}
}

func TestEveryModuleHasItsNamesRecorded(t *testing.T) {
	modules, err := Modules()
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range modules {
		want = append(want, m.File)
	}
	for _, m := range readNames(t) {
		if !strings.Contains(m.File, "/") {
			got = append(got, m.File)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files of modules.yaml and of names.json (-want +got):\n%s", diff)
	}
}

func TestGoNamesAreDeclared(t *testing.T) {
	packages := map[string]map[string]bool{}
	for _, m := range readNames(t) {
		for _, n := range m.Names {
			for _, full := range n.Go {
				slash := strings.LastIndexByte(full, '/')
				dot := slash + strings.IndexByte(full[slash:], '.')
				folder, symbol := full[:dot], full[dot+1:]
				declared := packages[folder]
				if declared == nil {
					declared = declaredIn(t, "../../"+folder)
					packages[folder] = declared
				}
				if !declared[symbol] {
					t.Errorf("%s:%d: names.yaml says that %s is ported by %s, which %s does not declare; nearest is %s",
						m.File, n.Line, n.Name, symbol, folder, nearestOf(symbol, slices.Sorted(maps.Keys(declared))))
				}
			}
		}
	}
}

// Goal: the share of ported names refers to the whole scope. For this, names.json must have every
// file of a row in groups A, C, D and E, ported or not.
func TestEveryFileOfTheRowsHasItsNamesRecorded(t *testing.T) {
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	var recorded []string
	for _, m := range readNames(t) {
		recorded = append(recorded, m.File)
	}
	for _, r := range rows {
		for _, file := range r.Files {
			if !slices.Contains(recorded, file) {
				t.Errorf("rows.yaml: %s is about %s, whose names are not in names.json; add it to runners/diff/python/names.py", r.ID, file)
			}
		}
	}
}

func TestTheRestIsLater(t *testing.T) {
	modules, err := parseNames([]byte(recordedNames), []byte("- {file: a.py, package: p/q, go: {A.create: T.New}, later: [{reason: r, rest: true}]}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range modules[0].Names {
		if want := n.Name != "A.create"; n.Later != want {
			t.Errorf("%s: got later %v, want %v", n.Name, n.Later, want)
		}
	}
}

const recordedNames = `[{"file":"a.py","names":[
{"name":"A","kind":"class","line":1},{"name":"A.create","kind":"method","line":2},{"name":"B","kind":"constant","line":3}]}]`

func TestMembersAreReadWithTheirClass(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"flat", "{A: T, A.create: T.New, B: b}", "[p/q.T] [p/q.T.New] [p/q.b]"},
		{"of the class", "{A: {is: T, create: .New}, B: b}", "[p/q.T] [p/q.T.New] [p/q.b]"},
		{"of the package", "{A: {is: [T, U], create: NewT}, B: b}", "[p/q.T p/q.U] [p/q.NewT] [p/q.b]"},
		{"of another package", "{A: {is: x/y.T, create: [.New, U.New]}, B: x/y.b}", "[x/y.T] [x/y.T.New p/q.U.New] [x/y.b]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			modules, err := parseNames([]byte(recordedNames), []byte("- {file: a.py, package: p/q, go: "+c.yaml+"}"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range modules[0].Names {
				got = append(got, fmt.Sprint(n.Go))
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestFaultsOfTheNamesAreTold(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"no file", "[]", "found 0 files, want the 1 of names.json"},
		{"another file", "- {file: b.py}", "found b.py as file 1, want a.py"},
		{"missing", "- {file: a.py, package: p/q, go: {A: T, A.create: T.New}}",
			"a.py: found nothing about the constant B (line 3); say what ports it, or why nothing does"},
		{"unknown", "- {file: a.py, package: p/q, go: {A.creat: T.New}}", "a.py: found A.creat, which the reference does not have; nearest is A.create"},
		{"twice", "- {file: a.py, package: p/q, go: {A: T}, none: [{reason: r, names: [A]}]}", "a.py: found A twice"},
		{"no reason", "- {file: a.py, later: [{names: [A]}]}", `a.py: found reason "" for ["A"], want a reason and its names, or with later the rest`},
		{"a rest that is not later", "- {file: a.py, none: [{reason: r, rest: true}]}", `a.py: found reason "r" for [], want a reason and its names, or with later the rest`},
		{"no package", "- {file: a.py, go: {A: T}}", `a.py: A: found Go name "T" without a package, want one`},
		{"no name", "- {file: a.py, package: p/q, go: {A: T.}}", `a.py: A: found Go name "T.", want a name or Type.Member, with a package or without`},
		{"a dot without a class", "- {file: a.py, package: p/q, go: {A: .T}}", `a.py: A: found Go name ".T", want a name or Type.Member, with a package or without`},
		{"empty list", "- {file: a.py, package: p/q, go: {A: []}}", "line 1: found no Go name, want one at least"},
		{"no map", "- {file: a.py, package: p/q, go: A}", `line 1: found "A", want a map`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseNames([]byte(recordedNames), []byte(c.yaml))
			if want := "names.yaml: " + c.want; err == nil || err.Error() != want {
				t.Errorf("got error %v, want %s", err, want)
			}
		})
	}
}
