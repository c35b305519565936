package session_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: a server knows how many steps have reached it since it was asked last. Steps before its
// variables are initialised are none of its, and a server that starts anew has none.
func TestStepsThatReachedAServerAreCounted(t *testing.T) {
	worldtest.Run(t, nil, func(w *worldtest.Case) {
		servers := session.NewServers(time.Millisecond)
		const device, other = "/job:ps/task:0", "/job:ps/task:1"
		servers.Start("ps:1")
		servers.Start("ps:2")
		servers.Start("spare:1")
		link := servers.Connect(w.Env, map[string]string{device: "ps:1", other: "ps:2"}, device)
		step := &session.Variable{Name: "global_step", Device: device, First: int64(0)}
		w.Must(link.Initialize([]string{device, other}))
		steps := func(n int) {
			for range n {
				_, err := link.Step([]string{device, other}, time.Second, step)
				w.Must(err)
			}
		}
		want := func(addr string, n int64) {
			t.Helper()
			if got := servers.Touched(addr); got != n {
				t.Errorf("%s: got %d steps, want %d", addr, got, n)
			}
		}
		steps(3)
		want("ps:1", 3)
		want("ps:1", 0)
		steps(2)
		want("ps:1", 2)
		want("ps:2", 5)
		want("spare:1", 0)
		want("nobody:1", 0)
		steps(1)
		servers.Stop("ps:2")
		servers.Start("ps:2")
		want("ps:2", 0)
	})
}
