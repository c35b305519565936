package compare_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/runners/test/deeds"
)

// Goal: a report on a port counts the scenarios that agree, and names a cause for each of the
// others. Method: a matrix with one cell of each kind.
func TestTheReportOnAPort(t *testing.T) {
	missing := &deeds.Difference{Kind: deeds.ByDeed, Track: "znode /gip/binding/ctr/entry:c:p", Want: []deeds.Deed{{Text: "creates it, ephemeral"}}}
	late := &deeds.Difference{
		Kind: deeds.ByTime, Track: "znode /gip/binding/ctr/ps_0:c:p", From: time.Second, Until: 2 * time.Second,
		Want: []deeds.Deed{{Text: "creates it"}}, Got: []deeds.Deed{{Text: "creates it", First: 30 * time.Second}},
	}
	row := func(line int, c compare.Cell) compare.Row {
		return compare.Row{Path: "a.feature", Line: line, Name: "a", Cells: []compare.Cell{{Verdict: "passed"}, c}}
	}
	m := &compare.Matrix{Runners: []string{"sim", "agent"}, Scenarios: []compare.Row{
		row(1, compare.Cell{Verdict: "passed", Log: compare.Same, Deeds: 10, Alike: 10}),
		row(2, compare.Cell{Verdict: "passed", Log: compare.Explained, Deeds: 4, Alike: 3, Differences: []compare.Named{{Quirk: "Q5"}, {Quirk: "Q5"}}}),
		row(3, compare.Cell{Verdict: "passed", Log: compare.Differs, Deeds: 5, Alike: 4, First: late}),
		row(4, compare.Cell{Verdict: "failed", Why: "no service info", Deeds: 5, Alike: 2, First: missing}),
		row(5, compare.Cell{Verdict: "failed", Why: "no service info", Deeds: 5, Alike: 2, First: missing}),
		row(6, compare.Cell{Verdict: "failed", Why: "too slow", Deeds: 1, Alike: 1}),
		row(7, compare.Cell{Verdict: compare.NotRun}),
		row(8, compare.Cell{Verdict: compare.Busy, Why: "late by 3s"}),
		row(9, compare.Cell{Verdict: compare.Busy, Why: "late by 3s", First: missing}),
	}}
	p := m.Port("agent", "./my-agent")
	var table strings.Builder
	if err := p.Print(&table); err != nil {
		t.Fatal(err)
	}
	want := `scenario     verdict           deeds  cause                       first difference
a.feature:1  agrees            10/10                              
a.feature:2  explained         3/4    Q5                          
a.feature:3  differs           4/5    a binding: at another time  znode /gip/binding/ctr/ps_0:c:p: creates it at t+30.0s, want t+1.0s to t+2.0s
a.feature:4  fails             2/5    a binding: missing          znode /gip/binding/ctr/entry:c:p: nothing, want creates it, ephemeral
a.feature:5  fails             2/5    a binding: missing          znode /gip/binding/ctr/entry:c:p: nothing, want creates it, ephemeral
a.feature:6  fails             1/1    no deed differs             too slow
a.feature:8  too busy to tell  0/0                                late by 3s
a.feature:9  too busy to tell  0/0    perhaps a binding: missing  znode /gip/binding/ctr/entry:c:p: nothing, want creates it, ephemeral; late by 3s

scenarios  cause                       in the reference                          first seen in
2          a binding: missing          agent_v3.py:118-126, backends.py:237-261  a.feature:4
1          a binding: at another time  agent_v3.py:118-126, backends.py:237-261  a.feature:3
1          no deed differs                                                       a.feature:6

./my-agent: 2 of 6 scenarios, 73 % of deeds (on 2 the machine was too busy to tell) (1 more did not run)
`
	if diff := cmp.Diff(want, table.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	text, err := json.Marshal(p)
	if err != nil || !strings.Contains(string(text), `"badge":"2 of 6 scenarios, 73 % of deeds","agrees":2,"same":22,"deeds":30`) {
		t.Errorf("%v; want the totals in JSON, got %s", err, text)
	}
}

// Goal: of long texts that differ in little, that part is shown.
func TestABriefDifferenceShowsWhatDiffers(t *testing.T) {
	text := func(idc string) []deeds.Deed {
		return []deeds.Deed{{Text: `creates it, ephemeral {"agent":"p:port","archon":"p:port","debug_info":{"layout_filters":[]},"grpc":"p:port","idc":"` + idc + `"}`}}
	}
	d := &deeds.Difference{Kind: deeds.ByDeed, Track: "znode /gip/container_service/c:p", Want: text("lf"), Got: text("hl")}
	m := &compare.Matrix{Runners: []string{"sim", "agent"}, Scenarios: []compare.Row{
		{Cells: []compare.Cell{{Verdict: "passed"}, {Verdict: "passed", Log: compare.Differs, First: d}}},
	}}
	const want = `znode /gip/container_service/c:p: creates ...,"grpc":"p:port","idc":"hl"}, want creates ...,"grpc":"p:port","idc":"lf"}`
	if got := m.Port("agent", "./my-agent").Scenarios[0].First; got != want {
		t.Errorf("want %s, got %s", want, got)
	}
}

// Goal: the causes of rounds say what is done too often or too seldom, and where the reference does it.
// Method: one report for each difference.
func TestCausesOfRounds(t *testing.T) {
	deed := func(times int) []deeds.Deed {
		return []deeds.Deed{{Text: "reads there", Times: times, Every: time.Minute}}
	}
	for _, c := range []struct {
		track     string
		kind      deeds.Kind
		want, got []deeds.Deed
		cause     string
	}{
		{"reads p /gip/layouts/main", deeds.ByCount, deed(2), deed(40), "reading the layout: too often"},
		{"reads p /gip/binding/ctr", deeds.ByCount, deed(20), deed(2), "reading the bindings: too seldom"},
		{"reads p /ctr/service/ctr/ps:0", deeds.ByPeriod, deed(9), deed(9), "reading the registrations: at another period"},
		{"reads p /ctr/service/ctr", deeds.ByCount, deed(9), nil, "reading the registrations: missing"},
		{"reads p /other", deeds.ByCount, nil, deed(9), "reading ZooKeeper: too much"},
		{"round p GetModelStatus ctr", deeds.ByBetween, deed(9), deed(9), "what model servers are asked: now and then missing"},
		{"round p probe", deeds.ByCount, deed(2), deed(9), "the probe of the model servers' ports: too often"},
	} {
		d := &deeds.Difference{Kind: c.kind, Track: c.track, Want: c.want, Got: c.got, Until: 20}
		if len(c.want) > 0 {
			d.Until = time.Duration(c.want[0].Times)
		}
		m := &compare.Matrix{Runners: []string{"sim", "agent"}, Scenarios: []compare.Row{
			{Cells: []compare.Cell{{Verdict: "passed"}, {Verdict: "passed", Log: compare.Differs, First: d}}},
		}}
		causes := m.Port("agent", "./my-agent").Causes
		if len(causes) != 1 || causes[0].Cause != c.cause || (causes[0].Reference == "") != (c.track == "reads p /other") {
			t.Errorf("%s: got %+v, want %s", c.track, causes, c.cause)
		}
	}
}
