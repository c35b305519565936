package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/sample.golden")

// Goal: each mutant changes its own place and nothing else, and without a mutant nothing changes.
// Method: a module with a place for each operator, built once and run with every mutant's number. A
// golden file has its output for each mutant.
func TestEveryMutantChangesItsPlaceAlone(t *testing.T) {
	root, err := filepath.Abs("testdata/module")
	if err != nil {
		t.Fatal(err)
	}
	s, err := instrument(sides[0], root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(s.dir, "show")
	if output, err := s.goCommand(context.Background(), "build", "-o", binary, "./cmd/show"); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	got := fmt.Sprintf("without: %s", show(t, binary, 0))
	for _, m := range s.found.compiled() {
		got += fmt.Sprintf("%s\n\t%s", m, show(t, binary, m.ID))
	}
	const golden = "testdata/sample.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("mutants (-want +got):\n%s", diff)
	}
}

// show runs the sample program with a mutant and returns its output. After a panic it returns the
// panic's message.
func show(t *testing.T, binary string, id int) string {
	t.Helper()
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), fmt.Sprintf("MUTANT=%d", id), "MUTANT_CPU=1")
	output, err := cmd.CombinedOutput()
	if first, _, more := strings.Cut(string(output), "\n"); err != nil && more {
		return first + "\n"
	}
	return string(output)
}

// Goal: the cheapest attempts come first. Method: parts of all kinds that reach more or fewer
// mutants.
func TestAttemptsAreTheCheapestFirst(t *testing.T) {
	reach := func(n int) map[int]bool {
		r := map[int]bool{}
		for i := range n {
			r[i+1] = true
		}
		return r
	}
	vector := func(name string, n int) *part {
		return &part{kind: byVectors, name: name, program: []string{"monosim"}, reaches: reach(n)}
	}
	test := func(name, binary string, cpu time.Duration) *part {
		return &part{kind: byTests, name: name, program: []string{binary}, cpu: cpu, reaches: reach(1)}
	}
	parts := []*part{
		test("slow", "a.test", time.Second), test("quick", "a.test", 0), test("other", "b.test", 0), test("fast", "a.test", 0),
		vector("e", 5), vector("d", 4), vector("c", 3), vector("b", 2), vector("a", 1), vector("none", 0),
		{kind: byStories, name: "far world", program: []string{"monosim"}, reaches: reach(8)},
		{kind: byStories, name: "near world", program: []string{"monosim"}, reaches: reach(7)},
		{kind: byScenarios, name: "feature", program: []string{"monosim"}, reaches: reach(9)},
	}
	var got []string
	for _, a := range attempts(&mutant{ID: 1}, parts) {
		var names []string
		for _, p := range a {
			names = append(names, p.name)
		}
		got = append(got, strings.Join(names, "+"))
	}
	want := []string{"a", "b", "c", "d+e", "feature", "quick+fast", "other", "slow", "near world", "far world"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}

func TestCommandsNameTheirParts(t *testing.T) {
	vectors := []*part{{kind: byVectors, program: []string{"p"}, alone: "--dir=d", among: "--suite=x"}, {among: "--suite=y"}}
	tests := []*part{{kind: byTests, program: []string{"t"}, among: "TestA"}, {among: "TestB"}}
	got := [][]string{command(vectors[:1]), command(vectors), command(tests)}
	want := [][]string{{"p", "--dir=d"}, {"p", "--suite=x", "--suite=y"}, {"t", "-test.run=^(TestA|TestB)$"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// Goal: a mutant is killed by a part that fails or does not end, not by one that passes. Method:
// shell scripts as parts.
func TestWhatFailsKills(t *testing.T) {
	for _, c := range []struct {
		name, script    string
		killed, endless bool
	}{
		{"passes", "exit 0", false, false},
		{"fails", "exit 1", true, false},
		{"is stopped by its limit", "kill -XCPU $$", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &part{kind: byScenarios, program: []string{"sh", "-c"}, alone: c.script, reaches: map[int]bool{1: true}}
			v, err := try(t.Context(), &mutant{ID: 1}, []*part{p})
			if err != nil {
				t.Fatal(err)
			}
			if (v.Killed != "") != c.killed || v.Endless != c.endless || !v.Reached {
				t.Errorf("verdict %+v, want killed %t, endless %t", v, c.killed, c.endless)
			}
		})
	}
}

func TestExcusesThatDoNotHoldAreTold(t *testing.T) {
	alive, dead := &mutant{ID: 1, File: "a.go", Func: "F", Change: "x"}, &mutant{ID: 2, File: "a.go", Func: "F", Change: "x", Nth: 2}
	verdicts := []verdict{{Mutant: alive}, {Mutant: dead, Killed: byVectors, By: "op"}}
	reasons := map[string]string{"a.go F: x": "cannot be seen", "a.go F: x #2": "neither", "b.go: y": "gone"}
	want := []string{"a.go F: x #2: killed by vectors op", "b.go: y: no such mutant"}
	if diff := cmp.Diff(want, excuse(verdicts, []*mutant{alive, dead}, reasons)); diff != "" {
		t.Errorf("stale (-want +got):\n%s", diff)
	}
	if verdicts[0].Reason != "cannot be seen" || verdicts[1].Reason != "" {
		t.Errorf("reasons %q and %q, want the survivor's only", verdicts[0].Reason, verdicts[1].Reason)
	}
}

// Goal: the exit code depends on the rate of killed mutants, in which equivalent mutants do not
// count. Method: nine of ten killed, then eight.
func TestTheRateDecides(t *testing.T) {
	var verdicts []verdict
	for i := range 11 {
		v := verdict{Mutant: &mutant{ID: i + 1, Package: modulePath + "/engine/agent", Operator: opCall}, Killed: byVectors, Reached: true}
		switch i {
		case 0:
			v.Killed, v.Reached = "", false
		case 1:
			v.Killed, v.Reason = "", "equivalent"
		}
		verdicts = append(verdicts, v)
	}
	r := newReport(verdicts, nil, time.Second)
	if r.Rate != 90 || r.Total.Mutants != 10 || r.Total.Unreached != 1 || !r.good() {
		t.Errorf("rate %v of %+v, good %t; want 90 of 10 with one not reached, good", r.Rate, r.Total, r.good())
	}
	if newReport(verdicts, []string{"stale"}, 0).good() {
		t.Error("good with a stale reason")
	}
	verdicts[2].Killed = ""
	if r := newReport(verdicts, nil, 0); r.good() {
		t.Errorf("good at %v", r.Rate)
	}
	var text, asJSON bytes.Buffer
	if err := r.writeText(&text); err != nil || !strings.Contains(text.String(), "9 of 10 mutants killed, 90.0 % (want 90), in 1s\n") {
		t.Errorf("text %q, error %v", text.String(), err)
	}
	var back report
	if err := r.writeJSON(&asJSON); err != nil || json.Unmarshal(asJSON.Bytes(), &back) != nil || back.Total.Killed != 9 {
		t.Errorf("JSON %s, error %v", asJSON.String(), err)
	}
}

func TestASampleIsTheSameForASeed(t *testing.T) {
	var all []*mutant
	for i := range 100 {
		all = append(all, &mutant{ID: i + 1, File: "engine/agent/x.go", Line: i/10 + 1})
	}
	draw := func(o options) []*mutant {
		chosen, err := o.choose(all)
		if err != nil {
			t.Fatal(err)
		}
		return chosen
	}
	one, again, other := draw(options{sample: 20, seed: 7}), draw(options{sample: 20, seed: 7}), draw(options{sample: 20, seed: 8})
	if len(one) != 20 || !slices.Equal(one, again) || slices.Equal(one, other) {
		t.Errorf("%d drawn, equal for one seed %t and for two %t; want 20, true, false", len(one), slices.Equal(one, again), slices.Equal(one, other))
	}
	if n := len(draw(options{places: []string{"./engine/agent"}})); n != 100 {
		t.Errorf("%d in the folder, want 100", n)
	}
	if n := len(draw(options{places: []string{"engine/agent/x.go:3"}})); n != 10 {
		t.Errorf("%d on the line, want 10", n)
	}
	if _, err := (options{places: []string{"engine/agent/y.go"}}).choose(all); err == nil {
		t.Error("no error for a place without mutants")
	}
}

func TestEquivalentsHaveReasons(t *testing.T) {
	agents, err := readEquivalents("equivalent.yaml", sides[0])
	if err != nil || len(agents) == 0 {
		t.Errorf("got %d reasons of the agents, %v", len(agents), err)
	}
	training, err := readEquivalents("equivalent.yaml", sides[1])
	if err != nil {
		t.Error(err)
	}
	for name := range training {
		if agents[name] != "" || !within(name, "engine/training") {
			t.Errorf("%s has a reason in a run over training", name)
		}
	}
	for name, text := range map[string]string{
		"no reason": "- mutants: [a]", "no mutants": "- reason: r", "twice": "- {reason: r, mutants: [a, a]}", "unknown field": "- {why: r}",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "e.yaml")
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := readEquivalents(path, sides[0]); err == nil {
				t.Errorf("no error for %q", text)
			}
		})
	}
}

// Goal: the given places decide which side is mutated, and places of both sides are an error.
func TestPlacesAreOfOneSide(t *testing.T) {
	for _, c := range []struct {
		places []string
		want   string
	}{
		{nil, "engine/agent"},
		{[]string{"engine/agent/zkmirror", "engine/agent/agent.go:12"}, "engine/agent"},
		{[]string{"engine/training"}, "engine/training"},
		{[]string{"engine/training/job/worker.go:30", "engine/training/hooks"}, "engine/training"},
		{[]string{"engine/agent", "engine/training"}, ""},
		{[]string{"engine/trainings"}, ""},
	} {
		got, err := sideOf(c.places)
		if got.mutated != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v: got %q, %v, want %q", c.places, got.mutated, err, c.want)
		}
	}
}
