package runner_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/rustport"
	"github.com/monosim/monosim/engine/training/rustport/psservice"
	"github.com/monosim/monosim/engine/training/rustport/runner"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: processes meet TRN-4.5 where recordings cannot show it: in timing, with faults, and where
// the rows ask for something else than the port does (oracle: seed, row D15). Method: processes are
// tasks in virtual time. The recorded cases are in engine/training/rustport.

func worker(numPS int) runner.Config {
	c := rustport.NewRunnerConfig()
	c.NumPS = numPS
	return runner.ConfigOf(c, rustport.Worker, "127.0.0.1:7001")
}

func ps(index int) runner.Config {
	c := runner.NewConfig()
	c.Role, c.Index = rustport.PS, index
	return c
}

// Example runs a PS and a worker of a job.
func Example() {
	t := &testing.T{}
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		by := runner.NewMemory()
		watcher := by.Watch("worker")
		c.Env.Tasks.Go("ps", func() { fmt.Println(runner.Run(c.Env, by, ps(0))) })
		c.Env.Tasks.Sleep(time.Second)
		fmt.Println(runner.Run(c.Env, by, worker(1)))
		events, _ := watcher.Take()
		for _, e := range events {
			fmt.Println(e.Change == runner.Added, e.Change == runner.Removed, e.Service.ID)
		}
	})
	// Output:
	// <nil>
	// true false worker-0
	// false true worker-0
}

func TestAWorkerLooksSevenTimesHalfASecondApart(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		start := c.Env.Clock.Now()
		err := runner.Run(c.Env, runner.NewMemory(), worker(2))
		missing, ok := errors.AsType[*runner.NoPSError](err)
		if waited := c.Env.Clock.Now().Sub(start); !ok || *missing != (runner.NoPSError{Got: 0, Want: 2}) || waited != 3*time.Second {
			t.Errorf("got %v after %v, want no PS of 2 after 3 s", err, waited)
		}
	})
}

func TestAWorkerFindsAPSThatComesLate(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		by := runner.NewMemory()
		c.Env.Tasks.Go("ps", func() {
			c.Env.Tasks.Sleep(2900 * time.Millisecond)
			c.Must(runner.Run(c.Env, by, ps(0)))
		})
		c.Must(runner.Run(c.Env, by, worker(1)))
	})
}

// noted is a registry of services that records deregistrations, and fails where its fields say so.
type noted struct {
	*runner.Memory
	registering   error
	beats         int
	deregistered  []string
	disconnected  int
	leaving, gone error
}

func (n *noted) Register(s runner.Service) error {
	if n.registering != nil {
		return n.registering
	}
	return n.Memory.Register(s)
}

func (n *noted) Heartbeat(string) error {
	n.beats++
	return errors.New("no answer")
}

func (n *noted) Deregister(id string) error {
	n.deregistered = append(n.deregistered, id)
	if n.leaving != nil {
		return n.leaving
	}
	return n.Memory.Deregister(id)
}

func (n *noted) Disconnect() error {
	n.disconnected++
	return n.gone
}

// Goal (row D15): a worker that cannot register cleans up, but does not remove a registration of
// another process.
func TestAWorkerThatCannotRegisterCleansUp(t *testing.T) {
	boom := errors.New("boom")
	for _, try := range []struct {
		name         string
		variant      rustport.Variant
		err          error
		deregistered []string
		disconnected int
	}{
		{"as the row says", rustport.AsRows, boom, []string{"worker-0"}, 1},
		{"as the port does", rustport.AsPort, boom, nil, 0},
		{"another has the id", rustport.AsRows, &runner.AlreadyRegisteredError{ID: "worker-0"}, nil, 1},
	} {
		t.Run(try.name, func(t *testing.T) {
			worldtest.Run(t, nil, func(c *worldtest.Case) {
				by := &noted{Memory: runner.NewMemory(), registering: try.err}
				run := worker(1)
				run.Variant = try.variant
				if err := runner.Run(c.Env, by, run); !errors.Is(err, try.err) {
					t.Errorf("got %v, want %v", err, try.err)
				}
				if !slices.Equal(by.deregistered, try.deregistered) || by.disconnected != try.disconnected {
					t.Errorf("got %v and %d disconnections, want %v and %d", by.deregistered, by.disconnected, try.deregistered, try.disconnected)
				}
			})
		})
	}
}

// Goal: a PS sends a heartbeat every 10 s, even if heartbeats fail. When it ends, it deregisters.
func TestAPSThatEndsIsTakenBack(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		by := &noted{Memory: runner.NewMemory(), gone: errors.New("gone")}
		run := ps(3)
		run.AwaitEnd = func() { c.Env.Tasks.Sleep(35 * time.Second) }
		if err := runner.Run(c.Env, by, run); err == nil || err.Error() != "gone" {
			t.Errorf("got %v, want what disconnecting said", err)
		}
		c.Env.Tasks.Sleep(time.Minute)
		left, err := by.Discover("ps")
		c.Must(err)
		if by.beats != 4 || len(left) != 0 || !slices.Equal(by.deregistered, []string{"ps-3"}) {
			t.Errorf("got %d heartbeats, %v left, want 4, at 0, 10, 20 and 30 s, none left", by.beats, left)
		}
		by.leaving = errors.New("leaving")
		if err := runner.Run(c.Env, by, run); err == nil || err.Error() != "leaving" {
			t.Errorf("got %v, want what deregistering said, which goes first", err)
		}
	})
}

// Goal: a worker that fails deregisters. It fails if its PS is registered but does not answer, and
// if the other workers do not come.
func TestAWorkerThatFailsLeaves(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		by := runner.NewMemory()
		c.Must(by.Register(runner.Service{ID: "ps-9", Type: "ps", Host: "127.0.0.1", Port: 9}))
		err := runner.Run(c.Env, by, worker(1))
		if _, ok := errors.AsType[*psservice.ConnectionError](err); !ok {
			t.Errorf("got %v, want a ConnectionError", err)
		}
		c.Must(by.Deregister("ps-9"))
		c.Env.Tasks.Go("ps", func() { c.Must(runner.Run(c.Env, by, ps(0))) })
		c.Env.Tasks.Sleep(time.Second)
		alone, start := worker(1), c.Env.Clock.Now()
		alone.NumWorkers = 2
		err = runner.Run(c.Env, by, alone)
		if waited := c.Env.Clock.Now().Sub(start).Round(time.Second); err == nil || waited != 10*time.Second {
			t.Errorf("got %v after %v, want a barrier that is over after 10 s", err, waited)
		}
		if left, err := by.Discover("worker"); err != nil || len(left) != 0 {
			t.Errorf("got %v %v, want no worker left", left, err)
		}
	})
}

// Goal (rows D13, D29): a process restores before it begins. PS 0 waits for the chief, where the
// Rust port takes PS 0 for the chief.
func TestAProcessRestoresFirst(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		said := rustport.NewRunConfig()
		said.IsLocal, said.RestoreDir, said.ModelDir = false, pysem.Some("r"), "m"
		for role, want := range map[rustport.Role]string{ //lint:ordered each by itself
			rustport.Worker: "restore_dir does not contain checkpoint file: r/checkpoint",
			rustport.PS:     "Timed out waiting for restore synchronization file: m/monolith_checkpoint",
		} {
			by := runner.NewMemory()
			err := runner.RunFromRunConfig(c.Env, by, said, rustport.NewRunnerConfig(), role, "127.0.0.1:0")
			if err == nil || err.Error() != want {
				t.Errorf("%s: got %v, want %s", role, err, want)
			}
		}
	})
}

func TestAnAddressThatCannotBeBound(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		for _, addr := range []string{"", "host", "host:port"} {
			run := worker(1)
			run.BindAddr = addr
			if err := runner.Run(c.Env, runner.NewMemory(), run); err == nil {
				t.Errorf("%q: got no error", addr)
			}
		}
	})
}

func TestAWatcherThatNobodyAsksLosesTheOldest(t *testing.T) {
	by := runner.NewMemory()
	w := by.Watch("ps")
	for i := range 103 {
		if err := by.Register(runner.Service{ID: fmt.Sprint(i), Type: "ps"}); err != nil {
			t.Fatal(err)
		}
	}
	events, missed := w.Take()
	if len(events) != 100 || missed != 3 || events[0].Service.ID != "3" {
		t.Errorf("got %d events from %s, %d missed, want 100 from 3, 3 missed", len(events), events[0].Service.ID, missed)
	}
	if events, missed := w.Take(); len(events) != 0 || missed != 0 {
		t.Errorf("taken: got %v, %d missed, want none", events, missed)
	}
}
