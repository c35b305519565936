package compare_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// edited is the project's source tree with one file changed.
type edited struct {
	fs.FS
	name string
	edit func(string) string
}

func (e edited) Open(name string) (fs.File, error) {
	if name != e.name {
		return e.FS.Open(name)
	}
	text, err := fs.ReadFile(e.FS, name)
	if err != nil {
		return nil, err
	}
	return fstest.MapFS{name: {Data: []byte(e.edit(string(text)))}}.Open(name)
}

// Goal: a recorded result is older once code that it depends on has changed, and only then. Method:
// compare the record of the current project with the project after one edit.
func TestARecordIsOlderThanItsCode(t *testing.T) {
	project := os.DirFS("../..")
	ran := func(path, first string) steps.Result {
		r := steps.Result{Path: path, Name: "one", Steps: []steps.Step{{Text: first}, {Text: "the cluster starts"}}}
		r.Stats.TraceHash = 7
		return r
	}
	runs := func() []steps.Result {
		return []steps.Result{
			ran("agents", "a v3 cluster of 1 shard with 1 replica"), ran("server", `a model server with the flags "--port=1"`),
			ran("training", "a training job with 1 worker and 1 PS"),
		}
	}
	record := func() *compare.Matrix {
		m := &compare.Matrix{Runners: []string{"sim", "real", "python", "tensorflow"}}
		for _, path := range []string{"agents", "server", "training"} {
			passed, trained := compare.Cell{Verdict: "passed", Log: compare.Same}, compare.Cell{Verdict: compare.NotRun}
			if path == "training" {
				trained = passed
			}
			m.Scenarios = append(m.Scenarios, compare.Row{Path: path, Name: "one", Cells: []compare.Cell{passed, passed, passed, trained}})
		}
		return m
	}
	of := func(sources fs.FS, runs []steps.Result) *compare.Code {
		c, err := compare.ReadCode(sources, runs)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	m := record()
	of(project, runs()).Stamp(m)

	swap := func(old, instead string) func(string) string {
		return func(text string) string {
			if !strings.Contains(text, old) {
				t.Fatalf("found no %q to edit", old)
			}
			return strings.Replace(text, old, instead, 1)
		}
	}
	for _, test := range []struct {
		name, file string
		edit       func(string) string
		older      string
	}{
		{"a comment", "sim/zookeeper/wire/server.go", func(s string) string { return "// Another word.\n" + s + "\n/* and one more */\n" }, ""},
		{"a blank line", "engine/walltime/task.go", swap("\n\n", "\n\n\n"), ""},
		{"a test", "sim/zookeeper/wire/server_test.go", swap("package", "package other //"), ""},
		{"the protocol of ZooKeeper", "sim/zookeeper/wire/server.go", swap("return", "return nil;return"), "agents/real agents/python training/real training/python training/tensorflow"},
		{"REST", "sim/tfserving/rest/" + firstGo(t, project, "sim/tfserving/rest"), func(s string) string { return s + "\nvar More = 1\n" }, "server/real server/python"},
		{"the clock", "engine/walltime/task.go", func(s string) string { return s + "\nvar More = 1\n" }, "agents/real agents/python server/real server/python training/real training/python training/tensorflow"},
		{"a comment in Python", "runners/test/pythonrun/host.py", func(s string) string { return "# a word\n\n" + s }, ""},
		{"Python", "runners/test/pythonrun/host.py", func(s string) string { return s + "\nMORE = 1\n" }, "agents/python server/python training/python"},
		{"the toy model", "runners/test/tensorflowrun/graph.py", func(s string) string { return s + "\nMORE = 1\n" }, "training/tensorflow"},
		{"the agent's program", "runners/serve/programs/agent.go", func(s string) string { return s + "\nvar More = 1\n" }, "agents/real"},
	} {
		if got := older(of(edited{project, test.file, test.edit}, runs()), m); got != test.older {
			t.Errorf("%s: want older %q, got %q", test.name, test.older, got)
		}
	}
	traced, written := runs(), runs()
	traced[0].Stats.TraceHash++
	written[2].Steps[1].Text = "the training starts"
	for _, test := range []struct {
		runs  []steps.Result
		older string
	}{{traced, "agents/real agents/python"}, {written, "training/real training/python training/tensorflow"}} {
		if got := older(of(project, test.runs), m); got != test.older {
			t.Errorf("want older %q, got %q", test.older, got)
		}
	}
	if code := of(project, runs()); !code.Fresh("agents", "one", "real", m.Cell("agents", "one", "real")) ||
		code.Fresh("agents", "one", "real", compare.Cell{}) || code.Fresh("agents", "one", "real", compare.Cell{Verdict: "failed"}) {
		t.Error("want fresh what was recorded, and neither what was not nor what failed")
	}
	if _, err := compare.ReadCode(fstest.MapFS{}, nil); err == nil || !strings.Contains(err.Error(), "engine/walltime") {
		t.Errorf("sources without the rooms: want an error that names one, got %v", err)
	}
}

// older lists the results in a matrix that are older than the code.
func older(code *compare.Code, m *compare.Matrix) string {
	var list []string
	for _, row := range m.Scenarios {
		for k, runner := range m.Runners[1:] {
			if code.Older(row.Path, row.Name, runner, row.Cells[k+1]) != "" {
				list = append(list, row.Path+"/"+runner)
			}
		}
	}
	return strings.Join(list, " ")
}

// firstGo returns the name of the first Go file in a room that is not a test.
func firstGo(t *testing.T, project fs.FS, dir string) string {
	t.Helper()
	list, err := fs.ReadDir(project, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if strings.HasSuffix(f.Name(), ".go") && !strings.HasSuffix(f.Name(), "_test.go") {
			return f.Name()
		}
	}
	t.Fatalf("%s: found no Go file", dir)
	return ""
}

// later is the simulation with each seed increased by a number.
type later struct {
	simrun.Runner
	by uint64
}

func (*later) Name() string { return "later" }

func (l *later) Build(spec runners.Spec) (runners.Cluster, error) {
	spec.Seed += l.by
	return l.Runner.Build(spec)
}

// Goal: the set of seeds that do the same depends on the run alone, and not on the first seed.
// Method: the run of seed 6, compared with seeds from 1 on and from 4 on.
func TestTheSetOfSeeds(t *testing.T) {
	set := func(first uint64) *compare.Seeds {
		c := compare.Comparison{
			Suite:   steps.Suite{FS: features.FS, Paths: []string{"ensemble.feature:4"}, Seed: first, Explain: -1},
			Runners: []runners.Runner{&simrun.Runner{}, &later{by: 6 - first}}, Logs: true, Sets: true,
		}
		m, _, err := c.Run(context.Background(), &steps.Report{})
		if err != nil {
			t.Fatal(err)
		}
		cell := m.Scenarios[0].Cells[1]
		if cell.Log != compare.Same || cell.Seeds == nil || cell.Seeds.Of != 30 {
			t.Fatalf("want the same as some of 30 seeds, got %+v, %+v", cell, cell.Seeds)
		}
		return cell.Seeds
	}
	one, four := numbers(t, set(1).Whole), numbers(t, set(4).Whole)
	if !one[6] || len(one) == 30 {
		t.Errorf("want some seeds, with 6 among them, got %v", one)
	}
	for n := 4; n <= 30; n++ {
		if one[n] != four[n] {
			t.Errorf("seed %d: does the same from 1 on: %v, from 4 on: %v", n, one[n], four[n])
		}
	}
}

// numbers parses a set of seeds such as "1-3,7".
func numbers(t *testing.T, text string) map[int]bool {
	t.Helper()
	set := map[int]bool{}
	for part := range bytes.SplitSeq([]byte(text), []byte(",")) {
		first, last, several := bytes.Cut(part, []byte("-"))
		if !several {
			last = first
		}
		for n := number(t, first); n <= number(t, last); n++ {
			set[n] = true
		}
	}
	return set
}

func number(t *testing.T, text []byte) (n int) {
	t.Helper()
	for _, digit := range text {
		if digit < '0' || digit > '9' {
			t.Fatalf("found %q, want a number", text)
		}
		n = 10*n + int(digit-'0')
	}
	return n
}

// Goal: a run whose result is in the record is left out, and its result stays in the record.
func TestWhatIsKeptDoesNotRun(t *testing.T) {
	c := compare.Comparison{
		Suite:   steps.Suite{FS: fstest.MapFS{"f.feature": {Data: []byte(onePod)}}, Paths: []string{"."}, Seed: 1},
		Runners: []runners.Runner{&simrun.Runner{}, &unable{}, &shifted{}}, Logs: true,
		Keep: func(_ steps.Listed, runner string) bool { return runner == "unable" },
	}
	m, summary, err := c.Run(context.Background(), &steps.Report{})
	if err != nil {
		t.Fatal(err)
	}
	if summary.Plan.Runs != 2 || summary.Passed != 2 {
		t.Errorf("want two runs, got %+v", summary)
	}
	row := m.Scenarios[0]
	row.Cells = []compare.Cell{{Verdict: "passed"}, {Verdict: "passed", Log: compare.Explained}, {}}
	made := m.Over(&compare.Matrix{Runners: m.Runners, Scenarios: []compare.Row{row}}, func(string, string) (int, bool) { return 0, true })
	if diff := cmp.Diff([]string{"", compare.Explained, compare.Same}, []string{made.Scenarios[0].Cells[0].Log, made.Scenarios[0].Cells[1].Log, made.Scenarios[0].Cells[2].Log}); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}
