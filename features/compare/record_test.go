package compare_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features/compare"
)

// Goal: recording some scenarios or some runners leaves the other recorded results unchanged, and
// drops scenarios that no longer exist.
func TestARecordGoesOverAnOlderOne(t *testing.T) {
	cell := func(log string) compare.Cell { return compare.Cell{Verdict: "passed", Log: log} }
	older := &compare.Matrix{Runners: []string{"sim", "real"}, Scenarios: []compare.Row{
		{Path: "a.feature", Line: 3, Name: "gone", Cells: []compare.Cell{cell(""), cell(compare.Same)}},
		{Path: "a.feature", Line: 9, Name: "one", Cells: []compare.Cell{cell(""), cell(compare.Same)}},
		{Path: "b.feature", Line: 3, Name: "two", Cells: []compare.Cell{cell(""), cell(compare.Explained)}},
	}}
	newer := &compare.Matrix{Runners: []string{"sim", "python"}, Scenarios: []compare.Row{
		{Path: "b.feature", Line: 4, Name: "two", Cells: []compare.Cell{cell(""), {
			Verdict: "passed", Log: compare.Explained, Differences: []compare.Named{{Kind: "deed", Track: "znode /a", Quirk: "Q5"}},
		}}},
		{Path: "a.feature", Line: 1, Name: "zero", Cells: []compare.Cell{cell(""), {Verdict: compare.NotRun, Why: "no"}}},
	}}
	order := map[string]int{"zero": 0, "one": 1, "two": 2}
	made := newer.Over(older, func(_, name string) (int, bool) { n, ok := order[name]; return n, ok })
	text, err := made.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"runners": ["sim","real","python"], "scenarios": [
  {"feature":"","path":"a.feature","line":1,"name":"zero","cells":[{"verdict":"passed"},{"verdict":""},{"verdict":"not run","why":"no"}]},
  {"feature":"","path":"a.feature","line":9,"name":"one","cells":[{"verdict":"passed"},{"verdict":"passed","log":"same"},{"verdict":""}]},
  {"feature":"","path":"b.feature","line":4,"name":"two","cells":[{"verdict":"passed"},{"verdict":"passed","log":"explained"},{"verdict":"passed","log":"explained","differences":[{"kind":"deed","track":"znode /a","quirk":"Q5"}]}]}
]}
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	again, err := compare.ParseMatrix(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made, again); diff != "" {
		t.Errorf("read again (-written +read):\n%s", diff)
	}
}
