package vtime

import (
	"strings"
	"time"

	"github.com/monosim/monosim/engine/tasks"
)

// Node is a place where events happen, such as a machine, a pod or a server. It outlives the
// processes that run on it, and has its own random choices and its own hash.
type Node struct {
	w       *World
	name    string
	hash    uint64
	sources sources
	procs   []*Process
	loops   []*loopTotal
}

// Node returns the node with the name and makes it on first use.
func (w *World) Node(name string) *Node {
	if n, ok := w.byName[name]; ok {
		return n
	}
	n := &Node{w: w, name: name, hash: tasks.Hash(name)}
	w.nodes = append(w.nodes, n)
	w.byName[name] = n
	return n
}

// text returns a string that equals its argument. Equal arguments give one shared copy, which saves
// memory.
func (w *World) text(s string) string {
	known, ok := w.texts[s]
	if !ok {
		if w.texts == nil {
			w.texts = map[string]string{}
		}
		known = strings.Clone(s)
		w.texts[known] = known
	}
	return known
}

// World returns the world that the node is in.
func (n *Node) World() *World { return n.w }

// Name returns the node's name.
func (n *Node) Name() string { return n.name }

// Hash returns the rolling hash of the node's own events and notes, with the totals of its loops
// folded in at the end.
func (n *Node) Hash() uint64 {
	n.w.CatchUp()
	h := n.hash
	for _, t := range n.loops {
		h = t.fold(h)
	}
	return h
}

// Schedule calls do.Handle(arg) at the virtual time at. A time in the past means the current
// instant, after everything already scheduled for it. kind names the event in traces. The returned
// Timer can cancel the call.
func (n *Node) Schedule(at time.Duration, kind Kind, do Handler, arg uint64) Timer {
	return n.w.schedule(int64(at), n, nil, kind, do, arg)
}

// TakeNumber reserves the next place in the order of scheduling, which ScheduleNumbered can use.
func (n *Node) TakeNumber() uint64 {
	n.w.seq++
	return n.w.seq
}

// ScheduleNumbered schedules an event as Schedule does, but at a place in the order of scheduling
// that TakeNumber has reserved.
func (n *Node) ScheduleNumbered(at time.Duration, number uint64, kind Kind, do Handler, arg uint64) Timer {
	w := n.w
	i := w.fillSlot(max(int64(at), w.now), inTurn, number, n, nil, kind, do, arg)
	if s := &w.slots[i]; number != w.seq || !w.wheel.holds(w.now, s.at) || !w.wheel.push(w.slots, i) {
		w.push(i)
	}
	return Timer{w: w, slot: i, gen: w.slots[i].gen}
}

// After calls fn once d has passed.
func (n *Node) After(d time.Duration, kind Kind, fn func()) Timer {
	return n.w.schedule(n.w.in(d), n, nil, kind, Func(fn), 0)
}

// Crash crashes every process of the node at once ([Process.Crash]). If a task of one of them calls
// it, it does not return.
func (n *Node) Crash() { n.each((*Process).Crash) }

// Stop asks every process of the node to end gracefully ([Process.Stop]). If a task of one of them
// calls it, it does not return.
func (n *Node) Stop() { n.each((*Process).Stop) }

// each calls do for every process. The caller's own process is the last, because do may end the
// caller.
func (n *Node) each(do func(*Process)) {
	var own *Process
	for _, p := range append([]*Process(nil), n.procs...) {
		if t := n.w.current; t != nil && t.proc == p {
			own = p
			continue
		}
		do(p)
	}
	if own != nil {
		do(own)
	}
}

// Note folds a number into the hashes of the node and the world. So a difference in content shows
// even if it changes no timing.
func (n *Node) Note(x uint64) { n.fold(x) }

// NoteString folds a text into the hashes. If the trace records, the text also becomes a label of
// the current event.
func (n *Node) NoteString(s string) { n.NoteFolded(s, FoldString(s)) }

// NoteFolded does what NoteString does, for a text that is noted often. fold must be FoldString(s),
// which the caller has computed before.
func (n *Node) NoteFolded(s string, fold uint64) {
	n.Note(fold)
	n.w.trace.label(n.w.events, s)
}

// FoldString hashes a text eight bytes at a time.
func FoldString(s string) uint64 {
	h := uint64(len(s)) * fold1
	for ; len(s) >= 8; s = s[8:] {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		h = (h ^ x) * fold2
		h ^= h >> 29
	}
	tail := uint64(0)
	for i := range len(s) {
		tail |= uint64(s[i]) << (8 * i)
	}
	h = (h ^ tail) * fold2
	return h ^ h>>29
}

// NoteBytes folds bytes into the node's and the world's hash.
func (n *Node) NoteBytes(b []byte) { n.Note(tasks.Hash(b)) }
