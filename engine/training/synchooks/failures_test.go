package synchooks_test

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/session/sessiontest"
	"github.com/monosim/monosim/engine/training/synchooks"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: a hook does not go on after an error of its session, whichever run it is. Method: each run
// of each call fails once.
func TestErrorsOfASessionEndTheHooks(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		helper, err := synchooks.NewSyncHelper(2)
		c.Must(err)
		chief, worker := synchooks.NewChiefSyncHook(c.Env, helper, 0), synchooks.NewWorkerSyncHook(c.Env, 1, helper)
		restored := func(s session.Session) error { return helper.MarkRestoreDone(s) }
		for name, call := range map[string]struct{ prepare, do func(session.Session) error }{ //lint:ordered each by itself
			"the chief begins":  {nil, func(s session.Session) error { return chief.AfterCreateSession(s, nil) }},
			"the chief ends":    {nil, func(s session.Session) error { return chief.End(s) }},
			"the worker begins": {restored, func(s session.Session) error { return worker.AfterCreateSession(s, nil) }},
			"the worker ends":   {restored, func(s session.Session) error { return worker.End(s) }},
			"who is alive": {restored, func(s session.Session) error {
				_, err := helper.NumAliveWorkers(s)
				return err
			}},
		} {
			t.Run(name, func(t *testing.T) { sessiontest.EachFailure(t, call.prepare, call.do) })
		}
	})
}

// Goal: with Q239 repaired the chief counts a worker by the process of that worker, and no other.
func TestTheChiefWaitsForWorkersThatLive(t *testing.T) {
	for dead, want := range map[int]string{1: "[2 3]", 2: "[1 3]", 3: "[1 2]"} { //lint:ordered each by itself
		worldtest.Run(t, nil, func(c *worldtest.Case) {
			log := &envtest.Heard{}
			c.Env.Log = log
			helper, err := synchooks.NewTrainingHooksHelper(c.Env, true, 4, 0, 0)
			c.Must(err)
			workers, err := synchooks.NewSyncHelper(4)
			c.Must(err)
			s := session.NewMemory()
			for worker := 1; worker < 4; worker++ {
				c.Must(workers.StartWorker(s, worker))
			}
			helper.AskLiving(func(worker int) bool { return worker != dead })
			c.Must(helper.TrainingChiefHooks()[0].End(s))
			if len(log.Lines) == 0 || !strings.HasSuffix(log.Lines[0], "Remaining workers: "+want) {
				t.Errorf("worker %d is dead: logged %q, want first that it waits for %s", dead, log.Lines, want)
			}
		})
	}
}
