package hooks_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// The goal is that texts are the reference's where no recorded case has them: lines of logs
// (TRN-2.10) and what the C++ op refuses (TRN-2.8).

// noted are the lines of a log.
type noted struct{ lines []string }

func (*noted) Enabled(env.Level) bool { return true }

func (n *noted) Logf(_ env.Level, format string, args ...any) {
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

// ckpt_hooks.py:100-121: a barrier that is somebody else's is used and left, and the save goes on
// after 30 s, in the 31st.
func TestWhatASaveAtABarrierLogs(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		log := &noted{}
		c.Env.Log = log
		s, barrier := session.NewMemory(), barrierops.NewBarrierOp(c.Env, 3, barrierops.Options{})
		c.Must(barrier.PlaceBarrier(s, ""))
		l := hooks.NewBarrierSaverListener(c.Env, barrier, hooks.DefaultBarrierSaverOptions())
		start := c.Env.Clock.Now()
		c.Must(l.BeforeSave(s, 7))
		want := []string{"Place barrier for saving.", "Barrier is placed by someone else already.", "Unblocked worker indices: [1, 2]."}
		if waited := c.Env.Clock.Now().Sub(start); !slices.Equal(log.lines, want) || waited != 31*time.Second {
			t.Errorf("got %q after %v, want %q after 31 s", log.lines, waited, want)
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
