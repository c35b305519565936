package hooks_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/native_training/runtime/ops"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: the hooks pass the reference's own tests in virtual time. These are the tests of
// hook_utils_test.py, session_hooks_test.py, ps_check_hooks_test.py, controller_hooks_test.py and
// the machine health tests of logging_ops_test.py, under the same names.

// idle is a step that does nothing.
func idle(session.Session) error { return nil }

func TestUpstreamHookUtils_testBeforeAfterSaverListener(t *testing.T) {
	for _, l := range []session.Listener{
		&hooks.BeforeSaveListener{Listener: session.NoListener{}}, &hooks.AfterSaveListener{Listener: session.NoListener{}},
	} {
		if err := l.BeforeSave(nil, 0); err != nil {
			t.Error(err)
		}
		if stop, err := l.AfterSave(nil, 0); stop || err != nil {
			t.Errorf("got %v %v, want no stop and no error", stop, err)
		}
	}
}

func TestUpstreamSessionHooks_testBasic(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		hook := &hooks.CurrentSession{}
		if hook.Get() != nil {
			t.Error("got a session before there is one")
		}
		m, err := session.NewMonitored(c.Env, session.NewMemory(), []session.Hook{hook})
		c.Must(err)
		c.Must(m.Run(idle))
		if hook.Get() == nil {
			t.Error("got no session, want the one that there is")
		}
		c.Must(m.Close())
	})
}

// checked returns the health hook for one PS with a memory limit, and a counter of its reports.
func checked(c *worldtest.Case, s session.Session, limitBytes int64) (session.Hook, *int) {
	reports := 0
	health, err := hooks.CheckMachineHealth(1<<20, limitBytes)
	c.Must(err)
	c.Must(session.Do(s, session.Assign(hooks.PSMachineInfo(0, ""), health)))
	return hooks.NewPsHealthCheckerHook(c.Env, hooks.PSCheckConfig{
		Barrier: barrierops.MustBarrierOp(c.Env, 1, barrierops.Options{}), NumPS: 1, Device: func(int) string { return "" },
		Report: func([]hooks.PSHealth) error { reports++; return nil },
	}), &reports
}

func TestUpstreamPsCheckHooks_test_basic(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s := session.NewMemory()
		hook, reports := checked(c, s, 1<<60)
		m, err := session.NewMonitored(c.Env, s, []session.Hook{hook})
		c.Must(err)
		c.Env.Tasks.Sleep(time.Second)
		c.Must(m.Close())
		if *reports != 0 {
			t.Errorf("got %d reports, want none", *reports)
		}
	})
}

func TestUpstreamPsCheckHooks_test_oom(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s := session.NewMemory()
		hook, reports := checked(c, s, 0)
		m, err := session.NewMonitored(c.Env, s, []session.Hook{hook})
		c.Must(err)
		c.Env.Tasks.Sleep(time.Hour)
		c.Must(m.Close())
		if *reports != 1 {
			t.Errorf("got %d reports, want one in the life of a session", *reports)
		}
	})
}

// raising is a hook that returns the given errors.
type raising struct {
	session.NoHook
	afterCreate, beforeRun error
}

func (r raising) AfterCreateSession(session.Session, *session.Coordinator) error {
	return r.afterCreate
}
func (r raising) BeforeRun(*session.RunContext) ([]session.Op, error) { return nil, r.beforeRun }

func TestUpstreamPsCheckHooks_test_raise_in_after_create_session(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s := session.NewMemory()
		hook, _ := checked(c, s, 1<<60)
		_, err := session.NewMonitored(c.Env, s, []session.Hook{hook, raising{afterCreate: session.Raise("DeadlineExceededError", "Test exception")}})
		if pysem.TypeOf(err) != "DeadlineExceededError" {
			t.Errorf("got %v, want the hook's error, and the check's task ended", err)
		}
	})
}

func TestUpstreamPsCheckHooks_test_raise_in_before_run(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s := session.NewMemory()
		hook, _ := checked(c, s, 1<<60)
		m, err := session.NewMonitored(c.Env, s, []session.Hook{hook, raising{beforeRun: session.Raise("DeadlineExceededError", "Test exception")}})
		c.Must(err)
		if err := m.Run(idle); pysem.TypeOf(err) != "DeadlineExceededError" || !m.ShouldStop() {
			t.Errorf("got %v, want the hook's error and the end", err)
		}
	})
}

func TestUpstreamPsCheckHooks_test_default_report(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		if err := hooks.LogPSHealth(c.Env, []hooks.PSHealth{{Index: 1, Result: &ops.MachineHealthResult{}}}); err != nil {
			t.Error(err)
		}
	})
}

func TestUpstreamLoggingOps_test_machine_health(t *testing.T) {
	if health, err := hooks.CheckMachineHealth(1<<20, 1<<62); err != nil || len(health) != 0 {
		t.Errorf("got %q %v, want nothing said", health, err)
	}
}

func TestUpstreamLoggingOps_test_machine_health_oom(t *testing.T) {
	health, err := hooks.CheckMachineHealth(1<<20, 0)
	if err != nil {
		t.Fatal(err)
	}
	result := &ops.MachineHealthResult{}
	if err := proto.Unmarshal(health, result); err != nil || result.GetStatus() != ops.MachineHealthResult_OUT_OF_MEMORY {
		t.Errorf("got %v %v, want OUT_OF_MEMORY", result, err)
	}
}

// The limit check is a C++ op of the reference that cannot be run here (TRN-2.8).
func TestAMachineIsUnhealthyFromItsLimitOn(t *testing.T) {
	for _, c := range []struct {
		limitBytes int64
		want       string
	}{{101, ""}, {100, "\b\x01\x12/Memory limit exceeded. Current: 100, Limit: 100"}} {
		if got, err := hooks.CheckMachineHealth(100, c.limitBytes); err != nil || string(got) != c.want {
			t.Errorf("limit %d: got %q %v, want %q", c.limitBytes, got, err, c.want)
		}
	}
	if _, err := hooks.CheckMachineHealth(0, hooks.DefaultMemLimitBytes); pysem.TypeOf(err) != "InternalError" {
		t.Errorf("unknown memory: got %v, want an InternalError", err)
	}
}

func TestUpstreamControllerHook_testStop(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		helper := hooks.NewStopHelper(c.Env)
		barrier := barrierops.MustBarrierOp(c.Env, 1, barrierops.Options{Callbacks: []barrierops.Callback{helper.BarrierCallback()}})
		hook := hooks.NewControllerHook(c.Env, 0, barrier, nil)
		m, err := session.NewMonitored(c.Env, session.NewMemory(), []session.Hook{hook, helper.StopHook()})
		c.Must(err)
		c.Must(m.Run(idle))
		if m.ShouldStop() {
			t.Error("stops before it is asked to")
		}
		c.Must(session.Do(m.Session(), hook.StopOp()))
		c.Must(m.Run(idle))
		if !m.ShouldStop() {
			t.Error("goes on, want it to stop in the step after it was asked to")
		}
	})
}

func TestUpstreamControllerHook_testSave(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		saves := 0
		hook := hooks.NewControllerHook(c.Env, 0, nil, func() error { saves++; return nil })
		m, err := session.NewMonitored(c.Env, session.NewMemory(), []session.Hook{hook})
		c.Must(err)
		c.Must(session.Do(m.Session(), hook.TriggerSaveOp()))
		c.Must(m.Run(idle))
		c.Must(m.Run(idle))
		if saves != 1 {
			t.Errorf("got %d saves, want one", saves)
		}
	})
}

func TestUpstreamQueryActionHook_testStop(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		saves := 0
		hook := hooks.NewControllerHook(c.Env, 0, nil, func() error { saves++; return nil })
		query := hooks.NewQueryActionHook(c.Env, "m", hook)
		m, err := session.NewMonitored(c.Env, session.NewMemory(), []session.Hook{hook, query})
		c.Must(err)
		c.Must(c.Env.Files.MkdirAll("m"))
		c.Must(c.Env.Files.WriteFile("m/monolith_action", []byte("action: TRIGGER_SAVE")))
		c.Env.Tasks.Sleep(hooks.QueryInterval + time.Second)
		if env.Exists(c.Env.Files, "m/monolith_action") {
			t.Error("the request is there after 61 s, want it done and removed")
		}
		c.Must(m.Run(idle))
		c.Must(m.Run(idle))
		c.Must(m.Close())
		if saves != 1 {
			t.Errorf("got %d saves, want one", saves)
		}
	})
}

// TRN-2.8 and S8: if a PS runs out of memory while a barrier is placed, the checking task ends, and
// later unhealthy PS are not reported.
func TestAHealthCheckDiesOfABarrierThatIsPlaced(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s, reports := session.NewMemory(), 0
		barrier := barrierops.MustBarrierOp(c.Env, 2, barrierops.Options{})
		hook := hooks.NewPsHealthCheckerHook(c.Env, hooks.PSCheckConfig{Barrier: barrier, NumPS: 1,
			Report: func([]hooks.PSHealth) error { reports++; return nil }})
		m, err := session.NewMonitored(c.Env, s, []session.Hook{hook})
		c.Must(err)
		c.Must(barrier.PlaceBarrier(s, hooks.SaveAction))
		sick, err := hooks.CheckMachineHealth(2, 1)
		c.Must(err)
		c.Must(session.Do(s, session.Assign(hooks.PSMachineInfo(0, ""), sick)))
		c.Env.Tasks.Sleep(31 * time.Second)
		c.Must(barrier.RemoveBarrier(s))
		c.Env.Tasks.Sleep(10 * time.Minute)
		if placed, err := barrier.IsBarrierPlaced(s); placed || err != nil || reports != 1 {
			t.Errorf("got placed %v %v and %d reports, want no barrier and one report", placed, err, reports)
		}
		c.Must(m.Close())
	})
}
