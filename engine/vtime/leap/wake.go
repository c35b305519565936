package leap

// Resume ends the sleep. In the middle of a turn the task comes to where it would be.
func (t *Turns) Resume() {
	t.leave()
	before := t.world.SwapCause(t.cause)
	if t.midTurn() {
		t.replay()
	} else {
		t.setTimer()
	}
	t.world.SwapCause(before)
}

// replay has the task go the way of the present turn again, up to the request for whose
// answer it waits. It has no effect until there.
func (t *Turns) replay() {
	if t.phase == asks {
		t.requests[t.at].request.Resume()
	}
	t.replaying = true
	t.world.Replay(t.task)
	if t.replaying && t.world.Err() == nil {
		panic("vtime: a turn of task " + t.task.Name() + " of process " + t.of.proc.Name() + " does not go the way that it went before")
	}
	t.replaying = false
}

// Recall returns the request that a replayed turn makes next, so that the caller takes the recorded answer. With
// waiting set the answer is still on its way, as Resume has made it, and the caller waits for it. Recall
// returns nil when nothing is replayed: the caller asks.
func (t *Turns) Recall() (r Request, waiting bool) {
	switch {
	case !t.replaying:
		return nil, false
	case t.n < t.at:
		t.n++
		return t.requests[t.n-1].request, false
	}
	t.replaying = false
	return t.requests[t.n].request, true
}

type recall uint8

const (
	recallsNothing recall = iota
	recallsAnswer
	recallsThought
)

// recalled tells how far a replay has come, before the program thinks about its next request.
func (t *Turns) recalled() recall {
	switch {
	case !t.replaying:
		return recallsNothing
	case t.n < t.at || t.phase == asks:
		return recallsAnswer
	}
	t.replaying = false
	return recallsThought
}

// WakeMidTurn wakes the loops of the process in the middle of a turn before one of its tasks goes on:
// they may hold what it wants.
func (s *sleepers) WakeMidTurn() {
	s.CatchUp()
	for i := 0; i < len(s.asleep); {
		if t := s.asleep[i].turns; t != nil && t.midTurn() {
			s.asleep[i].Wake()
			i = 0
			continue
		}
		i++
	}
}

// WakeChanged wakes the loops whose next turn may be another one, as the memory of the process may be.
func (s *sleepers) WakeChanged() {
	for i := 0; i < len(s.asleep); {
		if l := s.asleep[i]; l.turns == nil && (l.Valid == nil || l.Valid()) {
			i++
			continue
		}
		s.asleep[i].Wake()
		i = 0
	}
}
