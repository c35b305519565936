package hooks_test

import (
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: texts that no recorded case contains equal the reference's: log lines (TRN-2.10), and
// errors of the C++ op (TRN-2.8).

// ckpt_hooks.py:100-121: if someone else placed the barrier, the save uses it and does not remove
// it. The save continues after 30 s of waiting, in the 31st second.
func TestWhatASaveAtABarrierLogs(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		log := &envtest.Heard{}
		c.Env.Log = log
		s, barrier := session.NewMemory(), barrierops.MustBarrierOp(c.Env, 3, barrierops.Options{})
		c.Must(barrier.PlaceBarrier(s, ""))
		l := hooks.NewBarrierSaverListener(c.Env, barrier, hooks.DefaultBarrierSaverOptions())
		start := c.Env.Clock.Now()
		c.Must(l.BeforeSave(s, 7))
		want := []string{"Place barrier for saving.", "Barrier is placed by someone else already.", "Unblocked worker indices: [1, 2]."}
		if waited := c.Env.Clock.Now().Sub(start); !slices.Equal(log.Lines, want) || waited != 31*time.Second {
			t.Errorf("got %q after %v, want %q after 31 s", log.Lines, waited, want)
		}
	})
}

func TestAProcessWhoseMemoryIsNotKnown(t *testing.T) {
	for _, rss := range []int64{0, -1} {
		if _, err := hooks.CheckMachineHealth(rss, 100); err == nil || err.Error() != "InternalError: Unable to get the current process usage." {
			t.Errorf("%d: got %v, want an InternalError", rss, err)
		}
	}
}

// Goal: an operator's request that fails is logged, and the next one is read (controller_hooks.py:146).
func TestARequestThatFailsIsLogged(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		log := &envtest.Heard{}
		c.Env.Log = log
		c.Must(c.Env.Files.MkdirAll("m"))
		query := hooks.NewQueryActionHook(c.Env, "m", hooks.NewControllerHook(c.Env, 0, nil, nil))
		c.Must(c.Env.Files.WriteFile("m/"+hooks.ActionFile, []byte("action: UNKNOWN")))
		rounds := 0
		query.Loop(func(time.Duration) bool { rounds++; return rounds > 2 })
		if want := "TypeError: _write_resp() takes 2 positional arguments but 3 were given"; !slices.Equal(log.Lines, []string{want}) || rounds != 3 {
			t.Errorf("logged %q in %d rounds, want %q once in 3", log.Lines, rounds, want)
		}
	})
}
