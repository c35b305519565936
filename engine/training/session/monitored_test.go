package session_test

import (
	"errors"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// brokenHook fails in the method whose name it has.
type brokenHook struct {
	session.NoHook
	in string
}

var errBroken = pysem.Raise("ValueError", "broken")

func (h brokenHook) fails(in string) error {
	if h.in == in {
		return errBroken
	}
	return nil
}

func (h brokenHook) Begin() error { return h.fails("begin") }
func (h brokenHook) AfterCreateSession(session.Session, *session.Coordinator) error {
	return h.fails("create")
}
func (h brokenHook) BeforeRun(*session.RunContext) ([]session.Op, error) {
	return nil, h.fails("before")
}
func (h brokenHook) AfterRun(*session.RunContext, []any) error { return h.fails("after") }
func (h brokenHook) End(session.Session) error                 { return h.fails("end") }

// Goal: the error of a hook ends what it belongs to, in whichever method: the making of the session, the
// step, or the end.
func TestErrorsOfAHookAreTold(t *testing.T) {
	made := func(c *worldtest.Case, hooks []session.Hook) (*session.Monitored, error) {
		return session.NewMonitored(c.Env, session.NewMemory(), hooks)
	}
	recovered := func(c *worldtest.Case, hooks []session.Hook) (*session.Monitored, error) {
		return session.NewRecovered(c.Env, hooks, func() (session.Session, error) { return session.NewMemory(), nil })
	}
	for _, c := range []struct{ in, at string }{{"begin", "made"}, {"create", "made"}, {"before", "step"}, {"after", "step"}, {"end", "closed"}} {
		for _, create := range []func(*worldtest.Case, []session.Hook) (*session.Monitored, error){made, recovered} {
			worldtest.Run(t, nil, func(w *worldtest.Case) {
				m, err := create(w, []session.Hook{session.NoHook{}, brokenHook{in: c.in}})
				at := "made"
				if err == nil {
					err, at = m.Run(func(session.Session) error { return nil }), "step"
				}
				if err == nil {
					err, at = m.Close(), "closed"
				}
				if !errors.Is(err, errBroken) || at != c.at {
					t.Errorf("%s: got %v when it was %s, want its error when it is %s", c.in, err, at, c.at)
				}
			})
		}
	}
}
