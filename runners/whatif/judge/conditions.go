package judge

import (
	"slices"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Normal is the condition in which nothing is taken away.
var Normal = model.Condition{}

// Conditions are those of solve.must_hold_under: of "any K" one for each class of placements
// that differs from the others in something that counts, or, where classes are many, for
// those that leave the fullest shard (CAP-6.5). The state is the one after balancers know.
// With events among them their windows count under these only.
func Conditions(p *plan.Plan) []model.Condition {
	list, _ := placed(p)
	return list
}

// PlacementsOf says of each "any K" of solve.must_hold_under how many placements it has, how
// many classes of them, and which are judged.
func PlacementsOf(p *plan.Plan) []result.Placements {
	_, list := placed(p)
	return list
}

func placed(p *plan.Plan) ([]model.Condition, []result.Placements) {
	var list []model.Condition
	var counts []result.Placements
	at := placesOf(p)
	for _, m := range p.Solve.MustHoldUnder {
		var some []model.Condition
		var count result.Placements
		switch m.Of {
		case "idc":
			some, count = at.ofIDCs(m)
		case "entry", "ps", "dense":
			some, count = at.ofTier(m)
		case "event":
			some = []model.Condition{{Text: m.Text, Event: m.Event}}
		default:
			some = []model.Condition{{}}
		}
		list = append(list, some...)
		if count.Condition != "" {
			counts = append(counts, count)
		}
	}
	if slices.ContainsFunc(list, func(c model.Condition) bool { return c.Event > 0 }) {
		for i := range list {
			list[i].NoEvents = list[i].Event == 0
		}
	}
	return list, counts
}
