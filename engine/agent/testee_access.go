package agent

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// This file opens single functions to runners that answer single operations; the
// agents use them from within.

// ReplicaIDFromPodName is the replica id of a container that is told none
// (utils.py:1128).
func ReplicaIDFromPodName(e *env.Env) int { return replicaIDFromPodName(e) }

// MadeWith are the configuration and the log that the agent was made with.
func (a *AgentV1) MadeWith() (conf *AgentConfig, tfsLog string) {
	return a.conf, a.processes.nodes[0].tfsLog
}

// UpdaterPaths are the znodes that an updater writes (replica_manager.py:447-462).
type UpdaterPaths struct{ Prefix, Entry, PS, Dense string }

// Paths are the updater's paths; PS is that of the task.
func (u *ReplicaUpdater) Paths(task string) UpdaterPaths {
	return UpdaterPaths{
		Prefix: u.prefix,
		Entry:  u.prefix + "/" + ServerEntry + ":0/" + u.conf.ReplicaID.String(),
		PS:     u.psPath(task),
		Dense:  u.densePath(),
	}
}

// SessionListener is what a manager does on changes of the session, over a
// watcher and an updater that do nothing else.
type SessionListener struct{ l zkListener }

// NewSessionListener makes a listener while the session is well.
func NewSessionListener(e *env.Env) *SessionListener {
	return &SessionListener{zkListener{e: e, watcher: &ReplicaWatcher{shouldPoll: true}, updater: &ReplicaUpdater{shouldUpdate: true}}}
}

// Changed is told of a state; it reports whether it wants to hear no more.
func (s *SessionListener) Changed(state env.SessionState) bool { return s.l.changed(state) }

// SessionFlags are what a listener has switched.
type SessionFlags struct{ Lost, Poll, Update, Reregister bool }

// Flags are the present ones.
func (s *SessionListener) Flags() SessionFlags {
	return SessionFlags{Lost: s.l.lost, Poll: s.l.watcher.shouldPoll, Update: s.l.updater.shouldUpdate, Reregister: s.l.updater.shouldReregister}
}

// CmdAndPort is the command of a process and the port that it serves on: a model
// server, or for any other server type the proxy (agent_base.py:28).
func CmdAndPort(e *env.Env, conf *AgentConfig, confPath, serverType, configFile OptString) (string, OptInt, error) {
	switch serverType.V {
	case ServerPS, ServerEntry, ServerDense:
		return conf.CmdAndPort(tfsBinary, serverType, configFile)
	}
	if !confPath.Set {
		return "", OptInt{}, pysem.Raise("TypeError", "expected str, bytes or os.PathLike object, not NoneType")
	}
	return proxyCommand(e, conf, confPath.V), conf.ProxyPort, nil
}

// IsAbs says whether a path is absolute, as os.path.isabs does once utils.py was
// imported: one on HDFS is (utils.py:61).
func IsAbs(path string) bool {
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, "hdfs:/")
}
