package threading

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// NewLoop makes the loop of the current task, whose first turn begins now.
//
// Virtual time skips the turns that would ask the same as the last two and get the same answers, while
// nothing else has run in the process. So a turn that only asks must not count its turns, nor undo what a turn
// of another loop does: what it does for the second time, while nothing else changes, it does for ever. What it
// changes before a wait, and changes back after it, is guarded by a [Lock].
func NewLoop(t env.Tasks, period time.Duration) env.Loop {
	if period <= 0 {
		panic("threading: a loop with a period of 0 or less")
	}
	if l, ok := t.(env.Loops); ok {
		return l.NewLoop(period)
	}
	return sleepLoop{t, period}
}

// sleepLoop is a loop that sleeps between its turns, and never skips a turn.
type sleepLoop struct {
	tasks  env.Tasks
	period time.Duration
}

// Turn sleeps for the loop's interval.
func (l sleepLoop) Turn() { l.tasks.Sleep(l.period) }

// Run alternates Turn and a call of turn, until turn returns false.
func (l sleepLoop) Run(turn func() bool) {
	for l.Turn(); turn(); l.Turn() {
	}
}

// NewBeat makes a beat: a cycle of waits, each longer than 0. usual reports whether the wait with
// the given number ends as usual, so that nothing has to be done. The function must have no effect,
// must not wait or call env, and must not depend on anything that another task of the process
// changes during Run. Virtual time skips the ends of waits until Changes is called.
func NewBeat(t env.Tasks, name string, waits []time.Duration, usual func(part int) bool) env.Beat {
	if l, ok := t.(env.Loops); ok {
		return l.NewBeat(name, waits, usual)
	}
	return &sleepBeat{tasks: t, waits: waits, usual: usual, ended: make([]int64, len(waits))}
}

// sleepBeat is a beat that really sleeps for each wait.
type sleepBeat struct {
	tasks env.Tasks
	waits []time.Duration
	usual func(part int) bool
	ended []int64
}

func (b *sleepBeat) Run(part int) int {
	for {
		b.tasks.Sleep(b.waits[part])
		if !b.usual(part) {
			return part
		}
		b.ended[part]++
		part = (part + 1) % len(b.waits)
	}
}

func (b *sleepBeat) Changes() {}

func (b *sleepBeat) Count(part int) int64 { return b.ended[part] }
