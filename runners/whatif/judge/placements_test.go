package judge_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/result"
)

// placed is a plan with containers in several locations. The tests fill in idcs, skew and
// condition.
const placed = `apiVersion: capacity/v1
model: {size: {embeddings: 1GiB, dense: 1GiB}SKEW}
override: {num_ps: 6, num_shard: 3}
fleet:
  idcs: IDCS
  entry: {replicas: 4, cpu: 4, mem: 8GiB, cost: 1/h}
  ps: {replicas: 4, cpu: 4, mem: 8GiB, cost: 1/h}
service:
  entry: {cpu: 1ms}
  ps: {cpu: "affine(base=1ms, per_item=1us)"}
  items: det(100)
workload: {rate: 100/s, horizon: 10s}
slo: [p99(request) <= 100ms]
solve: {over: {ps.replicas: 3..4}, must_hold_under: [MUST]}
`

// Goal: the enumeration finds every class of different placements, each placement belongs to
// one class, and every class is judged. Method: small fleets whose classes are counted by
// hand.
func TestClassesOfPlacements(t *testing.T) {
	const alike, uneven = "[{name: lf}, {name: hl}]", "[{name: lf, clusters: [a, b]}, {name: hl}]"
	for _, c := range []struct {
		name, idcs, skew, must string
		placements             float64
		classes                int
		judged                 []string // the conditions that are judged, with the placements of each
	}{
		{"one place", "[{name: lf}]", "", "any 1 ps", 12, 1, []string{"(shard 0: 1 in lf) 12"}},
		{"two places that are alike", alike, "", "any 1 ps", 12, 1, []string{"(shard 0: 1 in lf) 12"}},
		// For each of 3 shards: two containers in one idc (2 ways), or one in each (4). For each of
		// 3 pairs of shards: one container of each shard in the same idc (2 x 2 x 2 ways), or in
		// different idcs (8).
		{"two of two idcs", alike, "", "any 2 ps", 66, 4, []string{"(shard 0: 2 in lf) 6", "(shard 0: 1 in lf, 1 in hl) 12",
			"(shard 0: 1 in lf; shard 1: 1 in lf) 24", "(shard 0: 1 in lf; shard 1: 1 in hl) 24"}},
		{"a tier without shards", alike, "", "any 2 entry", 6, 2, []string{"(2 in lf) 2", "(1 in lf, 1 in hl) 4"}},
		// Of the four containers, lf:a and lf:b have one each, and hl has two.
		{"clusters", uneven, "", "any 1 entry", 4, 2, []string{"(1 in lf:a) 2", "(1 in hl) 2"}},
		{"shards that differ", "[{name: lf}]", ", shard_skew: {zipf: 0.5}", "any 1 ps", 12, 3,
			[]string{"(shard 0: 1 in lf) 4", "(shard 1: 1 in lf) 4", "(shard 2: 1 in lf) 4"}},
		{"many classes", alike, ", shard_skew: {zipf: 0.5}", "any 2 ps", 66, 12,
			[]string{"(shard 0: 2 in lf) 2", "(shard 0: 1 in lf, 1 in hl) 4"}},
		{"all that there are", "[{name: lf}]", "", "any 20 entry", 1, 1, []string{"(4 in lf) 1"}},
		{"idcs that are alike", "[{name: lf}, {name: hl}, {name: lq}, {name: yg}]", "", "any 2 idc", 6, 1, []string{"(lf hl) 6"}},
		{"idcs that differ", uneven, "", "any 1 idc", 2, 2, []string{"(lf) 1", "(hl) 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, strings.NewReplacer("IDCS", c.idcs, "SKEW", c.skew, "MUST", c.must).Replace(placed))
			list := judge.PlacementsOf(p)
			if len(list) != 1 {
				t.Fatalf("got %+v, want one condition", list)
			}
			got := list[0]
			if got.Condition != c.must || got.Placements != c.placements || got.Classes != c.classes || got.More {
				t.Errorf("got %+v, want %g placements in %d classes", got, c.placements, c.classes)
			}
			var texts []string
			sum := 0.0
			for _, one := range got.Judged {
				texts = append(texts, strings.TrimPrefix(one.Text, c.must+" ")+" "+strconv.Itoa(int(one.Placements)))
				sum += one.Placements
			}
			if strings.Join(texts, "\n") != strings.Join(c.judged, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(texts, "\n"), strings.Join(c.judged, "\n"))
			}
			if len(got.Judged) == got.Classes && sum != got.Placements {
				t.Errorf("classes have %g placements, want all %g", sum, got.Placements)
			}
			conditions := judge.Conditions(p)
			if len(conditions) != len(got.Judged) {
				t.Errorf("%d conditions, want one for each of %d classes", len(conditions), len(got.Judged))
			}
			names := map[string]bool{}
			for _, one := range conditions {
				names[one.Name] = true
				if len(one.Remove) == 0 {
					t.Errorf("%s takes nothing away", one.Text)
				}
			}
			if len(names) != len(conditions) {
				t.Errorf("got the names %v of %d conditions, want one each: they are keys of samples", names, len(conditions))
			}
		})
	}
}

// Goal: with events, idcs are not interchangeable, because an event may name one of them.
func TestEventsTellIDCsApart(t *testing.T) {
	text := strings.NewReplacer("IDCS", "[{name: lf}, {name: hl}]", "SKEW", "", "MUST", "any 1 entry").Replace(placed)
	if got := judge.PlacementsOf(parse(t, text))[0].Classes; got != 1 {
		t.Errorf("got %d classes, want 1", got)
	}
	if got := judge.PlacementsOf(parse(t, text+"events: [{at: 1s, lose_idc: hl, for: 1s}]\n"))[0].Classes; got != 2 {
		t.Errorf("with an event got %d classes, want 2", got)
	}
}

// Goal: an estimated quantile is the quantile of all observations together, and its
// confidence interval contains it (CAP-12.15).
func TestQuantilesArePooled(t *testing.T) {
	p := parse(t, small)
	e, err := (&judge.Judge{}).Evaluate(t.Context(), p, judge.Normal, judge.Goal{Replications: 40})
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range []string{"p99(request)", "p50(ps)"} {
		var found *result.Estimate
		for _, one := range e.Estimates() {
			if one.Metric == metric {
				found = &one
			}
		}
		if found == nil || found.Value == nil {
			t.Fatalf("no %s", metric)
		}
		q, h := 0.99, e.Windows[0].Sum.Latency
		if metric == "p50(ps)" {
			q, h = 0.5, e.Windows[0].Sum.Tiers[1].Latency
		}
		if *found.Value != float64(h.Quantile(q)) || !(found.CI[0] < *found.Value && *found.Value < found.CI[1]) {
			t.Errorf("%s: got %g %v, want %d between", metric, *found.Value, *found.CI, h.Quantile(q))
		}
	}
}
