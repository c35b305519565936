package agent

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/monitor"
)

// AgentV1 runs the model servers of a deploy type and discovers all replicas
// through ZooKeeper (agent_v1.py:298).
type AgentV1 struct {
	e         *env.Env
	conf      *AgentConfig
	zk        env.ZooKeeper
	replicas  *ReplicaManager
	service   *AgentService
	processes *ProcessMgr
	over      *monitor.Event
}

// AgentV1Options replace parts of an agent v1.
type AgentV1Options struct {
	// Binary is the model server; empty means TFS_HOME/bin/tensorflow_model_server.
	Binary string
	// ZooKeeper is the client; nil means a new one for conf's zk_servers.
	ZooKeeper env.ZooKeeper
}

// NewAgentV1 makes the agent and the commands of its processes.
func NewAgentV1(e *env.Env, conf *AgentConfig, tfsLog string, o AgentV1Options) (*AgentV1, error) {
	if o.Binary == "" {
		o.Binary = tfsBinary
	}
	if o.ZooKeeper == nil {
		o.ZooKeeper = e.ZooKeeper.NewClient(conf.ZKServers.V, env.ZooKeeperOptions{Auth: zkAuth(e.Host)})
	}
	replicas, err := NewReplicaManager(e, o.ZooKeeper, conf)
	if err != nil {
		return nil, err
	}
	a := &AgentV1{e: e, conf: conf, zk: o.ZooKeeper, replicas: replicas, over: monitor.NewEvent(e.Tasks, "end of the agent service")}
	// The service is made of the watcher alone, so it always answers as v1 (Q38).
	a.service = NewAgentService(e, conf.AgentPort.V, AnswersV1{replicas.Watcher()})
	a.processes = newProcessMgr(e)
	for _, kind := range processOrder(conf) {
		node, err := newProcessNode(e, conf, replicas, kind, tfsLog, o.Binary)
		if err != nil {
			return nil, err
		}
		a.processes.add(node)
	}
	return a, nil
}

// processOrder is which servers a deploy type runs, in order of start
// (agent_v1.py:315-366). UNIFIED is taken for DENSE (Q18).
func processOrder(conf *AgentConfig) []string {
	switch conf.DeployType {
	case DeployMixed:
		if conf.DenseAlone {
			return []string{ServerPS, ServerDense, ServerEntry}
		}
		return []string{ServerPS, ServerEntry}
	case DeployEntry:
		return []string{ServerEntry}
	case DeployPS:
		return []string{ServerPS}
	}
	return []string{ServerDense}
}

// Start connects, registers, serves, and then starts the processes one after the
// other (agent_v1.py:371). Starting may take up to an hour for each.
func (a *AgentV1) Start() error {
	if err := a.zk.Start(0); err != nil {
		return err
	}
	if err := a.replicas.Start(); err != nil {
		return err
	}
	if err := a.service.Start(); err != nil {
		return err
	}
	return a.processes.start()
}

// WaitForTermination waits for the end of the service (agent_v1.py:381).
func (a *AgentV1) WaitForTermination() error {
	a.over.Wait(-1)
	return nil
}

// Stop ends processes, service, replicas and session (agent_v1.py:384).
func (a *AgentV1) Stop() {
	a.processes.killAll(false)
	a.service.Stop()
	a.over.Set()
	a.replicas.Stop()
	a.zk.Stop()
}

// Replicas is the agent's replica manager.
func (a *AgentV1) Replicas() *ReplicaManager { return a.replicas }

// maxWait is how long to wait for PS, dense or an open port: a local constant
// hides the configuration's max_waiting_sec (Q11).
const maxWait = 3600 * time.Second

// AgentPort is the port of the agent service.
func (a *AgentV1) AgentPort() int { return a.conf.AgentPort.V }
