package main

import (
	"slices"
	"strings"
	"testing"
)

// Goal: a package that README.md names needs an Example that go test runs. Other paths in it need
// none. Method: a repository with packages of each kind.
func TestPackagesThatReadmeNamesHaveExamples(t *testing.T) {
	const output = "\n\t// Output:\n\t// 1\n}\n"
	t.Chdir(repository(t, map[string]string{
		"README.md": "# x\n\nSee `sim/shown`, [sim/bare](sim/bare) and ./sim/quiet.\n" +
			"Also sim/empty/x.go, data in engine/testdata, runners/diff/python, my-sim/bare, sim/private and sim/gone.\nAgain sim/bare.\n",
		"sim/shown/a.go":            "package shown\n\nconst A = 1\n",
		"sim/shown/example_test.go": "package shown_test\n\nimport \"fmt\"\n\nfunc Example() {\n\tfmt.Println(1)" + output,
		"sim/bare/a.go":             "package bare\n\nfunc A() {}\n",
		"sim/bare/a_test.go":        "package bare\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
		"sim/quiet/a.go":            "package quiet\n\ntype A int\n",
		"sim/quiet/a_test.go":       "package quiet\n\nfunc Example() {\n\tprintln(1)\n}\n",
		"runners/diff/python/a.py":  "print(1)\n",
	}))
	found, err := lintExamples()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"README.md:3: examples: names the package sim/bare, which has no Example with an output: write one in sim/bare/example_test.go",
		"README.md:3: examples: names the package sim/quiet, which has no Example with an output: write one in sim/quiet/example_test.go",
	}
	var got []string
	for _, f := range found {
		got = append(got, f.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Goal: a test file that cannot be parsed is an error and is not skipped.
func TestABrokenTestFileIsTold(t *testing.T) {
	t.Chdir(repository(t, map[string]string{
		"README.md": "sim/broken\n", "sim/broken/a.go": "package broken\n\nvar A int\n", "sim/broken/a_test.go": "package\n",
	}))
	if found, err := lintExamples(); err == nil {
		t.Errorf("got %v, want an error", found)
	}
}
