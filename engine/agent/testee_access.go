package agent

import "github.com/monosim/monosim/engine/env"

// This file opens single functions to runners that answer single operations; the
// agents use them from within.

// ReplicaIDFromPodName is the replica id of a container that is told none
// (utils.py:1128).
func ReplicaIDFromPodName(e *env.Env) int { return replicaIDFromPodName(e) }

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
