package session_test

import (
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// closed says how a session over two PS ended, one of which died.
type closed struct {
	failed string        // class of the step's error
	took   time.Duration // from the step's end, or the call of Close, until the session was closed
	waits  []string      // devices for which it waited
}

// Goal: the end of a session waits for a server that is gone as TensorFlow's does. Method: what
// TensorFlow 2.4.4 did in a process with two PS, of which ps1 was killed 1.4 s into a step of 2 s. The
// step failed at its end with UnavailableError, both times. Failing fast, the session was closed 0.06 s
// later. Without, it was not after a minute, and with ps1 back at its address after 30.9 s it was 0.8 s
// later. Without a step on its way, closing took 10.0 s, and failing fast 0.03 s.
func TestTheEndOfASessionWaitsForAServerThatIsGone(t *testing.T) {
	const step, killed, back = 2 * time.Second, 1400 * time.Millisecond, 30 * time.Second
	one, two := "/job:ps/task:0", "/job:ps/task:1"
	for _, c := range []struct {
		name     string
		waits    bool          // GRPC_FAIL_FAST is not true
		limit    time.Duration // of calls that are no steps
		stepping bool
		back     bool
		want     closed
	}{
		{name: "a step, failing fast", stepping: true, want: closed{failed: "UnavailableError"}},
		{name: "a step, and the server comes back", waits: true, stepping: true, back: true, want: closed{"UnavailableError", 30 * time.Second, []string{two}}},
		{name: "a step, in the reference's build", waits: true, stepping: true, limit: 10 * time.Minute, want: closed{"UnavailableError", 10*time.Minute + 10*time.Second, []string{two, two}}},
		{name: "no step, failing fast"},
		{name: "no step", waits: true, want: closed{took: 10 * time.Second, waits: []string{two}}},
		{name: "no step, and the server comes back", waits: true, back: true, want: closed{took: 10 * time.Second, waits: []string{two}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			worldtest.Run(t, nil, func(w *worldtest.Case) {
				servers, addrs := session.NewServers(time.Millisecond), map[string]string{one: "ps0:1", two: "ps1:1"}
				servers.WaitForReady, servers.CallLimit = c.waits, c.limit
				servers.Start("ps0:1")
				servers.Start("ps1:1")
				link := servers.Connect(w.Env, addrs, one)
				w.Must(link.Initialize([]string{one, two}))
				var got closed
				link.(*session.Remote).OnWait(func(device string, _ bool) func() {
					got.waits = append(got.waits, device)
					return func() {}
				})
				m, err := session.NewMonitored(w.Env, link, nil)
				w.Must(err)
				w.Env.Tasks.Go("ps1", func() {
					w.Env.Tasks.Sleep(killed)
					servers.Stop("ps1:1")
					if w.Env.Tasks.Sleep(step - killed + back); c.back {
						servers.Start("ps1:1")
					}
				})
				begin := w.Env.Clock.Elapsed() + step
				if c.stepping {
					got.failed = pysem.TypeOf(m.Run(func(session.Session) error {
						_, err := link.Step([]string{one, two}, step, session.GlobalStep())
						return err
					}))
				} else {
					w.Env.Tasks.Sleep(step)
					w.Must(m.Close())
				}
				got.took = w.Env.Clock.Elapsed() - begin
				if got.failed != c.want.failed || got.took.Round(time.Second) != c.want.took || !slices.Equal(got.waits, c.want.waits) {
					t.Errorf("got %+v, want %+v", got, c.want)
				}
			})
		})
	}
}

// Goal: without a limit the end of a session waits as long as the server of a failed step is gone.
func TestTheEndOfASessionWaitsWithoutALimit(t *testing.T) {
	const device, addr = "/job:ps/task:0", "ps:1"
	worldtest.Run(t, nil, func(w *worldtest.Case) {
		servers := session.NewServers(time.Millisecond)
		servers.WaitForReady = true
		servers.Start(addr)
		link := servers.Connect(w.Env, map[string]string{device: addr}, device)
		w.Must(link.Initialize([]string{device}))
		m, err := session.NewMonitored(w.Env, link, nil)
		w.Must(err)
		w.Env.Tasks.Go("ps", func() {
			w.Env.Tasks.Sleep(time.Second / 2)
			servers.Stop(addr)
			w.Env.Tasks.Sleep(2 * time.Hour)
			servers.Start(addr)
		})
		begin := w.Env.Clock.Elapsed()
		err = m.Run(func(session.Session) error {
			_, err := link.Step([]string{device}, time.Second, session.GlobalStep())
			return err
		})
		if took := w.Env.Clock.Elapsed() - begin; pysem.TypeOf(err) != "UnavailableError" || took < 2*time.Hour {
			t.Errorf("got %v after %v, want an UnavailableError once the server is back", err, took)
		}
	})
}
