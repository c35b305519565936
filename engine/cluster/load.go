package cluster

import "time"

// Load is what a cluster holds at an instant, and what was asked of its ZooKeeper up to
// then.
type Load struct {
	ZooKeeper ZooKeeperLoad
	// ModelServers are those that run, pod by pod.
	ModelServers []ModelServerLoad
}

// ZooKeeperLoad is the load of the server. What was asked counts from the start of the
// run; pings do not count, nor do the answers of an outage, of which there are none.
type ZooKeeperLoad struct {
	// Up is whether it serves: it runs, and has a leader.
	Up                        bool
	Connections, Sessions     int
	Znodes                    int
	ZnodeBytes                int64 // of their data and paths
	DataWatches, ChildWatches int
	// Asked is what pods asked for, also by operation, by the first two parts of the
	// path, and by pod. Operator is what the operator did, which is in none of these.
	Asked, Operator     Flow
	ByOp, ByPath, ByPod map[string]Flow
	// PeakRequests is the most that pods have asked for in one second of the clock, which
	// was that from PeakAt.
	PeakRequests uint64
	PeakAt       time.Duration
}

// Flow is how much has gone through. Bytes of requests and answers are those of the wire.
type Flow struct {
	Requests uint64 `json:"requests"`
	// Events are notifications of watches.
	Events   uint64 `json:"events"`
	BytesIn  uint64 `json:"bytes_in"`
	BytesOut uint64 `json:"bytes_out"`
}

// ModelServerLoad is what a model server holds.
type ModelServerLoad struct {
	Pod, Kind string
	// ResidentBytes is its memory now, PeakBytes the most that it had since it started.
	ResidentBytes, PeakBytes int64
}
