package model

import (
	"math"
	"slices"
)

// expiry returns when ZooKeeper ends the session of a container that died at an instant.
// That is the timeout after its last heartbeat, rounded up to a tick of the server's clock.
// After the loss of a leader, the new leader gives every remaining session its whole timeout
// again (SessionTrackerImpl.java).
func (h *history) expiry(at int64) int64 {
	end := at + h.timeout() - int64(h.rng.Float64()*float64(h.timeout())/3)
	for _, q := range h.quiet {
		if q.from < end && q.to > at {
			end = q.to + h.timeout()
		}
	}
	return h.written(h.tick(end))
}

func (h *history) timeout() int64 { return int64(h.p.ZooKeeper.SessionTimeout) }

// tick rounds an instant up to the next tick of ZooKeeper's clock, because ZooKeeper ends sessions
// that are due only at ticks.
func (h *history) tick(at int64) int64 {
	tick := int64(h.p.ZooKeeper.Tick)
	return (at + tick - 1) / tick * tick
}

// written returns when ZooKeeper performs a write that a client sends at an instant. During
// a pause of ZooKeeper the write waits.
func (h *history) written(at int64) int64 {
	for _, q := range h.quiet {
		if at >= q.from && at < q.to {
			at = q.to
		}
	}
	return at
}

// firstPause and longestPause bound a client's pause between attempts to connect, in
// nanoseconds. Each pause is twice the previous one, times 60 % to 140 % (kazoo's
// client.py:82-87).
const (
	firstPause   = 100e6
	longestPause = 3600e9
)

// synAgain lists when TCP sends its connection request again, in nanoseconds after the start
// of an attempt.
var synAgain = []float64{1e9, 3e9, 7e9, 15e9, 31e9, 63e9}

// connects returns when a client that lost its connection at the start of a pause is
// connected again. If nothing answers (silent), the client notices the loss only after two
// thirds of the timeout, and each attempt takes a whole timeout.
func (h *history) connects(q pause, silent bool) int64 {
	at, pause, each := float64(q.from), float64(firstPause), 0.0
	if silent {
		each = float64(h.timeout())
		at += each * 2 / 3
	}
	for at < float64(q.to) {
		for _, again := range synAgain {
			if again < each && at+again >= float64(q.to) {
				return int64(at + again)
			}
		}
		pause *= 0.6 + 0.8*h.rng.Float64()
		at += each + pause
		pause = math.Min(2*pause, longestPause)
	}
	return int64(at)
}

// listener is how long, in nanoseconds, an agent of version 1 sleeps in the client's
// callback after it has reconnected (replica_manager.py:719).
const listener = 5e9

// disconnect separates agents from ZooKeeper. Until an agent is back, it uses the replicas that it
// saw last. A session expires if its client is not back within the timeout. After an outage of
// ZooKeeper, the timeout starts again. If only the client was cut off, the timeout keeps running.
func (h *history) disconnect(q pause, silent bool, whom func(*server) bool) {
	up := h.upAt(q.from)
	var bound []binding
	for i := range h.w.servers {
		if s := &h.w.servers[i]; up[i] && whom(s) && !h.w.isProcess(i) {
			bound = append(bound, h.cutOff(int32(i), q, silent)...)
		}
	}
	h.bind(bound)
}

// cutOff disconnects one container. It returns the binding of a version 3 container that can
// be bound again.
func (h *history) cutOff(s int32, q pause, silent bool) []binding {
	back := h.connects(q, silent)
	h.blind(s, q.from, back)
	gone := h.expiry(q.from)
	if slices.Contains(h.quiet, q) { // ZooKeeper was away, not the client
		gone = h.tick(q.to + h.timeout())
	}
	if gone >= back {
		return nil
	}
	h.add(gone, isLost, s, 0)
	h.fate.Lost++
	if h.p.Model.AgentVersion != 3 {
		h.again(s, back)
		return nil
	}
	h.unlisted[s] = gone
	h.fate.Unlisted++
	// The binding loop notices the lost session only if, at that moment, it is blocked by a
	// report of service information that waits for ZooKeeper (Q206, Q208).
	report := q.from + int64(h.rng.Float64()*serviceInfo)
	round := q.from + int64(h.rng.Float64()*bindings)
	if round < report {
		round += bindings
	}
	if round >= back {
		return nil
	}
	return []binding{{s, back + bindings, back + serviceInfo}}
}

// Periods of the loops of version 3, in nanoseconds (agent_v3.py:183-186).
const (
	serviceInfo = 60e9
	bindings    = 30e9
)

// binding says when a container is bound again and when its service information is written.
type binding struct {
	server      int32
	bound, info int64
}

// bind lists the containers that are bound again. A container becomes listed at the first
// binding of any container that follows its service information, because agents do not look
// for that information at other times (Q43).
func (h *history) bind(list []binding) {
	for _, x := range list {
		listed := int64(math.MaxInt64)
		for _, y := range list {
			if y.bound >= x.info {
				listed = min(listed, y.bound)
			}
		}
		if listed == math.MaxInt64 {
			continue
		}
		delete(h.unlisted, x.server)
		h.fate.Unlisted--
		h.fate.LastNs = max(h.fate.LastNs, listed)
		h.add(listed, isBack, x.server, 0)
	}
}

// blind makes an agent keep its old list of replicas from the instant from until it is connected
// again. back is when it is connected.
func (h *history) blind(s int32, from, back int64) {
	if h.p.Model.AgentVersion != 3 {
		back += listener
	}
	h.add(from, blinds, s, 0)
	h.add(back, sights, s, 0)
}

// upAt returns which containers are up at an instant.
func (h *history) upAt(at int64) []bool {
	up, since := make([]bool, len(h.w.servers)), make([]int64, len(h.w.servers))
	for i := range h.w.servers {
		up[i] = h.w.servers[i].up
	}
	for _, c := range h.list {
		if c.at > at || c.at < since[c.server] {
			continue
		}
		switch c.what {
		case goesDown, retires:
			up[c.server], since[c.server] = false, c.at
		case comesUp:
			up[c.server], since[c.server] = true, c.at
		}
	}
	return up
}

// storm expires all sessions at the same time, and clients reconnect at once. Agents of
// version 3 do not notice, so their containers are not listed until their model is published
// again (Q208, features/sessions.feature).
func (h *history) storm(at int64) {
	for i, up := range h.upAt(at) {
		if up && !h.w.isProcess(i) {
			h.add(at, isLost, int32(i), 0)
			h.blind(int32(i), at, at)
			h.fate.Lost++
			if h.p.Model.AgentVersion == 3 {
				h.unlisted[int32(i)] = at
				h.fate.Unlisted++
				continue
			}
			h.again(int32(i), at)
		}
	}
}

// reregister is the period, in nanoseconds, of version 1's thread that registers again after
// a lost session.
const reregister = 10e9

// again registers an agent of version 1 that lost its session. back is when the agent is connected
// again. Its thread checks every ten seconds and writes UNKNOWN. The next poll of the model
// server's status changes that to AVAILABLE. With the reference's faults this repeats for ever
// (Q109).
func (h *history) again(s int32, back int64) {
	look := back + int64(h.rng.Float64()*reregister)
	poll := h.poll()
	seen := h.written(max(look, back+listener) + poll)
	h.fate.LastNs = max(h.fate.LastNs, seen)
	if h.p.Override.Quirks != "python" {
		h.add(seen, isBack, s, 0)
		return
	}
	h.add(seen, isBack, s, 1)
	f := flapping{s, look, seen, poll}
	if h.w.running {
		h.flap(f)
		return
	}
	h.flapping = append(h.flapping, f) // flap adds the changes once it is known when the simulation begins
}

// flapping describes a container that is hidden at each check of its agent's thread, until the next
// status poll.
type flapping struct {
	server           int32
	look, seen, poll int64 // time of the first check, when callers saw the container again, and how long polls take
}

// flap adds the changes that hide and show a flapping container during the simulated time.
func (h *history) flap(f flapping) {
	from, to := max(h.w.base, f.seen), h.w.base+h.w.last
	look := f.look
	if skip := (from - look) / reregister; skip > 0 {
		look += skip * reregister
	}
	for ; look < to; look += reregister {
		if look < f.seen || h.written(look) != look {
			continue
		}
		h.add(look, hides, f.server, 0)
		h.add(h.written(look+f.poll), shows, f.server, 0)
	}
}

// session applies a change of an agent's session.
func (w *world) session(s *server, c change) {
	switch c.what {
	case isLost:
		s.flaps = false
		s.visible = s.visible && !s.up // a dead container stays visible until its own session expires (isUnseen)
	case isBack:
		if s.up {
			s.visible, s.flaps = true, c.value == 1
		}
	case hides, shows:
		if s.up && s.flaps {
			s.visible = c.what == shows
		}
	case blinds:
		if w.blind == 0 {
			for t := range w.views {
				w.staleViews[t] = slices.Clone(w.views[t])
			}
		}
		if !s.blind {
			s.blind = true
			w.blind++
		}
	case sights:
		w.sight(s)
	}
}

// sight makes a container's agent see changes again.
func (w *world) sight(s *server) {
	if s.blind {
		s.blind = false
		w.blind--
	}
}
