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

// NewCoordinator makes a coordinator that nobody has asked to stop.
func NewCoordinator(tasks env.Tasks) *Coordinator {
	return &Coordinator{stop: threading.NewEvent(tasks, "coordinator"), tasks: threading.NewGroup(tasks)}
}

// ShouldStop reports whether somebody asked to stop.
func (c *Coordinator) ShouldStop() bool { return c.stop.IsSet() }

// RequestStop asks for it.
func (c *Coordinator) RequestStop() { c.stop.Set() }

// WaitForStop waits until somebody asks to stop, for limit at most, and reports whether it
// was so; a negative limit means none.
func (c *Coordinator) WaitForStop(limit time.Duration) bool { return c.stop.Wait(limit) }

// Go starts a task that Join waits for.
func (c *Coordinator) Go(name string, fn func()) {
	c.began = true
	c.tasks.Go(name, fn)
}

// Join waits for the tasks that Go has started.
func (c *Coordinator) Join() { c.tasks.Join() }
