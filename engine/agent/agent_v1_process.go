package agent

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
)

// processNode is one model server that an agent v1 runs (agent_v1.py:42).
type processNode struct {
	e        *env.Env
	conf     *agentconfig.AgentConfig
	replicas *replicamanager.ReplicaManager
	kind     string
	tfsLog   string
	command  string
	port     pysem.OptInt
	process  env.Process // nil before the start
	// sleep waits as Python's main thread does, which starts the processes and handles signals.
	sleep func(d time.Duration)
	// lost reports whether a process that was started earlier has ended.
	lost func() bool
}

func newProcessNode(e *env.Env, conf *agentconfig.AgentConfig, replicas *replicamanager.ReplicaManager, kind, tfsLog, binary string) (*processNode, error) {
	command, port, err := conf.CmdAndPort(binary, pysem.Some(kind), pysem.OptString{})
	if err != nil {
		return nil, err
	}
	return &processNode{e: e, conf: conf, replicas: replicas, kind: kind, tfsLog: tfsLog, command: command, port: port}, nil
}

// run starts the process and waits until its port is open. It reports whether the port opened in
// time (agent_v1.py:137). An entry first waits for its PS, and also for dense servers if dense runs
// alone.
func (n *processNode) run() (bool, error) {
	if n.kind == agentconfig.ServerEntry {
		if ok, err := n.awaitOthers(); !ok || err != nil {
			return false, err
		}
	}
	cmd := env.Command{Args: strings.Fields(n.command)}
	if n.kind == agentconfig.ServerEntry {
		cmd.Env = withVariable(n.e.Host.Environ(), "PORT2", n.conf.AgentPort.String())
	}
	process, err := startLogged(n.e, n.conf.TFSHome(), n.kind, n.tfsLog, cmd)
	if err != nil {
		return false, err
	}
	n.process = process
	n.e.Log.Logf(env.Info, "pid of <%s> is %d", n.command, process.Pid())
	ok := n.awaitPort()
	if !ok {
		n.e.Log.Logf(env.Error, "start %v failed", n.processType())
	}
	return ok, nil
}

// processType returns Python's repr of the process type, for example ProcessType.PS.
func (n *processNode) processType() pylog.Later {
	return func() string { return "ProcessType." + strings.ToUpper(n.kind) }
}

// withVariable returns a copy of an environment list in which one variable is set.
func withVariable(environ []string, key, value string) []string {
	list := make([]string, 0, len(environ)+1)
	list = append(list, lists.Filter(environ, func(kv string) bool { return !strings.HasPrefix(kv, key+"=") })...)
	return append(list, key+"="+value)
}

// awaitOthers waits for the servers that this server depends on, and reports whether all were found
// within an hour (agent_v1.py:139-166). It looks every two status intervals, and pauses once before
// the first look. If they appear only at the last look, it still reports a timeout (Q12). While it
// waits, here or for a port, nobody notices that a PS of its own pod has ended (Q325).
func (n *processNode) awaitOthers() (bool, error) {
	pause := time.Duration(n.conf.UpdateModelStatusInterval) * 2 * time.Second
	n.sleep(pause)
	waited := pause
	type server struct {
		name    string
		started func() (bool, error)
	}
	others := []server{{"PS", n.replicas.IsPSSetStarted}}
	if n.conf.DenseAlone {
		others = append(others, server{"Dense", n.replicas.IsDenseSetStarted})
	}
	for _, other := range others {
		for {
			ok, err := other.started()
			if err != nil {
				return false, err
			}
			if ok || waited >= maxWait {
				break
			}
			if n.deserted() {
				return false, nil
			}
			n.sleep(pause)
			waited += pause
		}
		if waited >= maxWait {
			n.e.Log.Logf(env.Error, "found %s timeout", other.name)
			return false, nil
		}
	}
	return true, nil
}

// deserted reports whether to stop waiting because another process has ended. It is always false
// unless Q325 is repaired.
func (n *processNode) deserted() bool { return !n.conf.Quirks.Keeps(quirks.Q325) && n.lost() }

// awaitPort tries the port on localhost every 10 s, 361 times, and reports whether it was open. If
// the process has ended meanwhile, awaitPort waits in vain unless Q20 is repaired. For port 0 it
// does not wait (agent_v1.py:200).
func (n *processNode) awaitPort() bool {
	if n.port.Set && n.port.V == 0 {
		return true
	}
	const pause = 10 * time.Second
	for waited := time.Duration(0); waited <= maxWait; waited += pause {
		if n.e.Network.Probe("127.0.0.1:"+n.port.String(), 0) == nil {
			n.e.Log.Logf(env.Info, "port %s opened!", n.port)
			n.e.Log.Logf(env.Info, "proc %v opened!", n.processType())
			return true
		}
		if n.ended() && !n.conf.Quirks.Keeps(quirks.Q20) || n.deserted() {
			break
		}
		n.e.Log.Logf(env.Info, "port %s not open!", n.port)
		n.e.Log.Logf(env.Info, "proc %v not open!", n.processType())
		n.sleep(pause)
	}
	n.e.Log.Logf(env.Info, "proc %v start failed!", n.processType())
	return false
}

// ended reports whether the process was started and has ended.
func (n *processNode) ended() bool {
	if n.process == nil {
		return false
	}
	_, done := n.process.Poll()
	return done
}

// kill kills the process, in up to three attempts with a second in between (agent_v1.py:119-133).
// It calls sleep to wait.
func (n *processNode) kill(sleep func(d time.Duration)) {
	for range 3 {
		if n.process == nil || n.ended() {
			return
		}
		n.e.Log.Logf(env.Info, "kill proc %v", pylog.Popen(strings.Fields(n.command)))
		_ = n.process.Signal(env.SIGKILL) // the only error is that the process has ended already
		sleep(time.Second)
	}
}

// processMgr starts the processes in order, and kills all of them when one ends (agent_v1.py:222).
// In the reference its flags are class attributes (Q13), which makes no difference for a single
// manager.
type processMgr struct {
	e      *env.Env
	nodes  []*processNode
	lock   *threading.RLock
	killed bool
	// handling is locked while a signal is handled. In Python the main thread handles signals, and
	// does nothing else meanwhile.
	handling *threading.RLock
	quirks   quirks.Set
}

func newProcessMgr(e *env.Env, keep quirks.Set) *processMgr {
	m := &processMgr{
		e: e, quirks: keep, lock: threading.NewRLock(e.Tasks, "process manager"),
		handling: threading.NewRLock(e.Tasks, "handler of a signal"),
	}
	for _, sig := range []env.Signal{env.SIGTERM, env.SIGINT} {
		e.Processes.Notify(sig, func() { m.signalled(sig) })
	}
	return m
}

func (m *processMgr) add(n *processNode) {
	n.sleep = m.mainSleep
	n.lost = func() bool {
		return slices.ContainsFunc(m.nodes, func(o *processNode) bool { return o != n && o.ended() })
	}
	m.nodes = append(m.nodes, n)
}

// mainSleep sleeps as Python's main thread does. If a signal arrives meanwhile, it returns only
// after the signal is handled.
func (m *processMgr) mainSleep(d time.Duration) {
	m.e.Tasks.Sleep(d)
	m.awaitHandler()
}

// awaitHandler blocks the main thread while a signal is handled. In most cases the handler ends the
// process before awaitHandler returns.
func (m *processMgr) awaitHandler() {
	m.handling.Lock()
	m.handling.Unlock() //lint:ignore SA2001 it only waits for who holds the lock
}

// signalled handles a signal: it kills all processes and the agent (agent_v1.py:240).
func (m *processMgr) signalled(sig env.Signal) {
	m.handling.Lock()
	defer m.handling.Unlock()
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.killed {
		return
	}
	m.e.Log.Logf(env.Info, "catch signal %d, kill all", int(sig))
	m.killAll(true, m.e.Tasks.Sleep)
}

// start runs the processes in order. If one fails, it continues with the next, unless the killing
// of all processes has ended the agent (Q16).
func (m *processMgr) start() error {
	for _, n := range m.nodes {
		m.awaitHandler()
		ok, err := n.run()
		if err != nil {
			return err
		}
		if !ok {
			m.e.Log.Logf(env.Error, "start <monolith.agent_service.agent_v1.ProcessNode object at 0x0000> failed, kill all proc")
			m.killAllInMain(true)
		}
	}
	m.e.Log.Logf(env.Info, "start poll thread")
	threading.Start(m.e.Tasks, "process poll", m.poll)
	return nil
}

// poll checks the processes once a second. The end of any of them, even with exit code 0, ends all
// (Q15).
//
// Cost: a round grows with the processes, and there is one each second.
func (m *processMgr) poll() {
	m.e.Log.Logf(env.Info, "the number of procs is %d ", len(m.nodes))
	loop := threading.NewLoop(m.e.Tasks, time.Second)
	for !m.killed {
		loop.Turn()
		for _, n := range m.nodes {
			if m.killed {
				break
			}
			if n.ended() {
				code, _ := n.process.Poll()
				m.e.Log.Logf(env.Info, "%v %d shutdown, kill all proc...", n.processType(), code)
				m.killAll(true, m.e.Tasks.Sleep)
			}
		}
	}
}

// killAllInMain kills all processes, in the main thread. A signal meanwhile causes a deadlock
// (Q14): its handler interrupts the main thread, and waits for a lock that the main thread holds.
// Then the agent and the processes not yet killed never end. With Q14 repaired the handler waits
// until all are killed.
func (m *processMgr) killAllInMain(self bool) {
	sleep := m.mainSleep
	if !m.quirks.Keeps(quirks.Q14) {
		sleep = m.e.Tasks.Sleep
	}
	m.killAll(self, sleep)
}

// killAll kills the processes in order. If self is set, it then kills the agent too
// (agent_v1.py:285). It calls sleep to wait.
func (m *processMgr) killAll(self bool, sleep func(d time.Duration)) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.killed = true
	for _, n := range m.nodes {
		m.e.Log.Logf(env.Info, "kill proc %v", n.processType())
		n.kill(sleep)
	}
	if self {
		m.e.Log.Logf(env.Info, "kill self")
		m.e.Processes.Exit(-int(env.SIGKILL))
	}
}
