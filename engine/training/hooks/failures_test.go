package hooks_test

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	hookspb "github.com/monosim/monosim/engine/proto/monolith/native_training/hooks"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/session/sessiontest"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: a hook does not go on after an error of its session, of its save, or of a file, whichever call it
// is of. Method: each of them fails once.

var errSave = pysem.Raise("ValueError", "save")

func TestErrorsOfASessionEndTheHooks(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		barrier := func() *barrierops.BarrierOp {
			return barrierops.MustBarrierOp(c.Env, 1, barrierops.Options{})
		}
		stop := func(values ...bool) func(session.Session) error {
			return func(s session.Session) error {
				return hooks.NewControllerHook(c.Env, 0, barrier(), nil).AfterRun(&session.RunContext{Session: s}, []any{values})
			}
		}
		asked := func(s session.Session) error {
			return hooks.AssignCkptInfo(s, &hookspb.WorkerCkptInfo{GlobalStep: proto.Int64(7)})
		}
		for name, call := range map[string]struct{ prepare, do func(session.Session) error }{ //lint:ordered each by itself
			"a stop":          {nil, stop(true, false)},
			"a save":          {nil, stop(false, true)},
			"an announcement": {nil, asked},
			"the chief's save": {nil, func(s session.Session) error {
				return hooks.NewBarrierSaverListener(c.Env, barrier(), hooks.DefaultBarrierSaverOptions()).BeforeSave(s, 7)
			}},
			"a worker's save": {asked, func(s session.Session) error {
				return hooks.NewWorkerCkptHelper(c.Env, "m", 0, nil).SaveIteratorCallback()(hooks.SaveAction, s)
			}},
		} {
			t.Run(name, func(t *testing.T) { sessiontest.EachFailure(t, call.prepare, call.do) })
		}
	})
}

func TestASaveThatFailsEndsTheStep(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		hook := hooks.NewControllerHook(c.Env, 0, nil, func() error { return errSave })
		if err := hook.AfterRun(&session.RunContext{Session: session.NewMemory()}, []any{[]bool{false, true}}); !errors.Is(err, errSave) {
			t.Errorf("got %v, want the error of the save", err)
		}
	})
}

func TestAnAnnouncementThatIsNoneIsADecodeError(t *testing.T) {
	s := session.NewMemory()
	if err := session.Do(s, session.Assign(&session.Variable{Name: "WorkerCkptMetaInfo", First: []byte{}}, []byte("\xff"))); err != nil {
		t.Fatal(err)
	}
	if _, err := hooks.CkptInfo(s); pysem.TypeOf(err) != "DecodeError" {
		t.Errorf("got %v, want a DecodeError", err)
	}
}

func TestErrorsOfFilesOfARequest(t *testing.T) {
	for _, action := range []string{"action: TRIGGER_SAVE", "action: STOP", "what"} {
		for at := 0; ; at++ {
			e := envtest.New(map[string]string{"m/" + hooks.ActionFile: action}, nil)
			files := &envtest.Failing{Files: e.Files, At: at}
			e.Files, e.Tasks, e.Log = files, &envtest.Tasks{}, envtest.Quiet{}
			query := hooks.NewQueryActionHook(e, "m", hooks.NewControllerHook(e, 0, nil, nil))
			err := query.Query(session.NewMemory())
			if files.Calls <= at {
				if err != nil || at < 3 || env.Exists(e.Files, "m/"+hooks.ActionFile) {
					t.Errorf("%s: got %v after %d calls, want no error, some calls, and the request gone", action, err, at)
				}
				break
			}
			if err == nil {
				t.Errorf("%s: call %d fails: got no error", action, at)
			}
		}
	}
	e := envtest.New(map[string]string{"m/x": ""}, nil)
	e.Tasks, e.Log = &envtest.Tasks{}, envtest.Quiet{}
	query := hooks.NewQueryActionHook(e, "m", hooks.NewControllerHook(e, 0, nil, nil))
	sessiontest.EachFailure(t, nil, func(s session.Session) error {
		if err := e.Files.WriteFile("m/"+hooks.ActionFile, []byte("action: STOP")); err != nil {
			return err
		}
		return query.Query(s)
	})
}
