package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// entry is something to do to the containers at an instant of the horizon.
type entry struct {
	at int64
	do func()
}

// on does something at an instant. Where loads share a store, what comes first happens first: a load takes
// longer by those that begin in its course. Else nothing hangs on the order, and it is done at once.
func (h *history) on(at int64, do func()) {
	if h.store == nil {
		do()
		return
	}
	k, _ := slices.BinarySearchFunc(h.agenda, at+1, func(e entry, at int64) int { return cmp.Compare(e.at, at) })
	h.agenda = slices.Insert(h.agenda, k, entry{at, do})
	if h.w.running {
		h.w.at(max(at-h.w.base, h.w.now), &h.w.onAgenda, 0)
	}
}

// due does what is to be done up to an instant.
func (h *history) due(until int64) {
	for len(h.agenda) > 0 && h.agenda[0].at <= until {
		first := h.agenda[0]
		h.agenda = h.agenda[1:]
		h.clock = max(h.clock, first.at)
		first.do()
	}
}

// finish does all that is to be done, before any request.
func (h *history) finish() { h.due(math.MaxInt64) }

// store is where models come from. All that read at the same time share its bandwidth evenly, and
// none reads faster than a container can.
type store struct {
	h     *history
	whole float64 // bytes a nanosecond
	each  float64
	at    int64   // when given was right
	given float64 // is how many bytes each continuous reader has received since the start
	reads []read  // in the order in which they end
	plans int     // how often the end of the first one was planned
	ended bool    // the reads end now because their container does
}

type read struct {
	server int32
	end    float64 // bytes given at its end
	then   func(at int64)
}

// storeOf returns the store of a plan, a thinned one of a thinned fleet, or nil when it has enough for all.
func storeOf(p *plan.Plan, thin int) *store {
	if p.Fleet.Boot.Store == 0 {
		return nil
	}
	return &store{whole: float64(p.Fleet.Boot.Store) / float64(thin) / 1e9, each: float64(p.Fleet.Boot.ModelLoad) / 1e9}
}

// load lets a container load from an instant on, one version after the other, in a start (or for a publish)
// that began at another. then runs with when it has, or with when the container ended.
func (h *history) load(s int32, list []plan.Loading, begun, from int64, then func(at int64)) {
	if h.store == nil {
		then(from + int64(h.p.Took(list)))
		return
	}
	if len(list) == 0 || h.store.ended {
		then(from)
		return
	}
	h.on(from, func() {
		if h.ended[s] > begun {
			h.store.ends(func() { then(from) })
			return
		}
		h.store.begin(read{s, list[0].Bytes, func(at int64) {
			if !h.store.ended {
				at += int64(list[0].Besides)
			}
			h.load(s, list[1:], begun, at, then)
		}})
	})
}

// pass lets the reads go on up to now.
func (s *store) pass() {
	s.given += float64(s.h.clock-s.at) * s.speed()
	s.at = s.h.clock
}

func (s *store) speed() float64 { return min(s.each, s.whole/float64(max(1, len(s.reads)))) }

// plan plans the end of the first read, a nanosecond late at most.
func (s *store) plan() {
	s.plans++
	if len(s.reads) == 0 {
		return
	}
	turn := s.plans
	s.h.on(s.at+int64(math.Ceil((s.reads[0].end-s.given)/s.speed())), func() {
		if s.plans != turn {
			return
		}
		s.pass()
		first := s.reads[0]
		s.reads = s.reads[1:]
		s.plan()
		first.then(s.at)
	})
}

func (s *store) begin(r read) {
	s.pass()
	r.end += s.given
	k, _ := slices.BinarySearchFunc(s.reads, r.end, func(r read, end float64) int { return cmp.Compare(r.end, end) })
	s.reads = slices.Insert(s.reads, k, r)
	s.plan()
}

// quits ends the reads of a container that ends at an instant.
func (h *history) quits(at int64, server int32) {
	if h.store == nil {
		return
	}
	h.on(at, func() {
		s := h.store
		s.pass()
		var gone []read
		s.reads = slices.DeleteFunc(s.reads, func(r read) bool {
			if r.server == server {
				gone = append(gone, r)
			}
			return r.server == server
		})
		s.plan()
		h.ended[server] = at
		s.ends(func() {
			for _, r := range gone {
				r.then(at)
			}
		})
	})
}

// ends does what follows a load whose container ends.
func (s *store) ends(do func()) {
	s.ended = true
	do()
	s.ended = false
}

// broken reports whether the load that ends now does so as its container ends.
func (s *store) broken() bool { return s != nil && s.ended }
