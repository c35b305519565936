package judge

import (
	"slices"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Normal is the condition without any failure.
var Normal = model.Condition{}

// Conditions returns the conditions of solve.must_hold_under. An entry "any K" gives one condition
// for each class of equivalent placements or, if there are many classes, for those with the fullest
// shard (CAP-6.5). Each condition describes the state after balancers have noticed the failure. If
// any entry names an event, each window of an event counts only under the condition that names this
// event.
func Conditions(p *plan.Plan) []model.Condition {
	list, _ := placed(p)
	return list
}

// PlacementsOf returns for each "any K" of solve.must_hold_under how many placements and
// classes it has, and which classes are judged.
func PlacementsOf(p *plan.Plan) []result.Placements {
	_, list := placed(p)
	return list
}

// PeakUnder returns the highest request rate per second that counts under a condition: over the horizon, or, where
// must_hold_under names events, in the windows that are judged under it.
func PeakUnder(p *plan.Plan, c model.Condition) float64 {
	if c.Event == 0 && !c.NoEvents {
		return p.PeakRate()
	}
	most := 0.0
	for _, w := range p.Windows() {
		if w.Incident == c.Event {
			most = max(most, p.PeakIn(w.Start, w.End))
		}
	}
	return most
}

func placed(p *plan.Plan) ([]model.Condition, []result.Placements) {
	var list []model.Condition
	var counts []result.Placements
	at := placesOf(p)
	for _, m := range p.Solve.MustHoldUnder {
		of := at.ofTier
		switch m.Of {
		case "event":
			list = append(list, model.Condition{Text: m.Text, Event: m.Event})
			continue
		case "":
			list = append(list, Normal)
			continue
		case "idc":
			of = at.ofIDCs
		}
		some, count := of(m)
		list, counts = append(list, some...), append(counts, count)
	}
	if slices.ContainsFunc(list, func(c model.Condition) bool { return c.Event > 0 }) {
		for i := range list {
			list[i].NoEvents = list[i].Event == 0
		}
	}
	return list, counts
}
