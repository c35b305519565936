package traincheck

import (
	"cmp"
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/job"
)

// Holds is the invariant that workers make no steps while a barrier is placed.
const Holds = "holds"

// unblocks is how soon a worker has to notice that a barrier was removed: its poll interval
// of 1 s plus the time of a request (INV-2).
const unblocks = time.Second + 200*time.Millisecond

// stopWait is how long the controller's stop waits for the workers (TRN-2.10).
const stopWait = 30 * time.Second

// barrier mirrors the variables of barrier_ops.py. It learns them from the assignments that the
// processes make.
type barrier struct {
	c        *Checker
	placings int // how often the barrier was placed
	placed   bool
	at       time.Duration
	action   string
	ownerIn  int // number of the life of the chief that placed the barrier; 0 once its session is closed
	resumed  bool
	resuming int                      // calls of ResumeTraining that have not succeeded yet, which may remove a barrier that is placed meanwhile
	owed     bool                     // whether a call of ResumeTraining has removed a barrier, whose owner will remove whichever is there then
	asked    time.Duration            // when ResumeTraining was last called, which removes any barrier
	flags    map[string]int           // number of the life of each worker whose flag is set
	since    map[string]time.Duration // when each of these flags was set
	left     map[string]bool          // workers that have left their session with their flag set
	due      map[string]*release
	slowest  time.Duration    // longest write of a checkpoint so far
	writes   time.Duration    // how long a write of a checkpoint takes now
	changed  time.Duration    // when that time last changed
	freed    time.Duration    // when a barrier was last removed
	steps    map[string]int64 // maps each worker to the steps of its session since the barrier was placed
	saves    time.Duration    // total time for which barriers were placed because of saves
}

// release is the removal of a barrier at which a worker waited, so that the worker has to
// notice it.
type release struct {
	at      time.Duration
	life    int
	again   bool // whether the barrier was placed again after that
	left    bool // whether the worker had left its session, without clearing its flag
	removal int
}

func (b *barrier) init(c *Checker) {
	*b = barrier{c: c, flags: map[string]int{}, since: map[string]time.Duration{}, steps: map[string]int64{}, left: map[string]bool{}, due: map[string]*release{}, slowest: c.spec.SaveTime, writes: c.spec.SaveTime}
}

// Assigned records that a process assigns value to an element of a variable, or to the whole
// variable if index is negative.
func (c *Checker) Assigned(at time.Duration, by, variable string, index int, value any) {
	c.now = max(c.now, at)
	b := &c.barrier
	switch on, _ := value.(bool); {
	case variable == "barrier_op_action" && by != "chief": // a worker that begins assigns the variable (Q332)
	case variable == "barrier_op_action":
		text, _ := value.([]byte)
		b.action = string(text)
	case variable != "barrier_var" || index < 0:
	case index == 0 && on:
		b.place()
	case index == 0:
		b.remove()
	case on:
		b.block(by)
	default:
		b.unblock(by)
	}
}

// Initialized records that the chief gives all variables their initial values.
func (c *Checker) Initialized(at time.Duration) {
	c.now = max(c.now, at)
	c.barrier.forget()
	c.life.initialized(c.now)
}

// SaveTakes records that writing a checkpoint takes d from the time at on, or what the job says if d is 0.
func (c *Checker) SaveTakes(at, d time.Duration) {
	if takes := cmp.Or(d, c.spec.SaveTime); takes != c.barrier.writes {
		c.barrier.writes, c.barrier.changed = takes, at
	}
	c.barrier.slowest = max(c.barrier.slowest, d)
}

func (b *barrier) place() {
	if b.placed {
		b.c.breaks("INV-1", fmt.Sprintf("twice %d", b.placings), "", "a barrier was placed while the one of %v was there, want at most one", b.at)
	}
	b.look()
	b.placings++
	clear(b.steps)
	b.placed, b.at, b.resumed, b.ownerIn = true, b.c.now, b.resuming > 0, b.c.procs["chief"].life
	for _, r := range b.due {
		r.again = true
	}
}

func (b *barrier) remove() {
	b.look()
	if b.placed && b.action == "" && !b.resumed && !b.owed {
		b.c.breaks("INV-1", fmt.Sprintf("not its own %d", b.placings), "",
			"the barrier of %v, which waits for ResumeTraining, was removed without that call", b.at)
	}
	if b.placed && b.action != "" {
		b.saves += b.c.now - b.at
	}
	if b.placed || b.resuming == 0 { // a call that finds no barrier leaves the owner's removal to come
		b.owed = b.placed && b.resumed && (b.owed || b.action != "")
	}
	b.placed, b.freed = false, b.c.now
	for worker, life := range b.flags {
		if b.left[worker] && !b.c.quirks.Keeps(jobquirks.Q324) {
			continue // with Q324 repaired, a worker that is started again clears its flag
		}
		b.due[worker] = &release{at: b.c.now, life: life, removal: b.placings, left: b.left[worker]}
	}
}

func (b *barrier) block(worker string) {
	if p := b.c.procs[worker]; p != nil {
		if life, waits := b.flags[worker]; !waits || life != p.life { // a worker that still waits blocks again at the next barrier (Q238 repaired)
			b.since[worker] = b.c.now
		}
		b.flags[worker] = p.life
	}
	delete(b.left, worker)
	b.noticed(worker)
}

func (b *barrier) unblock(worker string) {
	b.noticed(worker)
	delete(b.flags, worker)
	delete(b.left, worker)
}

// noticed records that a worker has reacted to the removal of the barrier. Nothing more is
// expected of it.
func (b *barrier) noticed(worker string) {
	if r := b.due[worker]; r != nil {
		b.late(worker, r)
		delete(b.due, worker)
	}
}

// late reports whether a worker has reacted too late, or not yet, to a barrier's removal
// (INV-2).
func (b *barrier) late(worker string, r *release) bool {
	p := b.c.procs[worker]
	if b.c.now <= r.at+unblocks || !p.running || p.life != r.life {
		return false
	}
	known := b.c.discovery.knownOfCalls(r.at)
	switch {
	case r.again && b.c.quirks.Keeps(jobquirks.Q238):
		known = jobquirks.Q238.String()
	case r.left && known == "":
		known = jobquirks.Q324.String()
	}
	if w, ok := b.c.present(worker); known == "" && ok && w.Lost {
		known = callsOfCut
	}
	b.c.breaks("INV-2", fmt.Sprintf("%s %d", worker, r.removal), known, "%s has not unblocked since the barrier was removed at %v, want that within %v", worker, r.at, unblocks)
	return true
}

// gaveUp records that a process has left its session. If it is a worker, it is no longer expected
// to react to a removal. If it is the chief, it is no longer expected to remove its barrier.
func (b *barrier) gaveUp(worker string) {
	delete(b.due, worker)
	if worker == "chief" {
		b.ownerIn = 0 // the next session initializes the barrier
	}
	if _, waits := b.flags[worker]; waits {
		b.left[worker] = true
	}
}

// ended records the end of a process. If a PS ends, the variables are lost. If a worker ends, its
// wait is over.
func (b *barrier) ended(name string) {
	switch {
	case len(name) > 2 && name[:2] == "ps":
		b.forget()
	default:
		delete(b.due, name)
		delete(b.left, name)
	}
}

// leaves checks that a chief that ends leaves no barrier of its own behind, at which workers would wait for
// ever.
func (b *barrier) leaves() {
	if b.placed && b.action != "" {
		b.c.breaks("INV-1", fmt.Sprintf("left %d", b.placings), "", "the barrier %q of %v was there when its owner ended, want it removed before", b.action, b.at)
	}
}

func (b *barrier) forget() {
	b.placed, b.action = false, ""
	clear(b.flags)
	clear(b.left)
	clear(b.due)
}

// look checks the invariants of barriers that have a time limit.
func (b *barrier) look() {
	for _, worker := range b.c.names {
		if r := b.due[worker]; r != nil && b.late(worker, r) {
			delete(b.due, worker)
		}
	}
	if !b.placed {
		return
	}
	took, chief := b.c.now-b.at, b.c.procs["chief"]
	switch {
	case b.action == "" && took > slack:
		b.c.breaks("INV-1", fmt.Sprintf("unowned %d", b.placings), "TRN-2.8 and TRN-2.9",
			"the barrier of %v has no owner that removes it: it waits for ResumeTraining", b.at)
	case b.action != "" && took > b.limit() && chief.running && chief.life == b.ownerIn:
		b.c.breaks("INV-1", fmt.Sprintf("kept %d", b.placings), b.c.discovery.knownOfCalls(b.at),
			"the barrier %q of %v was not removed by its owner, want that within %v", b.action, b.at, b.limit())
	}
}

// stepped records that a process has made steps between two times, and checks that workers stop at a
// barrier. Two steps are allowed after it was placed. A worker finishes the step in which the barrier is
// placed. A worker that joins later, or whose calls a fault has delayed, asks for the barrier only with
// its next step (TRN-2.1).
func (b *barrier) stepped(who string, from, to time.Duration) {
	role, _ := cluster.TrainerRole(who)
	if !b.placed || role != job.Worker || who == "chief" || from <= b.at+b.c.spec.StepTime+unblocks {
		return
	}
	if b.steps[who] += max(int64((to-from)/b.c.spec.StepTime), 1); b.steps[who] > 2 {
		b.c.breaks(Holds, fmt.Sprintf("%s %d", who, b.placings), "", "%s makes steps since %v, and the barrier of %v is there, want it to wait", who, from, b.at)
	}
}

// limit returns how long a barrier may stay placed. It is long because a save waits for the
// workers and writes twice.
func (b *barrier) limit() time.Duration {
	return max(stopWait, b.c.spec.MaxPending+2*b.slowest) + slack + b.c.spec.StepTime
}
