package parity

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/vectors/scope"
)

// Goal: a box is ticked only by real evidence. Method: for each box, a module that has the
// evidence, and the same module with something that only looks similar.

func TestBoxesAreTickedByWhatTheSourcesHave(t *testing.T) {
	p := smallParity(t)
	const cases = " in [engine/agent/testdata/recorded.jsonl](engine/agent/testdata/recorded.jsonl)"
	for i, want := range [][boxRows]box{
		{
			{boxTicked, "2 names: 1 ported, 1 none (reasons in [vectors/scope/names.yaml](vectors/scope/names.yaml))"},
			{boxTicked, "2 cases of 2 operations" + cases},
			{boxTicked, "2 cases with errors" + cases},
			{boxNotNeeded, "the reference's module has no settings"},
			{boxTicked, "1 case with bytes or messages" + cases},
			{boxTicked, "1 sequence with calls from watches or threads in their order (`a` is the first)" + cases},
			{boxOpen, "no recorded case has log lines with their level, or metrics"},
			{boxTicked, "[engine/agent/backends.go](engine/agent/backends.go): Cost: the writes grow with the calls, one each."},
			{boxTicked, "[engine/agent/backends_test.go](engine/agent/backends_test.go) [runners/quirks_test.go](runners/quirks_test.go); scenarios of [a.feature](features/a.feature) (1)"},
			{boxTicked, "3 cases" + cases},
		},
		{
			{boxOpen, "4 names: 1 ported, 0 none, 3 later: `A.b`, `A.d` (no stop yet); `c` (no flags)"},
			{boxOpen, "no cases of it are recorded"},
			{boxOpen, "no cases of it are recorded"},
			{boxOpen, "no input of it is recorded under settings that change the answer"},
			{boxOpen, "no cases of it are recorded"},
			{boxOpen, "no recorded sequence shows callbacks or running threads in their order"},
			{boxOpen, "no recorded case has log lines with their level, or metrics"},
			{boxOpen, `no comment "Cost: ... grows with ..." where it is ported`},
			{boxTicked, "[runners/ops_test.go](runners/ops_test.go); scenarios of [a.feature](features/a.feature) (1)"},
			{boxOpen, "no stop yet"},
		},
	} {
		if diff := cmp.Diff(want, p.boxesOf(p.modules[i]), cmp.AllowUnexported(box{})); diff != "" {
			t.Errorf("boxes of %s (-want +got):\n%s", p.modules[i].File, diff)
		}
	}
}

// oneModule describes a module for a test: its port, its recorded cases and its tests.
type oneModule struct {
	port, test string
	cases      []string
	later      bool // a name
	state      string
}

func (m oneModule) box(t *testing.T, i int) box {
	t.Helper()
	sources := fstest.MapFS{
		"engine/agent/x.go":         file("package agent\n\n" + m.port),
		"vectors/golden/x.json":     file(`{"source":{"path":"x.py"},"cases":[` + strings.Join(m.cases, ",") + `]}`),
		"engine/agent/some_test.go": file("package agent\n\n" + m.test),
	}
	tree, err := readSources(sources)
	if err != nil {
		t.Fatal(err)
	}
	p := smallParity(t)
	p.tree, p.report.Results = tree, nil
	p.names = []scope.ModuleNames{{File: "x.py", Names: []scope.Name{{Name: "A", Go: []string{"engine/agent.A"}}, {Name: "B", Reason: "to come", Later: m.later}}}}
	state := m.state
	if state == "" {
		state = "done"
	}
	return p.boxesOf(scope.Module{ID: "B01", File: "x.py", State: state, Go: []string{"engine/agent/x.go"}, Note: "a note"})[i]
}

func TestWhatDoesNotFitABoxDoesNotTickIt(t *testing.T) {
	const answer = `{"id":"a","op":"x.f","in":{},"out":1}`
	sequence := func(step string) oneModule {
		return oneModule{cases: []string{`{"id":"a","op":"x.C.sequence","in":{},"out":{"steps":[` + step + `]}}`}}
	}
	fits := [boxRows]oneModule{
		{},
		{cases: []string{answer}},
		{cases: []string{`{"id":"a","op":"x.f","in":{},"error":{"type":"ValueError"}}`}},
		{cases: []string{`{"id":"a","op":"x.f","env":{"A":"1"},"in":{"n":1},"out":1}`, `{"id":"b","op":"x.f","env":{"A":"2"},"in":{"n":1},"out":2}`}},
		{cases: []string{`{"id":"a","op":"x.f","in":{},"out":{"$hex":"00"}}`}},
		sequence(`{"events":[["/a","PORTAL",""],["/b","PORTAL",""]]}`),
		{cases: []string{`{"id":"a","op":"x.f","in":{},"out":1,"logs":[["WARNING","the text"]]}`}},
		{port: "// F copies.\n//\n// Cost: a copy grows with the bytes,\n// one after another.\nfunc F() {}\n"},
		{test: "func TestX(t *testing.T) { ask(t, \"x.f\") }\n"},
		{cases: []string{answer}},
	}
	for i, m := range fits {
		if x := m.box(t, i); x.state != boxTicked {
			t.Errorf("G%d: what fits leaves it %s: %s", i+1, x.state, x.text)
		}
	}
	for _, c := range []struct {
		box  int
		name string
		oneModule
	}{
		{1, "a name that is later", oneModule{later: true}},
		{2, "errors only", fits[2]},
		{3, "answers only", fits[1]},
		{4, "an environment that changes nothing", oneModule{cases: []string{`{"id":"a","op":"x.f","env":{"A":"1"},"in":{"n":1},"out":1}`, `{"id":"b","op":"x.f","env":{"A":"2"},"in":{"n":1},"out":1}`}}},
		{4, "another input under another environment", oneModule{cases: []string{`{"id":"a","op":"x.f","env":{"A":"1"},"in":{"n":1},"out":1}`, `{"id":"b","op":"x.f","env":{"A":"2"},"in":{"n":2},"out":2}`}}},
		{4, "data beside the input", oneModule{cases: []string{`{"id":"a","op":"x.f","files":{"a.txt":"1"},"in":{"n":1},"out":1}`, `{"id":"b","op":"x.f","files":{"a.txt":"2"},"in":{"n":1},"out":2}`}}},
		{5, "no bytes", fits[1]},
		{5, "files of one answer", oneModule{cases: []string{`{"id":"a","op":"x.f","files":{"a":"1"},"in":{},"out":1}`, `{"id":"b","op":"x.f","files":{"a":"2"},"in":{},"out":1}`}}},
		{5, "another file", oneModule{cases: []string{`{"id":"a","op":"x.f","files":{"a":"1"},"in":{},"out":1}`, `{"id":"b","op":"x.f","files":{"b":"1"},"in":{},"out":2}`}}},
		{5, "a file that cannot be read", oneModule{cases: []string{`{"id":"a","op":"x.f","files":{"a":"1"},"in":{},"out":1}`, `{"id":"b","op":"x.f","files":{"a":"?"},"in":{},"error":{"type":"ValueError"}}`}}},
		{6, "a sequence without callbacks", sequence(`{"r":1}`)},
		{6, "one callback", sequence(`{"calls":[["a"]]}`)},
		{6, "a thread by its name", sequence(`{"thread":"thread-model_manager"},{"thread":"thread-model_manager"}`)},
		{6, "a log of events", sequence(`{"log":[[0,"start",1],[1,"kill",1]]}`)},
		{6, "calls that are no steps of a sequence", oneModule{cases: []string{`{"id":"a","op":"x.f","in":{},"out":{"calls":[["a"],["b"]]}}`}}},
		{7, "a log of events", sequence(`{"log":[[0,"start",1]]}`)},
		{7, "lines without a level", oneModule{cases: []string{`{"id":"a","op":"x.f","in":{},"out":{"logs":["the text"]}}`}}},
		{7, "no lines", oneModule{cases: []string{`{"id":"a","op":"x.f","in":{},"out":1,"logs":[],"metrics":[["cli","flush"]]}`}}},
		{8, "a note of another form", oneModule{port: "// Cost: fast.\nfunc F() {}\n\n// Speed: it grows with the bytes.\nfunc G() {}\n"}},
		{8, "a text that is no comment", oneModule{port: "var s = \"Cost: it grows with the bytes.\"\n"}},
		{9, "a comment", oneModule{test: "// TestX is about x.py.\nfunc TestX(t *testing.T) { t.Error() }\n"}},
		{9, "a test that asserts nothing", oneModule{test: "func TestX(t *testing.T) { ask(\"x.f\") }\n"}},
		{10, "a module that is ported in part", oneModule{cases: []string{answer}, state: "part"}},
		{10, "no cases", oneModule{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if x := c.oneModule.box(t, c.box-1); x.state != boxOpen {
				t.Errorf("G%d: got %s (%s), want it open", c.box, x.state, x.text)
			}
		})
	}
}

func TestThreadsThatRunTickG6(t *testing.T) {
	const log = `,"in":{},"out":{"log":[[0,"create",{}],[1000,"set",{}],[60000,"get",{}]]}}`
	tree, err := readSources(fstest.MapFS{
		"engine/x.go": file("package engine\n"),
		"vectors/golden/x.json": file(`{"source":{"path":"x.py"},"cases":[{"id":"runs","op":"replica_manager.ReplicaManager.sequence"` + log +
			`,{"id":"idle","op":"agent_v1.ProcessNode.sequence"` + log + `]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	for module, want := range map[string]int{"replica_manager.py": 1, "agent_v1.py": 0} {
		if got := tree.casesOf(module).ordered; got != want {
			t.Errorf("%s: got %d sequences with an order, want %d", module, got, want)
		}
	}
}

func TestMetricsTickG7(t *testing.T) {
	for name, c := range map[string]string{
		"beside the answer": `{"id":"a","op":"x.f","in":{},"out":1,"metrics":[["prefix","emit_timer","name",1]]}`,
		"in a step":         `{"id":"a","op":"x.C.sequence","in":{},"out":{"steps":[{"metrics":[["cli","name",3,{}],["cli","flush"]]}]}}`,
	} {
		m := oneModule{cases: []string{c}}
		if x := m.box(t, 6); x.state != boxTicked || !strings.HasPrefix(x.text, "1 case with metrics by name") {
			t.Errorf("%s: got %s: %s, want it ticked by one case", name, x.state, x.text)
		}
	}
}

func TestFilesThatAreReadTickG5(t *testing.T) {
	m := oneModule{cases: []string{`{"id":"a","op":"x.f","files":{"a":"1"},"in":{},"out":1}`, `{"id":"b","op":"x.f","files":{"a":"2"},"in":{},"out":2}`}}
	if x := m.box(t, 4); x.state != boxTicked || !strings.HasPrefix(x.text, "1 input read in files of different content (`a`, `b`)") {
		t.Errorf("got %s: %s, want it ticked by one input", x.state, x.text)
	}
}
