package session

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// grace is how long the end of a session waits for its tasks (stop_grace_period_secs of
// TensorFlow's monitored_session.py). Tasks that run longer are left running without an error.
const grace = 120 * time.Second

// Coordinator tells the tasks of a process when to stop (tf.train.Coordinator).
type Coordinator struct {
	tasks      env.Tasks
	stop, idle *threading.Event
	alive      int
	began      bool // whether a task was started
}

// NewCoordinator makes a coordinator without tasks, whose stop is not requested.
func NewCoordinator(tasks env.Tasks) *Coordinator {
	return &Coordinator{tasks: tasks, stop: threading.NewEvent(tasks, "coordinator"), idle: threading.NewEvent(tasks, "tasks of the coordinator")}
}

// ShouldStop reports whether somebody has called RequestStop.
func (c *Coordinator) ShouldStop() bool { return c.stop.IsSet() }

// RequestStop asks all tasks of the process to stop.
func (c *Coordinator) RequestStop() { c.stop.Set() }

// WaitForStop waits until a stop is requested and reports whether it was. It waits at most for
// limit, or without limit if limit is negative.
func (c *Coordinator) WaitForStop(limit time.Duration) bool { return c.stop.Wait(limit) }

// Go starts a task. Join waits until the task has ended.
func (c *Coordinator) Go(name string, fn func()) {
	c.began = true
	c.alive++
	threading.Start(c.tasks, name, func() {
		fn()
		if c.alive--; c.alive == 0 {
			c.idle.Set()
		}
	})
}

// Join waits for the tasks that Go has started, for 120 s at most.
func (c *Coordinator) Join() {
	if c.alive > 0 {
		c.idle.Clear()
		c.idle.Wait(grace)
	}
}
