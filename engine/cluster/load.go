package cluster

import "time"

// Load describes what a cluster holds at one moment, and the requests to its ZooKeeper up to then.
type Load struct {
	ZooKeeper ZooKeeperLoad
	// ModelServers lists the running model servers, pod by pod.
	ModelServers []ModelServerLoad
}

// ZooKeeperLoad is the load of the ZooKeeper server. Requests are counted from the start of the
// run. Pings do not count, nor do requests during an outage, which get no answer.
type ZooKeeperLoad struct {
	// Up means that the server serves: it runs and has a leader.
	Up                        bool
	Connections, Sessions     int
	Znodes                    int
	ZnodeBytes                int64 // bytes of the znodes' data and paths
	DataWatches, ChildWatches int
	// Asked counts the requests of pods. ByOp, ByPath and ByPod divide them by operation, by the
	// first two parts of the path, and by pod. Operator counts the operator's own requests, which
	// are neither in Asked nor in these maps.
	Asked, Operator     Flow
	ByOp, ByPath, ByPod map[string]Flow
	// PeakRequests is the largest number of requests of pods in one second of the clock. PeakAt is
	// when that second began.
	PeakRequests uint64
	PeakAt       time.Duration
}

// Flow counts requests, watch events and bytes. The bytes are those of messages on the wire.
type Flow struct {
	Requests uint64 `json:"requests"`
	// Events counts the notifications of watches.
	Events   uint64 `json:"events"`
	BytesIn  uint64 `json:"bytes_in"`
	BytesOut uint64 `json:"bytes_out"`
}

// ModelServerLoad is the memory of one model server.
type ModelServerLoad struct {
	Pod, Kind string
	// ResidentBytes is the present memory of the process. PeakBytes is the most memory since its
	// start.
	ResidentBytes, PeakBytes int64
}
