package saveutils_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/monosim/monosim/engine/env"
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

// failingData is data that cannot be restored, or of which the step is not known.
type failingData struct {
	restoring
	in string
}

func (d *failingData) Restore(s session.Session, path string, devices []string) error {
	if d.in == "restore" {
		return errBroken
	}
	return d.restoring.Restore(s, path, devices)
}

func (d *failingData) GlobalStep(path string) (int64, error) {
	if d.in == "step" {
		return 0, errBroken
	}
	return d.restoring.GlobalStep(path)
}

// Goal: what fails in a restore is told (save_utils.py:1100-1200), with variables to be cleared and without, and
// whatever the file with the names of the checkpoints is like.
func TestErrorsOfARestoreAreTold(t *testing.T) {
	for _, state := range []string{"", "model_checkpoint_path: \"model.ckpt-1\"", "\xff", "nonsense"} {
		for _, clears := range []bool{false, true} {
			for _, in := range []string{"restore", "init", "step", "file", ""} {
				found := map[string]string{"/m/model.ckpt-1.index": ""}
				if state != "" {
					found["/m/checkpoint"] = state
				}
				e := inMemory(found)
				data := &failingData{restoring{indexFiles: indexFiles{e.Files}}, in}
				options := saveutils.SaverOptions{}
				if clears {
					options.ClearNN = &saveutils.ClearNN{GlobalStep: session.GlobalStep(), Init: func(session.Session) error {
						if in == "init" {
							return errBroken
						}
						return nil
					}}
				}
				saver := saveutils.NewPartialRecoverySaver(e, data, options)
				if in == "file" {
					e.Files = &writeless{e.Files}
				}
				err := saver.Restore(session.NewMemory(), firstCheckpoint)
				cleared := clears && state == "model_checkpoint_path: \"model.ckpt-1\""
				want := in == "restore" && !cleared || cleared && in != "restore" && in != ""
				if (err != nil) != want {
					t.Errorf("from %q, clears %t, %q fails: got %v, want an error %t", state, clears, in, err, want)
				}
			}
		}
	}
}

// writeless is a disk that takes no file.
type writeless struct{ env.Files }

func (writeless) WriteFile(string, []byte) error { return fs.ErrPermission }
