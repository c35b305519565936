package trainingcases

import (
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	primus "github.com/monosim/monosim/engine/proto/monolith/native_training/proto"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// waitingOps holds those operations on yarn_runtime.py and mlp_utils.py that wait.
var waitingOps = caseworld.Table{
	"yarn_runtime.sequence":            yarnSequence,
	"mlp_utils.MLPEnv.sequence":        mlpSequence,
	"mlp_utils.add_mpi_exception_hook": mpiExceptionHook,
}

// calls runs the case's calls and returns their answers, each with the log of the call. If rows is
// set, equal neighbours in the log are joined into one [entry, how many].
func (l *lab) calls(do caseworld.Do, log *[]any, rows bool) []any {
	return l.c.Run(caseworld.Sequence{Do: do, Time: l.time, Before: func() { *log = []any{} }, After: func(_ caseworld.Step, answer *pysem.Dict) {
		if rows {
			*log = sameRows(*log)
		}
		answer.Set("log", *log)
	}})
}

// masterNetwork is a fake network that answers as the application master.
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
	*c.n.log = append(*c.n.log, []any{name, caseworld.PB(messages[name]), caseworld.Seconds(timeout)})
	reply := caseworld.Arguments{Dict: &pysem.Dict{}, Where: c.n.replies.At(name)}
	if list := c.n.replies.Value(name); list != nil && c.n.asked[name] < len(list.([]any)) {
		given := list.([]any)[c.n.asked[name]]
		c.n.asked[name]++
		if given == "error" {
			return nil, &env.RPCError{Code: rpcerrors.Unavailable, Message: "no answer"}
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

func yarnSequence(c *caseworld.Call) (any, error) {
	l, log := newLab(c), []any{}
	l.e.Network = &masterNetwork{Network: c.Env.Network, replies: c.In.ObjectOr("replies"), asked: map[string]int{}, log: &log}
	master := func() *training.ApplicationMaster { return training.NewApplicationMaster(l.e) }
	return caseworld.Object("calls", l.calls(caseworld.Do{
		"kill":       func(reason string) bool { return master().MaybeKill(reason) },
		"finish":     func() any { return master().MaybeFinish().Any() },
		"save_point": func(dst string) any { return master().CreateSavePoint(dst).Any() },
	}, &log, false)), nil
}

// exited is the panic value that unwinds a call which ends the process.
type exited struct{}

// notedService records what a process of MLP starts.
type notedService struct{ log *[]any }

func (s notedService) note(entry ...any) error {
	*s.log = append(*s.log, entry)
	return nil
}

func (s notedService) StartDispatcher(port int) error {
	return s.note("DispatchServer", caseworld.Object("port", port))
}

func (s notedService) StartWorker(dispatcher training.OptString, address string, port int) error {
	return s.note("WorkerServer", caseworld.Object("dispatcher_address", dispatcher.Any(), "worker_address", address, "port", port))
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
	m, err := training.NewMLPEnv(l.e)
	if err != nil {
		return nil, err
	}
	var up []any
	if c.In.Has("up") {
		up = slices.Clone(c.In.List("up"))
	}
	check := func(host string, port any, timeout time.Duration) bool {
		open := any(false)
		if len(up) > 0 {
			open, up = up[0], up[1:]
		}
		log = append(log, []any{"check_port", host, port, caseworld.Seconds(timeout), open})
		return pysem.Truth(open)
	}
	var dispatcher any
	options := training.MLPPassOptions{
		UseDataService: c.In.Flag("use_dataservice"), ExtraWorkers: c.In.CountOr("extra_workers", 0),
		SetDispatcher: func(target string) { dispatcher = target },
	}
	service := notedService{&log}
	pass := func(roles *training.MLPRoles) error {
		options.Roles = roles
		return training.MLPPass(l.e, service, check, options)
	}
	answers := l.calls(mlpCalls(training.NewMLPProcess(m, service, check), pass), &log, true)
	if c.In.Has("use_dataservice") {
		return caseworld.Object("calls", answers, "data_service_dispatcher", dispatcher), nil
	}
	return caseworld.Object("calls", answers), nil
}

// mlpCalls returns the calls of one process of the job, by name. pass runs mlp_pass. A call that
// ends the process returns None.
func mlpCalls(p *training.MLPProcess, pass func(roles *training.MLPRoles) error) caseworld.Do {
	ending := func(call func() error) (err error) {
		defer func() {
			if r := recover(); r != nil && r != (exited{}) {
				panic(r)
			}
		}()
		return call()
	}
	return caseworld.Do{
		"wait": func(s caseworld.Step, role pysem.OptString, index int, timeout pysem.OptInt, ssh pysem.OptBool) error {
			if s.Has("timeout") && !timeout.Set {
				s.Wrong("timeout", "an int")
			}
			return ending(func() error { return p.Wait(role, index, time.Duration(timeout.Or(-1))*time.Second, ssh.Or(true)) })
		},
		"join": func(role pysem.OptString, index int, ssh pysem.OptBool) error {
			return ending(func() error { return p.Join(pysem.Some(role.Or("worker")), index, ssh.Or(true)) })
		},
		"dispatcher_addr": func(role pysem.OptString) (any, error) {
			addr, err := p.DispatcherAddr(role)
			return addr.Any(), err
		},
		"start_profiler": func(port pysem.OptInt) error { return p.StartProfiler(port.Or(training.ProfilerPort)) },
		"mlp_pass": func(s caseworld.Step) error {
			roles := training.DefaultMLPRoles()
			for name, role := range map[string]*pysem.OptString{"dispatcher_role": &roles.Dispatcher, "dsworker_role": &roles.DataWorker, "worker_role": &roles.Worker} {
				switch {
				case !s.Has(name):
				case s.Value(name) == nil:
					*role = pysem.OptString{}
				default:
					*role = pysem.Some(s.Str(name))
				}
			}
			return ending(func() error { return pass(roles) })
		},
		"profiler_trace": func(role pysem.OptString, index, host, python, device, delayMs pysem.OptInt) error {
			o := training.DefaultTraceOptions()
			o.HostTracerLevel, o.PythonTracerLevel = host.Or(o.HostTracerLevel), python.Or(o.PythonTracerLevel)
			o.DeviceTracerLevel, o.DelayMs = device.Or(o.DeviceTracerLevel), delayMs.Or(o.DelayMs)
			return p.ProfilerTrace(role.Or("dsworker"), index.Or(-1), o)
		},
	}
}

// notedMPI records that the job was aborted.
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
	hook := training.NewMPIExceptionHook(c.Env, mpi, func(text string) { printed += text })
	if hook == nil {
		return caseworld.Object("hooked", false), nil
	}
	result := caseworld.Attempt(nil, hook.Failed(pysem.Raise("ValueError", "%s", c.In.Str("raised"))))
	return caseworld.Object("hooked", true, "result", result, "stderr", printed, "aborted", mpi.aborted), nil
}
