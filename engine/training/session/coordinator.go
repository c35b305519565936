package session

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// Coordinator tells the tasks of a process when to stop (tf.train.Coordinator).
type Coordinator struct {
	stop  *threading.Event
	tasks *threading.Group
	began bool // a task was started
}

// NewCoordinator makes a coordinator without tasks, whose stop is not requested.
func NewCoordinator(tasks env.Tasks) *Coordinator {
	return &Coordinator{stop: threading.NewEvent(tasks, "coordinator"), tasks: threading.NewGroup(tasks)}
}

// ShouldStop reports whether somebody has called RequestStop.
func (c *Coordinator) ShouldStop() bool { return c.stop.IsSet() }

// RequestStop asks all tasks of the process to stop.
func (c *Coordinator) RequestStop() { c.stop.Set() }

// WaitForStop waits until a stop is requested and reports whether it was. It waits for
// limit at most; a negative limit means forever.
func (c *Coordinator) WaitForStop(limit time.Duration) bool { return c.stop.Wait(limit) }

// Go starts a task that Join waits for.
func (c *Coordinator) Go(name string, fn func()) {
	c.began = true
	c.tasks.Go(name, fn)
}

// Join waits for the tasks that Go has started.
func (c *Coordinator) Join() { c.tasks.Join() }
