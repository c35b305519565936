package saveutils_test

import (
	"errors"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/session/sessiontest"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// brokenListener fails in the method whose name it has.
type brokenListener struct {
	session.NoListener
	in string
}

var errBroken = pysem.Raise("ValueError", "broken")

func (l brokenListener) fails(in string) error {
	if l.in == in {
		return errBroken
	}
	return nil
}

func (l brokenListener) Begin() error                            { return l.fails("begin") }
func (l brokenListener) BeforeSave(session.Session, int64) error { return l.fails("before") }
func (l brokenListener) AfterSave(session.Session, int64) (bool, error) {
	return false, l.fails("after")
}
func (l brokenListener) End(session.Session, int64) error { return l.fails("end") }

// Goal: a saver does not go on after the error of a listener (save_utils.py:300-400), in whichever of its
// methods. A save is tried twice.
func TestErrorsOfAListenerEndTheHook(t *testing.T) {
	for _, in := range []string{"begin", "before", "after", "end"} {
		worldtest.Run(t, nil, func(c *worldtest.Case) {
			c.Must(c.Env.Files.MkdirAll("m"))
			hook := hookOf(c, func(o *saveutils.SaverHookOptions) {
				o.NoFirstSave, o.Listeners = false, []session.Listener{brokenListener{in: in}}
			})
			m, err := session.NewMonitored(c.Env, session.NewMemory(), []session.Hook{hook})
			if err == nil {
				err = m.Close()
			}
			if !errors.Is(err, errBroken) {
				t.Errorf("%s: got %v, want its error", in, err)
			}
		})
	}
}

// Goal: a saver does not go on after an error of its session, whichever run it is. Method: each run of
// each call fails once.
func TestErrorsOfASessionEndTheSaver(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		c.Must(c.Env.Files.MkdirAll("m"))
		fresh := func() *saveutils.SaverHook { return hookOf(c, func(*saveutils.SaverHookOptions) {}) }
		for name, do := range map[string]func(session.Session) error{ //lint:ordered each by itself
			"a new session": func(s session.Session) error { return fresh().AfterCreateSession(s, nil) },
			"a step": func(s session.Session) error {
				return fresh().AfterRun(&session.RunContext{Session: s}, []any{int64(99)})
			},
			"the end": func(s session.Session) error { return fresh().End(s) },
			"a save that an operator asks for": func(s session.Session) error {
				return fresh().TriggerSave(s)
			},
		} {
			t.Run(name, func(t *testing.T) { sessiontest.EachFailure(t, nil, do) })
		}
	})
}

// Goal: a graph without a global step has no saver.
func TestASaverNeedsAGlobalStep(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		hook := hookOf(c, func(o *saveutils.SaverHookOptions) { o.GlobalStep = nil })
		if err := hook.Begin(); pysem.TypeOf(err) != "RuntimeError" {
			t.Errorf("got %v, want a RuntimeError", err)
		}
	})
}
