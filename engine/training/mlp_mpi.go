package training

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// mpiRankVariable is what MPI gives the processes of a job.
const mpiRankVariable = "OMPI_COMM_WORLD_RANK"

// mpiRule sets what is printed of a process that fails apart.
var mpiRule = strings.Repeat("*", 53) + "\n"

// MPI is what the end of a job needs of MPI.
type MPI interface {
	// Abort ends all processes of the job. Without MPI's library it is an error.
	Abort(status int) error
}

// MPIExceptionHook ends a job when one of its processes fails (mlp_utils.py:295).
type MPIExceptionHook struct {
	rank string
	mpi  MPI
	// print writes to the standard error.
	print func(text string)
}

// NewMPIExceptionHook makes the hook of a process; nil where MPI did not start it.
func NewMPIExceptionHook(host env.Host, mpi MPI, print func(text string)) *MPIExceptionHook {
	rank, ok := host.LookupEnv(mpiRankVariable)
	if !ok {
		return nil
	}
	return &MPIExceptionHook{rank: rank, mpi: mpi, print: print}
}

// Failed prints what ended the process and aborts the job. A job that cannot be aborted hangs,
// which is printed, and the error is the reason. A rank that is no number is a ValueError, after
// the job was aborted.
func (h *MPIExceptionHook) Failed(cause error) error {
	failed := h.tell(cause)
	if err := h.mpi.Abort(1); err != nil {
		h.print(mpiRule + "Sorry, we failed to stop MPI, this process will hang.\n" + mpiRule)
		return err
	}
	return failed
}

func (h *MPIExceptionHook) tell(cause error) error {
	h.print("\n" + mpiRule)
	n, err := pysem.ParseInt(h.rank)
	if err != nil {
		return err
	}
	h.print("Uncaught exception was detected on rank " + pysem.Str(pysem.Int(n)) + ". \n" + cause.Error() + "\n" + mpiRule + "\n\n\n")
	h.print("Calling MPI_Abort() to shut down MPI processes...\n")
	return nil
}

// TraceOptions are what TensorFlow's profiler is asked for.
type TraceOptions struct {
	HostTracerLevel, PythonTracerLevel, DeviceTracerLevel int
	// DelayMs is how long it waits, and how long it traces.
	DelayMs int
}

// DefaultTraceOptions returns the reference's (mlp_utils.py:274).
func DefaultTraceOptions() TraceOptions {
	return TraceOptions{HostTracerLevel: 2, DeviceTracerLevel: 1, DelayMs: 10000}
}

// Where traces go (mlp_utils.py:278).
const (
	traceDirVariable = "TENSORBOARD_LOG_PATH"
	traceDirDefault  = "/tensorboard_logs/"
)

// ProfilerTrace has the profiler trace a process, or all of a role where the index is negative
// (mlp_utils.py:271). A role whose addresses are not known is no service at all, and a process
// whose address is not known is asked for under the name None.
func (p *MLPProcess) ProfilerTrace(role string, index int, o TraceOptions) error {
	dir := p.get(traceDirVariable).Or(traceDirDefault)
	if index >= 0 {
		addr, err := p.Addr(pysem.Some(role), pysem.Some(index))
		if err != nil {
			return err
		}
		return p.service.Trace("grpc://"+addr.String(), dir, o)
	}
	addrs := p.AllAddrs(pysem.Some(role))
	for i, a := range addrs {
		addrs[i] = "grpc://" + a
	}
	return p.service.Trace(strings.Join(addrs, ","), dir, o)
}
