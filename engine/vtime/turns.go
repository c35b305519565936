package vtime

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Turns is the env.Loop of a task in virtual time. What is looked at while the loop is
// asleep lies together, from cfg.State to the beginning of turnLeap.sleeper: of a large
// cluster each of its cache lines is read from far away.
type Turns struct {
	task *Task
	cfg  LoopConfig
	turnLeap
	what string
	// state was taken at the beginning of the present turn.
	state uint64
	// plain says that the present turn has only asked so far.
	plain bool
}

// The parts of a loop of turns.
const (
	partLookout = iota
	partTurn
	partCall
)

// NewLoop is env.Tasks.NewLoop.
func (p *Process) NewLoop(period time.Duration, state func() uint64, causes ...env.Cond) env.Loop {
	return p.NewTurns(LoopConfig{Period: period, State: state, Causes: causes})
}

// NewTurns makes the loop of the current task, whose first turn begins now. A task has one
// at most.
func (p *Process) NewTurns(cfg LoopConfig) *Turns {
	p.check()
	if cfg.Period <= 0 {
		panic("vtime: a loop with a period of 0 or less")
	}
	task := p.node.w.current
	if task == nil || task.proc != p || task.turns != nil {
		panic("vtime: process " + p.name + " on " + p.node.name + " makes a loop outside of its tasks, or a second one of a task")
	}
	t := &Turns{cfg: cfg, task: task, what: p.node.w.text("its turn, every " + cfg.Period.String())}
	t.Loop = p.node.newLoop(task.name)
	task.turns = t
	t.enter()
	t.plain, t.state = true, cfg.State() // what comes before the first Turn is none
	return t
}

// begin begins a turn.
func (t *Turns) begin() {
	t.plain, t.state = true, t.cfg.State()
	t.record()
}

// Turn ends a turn and waits for the next.
func (t *Turns) Turn() {
	t.end()
	t.task.wait(t.what)
	t.begin()
}

// Run is Turn and turn, again and again until turn returns false. The task's function is
// to return right after it: the task has no stack between its turns.
func (t *Turns) Run(turn func() bool) {
	r := newRest(t.task, t.what, nil, nil)
	r.unparked = true
	r.next = func() {
		t.begin()
		if turn() {
			t.end()
			t.task.rest = r
		}
	}
	t.end()
	t.task.rest = r
}

// end ends a turn and sets the time of the next.
func (t *Turns) end() {
	w := t.task.proc.enter().proc.node.w
	if t.plain && t.state != t.cfg.State() {
		t.plain = false
	}
	if !t.plain {
		w.run.unasked = true // the turn may have changed what a run waits for
	}
	t.next = w.in(t.cfg.Period + t.cfg.Late.Draw())
	t.phase = waitsForTurn
	t.keep()
	if !t.fallAsleep() {
		t.setTimer()
	}
}

func (t *Turns) setTimer() {
	t.task.timer = t.schedule(t.task.proc.node, t.task.proc, partTurn, t.next, kindTurn, t, t.task.waitSeq)
}

// Handle is the beginning of a turn. The engine calls it.
func (t *Turns) Handle(wait uint64) {
	if t.task.done || wait != t.task.waitSeq {
		return
	}
	if t.sleepsOn() {
		return
	}
	t.task.Handle(wait)
}

// Loop is the loop that the current task of the process is, nil for none. What the task
// asks in it, and changes nothing by it, are steps of the loop.
func (p *Process) Loop() *Loop {
	if t := p.Turns(); t != nil {
		return &t.Loop
	}
	return nil
}

// Turns is the loop of turns that the current task of the process is, nil for none.
func (p *Process) Turns() *Turns {
	if task := p.node.w.current; task != nil && task.turns != nil && task.proc == p {
		return task.turns
	}
	return nil
}

// Task is the task that goes round.
func (t *Turns) Task() *Task { return t.task }

// Think lets the time pass that the program of a loop takes before a call. The current
// task must be a loop.
func (p *Process) Think() {
	t := p.node.w.current.turns
	at := int64(0)
	switch t.recalled() {
	case recallsAnswer:
		return
	case recallsThought:
		at = t.next
	default:
		d := t.cfg.Call.Draw()
		if d <= 0 {
			return
		}
		at = p.node.w.in(d)
	}
	task := p.enter()
	task.timer = t.schedule(p.node, p, partCall, at, kindSleep, task, task.waitSeq)
	task.wait("time")
}

var _ env.Loop = (*Turns)(nil)
