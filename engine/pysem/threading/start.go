package threading

import "github.com/monosim/monosim/engine/env"

// Start starts fn in a task and lets it run until it first waits, or ends, before the
// caller goes on: as Python's Thread.start, after which the interpreter is the new
// thread's until that blocks.
func Start(tasks env.Tasks, name string, fn func()) env.Task {
	t := tasks.Go(name, fn)
	tasks.NewCond("turn of task " + name).WaitFor(0)
	return t
}
