package serve

import (
	"io"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving"
)

// DefaultHost is where a server listens unless told otherwise. Upstream listens
// on all addresses; a simulated server has no secrets to tell friends from
// others, so it keeps to this machine (TFS-9.5).
const DefaultHost = "127.0.0.1"

// Options are what a served process is started with.
type Options struct {
	// Machine is the model server itself.
	Machine tfserving.Options
	// Host is the address to listen on; empty is DefaultHost.
	Host string
	// AnyPort has every port that is not 0 replaced by one that is free; Ports
	// tells which. A port of 0 stays closed, as upstream.
	AnyPort bool
	// Speed makes time pass that much faster than the wall clock; 0 means 1. The
	// deadlines of clients stay as they are.
	Speed float64
	// Seed draws what upstream leaves open: the order of models in a tick, times
	// of unloads. 0 takes the default of each choice.
	Seed uint64
	// Store is the directory with the files of URIs: hdfs://a/b is Store/hdfs/a/b.
	// Without it only file:// can be read.
	Store string
	// PredictThreads is how many requests to models are worked on at once; the others wait,
	// first come first served. 0 is any number.
	PredictThreads int
	// PredictItemTime is by how much each item of a Predict, of the first dimension of its
	// inputs, lengthens the time PredictTime of the cost model; what its law draws grows in
	// proportion. It wants a PredictTime above 0.
	PredictItemTime time.Duration
	// Timings has answers of PredictionService by gRPC say, in the trailers TrailerWaited and
	// TrailerWorked, how long the request waited and was worked on, in nanoseconds.
	Timings bool
	// PredictFault is what every request to a model fails with, if anything.
	PredictFault *env.RPCError

	// Log takes the log lines, nil drops them.
	Log io.Writer
	// OnEvent, when set, is told of every change of a servable's state, in order
	// and before any status request can see it. Requests to models may go to a
	// version just before it is told to be AVAILABLE, as upstream's do. It must not
	// call the server.
	OnEvent func(tfserving.Event)

	// now replaces the wall clock of log lines.
	now func() time.Time
	// onDisk, when set, gives looks at the disk another one.
	onDisk func(tfserving.Storage) tfserving.Storage
}

// storage is the disk, for one look.
func (o *Options) storage() tfserving.Storage {
	d := &disk{store: o.Store}
	if o.onDisk == nil {
		return d
	}
	return o.onDisk(d)
}

// Ports are the TCP ports of a process; 0 is one that is not open.
type Ports struct {
	GRPC int `json:"grpc"`
	REST int `json:"rest"`
	// Admin is that of the interface for faults, 0 where none was asked for.
	Admin int `json:"admin,omitempty"`
}
