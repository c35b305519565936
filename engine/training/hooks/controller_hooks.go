package hooks

import (
	"errors"
	"time"

	"github.com/monosim/monosim/engine/env"
	hookspb "github.com/monosim/monosim/engine/proto/monolith/native_training/hooks"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/session"
)

// StopAction is the action of a barrier at which training stops (controller_hooks.py:31).
const StopAction = "Stop"

// QueryInterval is the interval between checks for a request file (controller_hooks.py:110).
const QueryInterval = 60 * time.Second

const (
	stopWait = 30 * time.Second // time that stopping waits for the workers
	stopPoll = 2 * time.Second
)

// These files in the model's directory hold an operator's request and its answer.
const (
	ActionFile         = "monolith_action"
	ActionResponseFile = "monolith_action_response"
)

// ControllerHook carries out, between two steps, the requests made since the previous step
// (controller_hooks.py:34).
//
// Cost: the cost of a step does not grow, because it reads one variable of two elements. A stop
// looks at all workers every 2 s.
type ControllerHook struct {
	session.NoHook
	e       *env.Env
	barrier *barrierops.BarrierOp
	save    func() error
	// control[0] is the request to stop, control[1] the request to save.
	control *session.Variable
}

// NewControllerHook returns the hook of a job with numPS PS. If barrier is nil, it cannot stop
// workers. If save is nil, it cannot save.
func NewControllerHook(e *env.Env, numPS int, barrier *barrierops.BarrierOp, save func() error) *ControllerHook {
	device := ""
	if numPS > 0 {
		device = PSDevice(0)
	}
	return &ControllerHook{e: e, barrier: barrier, save: save, control: &session.Variable{
		Name: "monolith_controller_hook/control_var", Device: device, First: []bool{false, false},
	}}
}

// LocalVariables returns the variables that each new session of a chief initializes
// (controller_hooks.py:44).
func (h *ControllerHook) LocalVariables() []*session.Variable { return []*session.Variable{h.control} }

// StopOp returns an operation that requests a stop. The request is never cleared, so each later
// step stops again.
func (h *ControllerHook) StopOp() session.Op { return session.AssignAt(h.control, 0, true) }

// TriggerSaveOp requests a save.
func (h *ControllerHook) TriggerSaveOp() session.Op { return session.AssignAt(h.control, 1, true) }

// Control returns the operation that reads both requests.
func (h *ControllerHook) Control() session.Op { return session.Read(h.control) }

// BeforeRun requests the control variable together with the step.
func (h *ControllerHook) BeforeRun(*session.RunContext) ([]session.Op, error) {
	return []session.Op{h.Control()}, nil
}

// AfterRun carries out a requested stop. If the step has none, it carries out a requested save.
func (h *ControllerHook) AfterRun(run *session.RunContext, values []any) error {
	control, _ := values[0].([]bool)
	switch {
	case control[0]:
		return h.stop(run.Session)
	case control[1]:
		if err := session.Do(run.Session, session.AssignAt(h.control, 1, false)); err != nil || h.save == nil {
			return err
		}
		return h.save()
	}
	return nil
}

// stop places the barrier to tell all workers to stop, waits for them, and removes the barrier.
func (h *ControllerHook) stop(s session.Session) error {
	if h.barrier == nil {
		return nil
	}
	if err := h.barrier.PlaceBarrier(s, StopAction); err != nil {
		return err
	}
	h.e.Log.Logf(env.Info, "Trying to stop all workers.")
	for start := h.e.Clock.Now(); h.e.Clock.Now().Sub(start) < stopWait; {
		all, err := h.barrier.IsAllBlocked(s)
		if err != nil {
			return err
		}
		if all {
			break
		}
		h.e.Tasks.Sleep(stopPoll)
	}
	return h.barrier.RemoveBarrier(s)
}

// StopHelper stops a process after it has reached a barrier with the action Stop
// (controller_hooks.py:86).
type StopHelper struct {
	e    *env.Env
	stop bool
}

// NewStopHelper returns a helper without a stop request.
func NewStopHelper(e *env.Env) *StopHelper { return &StopHelper{e: e} }

// BarrierCallback returns a barrier callback that records the action Stop.
func (h *StopHelper) BarrierCallback() barrierops.Callback {
	return func(action string, _ session.Session) error {
		if action == StopAction {
			h.stop = true
			h.e.Log.Logf(env.Info, "Receive the request to stop the training.")
		}
		return nil
	}
}

// StopHook returns a hook that stops training after BarrierCallback has recorded a stop.
func (h *StopHelper) StopHook() session.Hook { return &stopHook{helper: h} }

type stopHook struct {
	session.NoHook
	helper *StopHelper
}

func (h *stopHook) AfterRun(run *session.RunContext, _ []any) error {
	if h.helper.stop {
		run.RequestStop()
	}
	return nil
}

// Steady reports whether no stop has been requested.
func (h *stopHook) Steady() bool { return !h.helper.stop }

// QueryActionHook checks for an operator's request file and carries out the request
// (controller_hooks.py:113).
type QueryActionHook struct {
	session.NoHook
	// Quirks is the set of the reference's bugs to keep.
	Quirks jobquirks.Set

	e               *env.Env
	query, response string
	hook            *ControllerHook
	s               session.Session
	task            env.Task
	closed          *threading.Event
}

// NewQueryActionHook returns the hook for the request files in a model's directory.
func NewQueryActionHook(e *env.Env, modelDir string, hook *ControllerHook) *QueryActionHook {
	return &QueryActionHook{
		e: e, hook: hook, query: pysem.JoinStrings(modelDir, ActionFile), response: pysem.JoinStrings(modelDir, ActionResponseFile),
		closed: threading.NewEvent(e.Tasks, "query-action"),
	}
}

// AfterCreateSession starts the task that checks for a request every 60 s.
func (h *QueryActionHook) AfterCreateSession(s session.Session, _ *session.Coordinator) error {
	h.s = s
	h.task = threading.Start(h.e.Tasks, "query-action", func() { h.Loop(h.closed.Wait) })
	return nil
}

// End stops the task of AfterCreateSession and waits for it.
func (h *QueryActionHook) End(session.Session) error {
	h.closed.Set()
	if h.task != nil {
		h.task.Join()
	}
	return nil
}

// Loop checks for a request each time wait reports that the interval has passed. It returns when
// wait reports the end.
func (h *QueryActionHook) Loop(wait func(time.Duration) bool) {
	for !wait(QueryInterval) {
		if err := h.Query(h.s); err != nil {
			h.e.Log.Logf(env.Error, "%v", err)
		}
	}
}

// Query checks once for a request. It always removes the request file. An action other than stop
// and save raises a TypeError and gets no answer (controller_hooks.py:156, Q241).
func (h *QueryActionHook) Query(s session.Session) (err error) {
	if !env.Exists(h.e.Files, h.query) {
		return nil
	}
	text, err := h.e.Files.ReadFile(h.query)
	if err != nil {
		return session.FileError(h.query, err)
	}
	defer func() {
		if removed := h.e.Files.Remove(h.query); removed != nil {
			err = errors.Join(err, session.FileError(h.query, removed))
		}
	}()
	request := &hookspb.ControllerHooksProto{}
	if bad := (textformat.Parser{Native: true}).Parse(string(text), request); bad != nil {
		return h.write(bad.Error())
	}
	var op session.Op
	switch request.GetAction() {
	case hookspb.ControllerHooksProto_TRIGGER_SAVE:
		op = h.hook.TriggerSaveOp()
	case hookspb.ControllerHooksProto_STOP:
		op = h.hook.StopOp()
	default:
		if !h.Quirks.Keeps(jobquirks.Q241) {
			return h.write("unknown action " + request.GetAction().String())
		}
		return pysem.Raise("TypeError", "_write_resp() takes 2 positional arguments but 3 were given")
	}
	if err := session.Do(s, op); err != nil {
		return err
	}
	return h.write("OK")
}

func (h *QueryActionHook) write(content string) error {
	return session.FileError(h.response, h.e.Files.WriteFile(h.response, []byte(content)))
}
