package vtime

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Beat is the env.Beat of virtual time. The end of each wait is a step of a loop, by which
// the task is woken only when something is not as usual. As long as nobody says that it may
// be otherwise, the waits are leapt over.
type Beat struct {
	*Loop
	proc  *Process
	task  *Task // that runs it
	waits []int64
	cycle int64
	usual func(part int) bool

	sleeper Sleeper
	part    int // the wait that goes on
	next    int64
	ended   []int64 // by part: as usual, up to the last look
}

var kindBeat = NewKind("task.beat")

// NewBeat is [env.NewBeat].
func (p *Process) NewBeat(name string, waits []time.Duration, usual func(part int) bool) env.Beat {
	p.check()
	b := &Beat{Loop: p.node.NewLoop(name), proc: p, usual: usual, ended: make([]int64, len(waits))}
	for _, d := range waits {
		if d <= 0 {
			panic("vtime: a beat with a wait of 0 or less")
		}
		b.waits = append(b.waits, int64(d))
		b.cycle += int64(d)
	}
	b.sleeper = Sleeper{loop: b.Loop, leaper: b, proc: p, lonely: true, KeepsCause: true}
	return b
}

// Run waits until a wait has ended not as usual.
func (b *Beat) Run(part int) (ended int) {
	t := b.proc.enter()
	b.proc.node.w.Acts()
	b.task, b.part = t, part
	b.next = b.w.in(time.Duration(b.waits[part]))
	t.beat = b
	defer b.over()
	b.goOn()
	t.wait(b.total.name)
	return b.part
}

// over is the end of Run, also when its task unwinds.
func (b *Beat) over() {
	b.sleeper.Rouse()
	b.task.beat, b.task = nil, nil
}

// goOn waits on, asleep where that may be.
func (b *Beat) goOn() {
	if b.w.Leaps() && b.w.replaying == 0 && !b.proc.dead && !b.task.stopping && b.allUsual() {
		b.task.timer = Timer{}
		b.sleeper.Sleep()
		return
	}
	b.Wake()
}

// allUsual reports whether each wait would end as usual were it over now.
func (b *Beat) allUsual() bool {
	for part := range b.waits {
		if !b.usual(part) {
			return false
		}
	}
	return true
}

// Handle is the end of a wait. The engine calls it.
func (b *Beat) Handle(wait uint64) {
	t := b.task
	if t == nil || t.done || wait != t.waitSeq {
		return
	}
	if !b.usual(b.part) {
		b.w.run.unasked = true
		t.Handle(wait)
		return
	}
	b.turn()
	b.goOn()
}

// turn goes on to the next wait.
func (b *Beat) turn() {
	b.ended[b.part]++
	if b.part++; b.part == len(b.waits) {
		b.part = 0
	}
	b.next += b.waits[b.part]
}

// Changes wakes the beat when it is asleep: from now on it looks at each end of a wait.
func (b *Beat) Changes() { b.sleeper.Rouse() }

// Count is how often a wait has ended as usual.
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
	last := int64(Bound{b.w.now, b.w.stepNow}.Last(b.Loop, partTurn))
	if at > last {
		return n
	}
	return n + (last-at)/b.cycle + 1
}

// Next is the end of the wait that goes on.
func (b *Beat) Next() (time.Duration, int) { return time.Duration(b.next), partTurn }

// Leap ends the waits before the bound.
func (b *Beat) Leap(bound Bound) {
	last := int64(bound.Last(b.Loop, partTurn))
	var steps, squares uint64
	for b.next <= last {
		steps, squares = steps+1, squares+uint64(b.next)*uint64(b.next)
		b.turn()
	}
	b.DidMany(steps, squares)
}

// Wake makes the end of the wait that goes on an event.
func (b *Beat) Wake() {
	b.task.timer = b.schedule(b.proc.node, b.proc, partTurn, b.next, kindBeat, b, b.task.waitSeq)
}

var (
	_ Leaper   = (*Beat)(nil)
	_ env.Beat = (*Beat)(nil)
	// as [env.NewBeat] looks for it
	_ interface {
		NewBeat(name string, waits []time.Duration, usual func(part int) bool) env.Beat
	} = (*Process)(nil)
)
