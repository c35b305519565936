package places

// Reach says which containers a caller calls, out of all containers that could do its work.
type Reach uint8

// The reaches.
const (
	// Anywhere means that a caller calls all containers that could do its work.
	Anywhere Reach = iota
	// Nearest means that a caller calls the containers of its own cluster. Without any there it
	// calls those of its idc, and without any there all containers (idc_aware).
	Nearest
	// Own means that a caller calls only the containers of its own cluster (dc_aware). Without any
	// there it calls nobody.
	Own
)

// Spread returns the load on one unit of capacity at each place. callers holds the load that the
// callers at each place cause. capacity holds how much the callable containers at each place can do
// at once. Places are numbered idc x clusters + cluster.
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

// Fewest returns the smallest total capacity that the callers of one place reach. Places without
// callers do not count, nor do callers that reach no capacity. Fewest returns 0 if nothing counts.
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

// called returns the range of places that a caller calls. The caller is at the place whose number
// is at. The range begins with from and ends before to.
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

// Callers returns the fraction of all load that the containers at each place cause. If shares is
// nil, all containers cause equally much. Otherwise shares holds the fraction of each idc, divided
// equally among its containers.
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

// Through returns the load that the called containers at each place cause in the next tier, if they
// make one call for each that they get. callers and capacity are those of Spread.
func (r Reach) Through(callers, capacity []float64, clusters int) []float64 {
	loads := r.Spread(callers, capacity, clusters)
	for at := range loads {
		loads[at] *= capacity[at]
	}
	return loads
}

func total(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum
}
