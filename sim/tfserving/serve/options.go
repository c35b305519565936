package serve

import (
	"io"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving"
)

// DefaultHost is the address on which a server listens by default. Upstream listens on all
// addresses. A simulated server authenticates nobody, so it only accepts connections from this
// machine (TFS-9.5).
const DefaultHost = "127.0.0.1"

// Options configures a served process.
type Options struct {
	// Machine configures the simulated model server itself.
	Machine tfserving.Options
	// Host is the address to listen on; "" means DefaultHost.
	Host string
	// AnyPort replaces each configured port by a free one, which Ports returns. A port of 0 stays
	// closed, as in upstream.
	AnyPort bool
	// Speed is how many times as fast as wall time the simulated time runs; 0 means 1. Clients'
	// deadlines stay in wall time.
	Speed float64
	// Seed seeds the random choices where upstream's behaviour is not defined: the order of models
	// in a tick, and the times of unloads. 0 takes the default of each choice.
	Seed uint64
	// Store is the local directory for URIs: hdfs://a/b is read from Store/hdfs/a/b. If it is "",
	// only file:// URIs can be read.
	Store string
	// PredictThreads limits how many inference requests are executed at once; 0 means no limit.
	// Further requests wait in the order of arrival.
	PredictThreads int
	// PredictItemTime is added to the cost model's PredictTime for each item of a Predict. The
	// number of items is the first dimension of the inputs. If request times are drawn from a
	// distribution, the drawn time grows by the same factor as PredictTime. PredictTime must be
	// above 0.
	PredictItemTime time.Duration
	// Timings adds the trailers TrailerWaited and TrailerWorked to gRPC answers of
	// PredictionService. They say how long the request waited for a thread and how long a thread
	// executed it, in nanoseconds.
	Timings bool
	// PredictFault is the error of every inference request; nil for none.
	PredictFault *env.RPCError

	// Log receives the log lines; nil drops them.
	Log io.Writer

	// OnEvent, if set, is called at every change of a servable's state, in order, before a status
	// request can see the change. Inference requests may reach a version just before it is
	// announced as AVAILABLE, as in upstream. OnEvent must not call the server.
	OnEvent func(tfserving.Event)

	// now replaces the wall clock of log lines, for tests.
	now func() time.Time
	// onDisk, if set, wraps the disk for each access, for tests.
	onDisk func(tfserving.Storage) tfserving.Storage
}

// storage returns the disk for a single call of Look.
func (o *Options) storage() tfserving.Storage {
	d := &disk{store: o.Store}
	if o.onDisk == nil {
		return d
	}
	return o.onDisk(d)
}

// Ports holds the open TCP ports of a process; 0 means that a port is closed.
type Ports struct {
	GRPC int `json:"grpc"`
	REST int `json:"rest"`
	// Admin is the port of the admin interface for faults; 0 if none was opened.
	Admin int `json:"admin,omitempty"`
}
