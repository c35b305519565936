package sessionrunhooks_test

import (
	"testing"

	"github.com/monosim/monosim/engine/training/sessionrunhooks"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal (TRN-2.12): a graph without a global step is refused before training begins, with the
// reference's text (session_run_hooks.py:79).
func TestAGraphWithoutAGlobalStepIsRefused(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		h, err := sessionrunhooks.NewCustomGlobalStepWaiterHook(c.Env, nil, 5, sessionrunhooks.Tide{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Begin(); err == nil || err.Error() != "RuntimeError: Global step should be created to use _GlobalStepWaiterHook." {
			t.Errorf("got %v, want a RuntimeError", err)
		}
	})
}
