package threading

import "github.com/monosim/monosim/engine/env"

// Start starts fn in a new task, and returns when the task first waits or ends. Python's
// Thread.start behaves so: the new thread keeps the interpreter until it blocks.
func Start(tasks env.Tasks, name string, fn func()) env.Task {
	t := tasks.Go(name, fn)
	tasks.NewCond("turn of task " + name).WaitFor(0)
	return t
}
