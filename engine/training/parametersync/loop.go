package parametersync

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/session"
)

const (
	// Period is the time between the starts of two rounds (cpu_training.py:1759).
	Period = 10 * time.Second
	// limit is how long the session waits for a round's operation (cpu_training.py:1749).
	limit = time.Minute
	// heldPoll is how often a stopped process checks whether it may continue. A round that became
	// due while it was stopped begins up to heldPoll late. A real process would begin it at once.
	heldPoll = time.Second
)

// Options describes the parameter sync of a PS.
type Options struct {
	PS      int
	Backend Backend
	Quirks  jobquirks.Set
	// Take returns how many training steps have touched the PS since its last call.
	Take func() int64
	// Held, if set, reports whether the process is stopped, as by SIGSTOP.
	Held func() bool
	// Round, if set, is called after each call of Take, with the number of steps that Take
	// returned. The updates of these steps are pushed in this round or never, unless Q331 is
	// repaired. Pushed, if set, is called after each push. Ended, if set, is called with the error
	// that ended the loop early.
	Round  func(steps int64)
	Pushed func(Push)
	Ended  func(err error)
}

// Loop is the parameter sync of one PS, in a task of its own (_join_ps, cpu_training.py:1736).
type Loop struct {
	Options
	e        *env.Env
	client   *client
	using    *threading.Lock
	finished bool
	task     env.Task
}

// Start starts the loop. Its first round begins at once.
func Start(e *env.Env, o Options) *Loop {
	l := &Loop{Options: o, e: e, client: &client{e: e, ps: o.PS, channels: map[string]env.Channel{}, keeps: !o.Quirks.Keeps(jobquirks.Q331), owed: map[string]int64{}}, using: threading.NewLock(e.Tasks, "parameter sync client")}
	l.task = threading.Start(e.Tasks, "parameter sync", l.run)
	return l
}

// Finish makes the loop end after its current round and the pause that follows, and waits until it
// has ended (cpu_training.py:1771).
func (l *Loop) Finish() {
	l.finished = true
	l.task.Join()
	l.client.close()
}

// run makes rounds until Finish. It catches only TensorFlow's errors. Any other error ends the
// thread and so the PS's parameter sync, but the PS itself continues (cpu_training.py:1751).
func (l *Loop) run() {
	for !l.finished {
		for l.Held != nil && l.Held() {
			l.e.Tasks.Sleep(heldPoll)
		}
		start := l.e.Clock.Elapsed()
		err := l.round()
		switch {
		case err != nil && session.IsOpError(err):
			l.e.Log.Logf(env.Error, "Error occurred when synchronizing parameter: %v", err)
		case err != nil:
			l.e.Log.Logf(env.Error, "Exception in thread: %s: %v", pysem.TypeOf(err), err)
			if l.Ended != nil {
				l.Ended(err)
			}
			return
		}
		l.e.Tasks.Sleep(max(0, Period-(l.e.Clock.Elapsed()-start)))
	}
}

// round asks for the targets and runs the operation. After a time limit the session stops waiting
// for the operation, which continues. The next round's operation waits for it to end (the lock of
// sync_client_manager.cc).
func (l *Loop) round() error {
	conf, err := refresh(l.Backend, l.PS)
	if err != nil {
		return err
	}
	done := threading.NewFuture[error](l.e.Tasks, "parameter sync operation")
	threading.Start(l.e.Tasks, "parameter sync operation", func() {
		l.using.Lock()
		defer l.using.Unlock()
		done.Set(l.operate(conf))
	})
	failed, ok := done.Wait(limit)
	if !ok {
		return session.Raise("DeadlineExceededError", "Deadline Exceeded")
	}
	return failed
}

// operate is the operation MonolithParameterSync (parameter_sync_ops.cc:145). It clears the list of
// touched ids even if there is no target to push them to (parameter_sync_tf_bridge.cc:71), unless
// Q331 is repaired. It succeeds even if its pushes fail (parameter_sync_tf_bridge.cc:98).
func (l *Loop) operate(conf config) error {
	l.client.replace(conf.targets)
	if len(conf.targets) == 0 && !l.Quirks.Keeps(jobquirks.Q331) {
		return nil
	}
	steps := l.Take()
	if l.Round != nil {
		l.Round(steps)
	}
	if steps == 0 && len(l.client.owed) == 0 {
		return nil
	}
	return l.client.push(conf, steps, func(p Push) {
		if l.Pushed != nil {
			l.Pushed(p)
		}
	})
}
