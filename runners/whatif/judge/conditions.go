package judge

import (
	"fmt"
	"slices"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// Normal is the condition in which nothing is taken away.
var Normal = model.Condition{}

// Conditions are those of solve.must_hold_under: for "any K" the worst classes of
// placement, not all combinations (CAP-6.5). The state is the one after balancers know.
// With events among them their windows count under these only.
func Conditions(p *plan.Plan) []model.Condition {
	list := conditions(p)
	if slices.ContainsFunc(list, func(c model.Condition) bool { return c.Event > 0 }) {
		for i := range list {
			list[i].NoEvents = list[i].Event == 0
		}
	}
	return list
}

func conditions(p *plan.Plan) []model.Condition {
	var list []model.Condition
	for _, m := range p.Solve.MustHoldUnder {
		switch m.Of {
		case "idc":
			for i := range p.Fleet.IDCs {
				list = append(list, withoutIDCs(p, m, i))
			}
		case "entry", "ps", "dense":
			list = append(list, without(p, m))
		case "event":
			list = append(list, model.Condition{Text: m.Text, Event: m.Event})
		default:
			list = append(list, model.Condition{})
		}
	}
	return list
}

// withoutIDCs takes away an idc and the K-1 after it.
func withoutIDCs(p *plan.Plan, m plan.Must, first int) model.Condition {
	c := model.Condition{Text: m.Text}
	names := ""
	gone := map[int]bool{}
	for k := range m.Count {
		i := (first + k) % len(p.Fleet.IDCs)
		gone[i] = true
		names += " " + p.Fleet.IDCs[i].Name
	}
	c.Name = "idc:" + names
	c.Text = fmt.Sprintf("%s (%s)", m.Text, names[1:])
	spec := model.Compile(p, Normal)
	for t := range spec.Tiers {
		tier := &spec.Tiers[t]
		for shard, n := range tier.Replicas {
			for k := range n {
				if gone[tier.Placement[k%len(tier.Placement)].IDC] {
					c.Remove = append(c.Remove, model.Which{Tier: t, Shard: shard, Number: k})
				}
			}
		}
	}
	return c
}

// without takes K containers of a tier away: of the hottest shard, the first, and of it
// the first placed, which are where most are.
func without(p *plan.Plan, m plan.Must) model.Condition {
	c := model.Condition{Name: m.Of + ":" + fmt.Sprint(m.Count), Text: m.Text}
	for t, name := range plan.TierNames {
		if name != m.Of {
			continue
		}
		shard, n := 0, p.ReplicasOf(name, 0)
		if name == "ps" && p.Shards() > 1 && p.ReplicasOf(name, 1) < n && p.Model.ShardSkew.Zipf == 0 {
			shard, n = 1, p.ReplicasOf(name, 1) // the hottest is no hotter, and larger
		}
		for k := range min(m.Count, n) {
			c.Remove = append(c.Remove, model.Which{Tier: t, Shard: shard, Number: k})
		}
	}
	return c
}
