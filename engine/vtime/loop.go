package vtime

import (
	"math"
	"time"
)

// Loop stands for repeated actions that nobody else sees as long as they change nothing, such as
// the turns of a poll or the pings of a client. Each action is a step. At one instant steps precede
// all events, and the steps of two loops are ordered as the loops were made. So the place of a step
// is known without the queue. Steps are not folded into the hashes one by one: a loop counts them and
// sums up the squares of their instants.
type Loop struct {
	w     *World
	total *loopTotal
	rank  uint64 // stepParts times the number of loops that the world made before this one
}

// loopTotal sums up the steps of all loops with one name on one node.
type loopTotal struct {
	name   string
	steps  uint64
	digest uint64
	// quiet says that the steps are not counted. They only check whether there is something to do.
	quiet bool
}

// LoopDigest sums up, at the end of a run, the steps of all loops with one name on one node.
type LoopDigest struct {
	Node, Name string
	// Steps is the number of steps. Digest is the sum of the squares of their instants in ns.
	Steps, Digest uint64
}

// stepParts is the largest number of parts that a loop can have. At one instant a loop has at most
// one step of each part.
const stepParts = 8

// NewLoop makes a loop of the node. Loops with the same name share one total, for example the loops
// of a program that was restarted.
func (n *Node) NewLoop(name string) *Loop {
	w := n.w
	l := &Loop{w: w, total: n.loopTotal(name), rank: uint64(len(w.ranks)) * stepParts}
	w.ranks = append(w.ranks, l.total)
	return l
}

// Name returns the name of the loop.
func (l *Loop) Name() string { return l.total.name }

// NewQuietLoop makes a loop whose steps are not counted. It is for checks that seldom have an
// effect, so that their number means nothing.
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
	t := &loopTotal{name: name}
	n.loops = append(n.loops, t)
	n.w.totals = append(n.w.totals, t)
	return t
}

// Schedule schedules a step of the loop, as [Node.Schedule] schedules an event. The node may be
// another one than the loop's. Steps of the loop at one instant happen in the order of their parts,
// which must be below 8.
func (l *Loop) Schedule(node *Node, part int, at time.Duration, kind Kind, do Handler, arg uint64) Timer {
	return l.schedule(node, nil, part, int64(at), kind, do, arg)
}

// ScheduleIn schedules a step on the node of a process. The step does not happen if the process is
// dead by then.
func (l *Loop) ScheduleIn(p *Process, part int, at time.Duration, kind Kind, do Handler, arg uint64) Timer {
	return l.schedule(p.node, p, part, int64(at), kind, do, arg)
}

// CheckAt calls do.Handle at a virtual time, before the loop's steps of that instant. It is for
// checks of a loop that sleeps. The call does not count as a step.
func (l *Loop) CheckAt(p *Process, at time.Duration, do Handler) Timer {
	return l.schedule(p.node, p, 0, int64(at), kindLookout, do, 0)
}

func (l *Loop) schedule(node *Node, proc *Process, part int, at int64, kind Kind, do Handler, arg uint64) Timer {
	w := l.w
	i := w.fillSlot(max(at, w.now), steps, l.rank+uint64(part), node, proc, kind, do, arg)
	w.push(i)
	return Timer{w: w, slot: i, gen: w.slots[i].gen}
}

// Bound is a position in the order in which steps and events happen: an instant, and an order
// within it.
type Bound struct {
	at    int64
	order uint64
}

// Never is a position after all steps.
var Never = Bound{at: math.MaxInt64}

// Present returns the position of the current event or step.
func (w *World) Present() Bound { return Bound{w.now, w.stepNow} }

// Place returns the position of a step of the loop.
func (l *Loop) Place(at time.Duration, part int) Bound {
	return Bound{int64(at), l.rank + uint64(part)}
}

// Before reports whether b precedes c.
func (b Bound) Before(c Bound) bool { return b.at < c.at || b.at == c.at && b.order < c.order }

// At returns the instant of the position, from the start of the world.
func (b Bound) At() time.Duration { return time.Duration(b.at) }

// Allows reports whether a step of the loop lies before the bound.
func (b Bound) Allows(l *Loop, at time.Duration, part int) bool { return l.Place(at, part).Before(b) }

// Last returns the latest instant at which a step of the loop lies before the bound.
func (b Bound) Last(l *Loop, part int) time.Duration {
	if l.rank+uint64(part) < b.order {
		return time.Duration(b.at)
	}
	return time.Duration(b.at - 1)
}

// Past reports whether a step comes before the current event or step.
func (l *Loop) Past(at time.Duration, part int) bool {
	w := l.w
	return int64(at) < w.now || int64(at) == w.now && l.rank+uint64(part) < w.stepNow
}

// Did counts a step of the loop that had no event. Its instant may lie in the past.
func (l *Loop) Did(at time.Duration) {
	l.w.leapt++
	l.did(int64(at))
}

// DidMany counts n steps of the loop that had no events. squares is the sum of the squares of their
// instants in ns, which goes into the loop's digest.
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

// fold returns the hash h with the total of the loops mixed in.
func (t *loopTotal) fold(h uint64) uint64 {
	h = (h ^ t.steps*fold1 ^ t.digest) * fold2
	return h ^ h>>29
}

// Delay describes a random time: Min plus 0 to Steps times Step. Source comes from
// [Process.OwnSource]. If it is nil, the delay is 0.
type Delay struct {
	Source *Source
	Min    time.Duration
	Step   time.Duration
	Steps  int
}

// Draw returns a delay drawn from the source.
func (d *Delay) Draw() time.Duration {
	if d.Source == nil {
		return 0
	}
	return d.Min + time.Duration(d.Source.Intn(d.Steps+1))*d.Step
}

// Acts records that the current task does something that others may see, or that depends on
// something that its loop does not watch. The present turn of the loop must then really run, and
// cannot be skipped. If the task runs no loop, the call has no effect.
func (w *World) Acts() {
	if w.current != nil {
		w.current.acted = true
	}
}

// Acts calls Check and [World.Acts]. Code calls it before an effect that others may see.
func (p *Process) Acts() {
	p.check()
	p.node.w.Acts()
}
