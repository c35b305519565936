// Package tfs handles the model servers of an agent's container: it asks them for the states of
// models and reloads them (tfs_monitor.py), and runs one as a child process (tfs_wrapper.py).
//
// Two things to use first:
//
//   - [NewTFSMonitor] asks and reloads the servers of a container, for agents of versions 1 and
//     2.
//   - [NewTFSWrapper] runs the one server of an agent v3, which uses it as a
//     [ModelServerProcess]; the reference's double of it is in tfstest.
//
// To change:
//
//   - how servers are asked: tfs_monitor.go
//   - the configurations that a publish leads to: tfs_monitor_config.go
//   - the child process and its command line: tfs_wrapper.go
//
// Unstable: any commit may change it.
package tfs

import (
	"strings"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// TFSMonitor calls the model servers of one container over gRPC (tfs_monitor.py:37). It makes only
// one call at a time.
type TFSMonitor struct {
	e     *env.Env
	conf  *agentconfig.AgentConfig
	host  string
	stubs map[string]env.ModelServer // client of each model server, by server type
	// lock is held during every call (tfs_monitor.py:43). So a call that is never answered blocks
	// all others.
	lock *threading.RLock
}

// NewTFSMonitor makes a monitor of the model servers that conf describes. Start connects it.
func NewTFSMonitor(e *env.Env, conf *agentconfig.AgentConfig) *TFSMonitor {
	return &TFSMonitor{e: e, conf: conf, stubs: map[string]env.ModelServer{}, lock: threading.NewRLock(e.Tasks, "tfs monitor")}
}

// Host returns the address of the container. While the address is empty or a loopback address, each
// call looks it up again (tfs_monitor.py:50).
func (m *TFSMonitor) Host() string {
	switch m.host {
	case "", "localhost", "127.0.0.1":
		m.host = agentconfig.LocalIP(m.e)
	}
	return m.host
}

// Addr returns host:port of the model server that has a sub-model (tfs_monitor.py:56). A sub-model
// that this container does not serve is an AssertionError. A deploy type that version 1 does not
// have is a RuntimeError.
func (m *TFSMonitor) Addr(subModel string) (string, error) {
	server := agentconfig.ServerDense
	switch {
	case strings.HasPrefix(subModel, agentconfig.ServerEntry):
		server = agentconfig.ServerEntry
	case strings.HasPrefix(subModel, agentconfig.ServerPS):
		server = agentconfig.ServerPS
	}
	switch m.conf.DeployType {
	case agentconfig.DeployMixed:
	case agentconfig.DeployEntry, agentconfig.DeployPS, agentconfig.DeployDense:
		if !strings.HasPrefix(subModel, string(m.conf.DeployType)) {
			return "", &pysem.Error{Type: "AssertionError"}
		}
	default:
		return "", pysem.Raise("RuntimeError", "deploy_type %s is error", m.conf.DeployType)
	}
	return m.Host() + ":" + m.port(server).String(), nil
}

func (m *TFSMonitor) port(server string) pysem.OptInt {
	switch server {
	case agentconfig.ServerEntry:
		return m.conf.TFSEntryPort
	case agentconfig.ServerPS:
		return m.conf.TFSPSPort
	}
	return m.conf.TFSDensePort
}

// ServiceType returns the type of the server that has a sub-model on this container. It returns ""
// if there is none (tfs_monitor.py:76). The deploy type UNIFIED is an AssertionError (Q146).
func (m *TFSMonitor) ServiceType(subModel string) (string, error) {
	only := ""
	switch m.conf.DeployType {
	case agentconfig.DeployMixed:
	case agentconfig.DeployEntry, agentconfig.DeployPS, agentconfig.DeployDense:
		only = string(m.conf.DeployType)
	default:
		return "", &pysem.Error{Type: "AssertionError"}
	}
	for _, t := range [...]string{agentconfig.ServerEntry, agentconfig.ServerPS, agentconfig.ServerDense} {
		if (only == "" || only == t) && strings.HasPrefix(subModel, t) {
			return t, nil
		}
	}
	return "", nil
}

// Start makes the channels to the container's model servers (tfs_monitor.py:106). A channel
// connects at its first call.
func (m *TFSMonitor) Start() {
	m.stubs = map[string]env.ModelServer{}
	d := m.conf.DeployType
	if d == agentconfig.DeployMixed || d == agentconfig.DeployEntry {
		m.connect(agentconfig.ServerEntry)
	}
	if d == agentconfig.DeployMixed || d == agentconfig.DeployPS {
		m.connect(agentconfig.ServerPS)
	}
	if m.conf.DenseAlone && (d == agentconfig.DeployMixed || d == agentconfig.DeployDense) {
		m.connect(agentconfig.ServerDense)
	}
}

func (m *TFSMonitor) connect(server string) {
	m.stubs[server] = m.e.Models.Dial(m.Host() + ":" + m.port(server).String())
}

// Stop closes and forgets the channels. A later call is a KeyError with the server type (Q148).
func (m *TFSMonitor) Stop() {
	for _, server := range []string{agentconfig.ServerEntry, agentconfig.ServerPS, agentconfig.ServerDense} {
		if stub, ok := m.stubs[server]; ok {
			stub.Close()
		}
	}
	m.stubs = nil
}

// Status asks for all versions of a model by its name (tfs_monitor.py:208). If the name belongs to
// no server on this container, it returns no versions. A dense name without dense_alone is a
// KeyError (Q143). Other errors are *env.RPCError.
//
// Cost: the status of a publish grows with its sub-models, with one call after another and no
// deadline. A server that does not answer blocks the calling thread.
func (m *TFSMonitor) Status(name string) ([]env.ModelVersionStatus, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	server, err := m.ServiceType(name)
	if err != nil || server == "" {
		return nil, err
	}
	stub, err := m.stub(server)
	if err != nil {
		return nil, err
	}
	return stub.Status(env.ModelSpec{Name: name}, 0)
}
