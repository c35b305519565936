package leap

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// Beat is the env.Beat of virtual time: a task that waits for one time span after another, again
// and again. The end of a wait wakes the task only if something unusual has happened. Until
// somebody calls Changes, the beat sleeps, and the waits have no events.
type Beat struct {
	*vtime.Loop
	world *vtime.World
	proc  *vtime.Process
	task  *vtime.Task         // task that runs the beat
	waits []time.Duration     // length of each wait, in the order of parts
	cycle time.Duration       // sum of waits
	usual func(part int) bool // reports whether the wait of a part would end as usual now

	sleeper Sleeper
	part    int           // index of the present wait
	next    time.Duration // instant at which the present wait ends
	ended   []int64       // for each part, the number of waits that have ended as usual
}

var kindBeat = vtime.NewKind("task.beat")

// NewBeat makes a beat for a task of the process. threading.NewBeat describes the arguments.
func NewBeat(p *vtime.Process, name string, waits []time.Duration, usual func(part int) bool) *Beat {
	p.Check()
	b := &Beat{Loop: p.Node().NewLoop(name), world: p.Node().World(), proc: p, waits: slices.Clone(waits), usual: usual, ended: make([]int64, len(waits))}
	for _, d := range waits {
		if d <= 0 {
			panic("vtime: a beat with a wait of 0 or less")
		}
		b.cycle += d
	}
	b.sleeper = Sleeper{loop: b.Loop, leaper: b, of: sleepersOf(p), alone: true, KeepsCause: true}
	return b
}

// Run goes through the beat's waits, beginning with part. It returns the part of the first wait
// whose end is not as usual.
func (b *Beat) Run(part int) (ended int) {
	t := b.proc.Enter()
	b.world.Acts()
	b.task, b.part = t, part
	b.next = b.world.In(b.waits[part])
	defer b.over()
	b.goOn()
	t.Wait(b.Name())
	return b.part
}

// over cleans up after Run. Run defers it, because the task may unwind.
func (b *Beat) over() {
	b.sleeper.Wake()
	b.task = nil
}

// goOn begins the next wait. If all waits would end as usual, the beat sleeps; otherwise an event
// ends the wait.
func (b *Beat) goOn() {
	if b.world.Leaps() && !b.world.Replaying() && !b.proc.Dead() && !b.task.Stopping() && b.allUsual() {
		b.task.SetTimer(vtime.Timer{})
		b.task.SetAsleep(true)
		b.sleeper.Sleep()
		return
	}
	b.Resume()
}

// allUsual reports whether each of the waits would end as usual if it ended now.
func (b *Beat) allUsual() bool {
	for part := range b.waits {
		if !b.usual(part) {
			return false
		}
	}
	return true
}

// Handle is called by the engine at the event that ends a wait.
func (b *Beat) Handle(wait uint64) {
	t := b.task
	if t == nil || t.Done() || wait != t.WaitNumber() {
		return
	}
	if !b.usual(b.part) {
		b.world.Unasked()
		t.Handle(wait)
		return
	}
	b.turn()
	b.goOn()
}

// turn counts the wait that has ended, and sets the time of the next one.
func (b *Beat) turn() {
	b.ended[b.part]++
	if b.part++; b.part == len(b.waits) {
		b.part = 0
	}
	b.next += b.waits[b.part]
}

// Changes wakes the beat if it is asleep. From then on each end of a wait is an event, which checks
// whether all is as usual.
func (b *Beat) Changes() { b.sleeper.Wake() }

// Count returns how often a wait has ended as usual. While the beat sleeps, the number is computed
// from the time.
func (b *Beat) Count(part int) int64 {
	n := b.ended[part]
	if !b.sleeper.Asleep() {
		return n
	}
	at := b.next
	for i := b.part; i != part; {
		if i++; i == len(b.waits) {
			i = 0
		}
		at += b.waits[i]
	}
	last := b.world.Present().Last(b.Loop, partTurn)
	if at > last {
		return n
	}
	return n + int64((last-at)/b.cycle) + 1
}

// Next returns the instant at which the current wait ends.
func (b *Beat) Next() (time.Duration, int) { return b.next, partTurn }

// Leap counts all waits that end before the bound.
func (b *Beat) Leap(bound vtime.Bound) {
	last := bound.Last(b.Loop, partTurn)
	var steps, squares uint64
	for b.next <= last {
		steps, squares = steps+1, squares+uint64(b.next)*uint64(b.next)
		b.turn()
	}
	b.DidMany(steps, squares)
}

// Resume schedules an event for the end of the current wait, because the beat no longer sleeps.
func (b *Beat) Resume() {
	b.task.SetAsleep(false)
	b.task.SetTimer(b.ScheduleIn(b.proc, partTurn, b.next, kindBeat, b, b.task.WaitNumber()))
}

var (
	_ Leaper   = (*Beat)(nil)
	_ env.Beat = (*Beat)(nil)
)
