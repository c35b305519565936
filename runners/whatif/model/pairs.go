package model

// pairs counts the open calls from each caller to each container. Exact counts need an event for
// each answer, which costs time. So the simulation keeps them only for a balancer that needs them,
// or once a caller has so many requests in flight that they could reach the limit on connections.
type pairs struct {
	exact   bool // whether open calls are counted exactly
	of      map[uint64]*pair
	callers map[int32]*sender
}

// pair is the state between one caller and one container.
type pair struct {
	open int     // number of open calls from the caller to the container
	wait []int32 // calls that wait for a connection to the container; each of them holds a sending thread of the caller
	// State of the circuit breaker: number of failures in a row, time at which it opened (0 if
	// closed), and whether a probe is in progress.
	failures int
	opened   int64
	probed   bool
}

// sender holds how many sending threads of a caller are busy, and the calls that wait for one.
type sender struct {
	busy int     // number of sending threads in use
	wait []int32 // calls that wait for a sending thread
}

func (w *world) pair(caller, server int32) *pair {
	key := uint64(uint32(caller))<<32 | uint64(uint32(server))
	p := w.pairs.of[key]
	if p == nil {
		p = &pair{}
		w.pairs.of[key] = p
	}
	return p
}

func (w *world) sender(caller int32) *sender {
	s := w.pairs.callers[caller]
	if s == nil {
		s = &sender{}
		w.pairs.callers[caller] = s
	}
	return s
}

// enterFan adds a request to those whose calls a caller now sends. Once the calls of so many requests
// could reach the limit on connections, open calls are counted exactly.
func (w *world) enterFan(i int32) {
	s := &w.servers[w.requests[i].caller]
	s.fanning++
	if !w.pairs.exact && w.spec.Connections > 0 && int(s.fanning)*w.perPair > w.spec.Connections {
		w.beginPairs()
	}
}

func (w *world) beginPairs() {
	w.pairs = pairs{exact: true, of: map[uint64]*pair{}, callers: map[int32]*sender{}}
	for i := range w.requests {
		if w.requests[i].stage == stageFree {
			continue
		}
		for slot := range w.stride {
			id := w.slots[i*w.stride+slot]
			if id == none || w.calls[id].flags&serverDone != 0 {
				continue
			}
			w.calls[id].flags |= connected
			w.pair(w.requests[i].caller, w.calls[id].server).open++
		}
	}
}

// connect gives a connection to a call. If the caller has no free sending thread or connection, it
// queues the call and returns false. Only connections to PS are limited (CAP-12.7).
func (w *world) connect(id int32) bool {
	c := &w.calls[id]
	caller := w.requests[c.req].caller
	from := w.sender(caller)
	if w.spec.Dispatch > 0 && from.busy >= w.spec.Dispatch {
		c.flags |= waiting
		from.wait = append(from.wait, id)
		return false
	}
	p := w.pair(caller, c.server)
	if c.flags&dense == 0 && w.spec.Connections > 0 && p.open >= w.spec.Connections {
		c.flags |= waiting
		from.busy++
		p.wait = append(p.wait, id)
		return false
	}
	p.open++
	c.flags |= connected
	return true
}

// disconnect takes the connection from a call and gives it to the next call that waits for one.
func (w *world) disconnect(id int32) {
	c := &w.calls[id]
	if c.flags&connected == 0 {
		return
	}
	c.flags &^= connected
	caller := w.requests[c.req].caller
	p := w.pair(caller, c.server)
	p.open--
	for len(p.wait) > 0 {
		next := p.wait[0]
		p.wait = p.wait[1:]
		w.sender(caller).busy--
		n := &w.calls[next]
		if n.flags&clientDone != 0 {
			w.releaseCall(next)
			continue
		}
		n.flags = n.flags&^waiting | connected
		p.open++
		n.left = w.now
		w.travel(next, nil, w.stream(streamNetwork, uint64(n.sent)^uint64(next)))
		break
	}
	w.sendWaiting(caller)
}

// sendWaiting gives free sending threads of a caller to its waiting calls.
func (w *world) sendWaiting(caller int32) {
	from := w.sender(caller)
	for len(from.wait) > 0 && from.busy < w.spec.Dispatch {
		id := from.wait[0]
		from.wait = from.wait[1:]
		c := &w.calls[id]
		if c.flags&clientDone != 0 {
			w.releaseCall(id)
			continue
		}
		c.flags &^= waiting
		if w.connect(id) {
			c.left = w.now
			w.travel(id, nil, w.stream(streamNetwork, uint64(c.sent)^uint64(id)))
		}
	}
}

// view returns the replicas of a shard that a caller sees.
func (w *world) view(tier, shard int, caller int32) []int32 {
	place := 0
	if w.places > 1 && caller != none {
		place = w.place(w.servers[caller].loc)
	}
	views := w.views[tier]
	if w.blind > 0 && caller != none && w.servers[caller].blind {
		views = w.staleViews[tier]
	}
	return views[place*len(w.spec.Tiers[tier].Replicas)+shard]
}

// choose returns the replica that gets a call, according to the plan's balancing policy. It returns
// none if the caller sees no replica.
func (w *world) choose(tier, shard int, caller int32, random, second uint64) int32 {
	view := w.closed(w.view(tier, shard, caller), caller)
	n := len(view)
	switch {
	case n == 0:
		return none
	case n == 1 || w.spec.Balance == "" || w.spec.Balance == "random":
		return view[below(random, n)]
	case w.spec.Balance == "round_robin":
		at := (int(caller)*tiers+tier)*w.shards + shard
		w.turn[at]++
		return view[int(w.turn[at]-1)%n]
	case w.spec.Balance == "p2c":
		a, b := below(random, n), below(second, n-1)
		if b >= a {
			b++
		}
		if w.pair(caller, view[b]).open < w.pair(caller, view[a]).open {
			a = b
		}
		return view[a]
	}
	return w.leastLoaded(view, caller, random)
}

// leastLoaded returns the replica to which the caller has the fewest open calls. Among several of
// them it chooses at random.
func (w *world) leastLoaded(view []int32, caller int32, random uint64) int32 {
	least, ties := 1<<31, 0
	for _, s := range view {
		switch open := w.pair(caller, s).open; {
		case open < least:
			least, ties = open, 1
		case open == least:
			ties++
		}
	}
	k := below(random, ties)
	for _, s := range view {
		if w.pair(caller, s).open != least {
			continue
		}
		if k == 0 {
			return s
		}
		k--
	}
	return view[0]
}
