package suites_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// known is an expected failure or skip of a test, or of a whole class or module of tests.
type known struct{ outcome, name, reason string }

// readKnown reads a list of expected failures and skips from testdata.
func readKnown(t *testing.T, file string) []known {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var list []known
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.SplitN(line, " ", 3)
		if len(fields) != 3 || fields[0] != "fail" && fields[0] != "skip" {
			t.Fatalf("%s: %q, want fail or skip, a name and the reason", file, line)
		}
		list = append(list, known{outcome: fields[0], name: fields[1], reason: fields[2]})
	}
	return list
}

// covers reports whether the entry names the test, or a class or module that contains the test.
func (k known) covers(test string) bool {
	return test == k.name || strings.HasPrefix(test, k.name+".")
}

// skipped returns the entries of list whose tests must not run.
func skipped(list []known) []known {
	return slices.DeleteFunc(slices.Clone(list), func(k known) bool { return k.outcome != "skip" })
}

// result is the outcome of one test of a client's suite.
type result struct {
	test    string
	outcome string // pass, fail or skip
	why     string
}

// hold compares a suite's results with the expected failures in list, and logs the counts of each
// outcome.
func hold(t *testing.T, results []result, list []known, took time.Duration) {
	t.Helper()
	numbers := map[string]int{}
	for _, r := range results {
		numbers[r.outcome]++
		i := slices.IndexFunc(list, func(k known) bool { return k.covers(r.test) })
		switch {
		case i >= 0 && r.outcome == "pass":
			t.Logf("passes, though it is known to %s: %s", list[i].outcome, r.test)
		case i >= 0 && r.outcome == list[i].outcome, r.outcome == "pass":
		default:
			t.Errorf("%s: %s\n%s", r.outcome, r.test, r.why)
		}
	}
	for _, k := range list {
		if !slices.ContainsFunc(results, func(r result) bool { return k.covers(r.test) }) {
			t.Logf("has no %s", k.name)
		}
	}
	if numbers["pass"] == 0 {
		t.Error("nothing passes")
	}
	t.Logf("%s server: %d passed, %d failed, %d skipped in %v",
		*serverKind, numbers["pass"], numbers["fail"], numbers["skip"], took.Round(time.Second))
}
