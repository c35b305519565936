package leap

// Resume ends the loop's sleep. If that happens in the middle of a turn, it brings the task to the
// place that it would have reached by running the turn.
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

// replay runs the task through the current turn again, up to the request whose answer it waits for.
// Up to there, what the task does has no effect on others.
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

// Recall returns the next request of a turn that is being replayed, so that the caller uses the
// recorded answer instead of sending the request. If waiting is true, the answer has not come yet,
// and the caller waits for it. Outside of a replay, Recall returns nil.
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

// recalled tells how far the replay has come, just before the program takes its time for the next
// request.
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

// WakeMidTurn wakes the loops that sleep in the middle of a turn, before a task of the process
// continues. They may hold a lock that the task wants.
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

// WakeChanged wakes the loops whose next turn may differ, because the memory of the process may
// have changed.
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
