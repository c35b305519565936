package vtime

import (
	"math"
	"runtime/debug"
	"time"

	"github.com/monosim/monosim/engine/tasks"
)

// Config are the dials of a world.
type Config struct {
	// Seed decides every choice.
	Seed uint64
	// Start is the wall-clock time at virtual time 0; the zero value means
	// 2023-11-08 00:00:00 UTC.
	Start time.Time
	// Trace says what to keep of what happened.
	Trace TraceConfig
	// Tape, when set, records or replays choices.
	Tape *Tape
	// CheckOwner makes every wait verify that it runs on its own coroutine. The
	// check costs about a microsecond; without it one wait in 1024 is verified.
	CheckOwner bool
	// NoLeaps makes every step of a loop an event. That changes nothing but the speed.
	NoLeaps bool
	// Replay is the command that runs this world again; it is printed with a
	// panic.
	Replay string
}

// World is one simulated world: a clock, a queue of events, nodes. A World must
// be closed after use.
type World struct {
	cfg    Config
	now    int64
	events uint64 // that happened, without steps of loops
	hash   uint64 // without what loops did
	cause  uint64 // of what is scheduled now: the event that is happening, or its origin
	trace  Trace

	// The queue.
	seq     uint64 // events that were scheduled
	slots   []slot
	free    uint32 // first free slot plus one; 0 means none
	heap    eventHeap
	hole    bool // the first entry of the heap has happened, its place is free
	far     farEvents
	crowd   int    // so many entries of the heap are too many for it
	touched uint64 // keeps the compiler from leaving touch out
	live    int    // entries of heap and far that were not cancelled
	wheel   timingWheel
	causal  bool     // causes are kept
	causes  []uint64 // by slot

	// Loops.
	steps  uint64       // of loops
	leapt  uint64       // those that were no events
	totals []*loopTotal // in the order of making
	ranks  []*loopTotal // by loop
	// stepNow is the order of the step that is happening; all steps come before it when
	// none is.
	stepNow uint64
	// sleeping holds the processes that have loops which are asleep.
	sleeping []*Process
	// caughtUp is when all steps were made last that were past, of the loops that slept then.
	caughtUp moment
	// replaying is set while a task comes to where its loop was when it was woken.
	replaying int
	// catchUps are told before somebody looks.
	catchUps []func()

	nodes   []*Node
	byName  map[string]*Node
	texts   map[string]string // names that many nodes have
	current *Task
	run     runState
	pool    coroPool
	coros   []*coro
	waits   uint64
	line    [64]byte // for tasks.GoroutineNumber, which would allocate it otherwise
	failure error
	running bool
	halt    bool
	closed  bool
	closing bool // in Close, or after it
}

// Handler is what happens at an event. Use pointers, so that scheduling does
// not allocate.
type Handler interface {
	Handle(arg uint64)
}

// Func makes a function a Handler.
type Func func()

// Handle calls f.
func (f Func) Handle(uint64) { f() }

// New makes a world at virtual time 0 with nothing in it. Call Close when it is no
// longer needed, or its coroutines stay.
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

// noStep is behind all steps.
const noStep = math.MaxUint64

// NoLeaps reports whether all steps of loops are to be events.
func (w *World) NoLeaps() bool { return w.cfg.NoLeaps }

// Seed returns the seed the world was made with.
func (w *World) Seed() uint64 { return w.cfg.Seed }

// Now returns the virtual time since the start of the world.
func (w *World) Now() time.Duration { return time.Duration(w.now) }

// Time returns the wall-clock reading of a host without skew.
func (w *World) Time() time.Time { return w.cfg.Start.Add(time.Duration(w.now)) }

// Events returns the number of events that have happened, steps of loops included, whether or
// not they were leapt over.
func (w *World) Events() uint64 {
	w.CatchUp()
	return w.events + w.steps
}

// Leapt returns how many of the Events were leapt over.
func (w *World) Leapt() uint64 {
	w.CatchUp()
	return w.leapt
}

// OnCatchUp adds a function that makes all steps which were leapt over and come before what
// is happening now. It is called before somebody looks at what steps change.
func (w *World) OnCatchUp(fn func()) { w.catchUps = append(w.catchUps, fn) }

// CatchUp calls what OnCatchUp was given.
func (w *World) CatchUp() {
	if w.closed {
		return
	}
	w.catchUpLoops()
	for _, fn := range w.catchUps {
		fn()
	}
}

// catchUpLoops makes all steps that are past of all loops.
func (w *World) catchUpLoops() {
	if now := (moment{w.now, w.events, w.steps}); !w.running && w.caughtUp == now {
		return // many look one after the other
	}
	for _, p := range w.sleeping {
		p.loops.CatchUp()
	}
	w.caughtUp = moment{w.now, w.events, w.steps}
}

// moment tells apart what happens at one instant.
type moment struct {
	now           int64
	events, steps uint64
}

// Hash returns the rolling hash of everything that has happened, with what the loops have done
// folded in behind it.
func (w *World) Hash() uint64 {
	w.CatchUp()
	h := w.hash
	for _, t := range w.totals {
		h = t.fold(h)
	}
	return h
}

// Trace returns what was kept of the run so far.
func (w *World) Trace() *Trace {
	w.CatchUp()
	w.trace.finish(w)
	return &w.trace
}

// Err is the *tasks.PanicError that ended the world, nil for none.
func (w *World) Err() error { return w.failure }

// Limits say when Run returns. The zero value runs until nothing can happen.
type Limits struct {
	// Until is the virtual time to stop at: all events up to and including that
	// instant happen, and the clock then shows it. Negative or zero means none.
	Until time.Duration
	// MaxEvents is the number of events after which to stop, without the steps of loops;
	// 0 means none.
	MaxEvents uint64
	// Done, when set, is asked before the first and after each event, but not after a step of
	// a loop that brings nothing new.
	Done func() bool
}

// Reason says why Run returned.
type Reason uint8

// The reasons.
const (
	// Quiet: nothing can happen any more. [World.Blocked] tells who still waits.
	Quiet Reason = iota
	// TimeUp: the virtual time of Limits.Until was reached.
	TimeUp
	// EventsUp: Limits.MaxEvents events happened.
	EventsUp
	// Satisfied: Limits.Done returned true.
	Satisfied
	// Halted: [World.Halt] was called.
	Halted
	// Failed: a task or handler panicked.
	Failed
)

var reasonNames = [...]string{"quiet", "time up", "events up", "satisfied", "halted", "failed"}

func (r Reason) String() string { return reasonNames[r] }

// Halt makes Run return, with Halted, after the event that is happening.
func (w *World) Halt() { w.halt, w.run.unasked = true, true }

// Run lets events happen, in the order of their times and of scheduling, until a limit
// is met; reason says which. When a task or handler panics the reason is Failed and
// the error a *tasks.PanicError, from this and every later Run. Run must not be called
// by a task or handler, nor after Close.
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
		// A Goexit (t.FailNow in a handler or task) comes through here with
		// normal false and nothing to recover; it goes on to the caller.
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

// in returns the instant d from now, or the end of time.
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

// Close ends all processes and frees the coroutines. A closed world can still
// be asked for its hash and trace.
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
	w.run.reaps = nil // what is left of them is among the coroutines
	for _, c := range w.coros {
		if t := c.task; t != nil && !t.done {
			t.proc.reap() // its process was crashed, but the run ended before the reap
		}
		c.stop()
	}
	w.coros, w.pool, w.slots, w.heap, w.far, w.wheel, w.free = nil, coroPool{}, nil, eventHeap{}, farEvents{}, timingWheel{}, 0
	w.closed = true
}

// Closing reports whether Close has begun: what happens from then on is seen by nobody.
func (w *World) Closing() bool { return w.closing }
