package parity

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/features/steps"
)

// Goal: the page shows the recorded result of every scenario on another runner, names every
// difference, and says which results are older than the code. Method: a record with one result of
// each kind.
func TestThePageHasWhatWasFoundOnOtherRunners(t *testing.T) {
	results := []steps.Result{
		{Path: "features/a.feature", Line: 3, Name: "one"}, {Path: "features/a.feature", Line: 5, Name: "two"},
		{Path: "features/b.feature", Line: 7, Name: "three", Tags: []string{"@not-python"}}, {Path: "features/b.feature", Line: 9, Name: "four"},
		{Path: "features/b.feature", Line: 11, Name: "new"}, {Path: "features/b.feature", Line: 13, Name: "freed"},
	}
	results[4].Stats.Virtual = 15 * time.Hour
	code, err := compare.ReadCode(os.DirFS("../../.."), results)
	if err != nil {
		t.Fatal(err)
	}
	stamped := &compare.Matrix{Runners: []string{"sim", "python"}, Scenarios: []compare.Row{
		{Path: "features/a.feature", Name: "two", Cells: []compare.Cell{{}, {Verdict: "passed"}}},
	}}
	code.Stamp(stamped)
	fresh := stamped.Scenarios[0].Cells[1]
	record := file(`{"runners": ["sim", "python"], "scenarios": [
{"path": "features/a.feature", "name": "one", "cells": [{"verdict": "passed"}, {"verdict": "passed", "log": "same", "seeds": {"of": 30, "whole": "1-30"}, "scenario": "of before"}]},
{"path": "features/a.feature", "name": "two", "cells": [{"verdict": "passed"}, {"verdict": "passed", "log": "explained", "differences": [{"kind": "deed", "track": "znode /a|b", "quirk": "Q5"}], "scenario": "` + fresh.Scenario + `", "rooms": "` + fresh.Rooms + `"}]},
{"path": "features/b.feature", "name": "three", "cells": [{"verdict": "passed"}, {"verdict": "not run", "why": "it cannot be"}]},
{"path": "features/b.feature", "name": "freed", "cells": [{"verdict": "passed"}, {"verdict": "not run", "why": "it could not be"}]},
{"path": "features/b.feature", "name": "gone", "cells": [{"verdict": "passed"}, {"verdict": "failed", "why": "x"}]},
{"path": "features/b.feature", "name": "four", "cells": [{"verdict": "passed"}, {"verdict": "failed", "why": "want this"}]}
]}`)
	p := smallParity(t)
	p.report = &steps.Report{Results: results}
	sources := withFile{os.DirFS("../../.."), fstest.MapFS{comparedFile: record}}
	if p.compared, p.code, err = readCompared(sources, p.report); err != nil {
		t.Fatal(err)
	}
	want := `
### On python

| feature | ran | passed | same | explained | differs | older | not there | not recorded |
|---|---|---|---|---|---|---|---|---|
| [features/a.feature](features/a.feature) | 2 | 2 | 1 | 1 | 0 | 1 | 0 | 0 |
| [features/b.feature](features/b.feature) | 1 | 0 | 0 | 0 | 0 | 1 | 1 | 2 |
| all | 3 | 2 | 1 | 1 | 0 | 2 | 1 | 2 |

Of what is the same, 1 are so with a set of seeds for the whole, 0 with a seed for each track.

Differences:

- [two](features/a.feature#L5): znode /a\|b, in its deed, explained by Q5
- [four](features/b.feature#L9): failed: want this

Why results are older:

- the scenario, or what the simulation does in it, was another: 2

Why scenarios are not there:

- it cannot be: 1

Not recorded:

- [new](features/b.feature#L11): 15.0 h of the cluster, 1.5 h at a tenth of the clock
- [freed](features/b.feature#L13): 0.0 min of the cluster, 0.0 min at a tenth of the clock

### On tensorflow

| feature | ran | passed | same | explained | differs | older | not there | not recorded |
|---|---|---|---|---|---|---|---|---|
| all | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |
`
	var b bytes.Buffer
	p.writeCompared(&b)
	_, got, _ := strings.Cut(b.String(), "clock's own speed.\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	var summary []string
	p.summariseCompared(func(what, _ string, numbers ...string) { summary = append(append(summary, what), numbers...) })
	if diff := cmp.Diff([]string{"scenarios on python", "3 ran", "2 passed", "1 same"}, summary[:4]); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	err = CheckRecords(sources, p.report)
	if err == nil || !strings.Contains(err.Error(), "2 results on python are older than the code: the scenario") || !strings.Contains(err.Error(), "STALE=1") {
		t.Errorf("want an error with the number of what is older and the command, got %v", err)
	}
}

// withFile is a source tree with one file added or replaced.
type withFile struct {
	fs.FS
	file fstest.MapFS
}

func (w withFile) Open(name string) (fs.File, error) {
	if w.file[name] != nil {
		return w.file.Open(name)
	}
	return w.FS.Open(name)
}

// Goal: without a record, the page has no section about other runners.
func TestWithoutARecordThereIsNothingToSay(t *testing.T) {
	compared, _, err := readCompared(fstest.MapFS{}, &steps.Report{})
	if compared != nil || err != nil {
		t.Errorf("want nothing, got %v, %v", compared, err)
	}
	var b bytes.Buffer
	if smallParity(t).writeCompared(&b); b.Len() > 0 {
		t.Errorf("found a section about nothing:\n%s", b.String())
	}
	if _, _, err := readCompared(fstest.MapFS{comparedFile: file(`{"runners": ["sim", "real"], "scenarios": [{"name": "a", "cells": []}]}`)}, &steps.Report{}); err == nil {
		t.Error("a record with missing cells: want an error, got none")
	}
}
