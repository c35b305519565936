package trainingcases

import (
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	primus "github.com/monosim/monosim/engine/proto/monolith/native_training/proto"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// waitingOps are those of yarn_runtime.py and mlp_utils.py that wait.
var waitingOps = map[string]Operation{
	"yarn_runtime.sequence":            yarnSequence,
	"mlp_utils.MLPEnv.sequence":        mlpSequence,
	"mlp_utils.add_mpi_exception_hook": mpiExceptionHook,
}

// calls are the answers to the case's calls, each with the log that it leaves.
func (l *lab) calls(do run, log *[]any, rows bool) []any {
	answers := []any{}
	for _, s := range stepsOf(l.c.In, "calls") {
		l.time.slept, *log = nil, []any{}
		answer := l.bounded(do, s)
		if len(l.time.slept) > 0 {
			answer.Set("slept", inRows(l.time.slept))
		}
		if rows {
			answer.Set("log", sameRows(*log))
		} else {
			answer.Set("log", *log)
		}
		answers = append(answers, caseworld.Raw{V: caseworld.Encode(answer)})
	}
	return answers
}

// masterNetwork answers for the application master.
type masterNetwork struct {
	env.Network
	replies caseworld.Arguments
	asked   map[string]int
	log     *[]any
}

func (n *masterNetwork) Dial(addr string) env.Channel {
	*n.log = append(*n.log, []any{"channel", addr})
	return masterChannel{n}
}

type masterChannel struct{ n *masterNetwork }

func (masterChannel) Close() {}

func (c masterChannel) Call(method string, request []byte, timeout time.Duration) ([]byte, error) {
	name := pysem.Basename(method)
	messages := map[string]proto.Message{
		"kill": &primus.KillRequest{}, "succeed": &primus.SucceedRequest{}, "createSavepoint": &primus.CreateSavepointRequest{},
		"createSavepointStatus": &primus.CreateSavepointStatusRequest{},
	}
	if err := proto.Unmarshal(request, messages[name]); err != nil {
		return nil, err
	}
	*c.n.log = append(*c.n.log, []any{name, caseworld.PB(messages[name]), seconds(timeout)})
	reply := caseworld.Arguments{Dict: &pysem.Dict{}, Where: c.n.replies.At(name)}
	if list := c.n.replies.Value(name); list != nil && c.n.asked[name] < len(list.([]any)) {
		given := list.([]any)[c.n.asked[name]]
		c.n.asked[name]++
		if given == "error" {
			return nil, &env.RPCError{Code: env.Unavailable, Message: "no answer"}
		}
		reply.Dict = given.(*pysem.Dict)
	}
	return proto.Marshal(masterReply(name, reply))
}

func masterReply(name string, reply caseworld.Arguments) proto.Message {
	switch name {
	case "createSavepoint":
		return &primus.CreateSavepointResponse{Code: int32(reply.IntegerOr("code", 0)), Message: reply.StrOr("message", ""), SavepointId: reply.StrOr("savepoint_id", "")}
	case "createSavepointStatus":
		state := primus.CreateSavepointStatusResponse_CreateSavepointState_value[reply.StrOr("state", "SUCCEEDED")]
		return &primus.CreateSavepointStatusResponse{CreateSavepointState: primus.CreateSavepointStatusResponse_CreateSavepointState(state), Message: reply.StrOr("message", "")}
	}
	return &primus.KillResponse{}
}

// optBool is a bool, or None.
func optBool(b pysem.Opt[bool]) any {
	if !b.Set {
		return nil
	}
	return b.V
}

func yarnSequence(c *caseworld.Call) (any, error) {
	l, log := newLab(c), []any{}
	l.e.Network = &masterNetwork{Network: c.Env.Network, replies: c.In.ObjectOr("replies"), asked: map[string]int{}, log: &log}
	return caseworld.Object("calls", l.calls(func(s caseworld.Step) (any, error) {
		master := training.NewApplicationMaster(l.e)
		switch s.Name {
		case "kill":
			return master.MaybeKill(s.Str("reason")), nil
		case "finish":
			return optBool(master.MaybeFinish()), nil
		case "save_point":
			return optBool(master.CreateSavePoint(s.Str("dst"))), nil
		}
		caseworld.UnknownStep(s)
		return nil, nil
	}, &log, false)), nil
}

// exited unwinds a call that ends the process.
type exited struct{}

// notedService notes what a process of MLP starts.
type notedService struct{ log *[]any }

func (s notedService) note(entry ...any) error {
	*s.log = append(*s.log, entry)
	return nil
}

func (s notedService) StartDispatcher(port int) error {
	return s.note("DispatchServer", caseworld.Object("port", port))
}

func (s notedService) StartWorker(dispatcher training.OptString, address string, port int) error {
	return s.note("WorkerServer", caseworld.Object("dispatcher_address", shown(dispatcher), "worker_address", address, "port", port))
}

func (s notedService) StartProfiler(port int) error { return s.note("profiler.start", port) }
func (s notedService) StopProfiler() error          { return s.note("profiler.stop") }

func (s notedService) Trace(services, dir string, o training.TraceOptions) error {
	return s.note("profiler.trace", services, dir, o.DelayMs, caseworld.Object("host_tracer_level", o.HostTracerLevel,
		"python_tracer_level", o.PythonTracerLevel, "device_tracer_level", o.DeviceTracerLevel, "delay_ms", o.DelayMs))
}

func (s notedService) Exit(status int) {
	_ = s.note("exit", status)
	panic(exited{})
}

func mlpSequence(c *caseworld.Call) (any, error) {
	l, log := newLab(c), []any{}
	m, err := training.NewMLPEnv(c.Env.Host)
	if err != nil {
		return nil, err
	}
	var up []any
	if c.In.Has("up") {
		up = slices.Clone(c.In.List("up"))
	}
	process := training.NewMLPProcess(l.e, m, notedService{&log}, func(host string, port any, timeout time.Duration) bool {
		open := false
		if len(up) > 0 {
			open, up = up[0] == true, up[1:]
		}
		log = append(log, []any{"check_port", host, port, seconds(timeout), open})
		return open
	})
	var dispatcher any
	pass := training.MLPPassOptions{
		UseDataService: c.In.Flag("use_dataservice"), ExtraWorkers: c.In.IntegerOr("extra_workers", 0),
		SetDispatcher: func(target string) { dispatcher = target },
	}
	answers := l.calls(func(s caseworld.Step) (any, error) { return mlpCall(process, pass, s) }, &log, true)
	if c.In.Has("use_dataservice") {
		return caseworld.Object("calls", answers, "data_service_dispatcher", dispatcher), nil
	}
	return caseworld.Object("calls", answers), nil
}

func mlpCall(p *training.MLPProcess, pass training.MLPPassOptions, s caseworld.Step) (result any, err error) {
	defer func() {
		if r := recover(); r != nil && r != (exited{}) {
			panic(r)
		}
	}()
	ssh := !s.Has("use_ssh") || s.Flag("use_ssh")
	switch s.Name {
	case "wait":
		return nil, p.Wait(s.OptStr("role"), s.IntegerOr("index", 0), time.Duration(s.IntegerOr("timeout", -1))*time.Second, ssh)
	case "join":
		return nil, p.Join(pysem.Some(s.StrOr("role", "worker")), s.IntegerOr("index", 0), ssh)
	case "dispatcher_addr":
		addr, err := p.DispatcherAddr(s.OptStr("role"))
		return shown(addr), err
	case "start_profiler":
		return nil, p.StartProfiler(s.IntegerOr("port", training.ProfilerPort))
	case "mlp_pass":
		return nil, p.Pass(pass)
	case "profiler_trace":
		o := training.DefaultTraceOptions()
		o.HostTracerLevel, o.PythonTracerLevel = s.IntegerOr("host_tracer_level", o.HostTracerLevel), s.IntegerOr("python_tracer_level", o.PythonTracerLevel)
		o.DeviceTracerLevel, o.DelayMs = s.IntegerOr("device_tracer_level", o.DeviceTracerLevel), s.IntegerOr("delay_ms", o.DelayMs)
		return nil, p.ProfilerTrace(s.StrOr("role", "dsworker"), s.IntegerOr("index", -1), o)
	}
	caseworld.UnknownStep(s)
	return nil, nil
}

// notedMPI notes that a job was aborted.
type notedMPI struct {
	library bool
	aborted []any
}

func (m *notedMPI) Abort(status int) error {
	if !m.library {
		return pysem.Raise("ModuleNotFoundError", "import of mpi4py.MPI halted; None in sys.modules")
	}
	m.aborted = append(m.aborted, status)
	return nil
}

func mpiExceptionHook(c *caseworld.Call) (any, error) {
	mpi, printed := &notedMPI{library: c.In.Flag("mpi4py"), aborted: []any{}}, ""
	hook := training.NewMPIExceptionHook(c.Env.Host, mpi, func(text string) { printed += text })
	if hook == nil {
		return caseworld.Object("hooked", false), nil
	}
	result := caseworld.Attempt(nil, hook.Failed(pysem.Raise("ValueError", "%s", c.In.Str("raised"))))
	return caseworld.Object("hooked", true, "result", result, "stderr", printed, "aborted", mpi.aborted), nil
}
