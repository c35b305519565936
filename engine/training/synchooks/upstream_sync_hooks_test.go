package synchooks_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/synchooks"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: the hooks pass the reference's own tests (sync_hooks_test.py). Method: tasks in virtual
// time in place of the tests' threads.

func TestUpstreamSyncHooks_test_sync_process(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s := session.NewMemory()
		helper, err := synchooks.NewSyncHelper(2)
		c.Must(err)
		chief := synchooks.NewChiefSyncHook(c.Env, helper, synchooks.DefaultChiefTimeoutSeconds)
		worker := synchooks.NewWorkerSyncHook(c.Env, 1, helper)
		begun := c.Env.Tasks.Go("worker", func() { c.Must(worker.AfterCreateSession(s, nil)) })
		c.Env.Tasks.Sleep(time.Second)
		if begun.Done() {
			t.Error("the worker begins: want it to wait for the chief")
		}
		c.Must(chief.AfterCreateSession(s, nil))
		begun.Join()
		ended := c.Env.Tasks.Go("chief", func() { c.Must(chief.End(s)) })
		c.Env.Tasks.Sleep(time.Second)
		if ended.Done() {
			t.Error("the chief ends: want it to wait for the worker")
		}
		c.Must(worker.End(s))
		ended.Join()
	})
}

func TestUpstreamSyncHooks_test_hook_helper(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		off, err := synchooks.NewTrainingHooksHelper(c.Env, false, 0, 0, synchooks.DefaultChiefTimeoutSeconds)
		if len(off.TrainingHooks())+len(off.TrainingChiefHooks()) != 0 {
			t.Errorf("without sync: got %v %v, want no hooks", off.TrainingHooks(), off.TrainingChiefHooks())
		}
		c.Must(err)
		on, err := synchooks.NewTrainingHooksHelper(c.Env, true, 1, 0, synchooks.DefaultChiefTimeoutSeconds)
		c.Must(err)
		if len(on.TrainingHooks()) != 1 || len(on.TrainingChiefHooks()) != 1 {
			t.Errorf("with sync: got %v %v, want a hook each", on.TrainingHooks(), on.TrainingChiefHooks())
		}
	})
}

// Goal (TRN-2.11, S11): a worker that dies leaves its flag set, so that the chief waits for its
// full timeout.
func TestAChiefWaits1800sForADeadWorker(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s := session.NewMemory()
		helper, err := synchooks.NewSyncHelper(2)
		c.Must(err)
		chief := synchooks.NewChiefSyncHook(c.Env, helper, synchooks.DefaultChiefTimeoutSeconds)
		c.Must(helper.StartWorker(s, 1))
		start := c.Env.Clock.Now()
		c.Must(chief.End(s))
		if waited := c.Env.Clock.Now().Sub(start); waited != 1801*time.Second {
			t.Errorf("waited %v, want the first second after 1800 s", waited)
		}
	})
}

// Goal: nobody makes flags for no worker. Method: counts around 0.
func TestNoFlagsAreMadeForNobody(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		for workers, want := range map[int]string{-3: "ValueError", 0: "ValueError", 1: ""} { //lint:ordered each by itself
			if _, err := synchooks.NewTrainingHooksHelper(c.Env, true, workers, 0, 0); pysem.TypeOf(err) != want {
				t.Errorf("%d workers: got %v, want %q", workers, err, want)
			}
		}
	})
}
