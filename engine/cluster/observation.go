package cluster

import "time"

// Observation is one thing that happened in a cluster. A run's observations are in
// the order in which they happened.
type Observation struct {
	// At is the cluster time, counted from the start of the run.
	At time.Duration
	// Pod is who did it: the name of a pod, "zookeeper" or "operator".
	Pod string
	// Op names what was done: "zookeeper.create", "modelserver.state",
	// "process.start", "log.error" and the like.
	Op string
	// Path is what it was done to: a znode, "<model>/<version>", a program, or the
	// process that logged a line.
	Path string
	// Note is what else there is to say, in a few words: the flags of a program, an
	// exit code, a state, an error. It may be empty.
	Note string

	// What follows is zero but in a run with Spec.Detail.

	// Peer is the other side of a call: the name of a pod or an address.
	Peer string
	// Data is what a write put into a znode.
	Data string
	// Took is how long it took: it began that long before At.
	Took time.Duration
	// ID tells things of a pod apart that have a life: it is the pid of a process, also
	// of that which logged a line or whose model changed its state, or a session's id.
	ID int64
	// Cause is the number, counted from 1, of the latest earlier observation of the run
	// that led to this one by way of messages, timers and tasks; 0 for none.
	Cause int
}
