package places

// Reach says which of the containers that could do the work of a caller it calls.
type Reach uint8

// The reaches.
const (
	// Anywhere means that a caller calls all of them.
	Anywhere Reach = iota
	// Nearest means those of its own cluster, or else those of its idc, or else all (idc_aware).
	Nearest
	// Own means those of its own cluster only (dc_aware). A caller without any calls nobody.
	Own
)

// Spread returns the load of each unit of capacity at each place. callers holds the load that comes
// from callers at each place, and capacity how much the containers there that can be called do at
// once. Places are numbered idc x clusters + cluster.
func (r Reach) Spread(callers, capacity []float64, clusters int) []float64 {
	loads := make([]float64, len(capacity))
	for at, load := range callers {
		from, to := r.called(at, capacity, clusters)
		sum := total(capacity[from:to])
		for k := from; k < to && load > 0 && sum > 0; k++ {
			if capacity[k] > 0 {
				loads[k] += load / sum
			}
		}
	}
	return loads
}

// Fewest returns the least capacity that callers of any place reach, 0 if there are no callers
// that reach any.
func (r Reach) Fewest(callers, capacity []float64, clusters int) float64 {
	least := 0.0
	for at, load := range callers {
		from, to := r.called(at, capacity, clusters)
		if sum := total(capacity[from:to]); load > 0 && sum > 0 && (least == 0 || sum < least) {
			least = sum
		}
	}
	return least
}

// called returns the range of the places that a caller at one of them calls.
func (r Reach) called(at int, capacity []float64, clusters int) (from, to int) {
	idc := at / clusters * clusters
	switch {
	case r == Own || r == Nearest && capacity[at] > 0:
		return at, at + 1
	case r == Nearest && total(capacity[idc:idc+clusters]) > 0:
		return idc, idc + clusters
	}
	return 0, len(capacity)
}

// Callers returns the part of all load that comes from containers at each place: evenly, or, unless
// shares is nil, of an idc as much as its share.
func Callers(containers, shares []float64, clusters int) []float64 {
	loads, all := make([]float64, len(containers)), total(containers)
	for at, n := range containers {
		idc := at / clusters
		switch {
		case n == 0:
		case shares == nil:
			loads[at] = n / all
		default:
			loads[at] = shares[idc] * n / total(containers[idc*clusters:(idc+1)*clusters])
		}
	}
	return loads
}

// Passed returns the load that containers pass on which have so much for each unit of capacity.
func Passed(loads, capacity []float64) []float64 {
	all := make([]float64, len(loads))
	for at, load := range loads {
		all[at] = load * capacity[at]
	}
	return all
}

func total(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum
}
