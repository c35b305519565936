package agent

import (
	"cmp"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/envutils"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
)

// AgentV1 runs the model servers of a deploy type and registers them in ZooKeeper. It also answers
// clients that ask for the addresses of the model servers of all containers (agent_v1.py:298).
type AgentV1 struct {
	e         *env.Env
	conf      *agentconfig.AgentConfig
	zk        env.ZooKeeper
	replicas  *replicamanager.ReplicaManager
	service   *service.AgentService
	processes *processMgr
	tfsLog    string
	over      *threading.Event
}

// AgentV1Options replaces parts of an agent v1; the zero value replaces none.
type AgentV1Options struct {
	// Binary is the program of the model servers; empty means TFS_HOME/bin/tensorflow_model_server.
	Binary string
	// ZooKeeper is the client to use; nil makes a client for conf's zk_servers.
	ZooKeeper env.ZooKeeper
	// Status returns the states of the container's models; nil asks the container's model servers.
	Status replicamanager.StatusFunc
}

// NewAgentV1 makes an agent without starting it. The model servers' log files take their names from
// tfsLog. A unified deploy type, which v1 cannot run, is an AssertionError (Q18). dc_aware without
// a location is a TypeError (Q116).
func NewAgentV1(e *env.Env, conf *agentconfig.AgentConfig, tfsLog string, o AgentV1Options) (*AgentV1, error) {
	o.Binary = cmp.Or(o.Binary, conf.TFSHome()+tfsBinary)
	if o.ZooKeeper == nil {
		o.ZooKeeper = e.ZooKeeper.NewClient(conf.ZKServers.V, envutils.ZooKeeperOptions(e.Host, conf.Quirks.Keeps(quirks.Q322)))
	}
	replicas, err := replicamanager.NewReplicaManager(e, o.ZooKeeper, conf)
	if err != nil {
		return nil, err
	}
	if o.Status != nil {
		replicas.Updater().SetStatus(o.Status)
	}
	a := &AgentV1{e: e, conf: conf, zk: o.ZooKeeper, replicas: replicas, tfsLog: tfsLog, over: threading.NewEvent(e.Tasks, "end of the agent service")}
	// The service gets only the watcher and no backend, so it always answers as v1 (Q38).
	a.service = service.NewAgentService(e, conf.AgentPort.V, service.AnswersV1{Watcher: replicas.Watcher()})
	a.processes = newProcessMgr(e, conf.Quirks)
	for _, kind := range processOrder(conf) {
		node, err := newProcessNode(e, conf, replicas, kind, tfsLog, o.Binary)
		if err != nil {
			return nil, err
		}
		a.processes.add(node)
	}
	return a, nil
}

// processOrder returns the servers that a deploy type runs, in the order of their start
// (agent_v1.py:315-366). UNIFIED is treated as DENSE (Q18).
func processOrder(conf *agentconfig.AgentConfig) []string {
	switch conf.DeployType {
	case agentconfig.DeployMixed:
		if conf.DenseAlone {
			return []string{agentconfig.ServerPS, agentconfig.ServerDense, agentconfig.ServerEntry}
		}
		return []string{agentconfig.ServerPS, agentconfig.ServerEntry}
	case agentconfig.DeployEntry:
		return []string{agentconfig.ServerEntry}
	case agentconfig.DeployPS:
		return []string{agentconfig.ServerPS}
	}
	return []string{agentconfig.ServerDense}
}

// Start connects to ZooKeeper, registers the replicas and serves. Then it starts the processes one
// after another, which may take an hour for each (agent_v1.py:371). If a process does not start, it
// kills all processes and the agent.
func (a *AgentV1) Start() error {
	if err := a.zk.Start(0); err != nil {
		return err
	}
	a.e.Log.Logf(env.Info, "start kazoo finished!")
	if err := a.replicas.Start(); err != nil {
		return err
	}
	a.e.Log.Logf(env.Info, "start replica_mgr finished!")
	if err := a.service.Start(); err != nil {
		return err
	}
	a.e.Log.Logf(env.Info, "start agent service at localhost:%s", a.conf.AgentPort)
	if err := a.processes.start(); err != nil {
		return err
	}
	a.e.Log.Logf(env.Info, "start ProcessMgr finished!")
	return nil
}

// WaitForTermination waits for [AgentV1.Stop] (agent_v1.py:381). In most cases the agent's process
// ends before that. The error is always nil.
func (a *AgentV1) WaitForTermination() error {
	a.over.WaitLast()
	return nil
}

// Stop ends the processes, the service, the replicas and the session, in this order
// (agent_v1.py:384). It waits up to a minute for the polls of the replicas (Q127).
func (a *AgentV1) Stop() {
	a.processes.killAllInMain(false)
	a.e.Log.Logf(env.Info, "close ProcessMgr finished!")
	a.service.Stop()
	a.over.Set()
	a.e.Log.Logf(env.Info, "close agent service at localhost:%s", a.conf.AgentPort)
	a.replicas.Stop()
	a.e.Log.Logf(env.Info, "close replica_mgr finished!")
	a.zk.Stop()
	a.e.Log.Logf(env.Info, "close kazoo finished!")
}

// maxWait is how long to wait for PS or dense servers, or for an open port. A local constant of the
// reference hides the configuration's max_waiting_sec (Q11).
const maxWait = 3600 * time.Second

// Conf returns the agent's configuration, which callers must not change. A registration may have
// set its replica id.
func (a *AgentV1) Conf() *agentconfig.AgentConfig { return a.conf }

// Watcher returns the mirror of the replicas that the agent knows.
func (a *AgentV1) Watcher() *replicamanager.ReplicaWatcher { return a.replicas.Watcher() }

// TFSLog returns the path from which the model servers' log files take their names. Each server
// writes to a file beside it (see startLogged).
func (a *AgentV1) TFSLog() string { return a.tfsLog }
