package plan

import (
	"fmt"

	"github.com/monosim/monosim/runners/whatif/places"
)

// Unthinnable returns the reasons why simulating only one in k requests and containers would
// distort results, nil if there are none (CAP-3.19). It would distort crowded tiers and storms of
// retries, which do not depend on the load of single servers alone. It would also distort events
// that name a number of containers.
func (p *Plan) Unthinnable(k int) []string {
	var why []string
	refuse := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	for _, tier := range TierNames {
		if p.Fleet.Tier(tier) == nil {
			continue
		}
		p.unthinnableTier(tier, k, refuse)
	}
	if n := p.Workload.Loop.Clients; n%k != 0 {
		refuse("%d clients are no multiple of %d", n, k)
	}
	if p.Workload.Places != nil {
		refuse("the entry containers of an idc are whole")
	}
	if !p.Workload.Arrivals.Batch.IsZero() {
		refuse("requests that come at once are whole")
	}
	if p.Measures() {
		refuse("an autoscaler that measures goes by whole containers")
	}
	for _, e := range p.Events {
		if e.Kill != nil || e.Slow != nil || e.Restart != nil {
			refuse("%s is of single containers", e.Label())
		}
	}
	for _, m := range p.Solve.MustHoldUnder {
		if p.Fleet.Tier(m.Of) != nil {
			refuse("%q is of single containers", m.Text)
		}
	}
	return why
}

// unthinnableTier calls refuse with each reason why the tier must not be thinned. Such reasons are
// that the tier is crowded, that retries could overload it, or that its number of containers is not
// a multiple of k.
func (p *Plan) unthinnableTier(tier string, k int, refuse func(string, ...any)) {
	for i, w := range p.Windows() {
		if u := p.Fullest(tier, p.PeakIn(w.Start, w.End)); u > 0.9 && !p.Workload.Loop.Closed() {
			refuse("utilisation %.0f %% > 90 %% of %s in window %d", u*100, tier, i+1)
			break
		}
	}
	if peak := p.Fullest(tier, p.PeakRate()); tier != "entry" && p.Retried(peak) {
		refuse("with retries the utilisation of %s may be %.0f %%, which is metastable", tier, peak*float64(1+p.Override.FetchPSRetry)*100)
	}
	shards := 1
	if tier == "ps" {
		shards = min(p.Shards(), 2) // shard 0 is the hottest, and the others are all alike
	}
	if p.OwnPlace() {
		for shard := range shards {
			if n := p.ReplicasOf(tier, shard); !thinsEverywhere(n, k, p.Places()) {
				refuse("%d containers of %s, one of %d of which is not as many of each place (dc_aware)", n, tier, k)
			}
		}
	}
	for shard := range shards {
		n := p.ReplicasOf(tier, shard)
		switch {
		case n%k != 0:
			refuse("%d containers of %s are no multiple of %d", n, tier, k)
			return
		case n/k < len(p.Fleet.IDCs):
			refuse("of %d containers of %s %d are left for %d idcs", n, tier, n/k, len(p.Fleet.IDCs))
			return
		}
	}
}

// thinsEverywhere reports whether thinning n containers to one in k leaves each location
// exactly one in k of its containers.
func thinsEverywhere(n, k int, all []places.Place) bool {
	thinned := places.Placed(n/k, all)
	for place, whole := range places.Placed(n, all) { //lint:order any of them
		if thinned[place]*k != whole {
			return false
		}
	}
	return true
}
