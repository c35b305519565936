package model

// joins makes a server a process of a mixed container, the one of a PS with the same number: both have
// its cores and its place.
func (w *world) joins(s *server, number int) {
	s.host = int32(w.first[PS] + number)
	s.loc, s.share = w.servers[s.host].loc, w.servers[s.host].share
}

// processes returns the servers of a container: of a mixed one PS, entry and dense, and PS alone where
// at is another than its PS.
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

// isProcess reports whether a server is one of a mixed container and not its PS, which stands for it.
func (w *world) isProcess(at int) bool { return int(w.servers[at].host) != at }

// working returns how many threads of a container of a tier work at once.
func (w *world) working(t *Tier) int {
	if !w.spec.Mixed {
		return t.working()
	}
	return w.spec.working()
}

// working returns how many threads of a mixed container work at once.
func (s *Spec) working() int {
	n := 0
	for t := range s.Tiers {
		if s.Has(t) {
			n += s.Tiers[t].working()
		}
	}
	return n
}

// togetherWith reports whether a change of a mixed container is one of all its processes. A container has one
// session, and ends as a whole; its processes come up and load each for itself.
func togetherWith(what uint8) bool {
	switch what {
	case goesDown, isUnseen, slows, isLost, isBack, hides, shows, blinds, sights:
		return true
	}
	return false
}
