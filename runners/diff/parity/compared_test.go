package parity

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features/steps"
)

// The goal is that the page says of every scenario what it came to on another runner, as
// recorded, and names every difference. The method is a record of one of each.
func TestThePageHasWhatWasFoundOnOtherRunners(t *testing.T) {
	record := file(`{"runners": ["sim", "python"], "scenarios": [
{"path": "features/a.feature", "name": "one", "cells": [{"verdict": "passed"}, {"verdict": "passed", "log": "equal"}]},
{"path": "features/a.feature", "name": "two", "cells": [{"verdict": "passed"}, {"verdict": "passed", "log": "explained", "differences": [{"kind": "deed", "track": "znode /a|b", "quirk": "Q5"}]}]},
{"path": "features/b.feature", "name": "three", "cells": [{"verdict": "passed"}, {"verdict": "not run", "why": "it cannot be"}]},
{"path": "features/b.feature", "name": "gone", "cells": [{"verdict": "passed"}, {"verdict": "failed", "why": "x"}]},
{"path": "features/b.feature", "name": "four", "cells": [{"verdict": "passed"}, {"verdict": "failed", "why": "want this"}]}
]}`)
	compared, err := readCompared(fstest.MapFS{comparedFile: record})
	if err != nil {
		t.Fatal(err)
	}
	p := smallParity(t)
	p.compared = compared
	p.report = &steps.Report{Results: []steps.Result{
		{Path: "features/a.feature", Line: 3, Name: "one"}, {Path: "features/a.feature", Line: 5, Name: "two"},
		{Path: "features/b.feature", Line: 7, Name: "three"}, {Path: "features/b.feature", Line: 9, Name: "four"}, {Path: "features/b.feature", Line: 11, Name: "new"},
	}}
	want := `
### On python

| feature | ran | passed | equal | open | explained | differs | not there | not recorded |
|---|---|---|---|---|---|---|---|---|
| [features/a.feature](features/a.feature) | 2 | 2 | 1 | 0 | 1 | 0 | 0 | 0 |
| [features/b.feature](features/b.feature) | 1 | 0 | 0 | 0 | 0 | 0 | 1 | 1 |
| all | 3 | 2 | 1 | 0 | 1 | 0 | 1 | 1 |

Differences:

- [two](features/a.feature#L5): znode /a\|b, in its deed, explained by Q5
- [four](features/b.feature#L9): failed: want this

Why scenarios are not there:

- it cannot be: 1
`
	var b bytes.Buffer
	p.writeCompared(&b)
	_, got, _ := strings.Cut(b.String(), "a quirk.\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	var summary []string
	p.summariseCompared(func(what, _ string, numbers ...string) { summary = append(append(summary, what), numbers...) })
	if diff := cmp.Diff([]string{"scenarios on python", "3 ran", "2 passed", "1 equal"}, summary[:4]); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

// A page of a project without a record has no such section.
func TestWithoutARecordThereIsNothingToSay(t *testing.T) {
	compared, err := readCompared(fstest.MapFS{})
	if compared != nil || err != nil {
		t.Errorf("want nothing, got %v, %v", compared, err)
	}
	var b bytes.Buffer
	if smallParity(t).writeCompared(&b); b.Len() > 0 {
		t.Errorf("found a section about nothing:\n%s", b.String())
	}
	if _, err := readCompared(fstest.MapFS{comparedFile: file(`{"runners": ["sim", "real"], "scenarios": [{"name": "a", "cells": []}]}`)}); err == nil {
		t.Error("a record with missing cells: want an error, got none")
	}
}
