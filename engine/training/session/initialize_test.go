package session_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: when a restarted chief initializes, the servers' variables get their first values.
// Variables that belong to a server's own process keep their values, because that process did not
// restart.
func TestInitializingLeavesTheVariablesOfProcesses(t *testing.T) {
	worldtest.Run(t, nil, func(w *worldtest.Case) {
		servers := session.NewServers(time.Millisecond)
		servers.Start("ps:1")
		const device = "/job:ps/task:0"
		link := servers.Connect(w.Env, map[string]string{device: "ps:1"}, device)
		step := &session.Variable{Name: "global_step", Device: device, First: int64(0)}
		end := &session.Variable{Name: "ps_queue_0", Device: device, First: false}
		w.Must(link.Initialize([]string{device}))
		w.Must(session.Do(link, session.Assign(step, int64(7)), session.Assign(end, true)))
		w.Must(link.Initialize([]string{device}))
		count, err := session.Get[int64](link, session.Read(step))
		w.Must(err)
		ends, err := session.Get[bool](link, session.Read(end))
		w.Must(err)
		if count != 0 || !ends {
			t.Errorf("got step %d and end %v, want 0 and true", count, ends)
		}
	})
}
