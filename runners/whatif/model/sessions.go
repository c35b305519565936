package model

import (
	"math"
	"slices"
)

// expiry returns when ZooKeeper ends the session of a container that died at an instant: the
// session timeout after the last heartbeat, rounded up to a tick of the server's clock. After the
// loss of a leader, the new leader grants every remaining session the whole timeout again
// (SessionTrackerImpl.java).
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

// tick rounds an instant up to the next tick of ZooKeeper's clock. ZooKeeper ends expired sessions
// only at ticks.
func (h *history) tick(at int64) int64 {
	tick := int64(h.p.ZooKeeper.Tick)
	return (at + tick - 1) / tick * tick
}

// written returns when ZooKeeper performs a write that a client sends at an instant. If ZooKeeper
// performs no writes then, the write waits.
func (h *history) written(at int64) int64 {
	for _, q := range h.quiet {
		if at >= q.from && at < q.to {
			at = q.to
		}
	}
	return at
}

// firstPause and longestPause are the shortest and longest pause of a client between two attempts
// to connect, in nanoseconds. Each pause is twice the one before, multiplied by a random factor
// from 0.6 to 1.4 (kazoo's client.py:82-87).
const (
	firstPause   = 100e6
	longestPause = 3600e9
)

// synAgain lists the times, in nanoseconds after the start of an attempt to connect, at which TCP
// sends its connection request again.
var synAgain = []float64{1e9, 3e9, 7e9, 15e9, 31e9, 63e9}

// connects returns when a client is connected again that lost its connection to ZooKeeper at the
// start of q, a period without service. If its packets get no answer at all (silent), the client
// notices the loss only after two thirds of the session timeout, and each attempt to connect takes
// a whole timeout.
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

// listener is for how many nanoseconds an agent of version 1 sleeps, in the client's connection
// listener, after it has reconnected (replica_manager.py:719).
const listener = 5e9

// disconnect separates the agents for which whom returns true from ZooKeeper for the period q.
// Until an agent is connected again, it uses the list of replicas that it saw last. Its session
// expires if it is not back within the session timeout. That timeout starts anew when ZooKeeper
// itself was out of service, and keeps running when only the agent was cut off.
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

// cutOff disconnects the agent of one container. For an agent of version 3 that will register its
// container again, it returns the times of that registration (binding).
func (h *history) cutOff(s int32, q pause, silent bool) []binding {
	back := h.connects(q, silent)
	h.blind(s, q.from, back)
	gone := h.expiry(q.from)
	if slices.Contains(h.quiet, q) { // ZooKeeper was out of service, not only the client cut off
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
	// The agent's binding loop notices that the session is lost only if it is blocked at that
	// moment, by a report of service information that waits for ZooKeeper (quirks Q206 and Q208 of
	// the reference).
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

// Periods of two loops of an agent of version 3, in nanoseconds: reports of service information,
// and bindings (agent_v3.py:183-186).
const (
	serviceInfo = 60e9
	bindings    = 30e9
)

// binding says when an agent of version 3 registers (binds) its container again, and when it writes
// its service information again.
type binding struct {
	server      int32
	bound, info int64
}

// bind adds the changes by which containers become listed again. A container is listed from the
// first binding by any agent after its service information was written, because agents read that
// information only when they bind (quirk Q43).
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

// blind makes an agent keep its list of replicas from an instant until it is connected to ZooKeeper
// again, at the instant back.
func (h *history) blind(s int32, from, back int64) {
	if h.p.Model.AgentVersion != 3 {
		back += listener
	}
	h.add(from, blinds, s, 0)
	h.add(back, sights, s, 0)
}

// upAt returns which containers are up at an instant.
func (h *history) upAt(at int64) []bool {
	up, since, ended := make([]bool, len(h.w.servers)), make([]int64, len(h.w.servers)), h.endedAt(at)
	for i := range h.w.servers {
		up[i] = h.w.servers[i].up
	}
	for _, c := range h.list {
		if c.at > at || c.at < since[c.server] {
			continue
		}
		switch {
		case c.what == goesDown, c.what == retires:
			up[c.server], since[c.server] = false, c.at
		case c.what == comesUp && !c.overtaken(ended[c.server]):
			up[c.server], since[c.server] = true, c.at
		}
	}
	return up
}

// isUp reports whether a container is up at the present instant, up to which changes are known.
func (h *history) isUp(server int32, at int64) bool {
	up, ended := h.begun[server], int64(-1)
	for pass := range 2 { // a start counts if the container has not ended since it was decided
		for _, c := range h.turns[server] {
			switch {
			case c.at > at:
			case pass == 0 && c.what != comesUp:
				up, ended = false, max(ended, c.at)
			case pass == 1 && c.what == comesUp && c.begun >= ended:
				up = true
			}
		}
	}
	return up
}

// wantedAt returns which containers are up at an instant, or start and will come up.
func (h *history) wantedAt(at int64) []bool {
	wanted, ended := h.upAt(at), h.endedAt(at)
	for _, c := range h.list {
		if c.what == comesUp && c.at > at && !c.overtaken(ended[c.server]) {
			wanted[c.server] = true
		}
	}
	for s, begun := range h.starting { //lint:order one entry each
		wanted[s] = wanted[s] || h.ended[s] <= begun
	}
	return wanted
}

// endedAt returns when each container last ended, up to an instant.
func (h *history) endedAt(at int64) []int64 {
	ended := make([]int64, len(h.w.servers))
	for _, c := range h.list {
		if c.at <= at && (c.what == goesDown || c.what == retires) {
			ended[c.server] = max(ended[c.server], c.at)
		}
	}
	return ended
}

// storm expires all sessions at the same time. Clients reconnect at once. Agents of version 3 do
// not notice, so ZooKeeper does not list their containers until their model is published again
// (quirk Q208, features/sessions.feature).
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

// reregister is how often, in nanoseconds, a thread of an agent of version 1 checks whether its
// session was lost and registers again.
const reregister = 10e9

// again registers an agent of version 1 that lost its session and is connected again at the instant
// back. A thread of the agent looks every ten seconds, and writes the status UNKNOWN. The agent's
// next poll of the model server changes the status to AVAILABLE. In the reference, the thread does
// so again and again for ever (quirk Q109).
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
	h.flapping = append(h.flapping, f) // flap needs to know when the simulation begins
}

// flapping describes a container that vanishes from its callers' view at each look of its agent's
// thread, and comes back at the next poll of its status (quirk Q109).
type flapping struct {
	server int32
	// look is when the thread first looks, seen is when callers see the container again after that,
	// and poll is how long it takes until the status is polled.
	look, seen, poll int64
}

// flap adds the changes that hide and show a flapping container, for the simulated part of the
// horizon.
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

// session applies a change that is about the ZooKeeper session of a container's agent.
func (w *world) session(s *server, c change) {
	switch c.what {
	case isLost:
		s.flaps = false
		s.visible = s.visible && !s.up // a dead container stays visible until its old session expires (isUnseen)
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

// sight records that a container's agent is connected to ZooKeeper again.
func (w *world) sight(s *server) {
	if s.blind {
		s.blind = false
		w.blind--
	}
}
