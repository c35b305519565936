package training

import (
	"strconv"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// DataService is what processes of MLP start beside themselves: servers of TensorFlow's data service,
// and its profiler.
type DataService interface {
	// StartDispatcher starts a dispatcher at a port.
	StartDispatcher(port int) error
	// StartWorker starts a worker at a port, whose address is told to the dispatcher; None where the
	// dispatcher is not known.
	StartWorker(dispatcher OptString, address string, port int) error
	StartProfiler(port int) error
	StopProfiler() error
	// Trace has profilers, by their URLs with commas, write a trace into a directory.
	Trace(services, dir string, o TraceOptions) error
	// Exit ends the process at once. It does not return.
	Exit(status int)
}

// MLPProcess is a process of a job that MLP runs (mlp_utils.py:60).
type MLPProcess struct {
	*MLPEnv
	e        *env.Env
	service  DataService
	check    PortCheck
	profiled bool
}

// PortCheck is whether a port of a host can be connected to within a time. The port is a number, a text
// as the environment has it, or nil.
type PortCheck func(host string, port any, timeout time.Duration) bool

// NewMLPProcess makes the process of an environment. Without a check it is [CheckPort].
func NewMLPProcess(e *env.Env, m *MLPEnv, service DataService, check PortCheck) *MLPProcess {
	if check == nil {
		check = func(host string, port any, timeout time.Duration) bool {
			return CheckPort(e, host, pysem.Str(port), timeout)
		}
	}
	return &MLPProcess{MLPEnv: m, e: e, service: service, check: check}
}

// How long and how often processes are looked for (mlp_utils.py:226, :241).
const (
	mlpWaitPoll    = 5 * time.Second
	mlpJoinPoll    = 10 * time.Second
	mlpJoinTimeout = 60 * time.Second
	mlpFirstCheck  = time.Second
)

// ProfilerPort is where a profiler listens unless told otherwise (mlp_utils.py:266).
const ProfilerPort = 6666

// place returns where a process is looked for: its host, None where it is not known, and the port of its
// shell or its own.
func (p *MLPProcess) place(role OptString, index int, ssh bool) (host OptString, port any, err error) {
	if host, err = p.HostOf(role, pysem.Some(index), true); err != nil {
		return host, nil, err
	}
	switch {
	case !ssh:
		port, err = p.PortOf(role, pysem.Some(index))
	case p.SSHPort.Set:
		port = p.SSHPort.V
	}
	return host, port, err
}

// Wait waits until a process can be connected to, for the time of timeout where that is positive, of
// which only the sleeps count (mlp_utils.py:213). A process whose host is not known is not waited for.
func (p *MLPProcess) Wait(role OptString, index int, timeout time.Duration, ssh bool) error {
	host, port, err := p.place(role, index, ssh)
	if err != nil || host.Or("") == "" {
		return err
	}
	for slept := time.Duration(0); timeout <= 0 || slept < timeout; slept += mlpWaitPoll {
		if p.check(host.V, port, mlpFirstCheck) {
			return nil
		}
		p.e.Tasks.Sleep(mlpWaitPoll)
	}
	p.e.Log.Logf(env.Info, "wait %s:%s timeout!", host.V, pysem.Str(port))
	return nil
}

// Join waits for a process, then until it is gone, and ends this process (mlp_utils.py:234).
func (p *MLPProcess) Join(role OptString, index int, ssh bool) error {
	if err := p.Wait(role, index, -1, ssh); err != nil {
		return err
	}
	host, port, err := p.place(role, index, ssh)
	if err != nil {
		return err
	}
	for host.Or("") != "" && p.check(host.V, port, mlpJoinTimeout) {
		p.e.Tasks.Sleep(mlpJoinPoll)
	}
	if p.profiled {
		if err := p.service.StopProfiler(); err != nil {
			p.e.Log.Logf(env.Info, "experimental stop error: %s", err)
		}
	}
	p.service.Exit(0)
	return nil
}

// StartProfiler starts the profiler at a port; under MPI each process has one of its own
// (mlp_utils.py:266).
func (p *MLPProcess) StartProfiler(port int) error {
	if p.EnableMPI() {
		port += p.Index
	}
	if err := p.service.StartProfiler(port); err != nil {
		return err
	}
	p.profiled = true
	return nil
}

// MLPPassOptions are the flags that a pass reads.
type MLPPassOptions struct {
	// UseDataService has workers wait for the data service.
	UseDataService bool
	// ExtraWorkers is how many servers of the data service a worker starts on its own host.
	ExtraWorkers int
	// SetDispatcher is told the dispatcher's URL.
	SetDispatcher func(target string)
}

// Pass does what a process does before it trains (mlp_utils.py:334): a dispatcher and the workers of the
// data service run until the first worker is gone, and never come back; workers that train wait for both.
func (p *MLPProcess) Pass(o MLPPassOptions) error {
	if !p.Available {
		return nil
	}
	p = &MLPProcess{MLPEnv: p.MLPEnv, e: p.e, service: p.service, check: p.check} // the reference makes another
	switch p.Role {
	case "DISPATCHER":
		if err := p.service.StartDispatcher(p.Port); err != nil {
			return err
		}
		return p.Join(pysem.Some("worker"), 0, true)
	case "DSWORKER":
		return p.passDataWorker()
	case "WORKER":
		if o.UseDataService {
			return p.passWorker(o)
		}
	}
	return nil
}

var dispatcherRole, dataWorkerRole = pysem.Some("DISPATCHER"), pysem.Some("DSWORKER")

func (p *MLPProcess) passDataWorker() error {
	if err := p.Wait(dispatcherRole, 0, -1, false); err != nil {
		return err
	}
	dispatcher, err := p.DispatcherAddr(dispatcherRole)
	if err != nil {
		return err
	}
	if err := p.startWorker(dispatcher, p.Port); err != nil {
		return err
	}
	if err := p.StartProfiler(ProfilerPort); err != nil {
		return err
	}
	return p.Join(pysem.Some("worker"), 0, true)
}

func (p *MLPProcess) startWorker(dispatcher OptString, port int) error {
	return p.service.StartWorker(dispatcher, p.Host+":"+strconv.Itoa(port), port)
}

func (p *MLPProcess) passWorker(o MLPPassOptions) error {
	if err := p.Wait(dispatcherRole, 0, -1, false); err != nil {
		return err
	}
	target, err := p.DispatcherTarget(OptString{})
	if err != nil {
		return err
	}
	o.SetDispatcher(target)
	count, err := p.NumReplicas(dataWorkerRole)
	if err != nil {
		return err
	}
	for i := range count {
		if err := p.Wait(dataWorkerRole, i, -1, false); err != nil {
			return err
		}
	}
	dispatcher, err := p.DispatcherAddr(dispatcherRole)
	if err != nil {
		return err
	}
	for i := range o.ExtraWorkers {
		if err := p.startWorker(dispatcher, p.Port-p.Index+p.size+p.Index*o.ExtraWorkers+i); err != nil {
			return err
		}
	}
	return nil
}
