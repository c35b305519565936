package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// entry is an action on containers that has to be taken at an instant of the horizon.
type entry struct {
	at int64
	do func()
}

// on takes the action do at an instant of the horizon. If the order of actions matters, the action
// waits in the agenda, whose actions are taken in order of time. Otherwise on takes it at once. The
// order matters if containers load models from a shared store, because a load takes longer if others
// begin before it ends. It also matters if a plan with events has random failures or rolling
// restarts, because each of them acts on the containers that the others have left running.
func (h *history) on(at int64, do func()) {
	if !h.inTime {
		do()
		return
	}
	k, _ := slices.BinarySearchFunc(h.agenda, at+1, func(e entry, at int64) int { return cmp.Compare(e.at, at) })
	h.agenda = slices.Insert(h.agenda, k, entry{at, do})
	if h.w.running {
		h.w.at(max(at-h.w.base, h.w.now), &h.w.onAgenda, 0)
	}
}

// due takes all actions in the agenda up to an instant.
func (h *history) due(until int64) {
	for len(h.agenda) > 0 && h.agenda[0].at <= until {
		first := h.agenda[0]
		h.agenda = h.agenda[1:]
		h.clock = max(h.clock, first.at)
		first.do()
	}
}

// finish takes all actions in the agenda, which happens before any request is simulated.
func (h *history) finish() { h.due(math.MaxInt64) }

// store is the storage from which containers load models. All containers that read at the same time
// share its bandwidth evenly, but none reads faster than a container can.
type store struct {
	h     *history
	whole float64 // total bandwidth, in bytes per nanosecond
	each  float64 // largest number of bytes per nanosecond that one container can read
	at    int64   // time up to which given has been computed
	given float64 // number of bytes that a container would have received up to at, had it read from the start on
	reads []read  // reads in progress, in the order in which they will end
	plans int     // number of times that the end of the first read was planned; all plans but the latest are invalid
	ended bool    // whether the loads that end now are cut short, because their container ends
}

type read struct {
	server int32          // container that reads
	end    float64        // value of store.given at which the read is done
	then   func(at int64) // called with the instant at which the read ends
}

// storeOf returns the model store of a plan. It returns nil if the plan does not limit the store's
// bandwidth. If a fleet is simulated with a fraction of its containers (thin), the store has that
// fraction of its bandwidth.
func storeOf(p *plan.Plan, thin int) *store {
	if p.Fleet.Boot.Store == 0 {
		return nil
	}
	return &store{whole: float64(p.Fleet.Boot.Store) / float64(thin) / 1e9, each: float64(p.Fleet.Boot.ModelLoad) / 1e9}
}

// load makes a container load versions one after the other, beginning at the instant from. begun is
// when the start or publish that they belong to was decided. load calls then with the instant at
// which all are loaded, or at which the container has ended before.
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

// pass adds to given what the reads have received up to the present.
func (s *store) pass() {
	s.given += float64(s.h.clock-s.at) * s.speed()
	s.at = s.h.clock
}

func (s *store) speed() float64 { return min(s.each, s.whole/float64(max(1, len(s.reads)))) }

// plan plans the end of the read that ends first, at most a nanosecond too late.
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

// quits ends the reads of a container that itself ends at an instant.
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

// ends takes the action that follows a load which was cut short by the end of its container. While
// it runs, the method broken returns true, so that the action knows.
func (s *store) ends(do func()) {
	s.ended = true
	do()
	s.ended = false
}

// broken reports whether the load that ends now was cut short by the end of its container.
func (s *store) broken() bool { return s != nil && s.ended }
