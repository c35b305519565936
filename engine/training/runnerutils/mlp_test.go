package runnerutils_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/runnerutils"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: under MLP, a process first waits for the data service or runs a part of it. Only then is
// its configuration made, as in __post_init__ (TRN-2.13, TRN-2.19).

// dataService records what a process starts. Its Exit never returns, as that of a real process.
type dataService struct {
	c       *worldtest.Case
	started []string
	wrong   error
}

func (d *dataService) note(format string, args ...any) error {
	d.started = append(d.started, fmt.Sprintf(format, args...))
	return d.wrong
}

func (d *dataService) StartDispatcher(port int) error { return d.note("dispatcher %d", port) }

func (d *dataService) StartWorker(dispatcher training.OptString, address string, _ int) error {
	return d.note("worker %s of %s", address, dispatcher)
}

func (d *dataService) StartProfiler(port int) error { return d.note("profiler %d", port) }
func (d *dataService) StopProfiler() error          { return d.note("no profiler") }

func (d *dataService) Trace(string, string, training.TraceOptions) error { return d.note("trace") }

func (d *dataService) Exit(status int) {
	_ = d.note("exit %d", status)
	d.c.Env.Tasks.NewCond("after the end").Wait()
}

func mlpVars(role string) map[string]string {
	return map[string]string{
		"MLP_ROLE": role, "MLP_ROLE_INDEX": "0", "MLP_PORT": "5000", "MLP_SSH_PORT": "7001", "MLP_WORKER_NUM": "1", "MLP_DISPATCHER_NUM": "1",
		"MLP_WORKER_0_PRIMARY_HOST": "127.0.0.1", "MLP_WORKER_0_PORT": "7001", "MLP_DISPATCHER_0_PRIMARY_HOST": "127.0.0.1", "MLP_DISPATCHER_0_PORT": "7002",
		"CLOUDNATIVE_INET_ADDR": "127.0.0.1",
	}
}

// listening makes a port accept connections between two instants, given from the test's start.
func listening(c *worldtest.Case, port int, from, until time.Duration) {
	c.Env.Tasks.Go("listener", func() {
		c.Env.Tasks.Sleep(from)
		server, err := c.Env.Network.Serve(port, 0, func(string, []byte) ([]byte, error) { return nil, nil })
		c.Must(err)
		c.Env.Tasks.Sleep(until - from)
		server.Stop()
	})
}

// Goal: a worker that uses a data service gets its configuration only once the dispatcher can be
// reached.
func TestAWorkerWaitsForTheDispatcher(t *testing.T) {
	worldtest.Run(t, mlpVars("worker"), func(c *worldtest.Case) {
		service := &dataService{c: c}
		p := runnerutils.Process{Env: c.Env, Flags: runnerutils.NewFlags(), DataService: service}
		_, err := p.Flags.Parse(c.Env.Files, []string{"--dataset_use_dataservice", "--num_extra_dsworker_on_gpu_worker=1"})
		c.Must(err)
		listening(c, 7002, 12*time.Second, time.Hour)
		conf, start := runnerutils.Class.New(), c.Env.Clock.Now()
		c.Must(p.Init(&conf))
		if waited := c.Env.Clock.Now().Sub(start); waited < 12*time.Second || waited > 25*time.Second {
			t.Errorf("waited %v, want the next look after 12 s", waited)
		}
		if got, want := p.Flags.Text("data_service_dispatcher").String(), "grpc://127.0.0.1:7002"; got != want {
			t.Errorf("dispatcher: got %s, want %s", got, want)
		}
		if want := []string{"worker 127.0.0.1:5001 of 127.0.0.1:7002"}; !slices.Equal(service.started, want) {
			t.Errorf("got %v, want %v", service.started, want)
		}
		service.wrong = fmt.Errorf("no port")
		if err := p.Init(&conf); err == nil || err.Error() != "no port" {
			t.Errorf("got %v, want what starting said", err)
		}
	})
}

// Goal: a dispatcher serves until the first worker is gone. Then it exits and never has a
// configuration.
func TestADispatcherDoesNotComeBack(t *testing.T) {
	worldtest.Run(t, mlpVars("dispatcher"), func(c *worldtest.Case) {
		service := &dataService{c: c}
		p := runnerutils.Process{Env: c.Env, Flags: runnerutils.NewFlags(), DataService: service}
		_, err := p.Flags.Parse(c.Env.Files, nil)
		c.Must(err)
		listening(c, 7001, 3*time.Second, 95*time.Second)
		back := false
		c.Env.Tasks.Go("dispatcher", func() {
			conf := runnerutils.Class.New()
			c.Must(p.Init(&conf))
			back = true
		})
		c.Env.Tasks.Sleep(90 * time.Second)
		if want := []string{"dispatcher 5000"}; !slices.Equal(service.started, want) {
			t.Errorf("while there is a worker: got %v, want %v", service.started, want)
		}
		c.Env.Tasks.Sleep(90 * time.Second)
		if want := []string{"dispatcher 5000", "exit 0"}; !slices.Equal(service.started, want) || back {
			t.Errorf("afterwards: got %v, back %v, want %v and gone", service.started, back, want)
		}
	})
}

func TestAProcessThatIsNotOfMLPPasses(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		service := &dataService{c: c}
		p := runnerutils.Process{Env: c.Env, Flags: runnerutils.NewFlags(), DataService: service}
		_, err := p.Flags.Parse(c.Env.Files, nil)
		c.Must(err)
		conf := runnerutils.Class.New()
		c.Must(p.Init(&conf))
		if len(service.started) != 0 {
			t.Errorf("got %v, want nothing started", service.started)
		}
	})
}
