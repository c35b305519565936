package whatif

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Goal: when budget.wall is over, run and solve end at once, report what is known, and exit with 3.
// A sweep ignores it, because its result must be the same bytes wherever it runs. Method: a budget
// of a nanosecond.
func TestTheWallClockEndsRunsAndSearches(t *testing.T) {
	const old, short = "budget: {", "budget: {wall: 1ns, "
	for _, name := range []string{"run", "solve"} {
		code, stdout, message := whatif(name, planFile(t, old, short))
		if code != result.ExitUndecided || message != "" {
			t.Errorf("%s: exit %d, want %d: %s", name, code, result.ExitUndecided, message)
		}
		for _, want := range []string{"CLOSED FORM  bound: utilisation", "not reproducible: the wall-clock budget ended it"} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s says nothing of %q:\n%s", name, want, stdout)
			}
		}
		if name == "run" && !strings.Contains(stdout, "not enough data: budget.wall ended") {
			t.Errorf("run does not say that there is not enough data:\n%s", stdout)
		}
		for _, unknown := range []string{"STABLE", "BACKLOGGED", "PASS"} {
			if strings.Contains(stdout, unknown) {
				t.Errorf("%s of nothing says %s:\n%s", name, unknown, stdout)
			}
		}
	}
	_, want, _ := whatif("sweep", planFile(t, "", ""), "--json")
	code, got, message := whatif("sweep", planFile(t, old, short), "--json")
	if code != 0 || got != want {
		t.Errorf("a sweep is cut: exit %d, %s", code, message)
	}
}

// Goal: the command that a merge prints under REPRODUCE repeats the merge. Method: sweep one shard
// into a folder, merge it, and run the printed command.
func TestAMergeCanBeRepeatedAsItSays(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for seconds, with goroutines that others have, too")
	}
	path, dir := planFile(t, "", ""), t.TempDir()
	if code, _, message := whatif("sweep", path, "--engine", "shard=0/1", "--out", dir); code != 0 {
		t.Fatalf("exit %d: %s", code, message)
	}
	_, first, _ := whatif("merge", dir, "--plan", path)
	_, line, found := strings.Cut(first, "REPRODUCE    monosim whatif ")
	if !found {
		t.Fatalf("no way to reproduce it:\n%s", first)
	}
	line, _, _ = strings.Cut(line, "\n")
	if code, again, message := whatif(strings.Fields(line)...); code != 0 || again != first {
		t.Errorf("%q: exit %d, %s\n%s", line, code, message, again)
	}
}

// Goal: the section ZOOKEEPER of a search is about its answer, not about the plan as written. A
// fleet with more watches than ZooKeeper can hold is no answer (CAP-3.16). Method: a search for the
// least p99 over other fleets than the written one, with memory for all of them, and for the
// smallest only.
func TestASearchMindsZooKeeper(t *testing.T) {
	for _, c := range []struct {
		heap     string
		excluded int
	}{{"1MiB", 0}, {"4kB", 2}} {
		path := planFile(t, "solve: {over: {ps.replicas: 1..3}}", "zookeeper: {watch_bytes: 100B, heap: "+c.heap+"}\nsolve: {minimise: p99, over: {ps.replicas: [1, 3, 4]}}")
		code, stdout, message := whatif("solve", path, "--json")
		r, err := result.Read(strings.NewReader(stdout))
		if err != nil || r.Answer == nil {
			t.Fatalf("heap %s: exit %d, %s: %v", c.heap, code, message, err)
		}
		if got := r.ZooKeeper.Now.Agents; got != r.Answer.Containers || r.Certificate.Excluded["memory"] != c.excluded {
			t.Errorf("heap %s: ZooKeeper of %d agents, %d containers in the answer; excluded %v, want %d by memory", c.heap, got, r.Answer.Containers, r.Certificate.Excluded, c.excluded)
		}
	}
}

// Goal: the word "warning" appears once for each warning. Method: a plan with fewer requests than a
// reliable verdict takes.
func TestAWarningIsCalledSoOnce(t *testing.T) {
	path := planFile(t, "\"at 5s 200ms\"", "\"at 5s 15ms\"")
	code, _, message := whatif("theory", path)
	if code != 0 || strings.Count(message, "warning: ") != strings.Count(message, "[CAP-") || !strings.Contains(message, "warning: "+path+":") {
		t.Errorf("exit %d: %s", code, message)
	}
	if code, _, _ := whatif("run", path+"x"); code != command.ExitBadInput {
		t.Errorf("exit %d for a plan that is not there", code)
	}
}
