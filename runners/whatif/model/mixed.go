package model

// joins makes a server a process of a mixed container, and gives it the cores and the location of
// the container. The container is represented by its PS, which has the given number.
func (w *world) joins(s *server, number int) {
	s.host = int32(w.first[PS] + number)
	s.loc, s.share = w.servers[s.host].loc, w.servers[s.host].share
}

// processes returns the servers of a container: for a mixed container, given by its PS, those of
// PS, entry and dense, and for any other only the server itself.
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

// isProcess reports whether a server shares a mixed container with others and is not the PS that
// represents the container.
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

// togetherWith reports whether changes of a kind affect all processes of a mixed container. The
// container has one ZooKeeper session and dies as a whole, but its processes start and load
// separately.
func togetherWith(what uint8) bool {
	switch what {
	case goesDown, isUnseen, slows, isLost, isBack, hides, shows, blinds, sights:
		return true
	}
	return false
}
