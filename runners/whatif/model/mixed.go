package model

// joins makes a server a process of the mixed container that the PS with this number
// represents. They share cores and location.
func (w *world) joins(s *server, number int) {
	s.host = int32(w.first[PS] + number)
	s.loc, s.share = w.servers[s.host].loc, w.servers[s.host].share
}

// processes returns the servers of a container. For a mixed container, given by its PS,
// these are PS, entry and dense. Otherwise it is only the server itself.
func (w *world) processes(at int32) []int32 {
	list := []int32{at}
	if !w.spec.Mixed || w.servers[at].tier != PS {
		return list
	}
	for _, t := range []int{Entry, Dense} {
		if w.spec.Has(t) {
			list = append(list, int32(w.first[t])+at-int32(w.first[PS]))
		}
	}
	return list
}

// isProcess reports whether a server is a process of a mixed container other than the PS,
// which represents the container.
func (w *world) isProcess(at int) bool { return int(w.servers[at].host) != at }

// working returns how many threads of a tier's container can work at the same time.
func (w *world) working(t *Tier) int {
	if !w.spec.Mixed {
		return t.working()
	}
	return w.spec.working()
}

// working returns how many threads of a mixed container can work at the same time.
func (s *Spec) working() int {
	n := 0
	for t := range s.Tiers {
		if s.Has(t) {
			n += s.Tiers[t].working()
		}
	}
	return n
}

// togetherWith reports whether a change affects all processes of a mixed container. The
// container has one session and ends as a whole, but its processes start and load
// separately.
func togetherWith(what uint8) bool {
	switch what {
	case goesDown, isUnseen, slows, isLost, isBack, hides, shows, blinds, sights:
		return true
	}
	return false
}
