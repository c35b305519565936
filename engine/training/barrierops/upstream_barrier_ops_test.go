package barrierops_test

import (
	"errors"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: the barrier passes the reference's own tests (barrier_ops_test.py). Method: run them in
// virtual time. Tasks replace the reference's threads and share the variables in memory.

// count increments the global step the given number of times, as the reference's worker does.
func count(m *session.Monitored, times int) error {
	for range times {
		err := m.Run(func(s session.Session) error {
			n, err := session.Get[int64](s, session.Read(session.GlobalStep()))
			if err != nil {
				return err
			}
			return session.Do(s, session.Assign(session.GlobalStep(), n+1))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func globalStep(c *worldtest.Case, s session.Session) int64 {
	n, err := session.Get[int64](s, session.Read(session.GlobalStep()))
	c.Must(err)
	return n
}

func is(c *worldtest.Case, what string, want bool, ask func(session.Session) (bool, error), s session.Session) {
	c.T.Helper()
	got, err := ask(s)
	if err != nil || got != want {
		c.T.Errorf("%s: got %v %v, want %v", what, got, err, want)
	}
}

func TestUpstreamBarrierOps_test_basic(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s, b := session.NewMemory(), barrierops.MustBarrierOp(c.Env, 2, barrierops.Options{})
		c.Must(b.PlaceBarrier(s, ""))
		is(c, "placed", true, b.IsBarrierPlaced, s)
		if err := b.PlaceBarrier(s, ""); !errors.Is(err, barrierops.ErrBarrierAlreadyPlaced) {
			t.Errorf("a second barrier: got %v, want %v", err, barrierops.ErrBarrierAlreadyPlaced)
		}
		c.Must(b.RemoveBarrier(s))
		is(c, "removed", true, b.IsBarrierRemoved, s)
	})
}

func TestUpstreamBarrierOps_test_barrier_hook_not_blocked(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s, b := session.NewMemory(), barrierops.MustBarrierOp(c.Env, 2, barrierops.Options{})
		m, err := session.NewMonitored(c.Env, s, []session.Hook{barrierops.NewBarrierHook(1, b)})
		c.Must(err)
		c.Must(count(m, 5))
		if n := globalStep(c, s); n != 5 {
			t.Errorf("global step: got %d, want 5", n)
		}
	})
}

func TestUpstreamBarrierOps_test_barrier_hook_blocked(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s, called := session.NewMemory(), ""
		b := barrierops.MustBarrierOp(c.Env, 2, barrierops.Options{Callbacks: []barrierops.Callback{
			func(action string, _ session.Session) error { called += action; return nil },
		}})
		c.Must(b.PlaceBarrier(s, "test_action"))
		called = ""
		worker := startWorker(c, s, b)
		c.Env.Tasks.Sleep(100 * time.Millisecond)
		is(c, "all blocked", true, b.IsAllBlocked, s)
		if n := globalStep(c, s); n != 1 || called != "test_action" {
			t.Errorf("while it waits: got step %d, callbacks %q, want 1, test_action", n, called)
		}
		c.Must(b.RemoveBarrier(s))
		worker.Join()
		is(c, "none blocked", true, b.IsNoneBlocked, s)
		if n := globalStep(c, s); n != 5 {
			t.Errorf("global step: got %d, want 5", n)
		}
	})
}

// startWorker starts a task that runs five steps.
func startWorker(c *worldtest.Case, s session.Session, b *barrierops.BarrierOp) env.Task {
	return c.Env.Tasks.Go("worker", func() {
		m, err := session.NewMonitored(c.Env, s, []session.Hook{barrierops.NewBarrierHook(1, b)})
		c.Must(err)
		c.Must(count(m, 5))
	})
}

// TRN-2.7, races 2 and 3: if a barrier is placed again within a worker's poll interval, the worker
// keeps waiting without noticing. A worker that is gone still appears as blocked.
func TestABarrierPlacedAgainWithinASecondIsNotNoticed(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s, told := session.NewMemory(), 0
		b := barrierops.MustBarrierOp(c.Env, 2, barrierops.Options{Callbacks: []barrierops.Callback{
			func(string, session.Session) error { told++; return nil },
		}})
		c.Must(b.PlaceBarrier(s, "Save"))
		worker := startWorker(c, s, b)
		c.Env.Tasks.Sleep(1500 * time.Millisecond)
		c.Must(b.RemoveBarrier(s))
		c.Must(b.PlaceBarrier(s, "Stop"))
		c.Env.Tasks.Sleep(5 * time.Second)
		is(c, "all blocked", true, b.IsAllBlocked, s)
		if n := globalStep(c, s); n != 1 || told != 3 {
			t.Errorf("got step %d, %d callbacks, want 1, 3: two of the chief, one of the worker", n, told)
		}
		c.Must(b.RemoveBarrier(s))
		worker.Join()
	})
}
