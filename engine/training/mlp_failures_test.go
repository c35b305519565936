package training

import (
	"errors"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
)

// failingService is a data service of which one call fails.
type failingService struct {
	in     string
	exited bool
}

var errService = pysem.Raise("RuntimeError", "service")

func (s *failingService) fails(in string) error {
	if s.in == in {
		return errService
	}
	return nil
}

func (s *failingService) StartDispatcher(int) error                { return s.fails("dispatcher") }
func (s *failingService) StartWorker(OptString, string, int) error { return s.fails("worker") }
func (s *failingService) StartProfiler(int) error                  { return s.fails("profiler") }
func (s *failingService) StopProfiler() error                      { return s.fails("stop") }
func (s *failingService) Trace(string, string, TraceOptions) error { return nil }
func (s *failingService) Exit(int)                                 { s.exited = true }

// Goal: a process that MLP runs does not train after an error of its data service (mlp_utils.py:334), but
// for one of the profiler's end, which is logged.
func TestErrorsOfTheDataServiceEndAProcess(t *testing.T) {
	for _, c := range []struct {
		role, in string
		want     error
		exits    bool
	}{
		{"dispatcher", "dispatcher", errService, false}, {"dispatcher", "", nil, true},
		{"dsworker", "worker", errService, false}, {"dsworker", "profiler", errService, false}, {"dsworker", "stop", nil, true}, {"dsworker", "", nil, true},
		{"worker", "worker", errService, false}, {"worker", "", nil, false},
	} {
		e := envtest.New(nil, map[string]string{
			"MLP_ROLE": c.role, "MLP_ROLE_INDEX": "0", "MLP_PORT": "1000", "MLP_HOST": "h",
			"MLP_DISPATCHER_NUM": "1", "MLP_DISPATCHER_0_PRIMARY_HOST": "d", "MLP_DISPATCHER_0_PORT": "1",
			"MLP_DSWORKER_NUM": "1", "MLP_DSWORKER_0_PRIMARY_HOST": "w", "MLP_DSWORKER_0_PORT": "2",
			"MLP_WORKER_NUM": "1", "MLP_WORKER_0_PRIMARY_HOST": "x", "MLP_WORKER_0_PORT": "3",
		})
		e.Tasks, e.Log = &envtest.Tasks{}, envtest.Quiet{}
		s := &failingService{in: c.in}
		looks := map[string]int{}
		listens := func(host string, _ any, _ time.Duration) bool { // each is there once, and gone then
			looks[host]++
			return looks[host] == 1
		}
		err := MLPPass(e, s, listens, MLPPassOptions{UseDataService: true, ExtraWorkers: 1, SetDispatcher: func(string) {}})
		if !errors.Is(err, c.want) || s.exited != c.exits {
			t.Errorf("%s, %q fails: got %v and ended %t, want %v and %t", c.role, c.in, err, s.exited, c.want, c.exits)
		}
	}
}
