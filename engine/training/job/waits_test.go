package job

import (
	"testing"

	"github.com/monosim/monosim/engine/training/session"
)

// steadyHook is a hook that says whether it is steady.
type steadyHook struct {
	session.NoHook
	steady bool
}

func (h steadyHook) Steady() bool { return h.steady }

// Goal: a hook that may wait is as steady as the hook that it wraps, and is not if that one cannot say.
func TestAWaitingHookIsAsSteadyAsItsHook(t *testing.T) {
	for _, c := range []struct {
		hook session.Hook
		want bool
	}{{steadyHook{steady: true}, true}, {steadyHook{}, false}, {session.NoHook{}, false}} {
		if got := (&waitingHook{Hook: c.hook}).Steady(); got != c.want {
			t.Errorf("%#v: got %v, want %v", c.hook, got, c.want)
		}
	}
}
