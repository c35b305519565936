package parity

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/test/simrun"
	"github.com/monosim/monosim/vectors/scope"
)

// Goal: PARITY.md says what the sources show. Method: a small source tree with one example of each
// kind of evidence, and of each thing that must not count.

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func smallSources() fstest.MapFS {
	return fstest.MapFS{
		"engine/agent/backends.go":      file("package agent\n\n// Set keeps the owner (backends.py:496, Q2).\n// Cost: the writes grow with the calls, one each.\nfunc Set() {}\n"),
		"engine/agent/backends_test.go": file("package agent\n\n// Q1 is said here only.\nfunc TestSet(t *testing.T) { run(t, \"testdata/recorded.jsonl\") }\n"),
		"engine/agent/testdata/recorded.jsonl": file(`{"op":"hello"}
{"id":"a","op":"backends.ZKBackend.sequence","env":{"A":"1"},"out":{"steps":[{"r":{"$hex":"00"},"calls":[["a"],["b"]]},{"e":{"type":"ValueError","message":"m"}}]}}
{"id":"b","op":"backends.SavedModel","env":{"A":"2"},"out":{"r":1},"flags":["Q3"],"in":{}}
{"id":"c","op":"backends.SavedModel","env":{"A":"3"},"in":{},"error":{"type":"TypeError","message":"m"}}
`),
		"engine/proto/x.pb.go":              file("package x // backends.py Q4\n"),
		"engine/other/testdata/lost.jsonl":  file(`{"id":"a","op":"backends.X","out":1}` + "\n"),
		"engine/other/other_test.go":        file("package other // no test here reads the cases beside it\n"),
		"runners/quirks_test.go":            file("package runners\n\nfunc TestQ2_Q5_TheOwnerStays(t *testing.T) { keep(\"Q1,Q4\"); keep(\"-Q1,-Q4\"); load(t, \"agent.conf\") }\n\nfunc TestQ6_NothingIsAsserted(t *testing.T) { run() }\n"),
		"runners/upstream_test.go":          file("package runners\n\nfunc TestUpstreamAgentV3_test_publish(t *testing.T) {}\n"),
		"runners/example_test.go":           file("package runners\n\nvar op = \"agent_v3.AgentV3\" // Q2 of backends.py\n"),
		"runners/ops_test.go":               file("package runners\n\nfunc TestOp(t *testing.T) { if run(op) { t.Error(op) } }\n\nvar op = \"agent_v3.AgentV3\" // Q" + "400\n"),
		"cmd/monosim/vectors.go":            file("package main\n\nvar c = command{\n\tUse: \"vectors\",\n}\n"),
		"cmd/monosim/vectors_verify.go":     file("package main\n\nvar c = command{\n\tUse: \"verify FILE\",\n}\n"),
		"cmd/monosim/vectors_test.go":       file("package main\n\nvar c = command{\n\tUse: \"export\",\n}\n"),
		"Makefile":                          file("check: lint ## all\n\tgo test\n"),
		"vectors/register_test.go":          file("package vectors // Q1 backends.py\n"),
		"vectors/zk_mirror/election.json":   file(`{"source":{"path":"monolith/agent_service/zk_mirror.py","symbol":"sequence"},"cases":[{"id":"a","in":{},"out":1}]}`),
		"vectors/schema.json":               file(`{"type":"object"}`),
		"features/steps/unfinished_test.go": file("package steps // Q9\n"),
	}
}

func readSmallTree(t *testing.T) *sourceTree {
	t.Helper()
	tree, err := readSources(smallSources())
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestQuirksAreCarriedByTestsThatAssert(t *testing.T) {
	tree := readSmallTree(t)
	for _, c := range []struct {
		name  string
		quirk int
		want  []string
	}{
		{"name of a test", 2, []string{"runners/quirks_test.go"}},
		{"second in the name of a test", 5, []string{"runners/quirks_test.go"}},
		{"a comment, and a list that chooses", 1, nil},
		{"generated code does not count", 4, nil},
		{"a test that asserts nothing", 6, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, tree.testsCarrying(c.quirk)); diff != "" {
				t.Errorf("files with tests that carry Q%d (-want +got):\n%s", c.quirk, diff)
			}
		})
	}
	if diff := cmp.Diff([]string{"engine/agent/testdata/recorded.jsonl"}, tree.flagged("Q3")); diff != "" {
		t.Errorf("files with cases flagged Q3 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Q5 in runners/quirks_test.go", "Q6 in runners/quirks_test.go", "Q9 in features/steps/unfinished_test.go"}, sortedOnce(tree.unknownQuirks(func(number int) bool { return number <= 4 }))); diff != "" {
		t.Errorf("quirks beyond the register (-want +got):\n%s", diff)
	}
}

func TestCommandsAreFoundInTheProgramAndTheMakefile(t *testing.T) {
	if diff := cmp.Diff([]string{"monosim vectors", "monosim vectors verify", "make check"}, readSmallTree(t).commands); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestTestsOfAModuleNameItOrLieBesideItsPort(t *testing.T) {
	tree := readSmallTree(t)
	for _, c := range []struct {
		name, file string
		port       []string
		quirks     []int
		upstream   []string
		want       []string
	}{
		{"beside the port", "backends.py", []string{"engine/agent/backends.go"}, nil, nil, []string{"engine/agent/backends_test.go"}},
		{"by an operation", "agent_v3.py", nil, nil, nil, []string{"runners/ops_test.go"}},
		{"by a quirk", "x.py", nil, []int{2, 6}, nil, []string{"runners/quirks_test.go"}},
		{"the name of a file is no operation", "agent.py", nil, nil, nil, nil},
		{"by the name of a test of the reference", "y.py", nil, nil, []string{"TestOp"}, []string{"runners/ops_test.go"}},
		{"by the name of one that asserts nothing", "y.py", nil, nil, []string{"TestUpstreamAgentV3_test_publish"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, tree.testsOf(c.file, c.port, c.quirks, c.upstream)); diff != "" {
				t.Errorf("tests of %s (-want +got):\n%s", c.file, diff)
			}
		})
	}
}

func TestUpstreamTestsAreFoundByTheirSubject(t *testing.T) {
	tree := readSmallTree(t)
	if diff := cmp.Diff([]string{"TestUpstreamAgentV3_test_publish"}, tree.upstreamOf("agent_v3_test.py")); diff != "" {
		t.Errorf("tests (-want +got):\n%s", diff)
	}
	if got := tree.upstreamOf("agent_test.py"); got != nil {
		t.Errorf("agent_test.py: got %v, want none", got)
	}
}

func TestCasesCountWhereATestReadsThem(t *testing.T) {
	tree := readSmallTree(t)
	want := moduleCases{
		files: []string{"engine/agent/testdata/recorded.jsonl"}, ops: []string{"ZKBackend.sequence", "SavedModel"},
		total: 3, answers: 2, errors: 2, bytes: 1, ordered: 1, firstOrdered: "a",
		settings: settingPairs{environment: {{"b", "c"}}},
	}
	if diff := cmp.Diff(want, tree.casesOf("backends.py"), cmp.AllowUnexported(moduleCases{})); diff != "" {
		t.Errorf("cases of backends.py (-want +got):\n%s", diff)
	}
	if got := tree.casesOf("zk_mirror.py"); got.total != 1 || got.answers != 1 {
		t.Errorf("cases of the suite: got %+v, want one", got)
	}
}

func TestCasesThatCannotBeReadAreTold(t *testing.T) {
	sources := fstest.MapFS{"engine/testdata/a.jsonl": file("{\"op\":\"a.b\",\"out\":1}\n{\n")}
	_, err := readSources(sources)
	if want := "engine/testdata/a.jsonl: line 2: unexpected end of JSON input"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestAFolderWithoutSourcesIsRefused(t *testing.T) {
	if _, err := readSources(fstest.MapFS{}); err == nil {
		t.Error("got no error, want one that asks for the project's sources")
	}
}

// smallParity returns evidence of two modules, quirks of two kinds, and three scenarios.
func smallParity(t *testing.T) *evidence {
	return &evidence{
		modules: []scope.Module{
			{ID: "B01", File: "backends.py", State: "done", Go: []string{"engine/agent/backends.go"}},
			{ID: "B02", File: "agent_v3.py", State: "part", Go: []string{"engine/agent/agent_v3.go"}, Note: "no stop yet"},
		},
		names: []scope.ModuleNames{
			{File: "backends.py", Names: []scope.Name{{Name: "A", Go: []string{"engine/agent.A"}}, {Name: "B", Reason: "a type"}}},
			{File: "agent_v3.py", Names: []scope.Name{
				{Name: "A", Go: []string{"engine/agent.A"}}, {Name: "A.b", Reason: "no stop yet", Later: true},
				{Name: "c", Reason: "no flags", Later: true}, {Name: "A.d", Reason: "no stop yet", Later: true},
			}},
		},
		absences: []scope.Absence{{File: "backends.py", Without: []string{scope.Settings}}},
		quirks:   []scope.Quirk{{ID: "Q1", Where: []string{"agent_v3.py:1"}, Decision: scope.Match}, {ID: "Q2", Where: []string{"backends.py:1-2"}, Decision: scope.Match}},
		report: &steps.Report{Results: []steps.Result{
			{Path: "features/a.feature", Tags: []string{"@v3", "@Q2"}},
			{Path: "features/a.feature", Tags: []string{"@v1", "@Q2"}, Status: steps.Failed},
			{Path: "features/b.feature", Tags: []string{"@v1"}},
		}},
		tree: readSmallTree(t),
	}
}

func TestQuirksAreShownByTestsAndPassedScenarios(t *testing.T) {
	p := smallParity(t)
	if got, want := p.shownBy(2).String(), "[runners/quirks_test.go](runners/quirks_test.go), [a.feature](features/a.feature) (1)"; got != want {
		t.Errorf("Q2 is shown by %q, want %q", got, want)
	}
	if p.isShown(p.quirks[0]) {
		t.Errorf("Q1 is shown by %q, want nothing", p.shownBy(1))
	}
}

func TestAFixIsShownByATestOfBothWays(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       bool
	}{
		{"both ways", "agenttest.BothWays(t, quirks.Q1, func(t *testing.T, keep quirks.Set) { t.Error(keep) })", true},
		{"another quirk", "agenttest.BothWays(t, quirks.Q2, func(t *testing.T, keep quirks.Set) { t.Error(keep) })", false},
		{"its fault only", "run(t, quirks.Q1)", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			sources := smallSources()
			sources["runners/both_test.go"] = &fstest.MapFile{Data: []byte("package runners\n\nfunc TestQ1(t *testing.T) { " + c.body + " }\n")}
			p := smallParity(t)
			var err error
			if p.tree, err = readSources(sources); err != nil {
				t.Fatal(err)
			}
			p.quirks[0].Decision = scope.Fix
			if got := p.isShown(p.quirks[0]); got != c.want {
				t.Errorf("got shown %v, want %v", got, c.want)
			}
		})
	}
}

func TestAFixIsShownByScenariosWithItsFaultAndWithout(t *testing.T) {
	for _, c := range []struct {
		name    string
		results []steps.Result
		want    bool
	}{
		{"none", nil, false},
		{"its fault only", []steps.Result{{Tags: []string{"@Q1"}, Quirks: []string{""}}, {Tags: []string{"@Q1"}, Quirks: []string{"-Q2"}}}, false},
		{"its repair only", []steps.Result{{Tags: []string{"@Q1"}, Quirks: []string{"fixed"}}}, false},
		{"both", []steps.Result{{Tags: []string{"@Q1"}, Quirks: []string{"python"}}, {Tags: []string{"@Q1"}, Quirks: []string{"fixed"}}}, true},
		{"both in one", []steps.Result{{Tags: []string{"@v2", "@Q1"}, Quirks: []string{"python", "-Q1"}}}, true},
		{"lists", []steps.Result{{Tags: []string{"@Q1"}, Quirks: []string{"Q1,Q2"}}, {Tags: []string{"@Q1"}, Quirks: []string{"Q2"}}}, true},
		{"another tag", []steps.Result{{Tags: []string{"@Q10"}, Quirks: []string{"python", "fixed"}}}, false},
		{"a failure", []steps.Result{{Tags: []string{"@Q1"}, Quirks: []string{"python", "fixed"}, Status: steps.Failed}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := smallParity(t)
			p.quirks[0].Decision, p.report.Results = scope.Fix, c.results
			if got := p.isShown(p.quirks[0]); got != c.want {
				t.Errorf("got shown %v, want %v", got, c.want)
			}
		})
	}
}

// projectSources is the source tree of this project.
var projectSources = os.DirFS(filepath.Join("..", "..", ".."))

// runScenarios runs all scenarios of the project with seed 1.
func runScenarios() (*steps.Report, error) {
	suite := steps.Suite{Runner: &simrun.Runner{Operations: gotestee.Recorded{}}, FS: projectSources, Paths: []string{"features"}, Seed: 1}
	return suite.Run()
}

// project holds the evidence of this project, with one run of all its scenarios.
var project = sync.OnceValues(func() (*evidence, error) {
	report, err := runScenarios()
	if err != nil {
		return nil, err
	}
	return read(projectSources, report)
})

// readProject returns the project's evidence. It skips the test in short mode, because the race
// detector needs a minute for it, and finds nothing on one goroutine.
func readProject(t *testing.T) *evidence {
	t.Helper()
	if testing.Short() {
		t.Skip("it reads the whole project and runs all scenarios")
	}
	p, err := project()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Goal: every repairable quirk is shown with its fault and repaired. Method: run all scenarios, and
// read the tests.
func TestEveryFixIsShownWithItsFaultAndWithout(t *testing.T) {
	p := readProject(t)
	for _, q := range p.quirks {
		if q.Decision != scope.Fix {
			continue
		}
		if kept, repaired := p.toggled(q.ID); !p.isShown(q) {
			t.Errorf("%s (%s): found scenarios tagged @%s that pass with the fault: %v, repaired: %v, and no test that calls agenttest.BothWays for it; want both, or such a test", q.ID, q.Effect, q.ID, kept, repaired)
		}
	}
}

// Goal: every quirk of the engine is shown by a test, a case or a scenario. Otherwise the field
// unshown in vectors/quirks.yaml has to say why not.
func TestEveryQuirkIsShownOrSaysWhyNot(t *testing.T) {
	p := readProject(t)
	for _, q := range p.quirks {
		if q.Decision != scope.Match && q.Decision != scope.Diverge {
			continue
		}
		switch shown := p.shownBy(q.Number()).String(); {
		case shown == "" && q.Unshown == "":
			t.Errorf("%s (%s): found nothing that shows it; name it in a test, flag a case, tag a scenario, or say why not", q.ID, q.Effect)
		case shown != "" && q.Unshown != "":
			t.Errorf("%s: found it shown by %s, although unshown says %q", q.ID, shown, q.Unshown)
		}
	}
}

func TestEveryQuirkThatIsNamedIsInTheRegister(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	tree, err := readSources(projectSources)
	if err != nil {
		t.Fatal(err)
	}
	quirks, err := scope.Quirks()
	if err != nil {
		t.Fatal(err)
	}
	known := func(number int) bool {
		return slices.ContainsFunc(quirks, func(q scope.Quirk) bool { return q.Number() == number })
	}
	for _, name := range tree.unknownQuirks(known) {
		t.Errorf("found %s, want it in vectors/quirks.yaml", name)
	}
}

func TestParityIsTheSameEachTime(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs all scenarios twice")
	}
	report, err := runScenarios()
	if err != nil {
		t.Fatal(err)
	}
	first := readProject(t).text()
	second, err := Text(projectSources, report)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(first), string(second)); diff != "" {
		t.Errorf("second run differs (-first +second):\n%s", diff)
	}
}
