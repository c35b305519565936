package vtime

import (
	"math"
	"runtime/debug"
	"time"

	"github.com/monosim/monosim/engine/tasks"
)

// Config configures a world.
type Config struct {
	// Seed determines every random choice of the run.
	Seed uint64
	// Start is the wall-clock time at virtual time 0. The zero value means 2023-11-08 00:00:00 UTC.
	Start time.Time
	// Trace says what to keep of the run.
	Trace TraceConfig
	// Tape, when set, records or replays choices.
	Tape *Tape
	// CheckOwner makes every wait check that the task's own coroutine calls it, which costs about a
	// microsecond. Otherwise one wait in 1024 is checked.
	CheckOwner bool
	// NoLeaps makes every step of a loop an event. Without it, the steps of idle loops such as
	// polls are computed without events. The run is slower, and otherwise the same.
	NoLeaps bool
	// Replay is the command that runs this world again. A panic prints it.
	Replay string
	// Coroutines, when set, keeps coroutines from world to world. Only one world at a time may have it,
	// until it is closed.
	Coroutines *Coroutines
}

// World is one simulated world: a clock, a queue of events, nodes. Close it after use.
type World struct {
	cfg    Config
	now    int64
	events uint64 // number of events that have happened, without the steps of loops
	hash   uint64 // hash of the events, without the steps of loops
	cause  uint64 // cause that is recorded for what is scheduled now: the present event, or its origin
	trace  Trace

	// The queue.
	seq       uint64 // number of the last scheduled event
	slots     []slot
	free      uint32 // index of the first free slot plus one; 0 if there is none
	heap      eventHeap
	hole      bool // whether the first entry of the heap has happened, so that its place is free
	far       farEvents
	heapLimit int    // number of entries above which the heap is spread over buckets
	touched   uint64 // written by touch, so that the compiler does not remove it
	live      int    // number of entries in heap and far that are not cancelled
	wheel     timingWheel
	causal    bool     // whether causes of events are stored
	causes    []uint64 // cause of the event in each slot

	// Loops.
	steps  uint64       // number of steps of loops, with or without an event
	leapt  uint64       // number of steps of loops without an event
	totals []*loopTotal // totals of the loops, in the order in which the loops were made
	ranks  []*loopTotal // total of each loop, by the loop's rank
	// stepNow is the position of the current step of a loop among those of its instant. During
	// events it is noStep, which comes after all steps.
	stepNow uint64
	// sleeping holds the processes in which a loop sleeps.
	sleeping []*Process
	// caughtUp is the moment of the run up to which the steps of sleeping loops have been computed.
	caughtUp moment
	// replaying is above 0 while Replay runs a task up to the place at which its loop was woken.
	replaying int
	// catchUps holds functions that OnCatchUp has added.
	catchUps []func()

	nodes   []*Node
	byName  map[string]*Node
	texts   map[string]string // shared copies of names that many nodes have
	current *Task
	run     runState
	pool    coroPool
	coros   []*coro
	waits   uint64
	line    [64]byte // buffer for tasks.GoroutineNumber, which would otherwise allocate one
	failure error
	running bool
	halt    bool
	closed  bool
	closing bool // whether Close has been called
}

// Handler handles an event. Implement it with a pointer, so that scheduling does not allocate.
type Handler interface {
	Handle(arg uint64)
}

// Func makes a function usable as a Handler.
type Func func()

// Handle calls f.
func (f Func) Handle(uint64) { f() }

// New makes an empty world at virtual time 0. Close it when it is no longer needed, because
// otherwise its coroutines never end.
func New(cfg Config) *World {
	if cfg.Start.IsZero() {
		cfg.Start = time.Date(2023, 11, 8, 0, 0, 0, 0, time.UTC)
	}
	w := &World{cfg: cfg, byName: map[string]*Node{}, stepNow: noStep, hash: tasks.Mix(cfg.Seed, 0x6d6f6e6f73696d)}
	cfg.Trace.steps = cfg.NoLeaps
	w.trace.init(cfg.Trace)
	w.causal = cfg.Trace.Record || cfg.Trace.Origins
	return w
}

// noStep is a position that comes after those of all steps of loops.
const noStep = math.MaxUint64

// NoLeaps returns [Config.NoLeaps]: whether all steps of loops are events.
func (w *World) NoLeaps() bool { return w.cfg.NoLeaps }

// Seed returns the seed the world was made with.
func (w *World) Seed() uint64 { return w.cfg.Seed }

// Now returns the virtual time since the start of the world.
func (w *World) Now() time.Duration { return time.Duration(w.now) }

// Time returns the wall-clock time of a host whose clock has no skew.
func (w *World) Time() time.Time { return w.cfg.Start.Add(time.Duration(w.now)) }

// Events returns the number of events that have happened. Each step of a loop counts as one, even
// if it had no event because the loop slept.
func (w *World) Events() uint64 {
	w.CatchUp()
	return w.events + w.steps
}

// Leapt returns how many of the steps that Events counts had no event.
func (w *World) Leapt() uint64 {
	w.CatchUp()
	return w.leapt
}

// OnCatchUp adds a function that computes effects which were put off, because the loop that has
// them sleeps. The world calls it before somebody looks at such effects.
func (w *World) OnCatchUp(fn func()) { w.catchUps = append(w.catchUps, fn) }

// CatchUp computes everything that sleeping loops have done before the current event, and calls the
// functions that OnCatchUp has added. Call it before looking at something that such loops change.
func (w *World) CatchUp() {
	if w.closed {
		return
	}
	w.catchUpLoops()
	for _, fn := range w.catchUps {
		fn()
	}
}

// catchUpLoops computes what all sleeping loops have done before the current event.
func (w *World) catchUpLoops() {
	if now := (moment{w.now, w.events, w.steps}); !w.running && w.caughtUp == now {
		return // nothing to do: callers often look several times in a row
	}
	for _, p := range w.sleeping {
		p.loops.CatchUp()
	}
	w.caughtUp = moment{w.now, w.events, w.steps}
}

// moment identifies a point of the run: an instant, and the numbers of events and steps until then.
type moment struct {
	now           int64
	events, steps uint64
}

// Hash returns the rolling hash of all events so far, with the digests of the loops folded in at
// the end.
func (w *World) Hash() uint64 {
	w.CatchUp()
	h := w.hash
	for _, t := range w.totals {
		h = t.fold(h)
	}
	return h
}

// Trace returns what the world has kept of the run so far.
func (w *World) Trace() *Trace {
	w.CatchUp()
	w.trace.finish(w)
	return &w.trace
}

// Err returns the *tasks.PanicError that ended the world, or nil.
func (w *World) Err() error { return w.failure }

// Limits says when Run returns. With the zero value it returns when no event is left.
type Limits struct {
	// Until is the virtual time at which to stop. All events up to and including that instant
	// happen, and the clock then shows it. Zero or less means no such limit.
	Until time.Duration
	// MaxEvents is how many events may happen before Run stops, without the steps of loops. 0 means
	// no limit.
	MaxEvents uint64
	// Done, when set, is called before the first event and after each event. Run stops when it
	// returns true. It is not called after a step of a loop that changes nothing.
	Done func() bool
}

// Reason tells why Run returned.
type Reason uint8

// The reasons why Run returns.
const (
	// Quiet means that no event is left. [World.Blocked] lists the tasks that still wait.
	Quiet Reason = iota
	// TimeUp means that the virtual time of Limits.Until was reached.
	TimeUp
	// EventsUp: Limits.MaxEvents events happened.
	EventsUp
	// Satisfied: Limits.Done returned true.
	Satisfied
	// Halted: [World.Halt] was called.
	Halted
	// Failed means that a task or handler panicked.
	Failed
)

var reasonNames = [...]string{"quiet", "time up", "events up", "satisfied", "halted", "failed"}

func (r Reason) String() string { return reasonNames[r] }

// Halt makes Run return after the current event, with the reason Halted.
func (w *World) Halt() { w.halt, w.run.unasked = true, true }

// Run makes events happen by time, and at one instant in the order of scheduling, until a limit is
// reached. reason says which. If a task or handler panics, this and every later Run returns Failed
// and a *tasks.PanicError. Do not call Run from a task or handler, nor after Close.
func (w *World) Run(l Limits) (reason Reason, err error) {
	if w.failure != nil {
		return Failed, w.failure
	}
	if w.closed {
		panic("vtime: Run of a closed world")
	}
	if w.running || w.current != nil {
		panic("vtime: Run inside of Run")
	}
	w.running, w.halt = true, false
	w.run.begin(w, l)
	if !w.run.limited {
		for len(w.sleeping) > 0 {
			w.sleeping[0].loops.WakeAll()
		}
	}
	normal := false
	defer func() {
		// After runtime.Goexit (t.FailNow in a handler or task), normal is false and there is
		// nothing to recover. The Goexit then continues in the caller.
		w.running, w.current, w.cause, w.stepNow = false, nil, 0, noStep
		if normal {
			return
		}
		if r := recover(); r != nil {
			w.fail(nil, r, debug.Stack())
			reason, err = Failed, w.failure
		}
	}()
	reason = w.loop()
	w.fill()
	normal = true
	return reason, w.failure
}

// in returns the instant d from now in ns, at most the greatest int64.
func (w *World) in(d time.Duration) int64 {
	at := w.now + int64(d)
	if d > 0 && at < w.now {
		return math.MaxInt64
	}
	return at
}

func (w *World) fail(t *Task, value any, stack []byte) {
	if w.failure != nil {
		return
	}
	e := &tasks.PanicError{At: w.Now(), Value: value, Stack: stack, Seed: w.cfg.Seed, Replay: w.cfg.Replay}
	if t != nil {
		e.Node, e.Task = t.proc.node.name, t.name
	}
	w.failure = e
}

// Close ends all processes and their coroutines. The hash and the trace of a closed world can still
// be read.
func (w *World) Close() {
	if w.closed {
		return
	}
	if w.running {
		panic("vtime: Close inside of Run")
	}
	w.CatchUp()
	w.closing = true
	for _, n := range w.nodes {
		for len(n.procs) > 0 {
			n.procs[0].Crash()
		}
	}
	w.run.reaps = nil // empty, because the loop below also unwinds the tasks of these processes
	for _, c := range w.coros {
		if t := c.task; t != nil && !t.done {
			t.proc.reap() // the run ended between the crash of the task's process and the unwinding of the task
		}
		w.cfg.Coroutines.give(c)
	}
	w.coros, w.pool, w.slots, w.heap, w.far, w.wheel, w.free = nil, coroPool{}, nil, eventHeap{}, farEvents{}, timingWheel{}, 0
	w.closed = true
}

// Closing reports whether Close has begun. What tasks do from then on has no effect.
func (w *World) Closing() bool { return w.closing }
