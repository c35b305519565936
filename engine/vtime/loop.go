package vtime

import (
	"math"
	"time"
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
const stepParts = 8

// NewLoop makes a loop of the node. Its name is that of the loops that came before it in
// earlier lives of the same program.
func (n *Node) NewLoop(name string) *Loop {
	w := n.w
	l := &Loop{w: w, total: n.loopTotal(name), rank: uint64(len(w.ranks)) * stepParts}
	w.ranks = append(w.ranks, l.total)
	return l
}

// Name is the name of the loop.
func (l *Loop) Name() string { return l.total.name }

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
// orders the steps of one loop at one instant: the least comes first; it is below 8.
func (l *Loop) Schedule(node *Node, part int, at time.Duration, kind Kind, do Handler, arg uint64) Timer {
	return l.schedule(node, nil, part, int64(at), kind, do, arg)
}

// ScheduleIn is Schedule on the node of a process, unless that is dead by then.
func (l *Loop) ScheduleIn(p *Process, part int, at time.Duration, kind Kind, do Handler, arg uint64) Timer {
	return l.schedule(p.node, p, part, int64(at), kind, do, arg)
}

// CheckAt calls do.Handle at a virtual time, before all steps of the loop at that instant,
// for a loop that is asleep and has to be looked at. That is no step, and leaves no mark.
func (l *Loop) CheckAt(p *Process, at time.Duration, do Handler) Timer {
	return l.schedule(p.node, p, 0, int64(at), kindLookout, do, 0)
}

func (l *Loop) schedule(node *Node, proc *Process, part int, at int64, kind Kind, do Handler, arg uint64) Timer {
	w := l.w
	i := w.fillSlot(max(at, w.now), steps, l.rank+uint64(part), node, proc, kind, do, arg)
	w.push(i)
	return Timer{w: w, slot: i, gen: w.slots[i].gen}
}

// Bound is a place in the order of steps.
type Bound struct {
	at    int64
	order uint64
}

// Never is behind all steps.
var Never = Bound{at: math.MaxInt64}

// Present is the place of what is happening now.
func (w *World) Present() Bound { return Bound{w.now, w.stepNow} }

// Place is the place of a step of the loop.
func (l *Loop) Place(at time.Duration, part int) Bound {
	return Bound{int64(at), l.rank + uint64(part)}
}

// Before reports whether a place comes before another.
func (b Bound) Before(c Bound) bool { return b.at < c.at || b.at == c.at && b.order < c.order }

// At is the instant of the place.
func (b Bound) At() time.Duration { return time.Duration(b.at) }

// Allows reports whether a step of the loop comes before the bound.
func (b Bound) Allows(l *Loop, at time.Duration, part int) bool { return l.Place(at, part).Before(b) }

// Last is the last instant at which a step of the loop may be that comes before the bound.
func (b Bound) Last(l *Loop, part int) time.Duration {
	if l.rank+uint64(part) < b.order {
		return time.Duration(b.at)
	}
	return time.Duration(b.at - 1)
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

// DidMany counts n steps that were made without events; squares is the sum of the squares
// of their instants in ns.
func (l *Loop) DidMany(n, squares uint64) {
	l.w.leapt += n
	if t := l.total; !t.quiet {
		l.w.steps += n
		t.steps += n
		t.digest += squares
	}
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

// Delay is a time that is drawn: Min and up to Steps times Step. Source is of
// [Process.OwnSource]; without one there is no time.
type Delay struct {
	Source *Source
	Min    time.Duration
	Step   time.Duration
	Steps  int
}

// Draw draws from the source.
func (d *Delay) Draw() time.Duration {
	if d.Source == nil {
		return 0
	}
	return d.Min + time.Duration(d.Source.Intn(d.Steps+1))*d.Step
}

// Acts tells that the current task does something that others may see, or that depends on
// something that its loop does not ask for: its turn is not one of those that can be left
// out. It does nothing elsewhere.
func (w *World) Acts() {
	if w.current != nil {
		w.current.acted = true
	}
}

// Acts is Check for what others may see: see [World.Acts].
func (p *Process) Acts() {
	p.check()
	p.node.w.Acts()
}
