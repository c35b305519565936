package training

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// mpiRankVariable is the variable with the rank that MPI gives each process of a job.
const mpiRankVariable = "OMPI_COMM_WORLD_RANK"

// mpiRule is the line printed before and after the output of a failed process.
var mpiRule = strings.Repeat("*", 53) + "\n"

// MPI is the part of MPI that can end a job.
type MPI interface {
	// Abort ends all processes of the job. It returns an error if MPI's library is missing.
	Abort(status int) error
}

// MPIExceptionHook ends a job if one of its processes fails (mlp_utils.py:295).
type MPIExceptionHook struct {
	rank string
	mpi  MPI
	// print writes text to standard error.
	print func(text string)
}

// NewMPIExceptionHook returns the hook of a process, or nil if MPI did not start the process.
func NewMPIExceptionHook(e *env.Env, mpi MPI, print func(text string)) *MPIExceptionHook {
	rank, ok := e.Host.LookupEnv(mpiRankVariable)
	if !ok {
		return nil
	}
	e.Log.Logf(env.Info, "add_mpi_exception_hook")
	return &MPIExceptionHook{rank: rank, mpi: mpi, print: print}
}

// Failed prints the error that ended the process and aborts the job. If the abort fails, Failed
// prints that this process will hang, and returns the abort's error. A rank that is not a number
// raises a ValueError after the job was aborted.
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

// TraceOptions holds the options of TensorFlow's profiler.
type TraceOptions struct {
	HostTracerLevel, PythonTracerLevel, DeviceTracerLevel int
	// DelayMs is the delay before the trace, DurationMs is the trace's length.
	DelayMs int
}

// DefaultTraceOptions returns the reference's options (mlp_utils.py:274).
func DefaultTraceOptions() TraceOptions {
	return TraceOptions{HostTracerLevel: 2, DeviceTracerLevel: 1, DelayMs: 10000}
}

// These determine the directory for traces (mlp_utils.py:278).
const (
	traceDirVariable = "TENSORBOARD_LOG_PATH"
	traceDirDefault  = "/tensorboard_logs/"
)

// ProfilerTrace makes the profiler trace a process, or all processes of a role if index is negative
// (mlp_utils.py:271). If a role's addresses are unknown, the list of services is empty. If a
// process's address is unknown, its service is called None.
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
