package cluster

import "time"

// Observation is one thing that happened in a cluster. A run's observations are in
// the order in which they happened.
type Observation struct {
	// At is the cluster time, counted from the start of the run.
	At time.Duration
	// Pod says who did it: the name of a pod, "zookeeper" or "operator".
	Pod string
	// Op names the action, such as "zookeeper.create", "modelserver.state", "process.start" or
	// "log.error".
	Op string
	// Path names the object of the action: a znode, "<model>/<version>", a program, or the process
	// that logged a line.
	Path string
	// Note gives details in a few words: the flags of a program, an exit code, a state, an error.
	// It may be empty.
	Note string

	// The fields below are set only in a run with Spec.Detail.

	// Peer is the other side of a call: the name of a pod or an address.
	Peer string
	// Data is the data that a write stored in a znode.
	Data string
	// Took is the duration of the action, which ended at At.
	Took time.Duration
	// ID is the pid of the process, or the id of the session, that the observation is about. Log
	// lines and changed model states have it, too, because it tells apart processes of the same
	// name.
	ID int64
	// Cause is the number, from 1, of the latest earlier observation that led to this one through
	// messages, timers and tasks. It is 0 if there is none.
	Cause int
}
