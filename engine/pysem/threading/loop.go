package threading

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// NewLoop makes the loop of the current task, whose first turn begins now. state is a number that
// differs whenever that part of what a turn depends on differs which is the program's own: flags,
// and counts of changes. It has no side effect. It changes by what tasks of the process do, or
// together with a Broadcast or Signal of one of the causes.
//
// Virtual time leaves turns out that would only ask what the last one asked and get the
// same answers.
func NewLoop(t env.Tasks, period time.Duration, state func() uint64, causes ...env.Cond) env.Loop {
	if period <= 0 {
		panic("threading: a loop with a period of 0 or less")
	}
	if l, ok := t.(env.Loops); ok {
		return l.NewLoop(period, state, causes...)
	}
	return sleepLoop{t, period}
}

// sleepLoop sleeps between its turns.
type sleepLoop struct {
	tasks  env.Tasks
	period time.Duration
}

// Turn sleeps for the period.
func (l sleepLoop) Turn() { l.tasks.Sleep(l.period) }

// Run makes turns until one returns false.
func (l sleepLoop) Run(turn func() bool) {
	for l.Turn(); turn(); l.Turn() {
	}
}

// NewBeat makes a beat of waits of more than 0. usual reports whether a wait, by its number,
// ends as usual. It has no effect, does not wait nor call env, and depends on nothing that a
// task of the process changes while another one is in Run. In virtual time the ends of waits
// are left out as long as Changes is not called.
func NewBeat(t env.Tasks, name string, waits []time.Duration, usual func(part int) bool) env.Beat {
	if l, ok := t.(env.Loops); ok {
		return l.NewBeat(name, waits, usual)
	}
	return &sleepBeat{tasks: t, waits: waits, usual: usual, ended: make([]int64, len(waits))}
}

// sleepBeat sleeps for each wait and looks at its end.
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
