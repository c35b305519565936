package training

import (
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// DataService starts the additional services of an MLP process: servers of TensorFlow's data
// service and its profiler.
type DataService interface {
	// StartDispatcher starts a dispatcher on a port.
	StartDispatcher(port int) error
	// StartWorker starts a worker on a port and registers its address with the dispatcher.
	// dispatcher is None if the dispatcher's address is unknown.
	StartWorker(dispatcher OptString, address string, port int) error
	StartProfiler(port int) error
	StopProfiler() error
	// Trace lets profilers, given by their comma-separated URLs, write a trace into a directory.
	Trace(services, dir string, o TraceOptions) error
	// Exit ends the process at once. It does not return.
	Exit(status int)
}

// MLPProcess is a process of a job that MLP runs (mlp_utils.py:60).
type MLPProcess struct {
	*MLPEnv
	service  DataService
	check    PortCheck
	profiled bool
}

// PortCheck reports whether it can connect to a port of a host within a time. The port is a number,
// a text from the environment, or nil.
type PortCheck func(host string, port any, timeout time.Duration) bool

// NewMLPProcess makes the process of an environment. A nil check means [CheckPort].
func NewMLPProcess(m *MLPEnv, service DataService, check PortCheck) *MLPProcess {
	if check == nil {
		check = func(host string, port any, timeout time.Duration) bool {
			return CheckPort(m.e, host, pysem.Str(port), timeout)
		}
	}
	return &MLPProcess{MLPEnv: m, service: service, check: check}
}

// How long and how often Wait and Join look for processes (mlp_utils.py:226, :241).
const (
	mlpWaitPoll    = 5 * time.Second
	mlpJoinPoll    = 10 * time.Second
	mlpJoinTimeout = 60 * time.Second
	mlpFirstCheck  = time.Second
)

// noHost is the line that Wait and Join log when they do not wait, because the host is unknown.
const noHost = "host is None"

// ProfilerPort is the default port of a profiler (mlp_utils.py:266).
const ProfilerPort = 6666

// place returns the host and port at which to look for a process. The host is None if it is
// unknown. With ssh, the port is that of the process's SSH server, or nil if it is unknown.
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

// Wait waits until it can connect to a process (mlp_utils.py:213). A positive timeout limits the
// wait, and only the sleeps count against it. It does not wait for a process whose host is unknown.
func (p *MLPProcess) Wait(role OptString, index int, timeout time.Duration, ssh bool) error {
	host, port, err := p.place(role, index, ssh)
	if err != nil {
		return err
	}
	if host.Or("") == "" {
		p.e.Log.Logf(env.Info, noHost)
		return nil
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

// Join waits for a process to start and then to end. After that it ends this process
// (mlp_utils.py:234).
func (p *MLPProcess) Join(role OptString, index int, ssh bool) error {
	if err := p.Wait(role, index, -1, ssh); err != nil {
		return err
	}
	host, port, err := p.place(role, index, ssh)
	if err != nil {
		return err
	}
	if host.Or("") == "" {
		p.e.Log.Logf(env.Info, noHost)
	}
	for host.Or("") != "" && p.check(host.V, port, mlpJoinTimeout) {
		p.e.Tasks.Sleep(mlpJoinPoll)
	}
	if p.profiled {
		if err := p.service.StopProfiler(); err != nil {
			p.e.Log.Logf(env.Info, "experimental stop error: %s", err)
		}
		p.e.Log.Logf(env.Info, "profiler stopped!")
	}
	p.e.Log.Logf(env.Info, "current role: %s:%d exit", p.Role, p.Index)
	p.service.Exit(0)
	return nil
}

// StartProfiler starts the profiler at a port. Under MPI each process of a host has its own port
// (mlp_utils.py:266).
func (p *MLPProcess) StartProfiler(port int) error {
	p.e.Log.Logf(env.Info, "start_profiler at %s:%d", p.Host, port)
	if p.EnableMPI() {
		port += p.Index
	}
	if err := p.service.StartProfiler(port); err != nil {
		return err
	}
	p.profiled = true
	return nil
}

// MLPPassOptions holds the flags that MLPPass reads.
type MLPPassOptions struct {
	// UseDataService makes workers wait for the data service.
	UseDataService bool
	// ExtraWorkers is the number of data service servers that a worker starts on its own host.
	ExtraWorkers int
	// SetDispatcher receives the dispatcher's URL.
	SetDispatcher func(target string)
	// Roles names the roles of processes; nil means [DefaultMLPRoles].
	Roles *MLPRoles
}

// MLPRoles names the roles of the processes of a job, in upper or lower case. None and "" mean that
// the job has no such process.
type MLPRoles struct {
	Dispatcher, DataWorker, Worker OptString
}

// DefaultMLPRoles returns the reference's names.
func DefaultMLPRoles() *MLPRoles {
	return &MLPRoles{pysem.Some("dispatcher"), pysem.Some("dsworker"), pysem.Some("worker")}
}

// upper returns the names in upper case, as processes have them.
func (r MLPRoles) upper() MLPRoles {
	for _, role := range []*OptString{&r.Dispatcher, &r.DataWorker, &r.Worker} {
		role.V = strings.ToUpper(role.V)
	}
	return r
}

// MLPPass does what a process does before it trains (mlp_utils.py:334). In a dispatcher or a worker
// of the data service, it serves until the first training worker is gone, and never returns. With
// UseDataService, a training worker waits for the dispatcher and for all workers of the data
// service. A nil check means [CheckPort].
func MLPPass(e *env.Env, service DataService, check PortCheck, o MLPPassOptions) error {
	m, err := NewMLPEnv(e)
	if err != nil || !m.Available {
		return err
	}
	p := NewMLPProcess(m, service, check)
	p.e.Log.Logf(env.Info, "MLP is available")
	p.e.Log.Logf(env.Info, "mlp_env_host: %s, mlp_env_port: %d", p.Host, p.Port)
	if o.Roles == nil {
		o.Roles = DefaultMLPRoles()
	}
	roles := o.Roles.upper()
	switch own := pysem.Some(p.Role); {
	case own == roles.Dispatcher && p.Role != "":
		if err := p.service.StartDispatcher(p.Port); err != nil {
			return err
		}
		p.e.Log.Logf(env.Info, "Dispatcher started...")
		return p.Join(pysem.Some("worker"), 0, true)
	case own == roles.DataWorker && p.Role != "":
		return p.passDataWorker(roles.Dispatcher)
	case own == roles.Dispatcher || own == roles.DataWorker: // of no name
	case own == roles.Worker:
		if o.UseDataService {
			if err := p.passWorker(o, roles); err != nil {
				return err
			}
		}
		p.e.Log.Logf(env.Info, "worker %d start at %s:%d", p.Index, p.Host, p.Port)
		all := &pysem.Dict{}
		for _, r := range p.Roles {
			all.Set(r.Role, r.Count)
		}
		p.e.Log.Logf(env.Info, "%s", pysem.Repr(all))
	}
	return nil
}

func (p *MLPProcess) passDataWorker(dispatcherRole OptString) error {
	p.e.Log.Logf(env.Info, "Waiting for dispatcher start...")
	if !dispatcherRole.Set {
		return pysem.Raise("AssertionError", "")
	}
	if err := p.Wait(dispatcherRole, 0, -1, false); err != nil {
		return err
	}
	p.e.Log.Logf(env.Info, "Dispatcher started, dsworker begin to start...")
	dispatcher, err := p.DispatcherAddr(dispatcherRole)
	if err != nil {
		return err
	}
	if err := p.startWorker(dispatcher, p.Port); err != nil {
		return err
	}
	p.e.Log.Logf(env.Info, "Dsworker started....")
	if err := p.StartProfiler(ProfilerPort); err != nil {
		return err
	}
	return p.Join(pysem.Some("worker"), 0, true)
}

func (p *MLPProcess) startWorker(dispatcher OptString, port int) error {
	return p.service.StartWorker(dispatcher, p.Host+":"+strconv.Itoa(port), port)
}

func (p *MLPProcess) passWorker(o MLPPassOptions, roles MLPRoles) error {
	if roles.Dispatcher.V != "" {
		p.e.Log.Logf(env.Info, "wait dispatcher start ...")
		if err := p.Wait(roles.Dispatcher, 0, -1, false); err != nil {
			return err
		}
		target, err := p.DispatcherTarget(OptString{})
		if err != nil {
			return err
		}
		o.SetDispatcher(target)
	}
	if roles.DataWorker.V != "" {
		p.e.Log.Logf(env.Info, "dispatcher started, wait ds worker start ...")
		count, err := p.NumReplicas(roles.DataWorker)
		if err != nil {
			return err
		}
		for i := range count {
			if err := p.Wait(roles.DataWorker, i, -1, false); err != nil {
				return err
			}
			p.e.Log.Logf(env.Info, "dsworker %d started! ", i)
		}
	}
	dispatcher, err := p.DispatcherAddr(roles.Dispatcher)
	if err != nil {
		return err
	}
	p.e.Log.Logf(env.Info, "dispatcher_address: %s", dispatcher.Or("None"))
	for i := range o.ExtraWorkers {
		size, err := p.mpiSize()
		if err != nil {
			return err
		}
		port := p.Port - p.Index + size + p.Index*o.ExtraWorkers + i
		p.e.Log.Logf(env.Info, "extra_port: %d", port)
		if err := p.startWorker(dispatcher, port); err != nil {
			return err
		}
	}
	p.e.Log.Logf(env.Info, "Start %d extra dsworkers on GPU worker %d", max(o.ExtraWorkers, 0), p.Index)
	return nil
}
