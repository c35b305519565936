package vtime

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Loop stands for the steps of one loop whose turns nobody but itself sees as long as
// they bring nothing new: a task that polls, or a client that pings. Such steps come, at
// one instant, before everything else, and those of two loops in the order in which the
// loops were made, so that their place is known without the queue. They are not folded
// into the hashes one by one: a loop counts them and sums up their instants.
type Loop struct {
	w     *World
	total *loopTotal
	rank  uint64
}

// loopTotal is what loops of one name on one node have done.
type loopTotal struct {
	node   *Node
	name   string
	steps  uint64
	digest uint64
	// quiet steps leave no mark: they look whether there is something to do.
	quiet bool
}

// LoopDigest is what the loops of one name on one node have done by the end of a run.
type LoopDigest struct {
	Node, Name string
	// Steps counts them, Digest sums up their instants.
	Steps, Digest uint64
}

// stepParts is how many steps of one loop can fall on one instant.
const stepParts = 4

// NewLoop makes a loop of the node. Its name is that of the loops that came before it in
// earlier lives of the same program.
func (n *Node) NewLoop(name string) *Loop {
	w := n.w
	l := &Loop{w: w, total: n.loopTotal(name), rank: uint64(len(w.ranks)) * stepParts}
	w.ranks = append(w.ranks, l.total)
	return l
}

// NewQuietLoop makes a loop whose steps are neither counted nor summed up, for looks
// that have an effect seldom, and how many there are is nobody's concern.
func (n *Node) NewQuietLoop(name string) *Loop {
	l := n.NewLoop(name)
	l.total.quiet = true
	return l
}

func (n *Node) loopTotal(name string) *loopTotal {
	for _, t := range n.loops {
		if t.name == name {
			return t
		}
	}
	t := &loopTotal{node: n, name: name}
	n.loops = append(n.loops, t)
	n.w.totals = append(n.w.totals, t)
	return t
}

// Schedule is [Node.Schedule] for a step of the loop, on a node that may be another. part
// orders the steps of one loop at one instant: the least comes first; it is below 4.
func (l *Loop) Schedule(node *Node, part int, at time.Duration, kind Kind, do Handler, arg uint64) Timer {
	return l.schedule(node, nil, part, int64(at), kind, do, arg)
}

// ScheduleIn is Schedule on the node of a process, unless that is dead by then.
func (l *Loop) ScheduleIn(p *Process, part int, at time.Duration, kind Kind, do Handler, arg uint64) Timer {
	return l.schedule(p.node, p, part, int64(at), kind, do, arg)
}

func (l *Loop) schedule(node *Node, proc *Process, part int, at int64, kind Kind, do Handler, arg uint64) Timer {
	w := l.w
	i := w.fillSlot(max(at, w.now), steps, l.rank+uint64(part), node, proc, kind, do, arg)
	w.push(i)
	return Timer{w: w, slot: i, gen: w.slots[i].gen}
}

// Past reports whether a step at an instant comes before what is happening now.
func (l *Loop) Past(at time.Duration, part int) bool {
	w := l.w
	return int64(at) < w.now || int64(at) == w.now && l.rank+uint64(part) < w.stepNow
}

// Did counts a step that was made without an event, at a virtual time that may lie in the
// past.
func (l *Loop) Did(at time.Duration) {
	l.w.leapt++
	l.did(int64(at))
}

func (l *Loop) did(at int64) { l.total.did(l.w, at) }

func (t *loopTotal) did(w *World, at int64) {
	if t.quiet {
		return
	}
	w.steps++
	t.steps++
	t.digest += uint64(at) * uint64(at)
}

// fold adds what the loops have done to a hash.
func (t *loopTotal) fold(h uint64) uint64 {
	h = (h ^ t.steps*fold1 ^ t.digest) * fold2
	return h ^ h>>29
}

// LoopConfig says how a task goes round in a loop.
type LoopConfig struct {
	// Period is the time from the end of a turn to the beginning of the next.
	Period time.Duration
	// Late is drawn for each turn and added to the period; nil is none.
	Late *Delay
	// Call is how long the program takes before it asks; nil is none.
	Call *Delay
	// State is a number that differs whenever the program's own part of what a turn
	// depends on does.
	State func() uint64
	// Causes are told of changes of State that no task of the process makes.
	Causes []env.Cond
}

// Delay is a time that is drawn: Min and up to Steps times Step.
type Delay struct {
	Source *Source
	Min    time.Duration
	Step   time.Duration
	Steps  int
}

// Draw draws from the source.
func (d *Delay) Draw() time.Duration {
	if d == nil {
		return 0
	}
	return d.Min + time.Duration(d.Source.Intn(d.Steps+1))*d.Step
}

// Turns is the env.Loop of a task in virtual time.
type Turns struct {
	*Loop
	cfg  LoopConfig
	task *Task
	what string
	// state was taken at the beginning of the present turn.
	state uint64
	// plain says that the present turn has only asked so far.
	plain bool
}

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
	t := &Turns{Loop: p.node.NewLoop(task.name), cfg: cfg, task: task, what: "its turn, every " + cfg.Period.String()}
	task.turns = t
	t.begin()
	return t
}

// begin begins a turn.
func (t *Turns) begin() { t.plain, t.state = true, t.cfg.State() }

// Turn ends a turn and waits for the next.
func (t *Turns) Turn() {
	t.end()
	t.task.wait(t.what)
	t.begin()
}

// end ends a turn and sets the time of the next.
func (t *Turns) end() {
	p := t.task.proc
	task := p.enter()
	w := p.node.w
	if !t.plain || t.state != t.cfg.State() {
		w.run.unasked = true // the turn may have changed what a run waits for
	}
	task.timer = t.schedule(p.node, p, partTurn, w.in(t.cfg.Period+t.cfg.Late.Draw()), kindTurn, task, task.waitSeq)
}

// The parts of a loop of turns.
const (
	partTurn = iota
	partCall
)

// Loop is the loop that the current task of the process is, nil for none. What the task
// asks in it, and changes nothing by it, are steps of the loop.
func (p *Process) Loop() *Loop {
	if task := p.node.w.current; task != nil && task.turns != nil && task.proc == p {
		return task.turns.Loop
	}
	return nil
}

// Think lets the time pass that the program of a loop takes before a call. The current
// task must be a loop.
func (p *Process) Think() {
	t := p.node.w.current.turns
	if d := t.cfg.Call.Draw(); d > 0 {
		task := p.enter()
		task.timer = t.schedule(p.node, p, partCall, p.node.w.in(d), kindSleep, task, task.waitSeq)
		task.wait("time")
	}
}

// Acts tells that the current task does something that others may see, or that depends on
// something that its loop does not ask for: its turn is not one of those that can be left
// out. It does nothing elsewhere.
func (w *World) Acts() {
	if w.current != nil && w.current.turns != nil {
		w.current.turns.plain = false
	}
}

// Acts is Check for what others may see: see [World.Acts].
func (p *Process) Acts() {
	p.check()
	p.node.w.Acts()
}

var _ env.Loop = (*Turns)(nil)
