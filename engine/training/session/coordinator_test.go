package session_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: the end of a session waits for its hooks' tasks, and leaves a task that still runs after
// 120 s. The expected times were measured with TensorFlow 2.4.4.
func TestTheEndOfASessionGivesItsTasksTwoMinutes(t *testing.T) {
	for _, c := range []struct {
		name        string
		tasks       []time.Duration // how long each goes on after the stop
		want, after time.Duration
	}{
		{"none", nil, 0, 0},
		{"two that end", []time.Duration{3 * time.Second, 50 * time.Second}, 50 * time.Second, 0},
		{"one that goes on", []time.Duration{3 * time.Second, 400 * time.Second}, 120 * time.Second, 280 * time.Second},
	} {
		worldtest.Run(t, nil, func(w *worldtest.Case) {
			e := w.Env
			coord, ended := session.NewCoordinator(e.Tasks), 0
			for _, d := range c.tasks {
				coord.Go("hook", func() {
					coord.WaitForStop(-1)
					e.Tasks.Sleep(d)
					ended++
				})
			}
			e.Tasks.Sleep(time.Minute)
			if ended > 0 || coord.ShouldStop() {
				t.Errorf("%s: %d tasks have ended before the stop", c.name, ended)
			}
			coord.RequestStop()
			begin := e.Clock.Elapsed()
			coord.Join()
			if took := e.Clock.Elapsed() - begin; took != c.want {
				t.Errorf("%s: the end took %v, want %v", c.name, took, c.want)
			}
			e.Tasks.Sleep(c.after)
			e.Tasks.Sleep(time.Second)
			if ended != len(c.tasks) {
				t.Errorf("%s: %d of %d tasks have ended in the end", c.name, ended, len(c.tasks))
			}
		})
	}
}
