package serve

import (
	"io"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving"
)

// DefaultHost is the address on which a server listens by default. Upstream listens on all
// addresses. A simulated server cannot tell friends from others, so it keeps to this machine
// (TFS-9.5).
const DefaultHost = "127.0.0.1"

// Options configures a served process.
type Options struct {
	// Machine is the model server itself.
	Machine tfserving.Options
	// Host is the address to listen on; empty is DefaultHost.
	Host string
	// AnyPort replaces every port other than 0 by a free one; Ports returns which. A port of 0
	// stays closed, as in upstream.
	AnyPort bool
	// Speed is how many times as fast as the wall clock time passes; 0 means 1. The deadlines
	// of clients stay in wall time.
	Speed float64
	// Seed draws what upstream leaves open: the order of models in a tick, and the times of
	// unloads. 0 takes the default of each choice.
	Seed uint64
	// Store is the directory with the files of URIs: hdfs://a/b is Store/hdfs/a/b. Without it
	// only file:// can be read.
	Store string
	// PredictThreads is how many requests to models are worked on at once. The others wait in
	// order of arrival. 0 is no limit.
	PredictThreads int
	// PredictItemTime is by how much each item of a Predict lengthens the cost model's
	// PredictTime. Items are counted by the first dimension of the inputs. A drawn time grows
	// in proportion. It needs a PredictTime above 0.
	PredictItemTime time.Duration
	// Timings adds the trailers TrailerWaited and TrailerWorked to answers of
	// PredictionService by gRPC. They say how long the request waited and was worked on, in
	// nanoseconds.
	Timings bool
	// PredictFault is the error of every request to a model; nil for none.
	PredictFault *env.RPCError

	// Log takes the log lines; nil drops them.
	Log io.Writer

	// OnEvent, when set, is called at every change of a servable's state, in order, before any
	// status request can see it. Requests to models may reach a version just before it is
	// announced as AVAILABLE, as in upstream. OnEvent must not call the server.
	OnEvent func(tfserving.Event)

	// now replaces the wall clock of log lines, for tests.
	now func() time.Time
	// onDisk, when set, wraps the disk for each look at it.
	onDisk func(tfserving.Storage) tfserving.Storage
}

// storage returns the disk for one look at it.
func (o *Options) storage() tfserving.Storage {
	d := &disk{store: o.Store}
	if o.onDisk == nil {
		return d
	}
	return o.onDisk(d)
}

// Ports has the TCP ports of a process; 0 is a closed one.
type Ports struct {
	GRPC int `json:"grpc"`
	REST int `json:"rest"`
	// Admin is the port of the interface for faults, 0 where none was asked for.
	Admin int `json:"admin,omitempty"`
}
