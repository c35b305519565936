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

// Goal: a session that is made without failing fast waits for all servers, looks every 10 s, and names
// those that are missing when it gives up, as the reference's patch of master.cc.
func TestASessionIsMadeOnceAllServersAreThere(t *testing.T) {
	devices := []string{"/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:2"}
	addrs := map[string]string{devices[0]: "ps0:1", devices[1]: "ps1:1", devices[2]: "ps2:1"}
	for _, c := range []struct {
		name         string
		limit, comes time.Duration // of a session, and until the missing servers come
		took         time.Duration
		err          string
	}{
		{"they come", time.Minute, 12 * time.Second, 20 * time.Second, ""},
		{"they come without a limit", 0, 3605 * time.Second, 3610 * time.Second, ""},
		{"they do not come in time", time.Minute, time.Hour, time.Minute, "DeadlineExceededError: Unable to get responses from workers:  /job:ps/task:1 /job:ps/task:2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			worldtest.Run(t, nil, func(w *worldtest.Case) {
				servers := session.NewServers(time.Millisecond)
				servers.WaitForReady = true
				servers.Start("ps0:1")
				link := servers.Connect(w.Env, addrs, devices[0])
				begin := w.Env.Clock.Elapsed()
				w.Env.Tasks.Go("others", func() {
					w.Env.Tasks.Sleep(c.comes)
					servers.Start("ps1:1")
					servers.Start("ps2:1")
				})
				err := link.(*session.Remote).Create(devices, c.limit)
				if took := w.Env.Clock.Elapsed() - begin; text(err) != c.err || took != c.took {
					t.Errorf("got %q after %v, want %q after %v", text(err), took, c.err, c.took)
				}
			})
		})
	}
}
