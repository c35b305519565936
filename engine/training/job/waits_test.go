package job

import (
	"testing"
	"time"

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

// lookingHook is a hook that notes in each call how many waits there are.
type lookingHook struct {
	session.NoHook
	waits *Waits
	seen  []int
}

func (h *lookingHook) look() error {
	h.seen = append(h.seen, len(h.waits.list))
	return nil
}

func (h *lookingHook) AfterCreateSession(session.Session, *session.Coordinator) error {
	return h.look()
}
func (h *lookingHook) BeforeRun(*session.RunContext) ([]session.Op, error) { return nil, h.look() }
func (h *lookingHook) AfterRun(*session.RunContext, []any) error           { return h.look() }
func (h *lookingHook) End(session.Session) error                           { return h.look() }

// Goal: a hook waits within its calls, and no longer.
func TestAWaitingHookWaitsWithinItsCalls(t *testing.T) {
	waits := &Waits{Now: func() time.Duration { return 0 }}
	looking := &lookingHook{waits: waits}
	h := &waitingHook{Hook: looking, waits: waits}
	for name, call := range map[string]func() error{ //lint:ordered each is looked at by itself
		"AfterCreateSession": func() error { return h.AfterCreateSession(nil, nil) },
		"BeforeRun":          func() error { _, err := h.BeforeRun(nil); return err },
		"AfterRun":           func() error { return h.AfterRun(nil, nil) },
		"End":                func() error { return h.End(nil) },
	} {
		looking.seen = nil
		if err := call(); err != nil || len(looking.seen) != 1 || looking.seen[0] != 1 || len(waits.list) != 0 {
			t.Errorf("%s: %v, %v waits within, %d after, want 1 within and none after", name, err, looking.seen, len(waits.list))
		}
	}
}
