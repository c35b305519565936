package agent

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/monitor"
	"github.com/monosim/monosim/engine/pysem"
)

// TFSMonitor asks the model servers of one container (tfs_monitor.py:37).
type TFSMonitor struct {
	e     *env.Env
	conf  *AgentConfig
	host  string
	stubs map[string]env.ModelServer // by server type
	// lock is held during every call (tfs_monitor.py:43), so that one that is never
	// answered holds up all others.
	lock *monitor.RLock
	// asked are the queries that StatusFrom made last.
	asked askedStatuses
	// usual is what the present StatusFrom was given; ifFree is it, and that nobody
	// waits for the lock.
	usual, ifFree func(i int, versions []env.ModelVersionStatus) bool
}

// askedStatuses are queries for a list of names, and what they depend on.
type askedStatuses struct {
	names    []string
	deploy   DeployType
	statuses env.Statuses
}

// NewTFSMonitor makes a monitor that is not connected.
func NewTFSMonitor(e *env.Env, conf *AgentConfig) *TFSMonitor {
	m := &TFSMonitor{e: e, conf: conf, stubs: map[string]env.ModelServer{}, lock: monitor.NewRLock(e.Tasks, "tfs monitor")}
	m.ifFree = func(i int, versions []env.ModelVersionStatus) bool { return !m.lock.Awaited() && m.usual(i, versions) }
	return m
}

// Host is the address of the container; one that is none is looked up again each
// time (tfs_monitor.py:50).
func (m *TFSMonitor) Host() string {
	switch m.host {
	case "", "localhost", "127.0.0.1":
		m.host = LocalIP(m.e)
	}
	return m.host
}

// Addr is the address of the server that has a sub-model (tfs_monitor.py:56).
func (m *TFSMonitor) Addr(subModel string) (string, error) {
	server := ServerDense
	switch {
	case strings.HasPrefix(subModel, ServerEntry):
		server = ServerEntry
	case strings.HasPrefix(subModel, ServerPS):
		server = ServerPS
	}
	switch m.conf.DeployType {
	case DeployMixed:
	case DeployEntry, DeployPS, DeployDense:
		if !strings.HasPrefix(subModel, string(m.conf.DeployType)) {
			return "", &pysem.Error{Type: "AssertionError"}
		}
		server = string(m.conf.DeployType)
	default:
		return "", pysem.Raise("RuntimeError", "deploy_type %s is error", m.conf.DeployType)
	}
	return m.Host() + ":" + m.port(server).String(), nil
}

func (m *TFSMonitor) port(server string) OptInt {
	switch server {
	case ServerEntry:
		return m.conf.TFSEntryPort
	case ServerPS:
		return m.conf.TFSPSPort
	}
	return m.conf.TFSDensePort
}

// ServiceType is the server type that a sub-model belongs to on this container,
// "" for none (tfs_monitor.py:76). UNIFIED is an AssertionError (Q146).
func (m *TFSMonitor) ServiceType(subModel string) (string, error) {
	only := ""
	switch m.conf.DeployType {
	case DeployMixed:
	case DeployEntry, DeployPS, DeployDense:
		only = string(m.conf.DeployType)
	default:
		return "", &pysem.Error{Type: "AssertionError"}
	}
	for _, t := range [...]string{ServerEntry, ServerPS, ServerDense} {
		if (only == "" || only == t) && strings.HasPrefix(subModel, t) {
			return t, nil
		}
	}
	return "", nil
}

// Start makes the channels of the servers that the container has
// (tfs_monitor.py:106).
func (m *TFSMonitor) Start() {
	m.asked = askedStatuses{}
	m.stubs = map[string]env.ModelServer{}
	d := m.conf.DeployType
	if d == DeployMixed || d == DeployEntry {
		m.connect(ServerEntry)
	}
	if d == DeployMixed || d == DeployPS {
		m.connect(ServerPS)
	}
	if m.conf.DenseAlone && (d == DeployMixed || d == DeployDense) {
		m.connect(ServerDense)
	}
}

func (m *TFSMonitor) connect(server string) {
	m.stubs[server] = m.e.Models.Dial(m.Host() + ":" + m.port(server).String())
}

// Stop closes the channels; later calls are a KeyError (Q148).
func (m *TFSMonitor) Stop() {
	for _, server := range []string{ServerEntry, ServerPS, ServerDense} {
		if stub, ok := m.stubs[server]; ok {
			stub.Close()
		}
	}
	m.asked = askedStatuses{}
	m.stubs = map[string]env.ModelServer{}
}

// Status asks for all versions of a model by its name (tfs_monitor.py:208). A
// name of no server on this container has none; a dense name without dense_alone
// is a KeyError (Q143). Other errors are *env.RPCError.
//
// Speed: one call without a deadline: a server that does not answer holds up the
// thread that asks.
func (m *TFSMonitor) Status(name string) ([]env.ModelVersionStatus, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	server, err := m.ServiceType(name)
	if err != nil || server == "" {
		return nil, err
	}
	stub, ok := m.stubs[server]
	if !ok {
		return nil, pysem.Raise("KeyError", "'model_service'")
	}
	return stub.Status(env.ModelSpec{Name: name}, 0)
}

// StatusFrom asks for the names from the i-th on as a loop of Status does. It ends
// with the first that fails, or whose answer is not usual, or with the last, and
// perhaps earlier, as when somebody waits for the lock; it returns that name's index
// and answer. The list of names must not be changed, and usual neither waits nor calls
// env.
func (m *TFSMonitor) StatusFrom(names []string, i int, usual func(i int, versions []env.ModelVersionStatus) bool) (int, []env.ModelVersionStatus, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	statuses := m.statusesOf(names)
	if statuses == nil {
		versions, err := m.Status(names[i])
		return i, versions, err
	}
	m.usual = usual
	return statuses.From(i, m.ifFree)
}

// statusesOf makes the queries for names, nil when one has no connected server.
func (m *TFSMonitor) statusesOf(names []string) env.Statuses {
	if a := &m.asked; a.statuses != nil && a.deploy == m.conf.DeployType && sameList(a.names, names) {
		return a.statuses
	}
	queries := make([]env.StatusQuery, len(names))
	for i, name := range names {
		server, err := m.ServiceType(name)
		stub, ok := m.stubs[server]
		if err != nil || !ok {
			return nil
		}
		queries[i] = env.StatusQuery{Server: stub, Spec: env.ModelSpec{Name: name}}
	}
	m.asked = askedStatuses{names: names, deploy: m.conf.DeployType, statuses: env.NewStatuses(m.e.Models, queries)}
	return m.asked.statuses
}

// sameList says whether two lists are one and the same.
func sameList(a, b []string) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }
