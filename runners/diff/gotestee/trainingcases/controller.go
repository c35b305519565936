package trainingcases

import (
	"errors"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/hooks/server"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// controllerOps holds the operations on controller_hooks.py, and on the controller's server and
// client.
var controllerOps = caseworld.Table{
	"controller_hooks.ControllerHook.sequence": controllerSequence,
	"controller_hooks.QueryActionHook":         queryAction,
	"server_lib.ControllerServicer.sequence":   servicerSequence,
	"client_lib.get_stub_from_model_dir":       stubFromModelDir,
}

// controller has a ControllerHook. If the case gives a capacity, it also has a barrier.
type controller struct {
	*barrierSteps
	helper *hooks.StopHelper
	hook   *hooks.ControllerHook
	saves  int
}

func newController(c *caseworld.Call) (*controller, error) {
	o := &controller{barrierSteps: newBarrierSteps(newLab(c))}
	o.helper = hooks.NewStopHelper(o.e)
	if c.In.Value("capacity") != nil {
		if err := o.make(barrierops.Options{Callbacks: []barrierops.Callback{o.helper.BarrierCallback()}}); err != nil {
			return nil, err
		}
	}
	save := func() error { o.saves++; return nil }
	if c.In.Has("trigger_save") && !c.In.Flag("trigger_save") {
		save = nil
	}
	o.hook = hooks.NewControllerHook(o.e, 0, o.barrier, save)
	return o, nil
}

func (o *controller) control() []any {
	values, err := o.s.Run(o.hook.Control())
	if err != nil {
		panic(err)
	}
	flags := values[0].([]bool)
	return []any{flags[0], flags[1]}
}

func (o *controller) do() caseworld.Do {
	run := func() *session.RunContext { return &session.RunContext{Session: o.s} }
	return o.barrierSteps.do().WithPrefix("barrier.", caseworld.Do{
		"stop": func() error { return session.Do(o.s, o.hook.StopOp()) },
		"save": func() error { return session.Do(o.s, o.hook.TriggerSaveOp()) },
		"step": func() error {
			values, err := o.s.Run(o.hook.Control())
			if err != nil {
				return err
			}
			return o.hook.AfterRun(run(), values)
		},
		"stop_hook": func() (bool, error) {
			r := run()
			err := o.helper.StopHook().AfterRun(r, nil)
			return r.StopRequested(), err
		},
	})
}

func controllerSequence(c *caseworld.Call) (any, error) {
	o, err := newController(c)
	if err != nil {
		return nil, err
	}
	return o.answer(o.do(), func(out *pysem.Dict) {
		out.Set("control", o.control())
		out.Set("saves", o.saves)
		if o.barrier != nil {
			out.Set("blocked", o.blocked())
		}
	})
}

// These are the files in directory m by which an operator sends a request and reads the response.
const (
	requestFile  = "m/" + hooks.ActionFile
	responseFile = "m/" + hooks.ActionResponseFile
)

func queryAction(c *caseworld.Call) (any, error) {
	o, err := newController(&caseworld.Call{In: caseworld.Arguments{Dict: caseworld.Object(), Where: "in"}, Env: c.Env})
	if err != nil {
		return nil, err
	}
	if err := c.Env.Files.MkdirAll("m"); err != nil {
		return nil, err
	}
	hook := hooks.NewQueryActionHook(o.e, "m", o.hook)
	rounds, waits := []any{}, []any{}
	for _, content := range c.In.List("contents") {
		waits = append(waits, int(hooks.QueryInterval/time.Second))
		if text, ok := content.(string); ok {
			if err := c.Env.Files.WriteFile(requestFile, []byte(text)); err != nil {
				return nil, err
			}
		}
		query := caseworld.Attempt(nil, hook.Query(o.s))
		rounds = append(rounds, caseworld.Object("query", query, "response", takeResponse(c),
			"request_left", env.Exists(c.Env.Files, requestFile), "control", o.control()))
	}
	waits = append(waits, int(hooks.QueryInterval/time.Second))
	return caseworld.Object("rounds", rounds, "waits", waits), nil
}

// takeResponse returns the response to a request and removes its file. If there is no file, it
// returns nil. Any response other than OK becomes a placeholder, because the words of a parse error
// are not compared.
func takeResponse(c *caseworld.Call) any {
	data, err := c.Env.Files.ReadFile(responseFile)
	if err != nil {
		return nil
	}
	if err := c.Env.Files.Remove(responseFile); err != nil {
		panic(err)
	}
	if string(data) == "OK" {
		return "OK"
	}
	return "<PARSE ERROR>"
}

// notedSaves is a saver that records its calls and writes nothing.
type notedSaves struct{ log []any }

func (n *notedSaves) Save(_ session.Session, path string, globalStep int64, _ bool) error {
	n.log = append(n.log, []any{path, globalStep})
	return nil
}

func (n *notedSaves) ExportMetaGraph(string) error { return nil }

func servicerSequence(c *caseworld.Call) (any, error) {
	b := newBarrierSteps(newLab(c))
	if err := b.make(barrierops.Options{}); err != nil {
		return nil, err
	}
	setStep := func(n int) error { return session.Do(b.s, session.Assign(session.GlobalStep(), int64(n))) }
	if err := setStep(c.In.IntegerOr("global_step", 7)); err != nil {
		return nil, err
	}
	saves, options := &notedSaves{}, saveutils.DefaultSaverHookOptions()
	options.Interval.Seconds = 10000
	saver, err := saveutils.NewSaverHook(b.e, "m", saves, options)
	if err != nil {
		return nil, err
	}
	hook := server.NewServerHook(b.e, "m", b.barrier, saver)
	if err := errors.Join(hook.AfterCreateSession(b.s, nil), saver.AfterCreateSession(b.s, nil)); err != nil {
		return nil, err
	}
	stub, err := server.StubFromModelDir(b.e, "m")
	if err != nil {
		return nil, err
	}
	defer stub.Close()
	do := b.do()
	do["global_step"] = setStep
	for name, call := range stubCalls {
		do[name] = func() (any, error) { return called(call(stub)) }
	}
	steps := b.steps(do, func(out *pysem.Dict) {
		out.Set("saved", append([]any{}, saves.log...))
		saves.log = nil
	})
	host, _, _ := strings.Cut(stub.Target(), ":")
	return caseworld.Object("address", host+":<PORT>", "steps", steps), nil
}

// stubCalls holds functions that call the controller's service, by method.
var stubCalls = map[string]func(stub *server.Stub) (proto.Message, error){
	"StopTraining":      func(stub *server.Stub) (proto.Message, error) { return stub.StopTraining() },
	"ResumeTraining":    func(stub *server.Stub) (proto.Message, error) { return stub.ResumeTraining() },
	"GetBlockStatus":    func(stub *server.Stub) (proto.Message, error) { return stub.GetBlockStatus() },
	"SaveCheckpoint":    func(stub *server.Stub) (proto.Message, error) { return stub.SaveCheckpoint() },
	"GetTrainingStatus": func(stub *server.Stub) (proto.Message, error) { return stub.GetTrainingStatus() },
}

// called returns the reply to a call. If the call failed, it returns the gRPC status.
func called(reply proto.Message, err error) (any, error) {
	if status, ok := errors.AsType[*env.RPCError](err); ok {
		return caseworld.Answered{Dict: caseworld.Object("status", caseworld.Object("code", status.Code.String(), "details", status.Message))}, nil
	}
	return reply, err
}

func stubFromModelDir(c *caseworld.Call) (any, error) {
	stub, err := server.StubFromModelDir(c.Env, c.In.Str("model_dir"))
	if err != nil {
		return nil, err
	}
	defer stub.Close()
	return caseworld.Object("target", stub.Target()), nil
}
