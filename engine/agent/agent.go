package agent

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/modelmanager"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// Options configures [Run].
type Options struct {
	// ConfPath is the path of the agent.conf.
	ConfPath string
	// TFSLog is the log path from which the model servers' log files take their names; empty means
	// /var/log/tfs.std.log (agent.py:38).
	TFSLog string
	// TFSHome is where the serving binaries and their configuration are installed; empty
	// means the reference's /opt/tiger/monolith_serving (utils.py:51).
	TFSHome string
	Quirks  quirks.Set
	V3      AgentV3Options
	V1      AgentV1Options
	// Started, if set, is called with each agent and the Env of its process, before the agent
	// starts. A dense pod calls it once in each child.
	Started func(*env.Env, Agent)
}

// Run reads the configuration and runs its agent until it ends. A pod of deploy type dense has
// dense_service_num agents, each in a child process (agent.py:73-107). Run returns the error that
// ends the process. It does not return when a signal or Exit ends the process.
func Run(e *env.Env, o Options) error {
	_, err := run(e, o)
	return err
}

// run works like [Run], and also returns the agent that it made in this process.
func run(e *env.Env, o Options) (Agent, error) {
	o.TFSLog = cmp.Or(o.TFSLog, "/var/log/tfs.std.log")
	e.Log.Logf(env.Info, "environ is : environ(%v)", pylog.Later(func() string { return reprOfEnvironment(e.Host) }))
	conf, err := readConf(e, o)
	if err != nil {
		return nil, err
	}
	if conf.DeployType == agentconfig.DeployDense && conf.DenseServiceNum > 1 {
		return nil, runDense(e, conf, o)
	}
	return runAgent(e, o)
}

// reprOfEnvironment returns the environment as Python's repr of a dict.
func reprOfEnvironment(h env.Host) string {
	d := &pysem.Dict{}
	for _, kv := range h.Environ() {
		key, value, _ := strings.Cut(kv, "=")
		d.Set(key, value)
	}
	return pysem.Repr(d)
}

func readConf(e *env.Env, o Options) (*agentconfig.AgentConfig, error) {
	return agentconfig.Loader{Env: e, Quirks: o.Quirks, TFSHome: o.TFSHome}.FromFile(o.ConfPath)
}

// runDense runs the agents of the dense services that share the GPU of a container (MPS), and waits
// until all of them have ended. It ignores how they ended: the container runs on as long as one of
// them does.
//
// Cost: sessions, watches and polls grow with the dense services. Each child reads the
// configuration again and runs a whole agent, so three services cost as much as three agents.
func runDense(e *env.Env, conf *agentconfig.AgentConfig, o Options) error {
	var children []env.Process
	for i := range conf.DenseServiceNum {
		replicaID := conf.ReplicaID.V*conf.DenseServiceNum + i
		child, err := e.Processes.Fork(func(e *env.Env) int { return runDenseAgent(e, replicaID, i, o) })
		if err != nil {
			return err
		}
		children = append(children, child)
	}
	for _, child := range children {
		for {
			if _, done := child.Poll(); done {
				break
			}
			child.Exited().Wait()
		}
	}
	return nil
}

// runDenseAgent is the main task of the child with the number index. It returns the child's exit
// code. The child's replica id is negative if the pod's replica id is -1, and has 42 bits if the
// pod's replica id is the hash of its name (Q3). Agent v1 ignores the child's replica id, so all
// children share one replica id and one znode (Q2). If the container has PORT2, every child takes
// it as its agent port (Q5).
func runDenseAgent(e *env.Env, replicaID, index int, o Options) int {
	e.Host.Setenv("REPLICA_ID", strconv.Itoa(replicaID))
	e.Log.Logf(env.Info, "[INFO] the corresponding replica_id %d", replicaID)
	e.Host.Setenv("DENSE_SERVICE_IDX", strconv.Itoa(index))
	o.TFSLog = fmt.Sprintf("%s.mps%d", o.TFSLog, index)
	a, err := runAgent(e, o)
	return exitCode(e, a, err)
}

// runAgent makes the agent of the configured version, starts it and waits for its end
// (agent.py:41-71). The reference reads the configuration a second time here, which draws another
// set of free ports (Q4).
func runAgent(e *env.Env, o Options) (Agent, error) {
	conf, err := readConf(e, o)
	if err != nil {
		return nil, err
	}
	a, err := newAgent(e, conf, o)
	if err != nil {
		return nil, err
	}
	if o.Started != nil {
		o.Started(e, a)
	}
	// The rough sort model is copied before the agent starts. If the copy fails, the process kills
	// itself (Q7).
	models := modelmanager.NewModelManager(e, modelmanager.ModelManagerOptions{
		ModelName: conf.RoughSortModelName, SourcePath: conf.RoughSortModelP2PPath,
		ReceivePath: conf.RoughSortModelLocalPath, Quirks: o.Quirks,
		// The open-source metrics client drops all metrics (metric/cli.py).
		Metrics: func(modelmanager.Metric) {},
	})
	if !models.Start() {
		e.Log.Logf(env.Error, "model_manager start failed, kill self")
		e.Processes.Exit(-int(env.SIGKILL))
	}
	if err := a.Start(); err != nil {
		return a, err
	}
	return a, a.WaitForTermination()
}

func newAgent(e *env.Env, conf *agentconfig.AgentConfig, o Options) (Agent, error) {
	switch {
	case conf.IsVersion(1):
		return NewAgentV1(e, conf, o.TFSLog, o.V1)
	case conf.IsVersion(2):
		return nil, pysem.Raise("Exception", "agent_version v2 is not support")
	case conf.IsVersion(3):
		return NewAgentV3(e, conf, o.TFSLog, o.V3)
	}
	return nil, pysem.Raise("Exception", "agent_version error %s", conf.Version())
}

// Main is [Run] as a program. It returns only when the program ends with exit code 0. An error is
// printed as Python prints an uncaught exception, and the exit code is 1. Before that the
// interpreter joins the running threads. So an agent v3 that fails on its first look at the layout
// is not over: it keeps reporting, binding and following the layout until a signal ends its threads
// (Q209). From Python 3.9 on it no longer answers calls then (Q233).
func Main(e *env.Env, o Options) {
	a, err := run(e, o)
	if code := exitCode(e, a, err); code != 0 {
		e.Processes.Exit(code)
	}
}

// poolsEndFirst is the first minor version of Python 3 whose thread pools refuse work after the
// main thread has ended. Older versions accept work until all threads have ended.
const poolsEndFirst = 9

// exitCode returns the exit code of a main task that has ended with err. made is the agent that the
// task has made, nil if there is none.
func exitCode(e *env.Env, made Agent, err error) int {
	if err == nil {
		return 0
	}
	var python *pysem.Error
	if !errors.As(err, &python) {
		err = fmt.Errorf("Exception: %w", err)
	}
	e.Log.Logf(env.Error, pylog.Uncaught+"MainThread: %v", err)
	if a, ok := made.(*AgentV3); ok {
		if !e.Python.Before(poolsEndFirst) {
			a.service.FallSilent()
		}
		a.join()
	}
	return 1
}
