package main

// Goal: each rule finds what it should and nothing else. Method: the rules run on the packages
// below testdata. "want" comments on their lines say what a rule has to find there, and any other
// finding fails the test.

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

func TestRules(t *testing.T) {
	if testing.Short() {
		t.Skip("loads the standard library from source, which is slow under the race detector and finds nothing there")
	}
	for _, c := range []struct {
		name string
		rule *analysis.Analyzer
		room string
	}{
		{"hidden finds the host's clock", hidden, "engine/agent/clock"},
		{"hidden finds goroutines and channels", hidden, "engine/agent/tasks"},
		{"hidden finds random streams", hidden, "engine/agent/random"},
		{"hidden finds imports of the host", hidden, "engine/agent/imports"},
		{"hidden lets the engine make coroutines", hidden, "engine/vtime"},
		{"hidden leaves wall time alone", hidden, "engine/walltime"},
		{"hidden leaves served front ends alone", hidden, "sim/zookeeper/wire"},
		{"maporder tells loops that commute", mapOrder, "sim/maps"},
		{"maporder leaves wall time alone", mapOrder, "engine/walltime"},
		{"maporder leaves served front ends alone", mapOrder, "sim/zookeeper/wire"},
		{"pkgdoc lets a full comment pass", pkgDoc, "docs/full"},
		{"pkgdoc lets a long comment pass", pkgDoc, "docs/long"},
		{"pkgdoc misses a comment", pkgDoc, "docs/missing"},
		{"pkgdoc finds a short comment", pkgDoc, "docs/short"},
		{"pkgdoc finds a chain of semicolons", pkgDoc, "docs/chain"},
		{"docnames finds comments on something else", docNames, "docs/names"},
		{"pkgdoc finds files that are gone", pkgDoc, "docs/gone"},
		{"pkgdoc finds another opening", pkgDoc, "docs/opening"},
		{"pkgdoc finds two comments", pkgDoc, "docs/two"},
		{"pkgdoc wants commands named by folder", pkgDoc, "docs/command"},
		{"pkgdoc misses a command's comment", pkgDoc, "docs/silent"},
		{"pkgdoc leaves tests alone", pkgDoc, "docs/onlytests"},
		{"pkgdoc leaves generated packages alone", pkgDoc, "docs/generated"},
		{"stability lets a package that says it pass", stability, "stable/told"},
		{"stability finds one that does not", stability, "stable/untold"},
		{"stability lets one pass that is for others", stability, "stable/public"},
		{"stability finds one that is for others and says otherwise", stability, "stable/both"},
		{"doclinks finds links and files that are gone", docLinks, "docs/links"},
		{"testsleep finds sleeping tests", testSleep, "sleeps"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			analysistest.Run(t, analysistest.TestData(), c.rule, module+"/"+c.room)
		})
	}
}
