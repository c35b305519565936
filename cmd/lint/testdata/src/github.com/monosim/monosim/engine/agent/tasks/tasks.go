package tasks

import "iter"

type queue struct {
	items chan int // want `channel type in deterministic room engine/agent/tasks: wait on an env.Cond`
}

func run(q queue, done chan struct{}) int { // want `channel type`
	go run(q, done) // want `go statement .*: start a task with env.Tasks.Go`
	q.items <- 1    // want `channel send`
	select {        // want `select .*: wait on an env.Cond`
	case <-done: // want `channel receive`
	default:
	}
	for range q.items { // want `range over a channel`
	}
	close(q.items)                 // want `close of a channel`
	_ = make(chan<- int)           // want `channel type`
	next, stop := iter.Pull(count) // want `iter.Pull .*: start a task`
	defer stop()
	n, _ := next()
	return n
}

func count(yield func(int) bool) { yield(1) }

type door struct{}

func (door) close() {}

func shut(d door, close func(door)) {
	d.close()
	close(d) // not the builtin
}

//lint:hidden counts in test files only // want `//lint:hidden where the rule finds nothing`
func excused() { go shut(door{}, nil) } // want `go statement`
