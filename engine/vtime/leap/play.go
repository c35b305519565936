package leap

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// fallAsleep puts the loop to sleep at the end of a turn: from then on its turns have no events. It
// returns false if the loop has to stay awake.
func (t *Turns) fallAsleep() bool {
	if t.world.Replaying() || !t.join() {
		return false
	}
	t.sleeper.Sleep()
	t.cause = t.world.Cause()
	t.of.checkConflicts()
	return true
}

// sleepsOn puts the loop to sleep at the beginning of a turn. It returns false if the task has to
// run the turn.
func (t *Turns) sleepsOn() bool {
	if !t.valid {
		return false
	}
	if len(t.conflicts) > 0 && t.wakeConflict() || !t.join() {
		return false
	}
	t.cause = t.world.Cause()
	t.at = 0
	t.task.SetTimer(vtime.Timer{})
	t.advance(t.world.Now())
	t.sleeper.Sleep()
	t.of.checkConflicts()
	return true
}

// join subscribes to changes of everything that the recorded turn asked for or read. If the next
// turn may differ from the recorded one, it returns false and has no effect.
func (t *Turns) join() bool {
	if !t.valid || t.firstAt != t.of.proc.Runs()+1 || t.of.proc.Dead() || t.of.mutating > 0 || t.lockHeld() || t.task.Stopping() || !t.world.Leaps() {
		return false
	}
	t.uses = t.uses[:0]
	for i := range t.looks {
		if !t.use(t.looks[i].on, t.looks[i].version) {
			return false
		}
	}
	for i := range t.requests {
		if q := &t.requests[i]; !t.use(q.on, q.version) {
			return false
		}
	}
	for i := range t.requests {
		if !t.requests[i].request.Join(&t.sleeper) {
			for j := range i {
				t.requests[j].request.Leave(&t.sleeper)
			}
			return false
		}
	}
	for i := range t.uses {
		t.uses[i].join(t)
	}
	return true
}

// use records that the recorded turn depends on the given Observed. It returns false if the content
// has changed since the turn read that version.
func (t *Turns) use(on *Observed, version uint64) bool {
	if on == nil {
		return true
	}
	if on.version != version {
		return false
	}
	for i := range t.uses {
		if t.uses[i].on == on {
			return true
		}
	}
	t.uses = append(t.uses, dependency{on: on})
	return true
}

// leave ends join.
func (t *Turns) leave() {
	for i := range t.requests {
		t.requests[i].request.Leave(&t.sleeper)
	}
	for i := range t.uses {
		t.uses[i].leave()
	}
	t.uses = t.uses[:0]
}

// advance begins the next request of the turn. After the last request it sets the time of the next
// turn.
func (t *Turns) advance(at time.Duration) {
	if t.at == len(t.requests) {
		t.at, t.phase, t.next = 0, waitsForTurn, at+t.cfg.Period+t.cfg.Late.Draw()
		return
	}
	q := &t.requests[t.at]
	if q.thinks {
		if d := t.cfg.Call.Draw(); d > 0 {
			t.phase, t.next = thinks, at+d
			return
		}
	}
	t.phase = asks
	q.request.Begin(at)
}

// complete computes several requests of the turn at once: all whose answers come before the bound.
// Then it advances to the next step. That saves a call of Next and of Leap for each message.
func (t *Turns) complete(at time.Duration, b vtime.Bound) {
	var steps, squares uint64
	for t.at < len(t.requests) && t.requests[t.at].completer != nil {
		last, n, sum := t.requests[t.at].completer.Complete(at, b.At())
		if n == 0 {
			break
		}
		at, steps, squares = last, steps+n, squares+sum
		t.at++
	}
	t.DidMany(steps, squares)
	t.advance(at)
}

// Next returns the instant and the part of the loop's next step.
func (t *Turns) Next() (at time.Duration, part int) {
	switch t.phase {
	case waitsForTurn:
		return t.next, partTurn
	case thinks:
		return t.next, partThought
	}
	return t.requests[t.at].request.Next()
}

// leapIdle computes the turns of a loop that sends no requests. Each of its turns is a single step.
func (t *Turns) leapIdle(b vtime.Bound) {
	var steps, squares uint64
	at := t.next
	for b.Allows(&t.Loop, at, partTurn) {
		steps, squares = steps+1, squares+uint64(at)*uint64(at)
		at += t.cfg.Period + t.cfg.Late.Draw()
	}
	t.next = at
	t.DidMany(steps, squares)
}

// Leap computes all steps of the sleeping loop that come before the bound.
func (t *Turns) Leap(b vtime.Bound) {
	if len(t.requests) == 0 && t.phase == waitsForTurn {
		t.leapIdle(b)
		return
	}
	for {
		switch at := t.next; t.phase {
		case waitsForTurn:
			if !b.Allows(&t.Loop, at, partTurn) {
				return
			}
			t.Did(at)
			t.complete(at, b)
		case thinks:
			if !b.Allows(&t.Loop, at, partThought) {
				return
			}
			t.Did(at)
			t.phase = asks
			t.requests[t.at].request.Begin(at)
		case asks:
			ended, at := t.requests[t.at].request.Leap(b)
			if !ended {
				return
			}
			t.at++
			t.complete(at, b)
		}
	}
}

// midTurn reports whether the sleeping loop is in the middle of a turn.
func (t *Turns) midTurn() bool { return t.phase != waitsForTurn }
