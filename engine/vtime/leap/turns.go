package leap

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// Turns is the env.Loop of a task in virtual time: the task runs one turn after another, such as
// the rounds of a poll. The fields that are used while the loop sleeps, from cfg.Period to
// recording.sleeper, lie together in memory. In a large cluster each of their cache lines comes
// from slow memory.
type Turns struct {
	task *vtime.Task
	cfg  Config
	recording
	what string // text that names a wait between two turns in reports
}

// Parts of a loop's steps. Steps of a loop at the same instant happen in the order of their parts.
// Checks have part 0.
const (
	partTurn = 1 + iota
	partThought
)

var (
	kindTurn    = vtime.NewKind("task.turn")
	kindThought = vtime.NewKind("task.thought")
)

// NewTurns makes the loop of the current task, and begins its first turn. A task can have only one
// loop.
func NewTurns(p *vtime.Process, cfg Config) *Turns {
	p.Check()
	if cfg.Period <= 0 {
		panic("vtime: a loop with a period of 0 or less")
	}
	task := p.Current()
	if task == nil || task.Process() != p || task.Loop() != nil {
		panic("vtime: process " + p.Name() + " on " + p.Node().Name() + " makes a loop outside of its tasks, or a second one of a task")
	}
	w := p.Node().World()
	t := &Turns{cfg: cfg, task: task, what: w.Intern("its turn, every " + cfg.Period.String())}
	t.world, t.of, t.Loop = w, sleepersOf(p), *p.Node().NewLoop(task.Name())
	task.SetLoop(t)
	t.enter()
	task.ForgetActs() // what the task did before its first Turn belongs to no turn
	return t
}

// begin begins a turn.
func (t *Turns) begin() {
	t.task.ForgetActs()
	t.startRecording()
}

// Turn ends the current turn and waits until the next one begins.
func (t *Turns) Turn() {
	t.end()
	t.task.Wait(t.what)
	t.begin()
}

// Run calls turn again and again until it returns false. The task's function has to return right
// after the call of Run. Between its turns the task keeps no stack, because thousands of idle tasks
// would need much memory.
func (t *Turns) Run(turn func() bool) {
	var rest *vtime.Rest
	rest = t.task.NewRest(t.what, func() {
		t.begin()
		if turn() {
			t.end()
			rest.Begin()
		}
	})
	t.end()
	rest.Begin()
}

// end ends a turn and sets the time of the next.
func (t *Turns) end() {
	t.task.Process().Enter()
	t.next = t.world.In(t.cfg.Period + t.cfg.Late.Draw())
	t.phase = waitsForTurn
	if t.keepRecording(); !t.valid {
		t.world.Unasked() // the turn may have done what a run waits for, so the run checks its limits
	}
	if !t.fallAsleep() {
		t.setTimer()
	}
}

func (t *Turns) setTimer() {
	p := t.task.Process()
	t.task.SetTimer(t.ScheduleIn(p, partTurn, t.next, kindTurn, t, t.task.WaitNumber()))
}

// Handle is called by the engine when a turn is due. It lets the task run the turn. If the turn
// would repeat the last one, it puts the loop to sleep instead.
func (t *Turns) Handle(wait uint64) {
	if t.task.Done() || wait != t.task.WaitNumber() {
		return
	}
	if t.sleepsOn() {
		return
	}
	t.task.Handle(wait)
}

// Task returns the task that runs the loop.
func (t *Turns) Task() *vtime.Task { return t.task }

// think waits for the time that the program takes before a request.
func (t *Turns) think() {
	var at time.Duration
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
		at = t.world.In(d)
	}
	p := t.task.Process()
	task := p.Enter()
	task.SetTimer(t.ScheduleIn(p, partThought, at, kindThought, task, task.WaitNumber()))
	task.Wait("time")
}
