package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Limits of the enumeration: the number of classes that are counted, the number of classes
// of one condition that are judged, and the number of idcs or clusters whose permutations
// are tried.
const (
	mostClasses = 1000
	mostJudged  = 6
	mostSwapped = 4
)

// class is a set of equivalent placements of a condition's failures. Containers of one shard
// in one cluster are equivalent. So are shards with equal work and replicas, and idcs or
// clusters with the same containers.
type class struct {
	taken      [][]int // number of containers taken, by row and by location
	placements float64
	fullest    float64 // highest ratio of work to remaining replicas over the shards
}

// row is a shard from which containers may be taken. It stands for all shards of its kind.
type row struct {
	of    int // tier
	shard int // shard number, from 0
	kind  int
	alike int   // number of shards of the kind
	holds []int // containers in each location
	work  float64
}

// places holds the locations of a plan's containers, and which locations may be swapped
// without changing the fleet.
type places struct {
	plan  *plan.Plan
	spec  *model.Spec
	at    []model.Location
	swaps [][]int // permutations of the locations that leave the fleet as it is
}

func placesOf(p *plan.Plan) *places {
	out := &places{plan: p, spec: model.Compile(p, Normal)}
	for i, idc := range p.Fleet.IDCs {
		for c := range idc.Clusters {
			out.at = append(out.at, model.Location{IDC: i, Cluster: c})
		}
	}
	for _, swap := range out.permutations() {
		if out.alike(swap) {
			out.swaps = append(out.swaps, swap)
		}
	}
	return out
}

// holds returns how many of the n containers of a shard are in each location.
func (p *places) holds(tier, n int) []int {
	held := make([]int, len(p.at))
	where := p.spec.Tiers[tier].Placement
	for k := range n {
		held[slices.Index(p.at, where[k%len(where)])]++
	}
	return held
}

// alike reports whether a permutation of locations leaves the fleet unchanged: every tier must have
// equally many containers in both locations of each swap. If the plan has events, only the identity
// permutation is accepted, because events name idcs.
func (p *places) alike(swap []int) bool {
	if slices.IsSorted(swap) {
		return true
	}
	if len(p.plan.Events) > 0 {
		return false
	}
	for l, to := range swap {
		if c := p.spec.Clients; c != nil && math.Abs(c[p.at[l].IDC]-c[p.at[to].IDC]) > 1e-9 {
			return false
		}
	}
	for t := range plan.TierNames {
		if p.spec.Mixed && t != model.PS {
			continue
		}
		for _, n := range slices.Compact(slices.Clone(p.spec.Tiers[t].Replicas)) {
			held := p.holds(t, n)
			for l := range held {
				if held[l] != held[swap[l]] {
					return false
				}
			}
		}
	}
	return true
}

// permutations returns the permutations of locations that keep the clusters of an idc
// together. If there are many idcs or clusters, these are not permuted.
func (p *places) permutations() [][]int {
	idcs := p.plan.Fleet.IDCs
	first := make([]int, len(idcs)) // index of each idc's first location
	for i := 1; i < len(idcs); i++ {
		first[i] = first[i-1] + len(idcs[i-1].Clusters)
	}
	var list [][]int
	for _, order := range orders(len(idcs)) {
		partial := [][]int{nil}
		for i := range idcs {
			if len(idcs[i].Clusters) != len(idcs[order[i]].Clusters) {
				partial = nil
				break
			}
			var longer [][]int
			for _, begin := range partial {
				for _, within := range orders(len(idcs[i].Clusters)) {
					next := slices.Clone(begin)
					for _, c := range within {
						next = append(next, first[order[i]]+c)
					}
					longer = append(longer, next)
				}
			}
			partial = longer
		}
		list = append(list, partial...)
	}
	return list
}

// orders returns the permutations of n things, starting with the identity. For large n it
// returns only the identity.
func orders(n int) [][]int {
	list := [][]int{{}}
	for k := range n {
		var longer [][]int
		for _, begin := range list {
			for v := range n {
				if !slices.Contains(begin, v) && (n <= mostSwapped || v == k) {
					longer = append(longer, append(slices.Clone(begin), v))
				}
			}
		}
		list = longer
	}
	return list
}

// rows returns the shards that are needed to describe every class of placements in which the tier
// loses as many containers as count says. That is, up to count shards of each kind. Kinds come
// first whose shards would be fullest after losing count containers.
func (p *places) rows(tier, count int) []row {
	kinds := map[string]int{}
	var byKind [][]row
	works := p.plan.Works(plan.TierNames[tier])
	for shard, n := range p.spec.Tiers[tier].Replicas {
		work := works[min(shard, len(works)-1)]
		key := fmt.Sprintf("%d %.9g %s", n, work, p.calls(tier, shard))
		kind, ok := kinds[key]
		if !ok {
			kind = len(byKind)
			kinds[key], byKind = kind, append(byKind, nil)
		}
		byKind[kind] = append(byKind[kind], row{of: tier, shard: shard, kind: kind, holds: p.holds(tier, n), work: work})
	}
	slices.SortStableFunc(byKind, func(a, b []row) int { return cmp.Compare(fullness(&b[0], count), fullness(&a[0], count)) })
	var list []row
	for _, alike := range byKind {
		for _, one := range alike[:min(len(alike), count)] {
			one.alike = len(alike)
			list = append(list, one)
		}
	}
	return list
}

// calls describes a request's calls to a shard, for each model of the mix, so that shards
// can be compared.
func (p *places) calls(tier, shard int) string {
	var b strings.Builder
	if tier != model.PS {
		return ""
	}
	for _, m := range p.spec.Served() {
		for _, c := range m.Calls {
			if c.Shard == shard {
				fmt.Fprintf(&b, "%.9g ", c.Share)
			}
		}
		b.WriteString("| ")
	}
	return b.String()
}

// fullness returns the work of a shard per remaining replica. The parameter taken is the number of
// replicas that are lost.
func fullness(r *row, taken int) float64 {
	left := -taken
	for _, n := range r.holds {
		left += n
	}
	if left <= 0 {
		return math.Inf(1)
	}
	return r.work / float64(left)
}

// fullestIDC returns the highest work per remaining entry container over all idcs, for a plan in
// which each idc has its own clients. Otherwise it returns 0.
func (p *places) fullestIDC(r *row, taken []int) float64 {
	if p.spec.Clients == nil || r.of != model.Entry {
		return 0
	}
	left, most := make([]int, len(p.spec.Clients)), 0.0
	for l, n := range r.holds {
		left[p.at[l].IDC] += n - taken[l]
	}
	for idc, share := range p.spec.Clients {
		if left[idc] > 0 {
			most = max(most, r.work*share/float64(left[idc]))
		}
	}
	return most
}

// enumeration enumerates the classes of placements for a tier.
type enumeration struct {
	places *places
	rows   []row
	taken  [][]int
	found  []class
	more   bool // mostClasses was reached
}

// classes enumerates the classes of placements in which a tier has lost as many containers as count
// says. Classes with the fullest shard come first.
func (p *places) classes(tier, count int) *enumeration {
	e := &enumeration{places: p, rows: p.rows(tier, count)}
	e.from(0, count)
	slices.SortStableFunc(e.found, func(a, b class) int { return cmp.Compare(b.fullest, a.fullest) })
	return e
}

// from chooses, in all possible ways, the rows that lose containers. left is the number of
// containers that are still to be taken away, and at is the index of the first row from which they
// may be taken.
func (e *enumeration) from(at, left int) {
	if e.more {
		return
	}
	if at == len(e.rows) || left == 0 {
		if left == 0 {
			e.take()
		}
		return
	}
	r := &e.rows[at]
	var below []int // limit of a row's number: rows of a kind are in descending order, so that each class is found once
	if at > 0 && e.rows[at-1].kind == r.kind {
		below = e.taken[at-1]
	}
	vectors(r.holds, left, func(v []int, sum int) {
		if below == nil || slices.Compare(v, below) <= 0 {
			e.taken = append(e.taken, v)
			e.from(at+1, left-sum)
			e.taken = e.taken[:at]
		}
	})
}

// vectors calls the function each for every way to take up to most containers from the locations.
// holds is the number of containers in each location. Ways that take many from the first location
// come first.
func vectors(holds []int, most int, each func(v []int, sum int)) {
	v := make([]int, len(holds))
	var next func(l, left int)
	next = func(l, left int) {
		if l == len(holds) {
			each(slices.Clone(v), most-left)
			return
		}
		for n := min(holds[l], left); n >= 0; n-- {
			v[l] = n
			next(l+1, left-n)
		}
		v[l] = 0
	}
	next(0, most)
}

// take adds the current class, unless swapping locations gives an equivalent class that
// comes first.
func (e *enumeration) take() {
	form := e.form(nil)
	images := map[string]bool{}
	for _, swap := range e.places.swaps {
		image := e.form(swap)
		if image > form {
			return
		}
		images[image] = true
	}
	if len(e.found) == mostClasses {
		e.more = true
		return
	}
	c := class{placements: float64(len(images)), taken: slices.Clone(e.taken)}
	for i := range c.taken {
		r := &e.rows[i]
		sum := 0
		for l, n := range c.taken[i] {
			sum += n
			c.placements *= binomial(r.holds[l], n)
		}
		c.fullest = max(c.fullest, fullness(r, sum), e.places.fullestIDC(r, c.taken[i]))
	}
	for i := 0; i < len(c.taken); {
		i = e.ways(&c, i)
	}
	e.found = append(e.found, c)
}

// ways handles the consecutive rows of one kind that start at index from. It multiplies
// c.placements by the number of ways to choose which shards these rows stand for. It returns the
// index of the first row of the next kind.
func (e *enumeration) ways(c *class, from int) int {
	free, same := e.rows[from].alike, 0
	i := from
	for ; i < len(c.taken) && e.rows[i].kind == e.rows[from].kind; i++ {
		if slices.Max(c.taken[i]) == 0 {
			continue
		}
		same++
		if i == from || slices.Compare(c.taken[i], c.taken[i-1]) != 0 {
			same = 1
		}
		c.placements *= float64(free) / float64(same)
		free--
	}
	return i
}

// form returns the current class, after a swap of locations, as a text. The text does not
// depend on the order of the shards of a kind.
func (e *enumeration) form(swap []int) string {
	var texts []string
	for i, v := range e.taken {
		image := make([]int, len(v))
		for l, n := range v {
			if swap == nil {
				image[l] = n
			} else {
				image[swap[l]] = n
			}
		}
		if slices.Max(v) > 0 {
			texts = append(texts, fmt.Sprintf("%06d%06d", len(e.rows)-e.rows[i].kind, image))
		}
	}
	slices.SortFunc(texts, func(a, b string) int { return strings.Compare(b, a) })
	return strings.Join(texts, ";")
}

// binomial returns the number of ways to choose k of n things.
func binomial(n, k int) float64 {
	ways := 1.0
	for i := range k {
		ways = math.Round(ways * float64(n-i) / float64(i+1))
	}
	return ways
}

// judged returns the classes to simulate. If there are too many, it picks some of those with
// the fullest shard.
func (e *enumeration) judged() []class {
	list := e.found
	if len(list) > mostJudged {
		worst := list[0].fullest
		n := slices.IndexFunc(list, func(c class) bool { return c.fullest < worst*(1-1e-9) })
		if n > 0 {
			list = list[:n]
		}
	}
	return list[:min(len(list), mostJudged)]
}

// conditionOf returns the condition in which the containers of a class have failed.
func (e *enumeration) conditionOf(m plan.Must, tier int, c *class) model.Condition {
	out := model.Condition{}
	var parts []string
	for i, v := range c.taken {
		where := e.places.spec.Tiers[tier].Placement
		total := e.places.spec.Tiers[tier].Replicas[e.rows[i].shard]
		left := slices.Clone(v)
		for k := range total {
			if l := slices.Index(e.places.at, where[k%len(where)]); left[l] > 0 {
				left[l]--
				out.Remove = append(out.Remove, model.Which{Tier: tier, Shard: e.rows[i].shard, Number: k})
			}
		}
		if text := e.places.text(v); text != "" {
			if tier == model.PS {
				text = fmt.Sprintf("shard %d: %s", e.rows[i].shard, text)
			}
			parts = append(parts, text)
		}
	}
	text := strings.Join(parts, "; ")
	out.Name = fmt.Sprintf("%s:%d %s", m.Of, m.Count, text)
	out.Text = fmt.Sprintf("%s (%s)", m.Text, text)
	return out
}

// text says how many containers are taken from which locations.
func (p *places) text(v []int) string {
	var parts []string
	for l, n := range v {
		if n == 0 {
			continue
		}
		idc := p.plan.Fleet.IDCs[p.at[l].IDC]
		name := idc.Name
		if len(idc.Clusters) > 1 {
			name += ":" + idc.Clusters[p.at[l].Cluster]
		}
		parts = append(parts, fmt.Sprintf("%d in %s", n, name))
	}
	return strings.Join(parts, ", ")
}

// ofTier returns the conditions for an entry "any K TIER" of must_hold_under. It also returns how
// many placements and classes there are.
func (p *places) ofTier(m plan.Must) ([]model.Condition, result.Placements) {
	tier := slices.Index(plan.TierNames, m.Of)
	total := 0
	for _, n := range p.spec.Tiers[tier].Replicas {
		total += n
	}
	m.Count = min(m.Count, total) // a cell of a search may have fewer containers
	e := p.classes(tier, m.Count)
	out := result.Placements{Condition: m.Text, Placements: binomial(total, m.Count), Classes: len(e.found), More: e.more}
	var list []model.Condition
	for _, c := range e.judged() {
		one := e.conditionOf(m, tier, &c)
		list = append(list, one)
		out.Judged = append(out.Judged, result.PlacementClass{Text: one.Text, Placements: c.placements})
	}
	return list, out
}

// ofIDCs returns the conditions for an entry "any K idc" of must_hold_under. Sets of idcs that only
// differ by a swap give one condition.
func (p *places) ofIDCs(m plan.Must) ([]model.Condition, result.Placements) {
	idcs := p.plan.Fleet.IDCs
	out := result.Placements{Condition: m.Text, Placements: binomial(len(idcs), m.Count)}
	var list []model.Condition
	ones := make([]int, len(idcs))
	for i := range ones {
		ones[i] = 1
	}
	vectors(ones, m.Count, func(v []int, sum int) {
		images := p.idcImages(v)
		if sum < m.Count || slices.ContainsFunc(images, func(image []int) bool { return slices.Compare(image, v) > 0 }) {
			return
		}
		one := p.withoutIDCs(m, v)
		list = append(list, one)
		out.Judged = append(out.Judged, result.PlacementClass{Text: one.Text, Placements: float64(len(images))})
	})
	out.Classes = len(list)
	return list, out
}

// idcImages returns the distinct sets of idcs that result when each swap is applied to a set.
func (p *places) idcImages(v []int) [][]int {
	var list [][]int
	for _, swap := range p.swaps {
		image := make([]int, len(v))
		for l, to := range swap {
			image[p.at[to].IDC] = v[p.at[l].IDC]
		}
		if !slices.ContainsFunc(list, func(one []int) bool { return slices.Equal(one, image) }) {
			list = append(list, image)
		}
	}
	return list
}

// withoutIDCs returns the condition in which the idcs marked in gone are lost with all their
// containers.
func (p *places) withoutIDCs(m plan.Must, gone []int) model.Condition {
	var names []string
	for i, idc := range p.plan.Fleet.IDCs {
		if gone[i] > 0 {
			names = append(names, idc.Name)
		}
	}
	c := model.Condition{Name: "idc: " + strings.Join(names, " "), Text: fmt.Sprintf("%s (%s)", m.Text, strings.Join(names, " "))}
	for t := range p.spec.Tiers {
		tier := &p.spec.Tiers[t]
		if p.spec.Mixed && t != model.PS {
			continue // mixed containers are listed under ps alone
		}
		for shard, n := range tier.Replicas {
			for k := range n {
				if gone[tier.Placement[k%len(tier.Placement)].IDC] > 0 {
					c.Remove = append(c.Remove, model.Which{Tier: t, Shard: shard, Number: k})
				}
			}
		}
	}
	return c
}
