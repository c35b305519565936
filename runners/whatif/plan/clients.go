package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/quantity"
)

// evacuate is an event that sends the clients of an idc to other idcs. It is unexported, because no
// other package needs to name it.
type evacuate struct {
	IDC   string   `plan:"idc" required:"true" doc:"whose clients go to the other idcs, in proportion to their shares in workload.places, until the event ends"`
	After Duration `plan:"after" default:"0s" range:">=0" doc:"how long after the event they do: until somebody has seen it, or names have been resolved anew"`
}

// Clients returns the share of the requests that comes from the clients of each idc. It returns nil
// if any request may come to any entry container.
func (p *Plan) Clients() []float64 {
	if p.Workload.Places == nil {
		return nil
	}
	shares := make([]float64, len(p.Fleet.IDCs))
	for i, idc := range p.Fleet.IDCs {
		shares[i] = float64(p.Workload.Places[idc.Name])
	}
	return shares
}

// ClientsWithout returns the share of the requests that each idc gets while the clients of the idcs
// in gone use other idcs. Their requests are distributed in proportion to the shares of the other
// idcs. If these have no share, they are distributed evenly over the other idcs that have entry
// containers.
func (p *Plan) ClientsWithout(gone []bool) []float64 {
	shares := p.Clients()
	left, others, in := 0.0, 0.0, p.EntriesIn()
	for i, share := range shares {
		if !gone[i] {
			left += share
			others += float64(min(in[i], 1))
		}
	}
	if left == 0 && others == 0 {
		return shares // no other idc can serve the clients
	}
	out := make([]float64, len(shares))
	for i, share := range shares {
		switch {
		case gone[i]:
		case left > 0:
			out[i] = share / left
		case in[i] > 0:
			out[i] = 1 / others
		}
	}
	return out
}

// EntriesIn returns how many entry containers each idc has.
func (p *Plan) EntriesIn() []int {
	list := make([]int, len(p.Fleet.IDCs))
	for place, n := range p.placed("entry", p.Places()) { //lint:order sums
		list[place.IDC] += n
	}
	return list
}

// fullestEntries returns the utilisation of entry containers in the fullest idc, at an offered
// load, if each idc has its own clients. If events move clients, it is unknown in which state the
// fleet is when the load is highest. It then returns the lowest utilisation in any state: before the
// events, and after each begin or end of one.
func (p *Plan) fullestEntries(offered float64) float64 {
	in := p.EntriesIn()
	full := func(shares []float64) (most float64) {
		for i, share := range shares {
			if in[i] > 0 {
				most = max(most, offered*share/float64(in[i]))
			}
		}
		return most
	}
	least := full(p.Clients())
	for _, gone := range p.evacuated() {
		least = min(least, full(p.ClientsWithout(gone)))
	}
	return least
}

// evacuated returns, for each instant at which an evacuation begins or ends, the idcs that have no
// clients from then on.
func (p *Plan) evacuated() (all [][]bool) {
	type span struct {
		idc      int
		from, to int64
	}
	var spans []span
	for _, e := range p.Events {
		if e.Evacuate == nil {
			continue
		}
		s := span{p.Fleet.IDCIndex(e.Evacuate.IDC), int64(e.At) + int64(e.Evacuate.After), math.MaxInt64}
		if e.For > 0 {
			s.to = int64(e.At) + int64(e.For)
		}
		if s.idc >= 0 {
			spans = append(spans, s)
		}
	}
	for _, of := range spans {
		for _, at := range []int64{of.from, of.to} {
			gone := make([]bool, len(p.Fleet.IDCs))
			for _, s := range spans {
				gone[s.idc] = gone[s.idc] || s.from <= at && at < s.to
			}
			all = append(all, gone)
		}
	}
	return all
}

// Evacuates reports whether an event makes clients of an idc use other idcs for a time.
func (p *Plan) Evacuates() bool {
	return slices.ContainsFunc(p.Events, func(e Event) bool { return e.Evacuate != nil })
}

// checkClients checks workload.places, and events that move clients.
func (d *decoder) checkClients(p *Plan) {
	for i, e := range p.Events {
		if e.Evacuate == nil {
			continue
		}
		at := fmt.Sprintf("events.%d.evacuate", i)
		d.idc(p, e.Evacuate.IDC, at+".idc")
		switch {
		case p.Workload.Places == nil:
			d.reportBoth(at, "workload", requiredKey, "evacuate: no idc has clients of its own, want workload.places, as {%s: 100%%}", p.Fleet.IDCs[0].Name)
		case len(p.Fleet.IDCs) < 2:
			d.report(at, conflict, "evacuate: there is one idc, want another for its clients")
		case e.For > 0 && e.Evacuate.After >= e.For:
			d.report(at+".after", outOfRange, "evacuate: clients go after %s, when the event is over (for: %s)", e.Evacuate.After.text(), e.For.text())
		case Duration(e.At)+e.Evacuate.After >= p.Workload.Horizon:
			d.reportBoth(at+".after", "workload.horizon", afterHorizon, "evacuate: clients go at %s, which is after the horizon %s", (Duration(e.At) + e.Evacuate.After).text(), p.Workload.Horizon.text())
		case p.Workload.Places[e.Evacuate.IDC] == 0:
			d.never(at, e.Evacuate.IDC+" has no clients in workload.places")
		}
	}
	if p.Workload.Places == nil {
		return
	}
	in := p.EntriesIn()
	if slices.ContainsFunc(p.evacuated(), func(gone []bool) bool {
		for i, n := range in {
			if n > 0 && !gone[i] {
				return false
			}
		}
		return true
	}) {
		d.report("events", conflict, "evacuate: the clients of all idcs with entry containers are sent away at once, want one that takes them")
	}
	if p.Fleet.Mixed != nil {
		d.reportKey("workload.places", conflict, "workload.places: found it, want none with fleet.mixed: any request may come to any of its containers")
	}
	sum, known := 0.0, true
	for name, share := range p.Workload.Places { //lint:order problems are sorted by place, the sum is rounded
		at := "workload.places." + name
		known = d.idc(p, name, at) && known
		if share < 0 || share > 1 {
			d.report(at, outOfRange, "%s must be 0%%..100%%, got %s", at, quantity.Format(quantity.Percent, float64(share)))
		}
		sum += float64(share)
	}
	if math.Abs(sum-1) > 1e-6 {
		d.report("workload.places", outOfRange, "workload.places must sum to 100%%, got %s", quantity.Format(quantity.Percent, sum))
	}
	if !known {
		return
	}
	shares := p.Clients()
	for i, n := range in {
		if share := shares[i]; share > 0 && n == 0 {
			d.reportBoth("workload.places."+p.Fleet.IDCs[i].Name, "fleet.entry.replicas", doesNotFit, "%s has %s of the clients and no entry container", p.Fleet.IDCs[i].Name, quantity.Format(quantity.Percent, share))
		}
	}
}
