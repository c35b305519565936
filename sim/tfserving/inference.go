package tfserving

import (
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/answers"
	"github.com/monosim/monosim/sim/tfserving/infer"
)

// Inference is a PredictionService request in progress. Until End it holds a reference to the
// serving map, so that its version stays loaded (TFS-2.3).
type Inference struct {
	handle  Handle
	latency time.Duration
	limit   time.Duration // limit is the time left to the RPC; 0 for none
	call    *infer.Call
	batched *batched // batched is nil for a request that runs by itself
}

// Begin resolves the request's version, checks the request and starts it. The request is a
// *apis.PredictRequest, *apis.ClassificationRequest, *apis.RegressionRequest or
// *apis.MultiInferenceRequest. It must not change until Run has returned.
func (s *Server) Begin(request proto.Message) (*Inference, error) {
	s.timers.CatchUp()
	return s.reader.Begin(request)
}

// Begin does what [Server.Begin] does. Any thread may call it once the Reader is shared.
func (r *Reader) Begin(request proto.Message) (*Inference, error) {
	spec, err := r.server.specOf(request)
	if err != nil {
		return nil, err
	}
	handle, err := r.acquire(SpecValue(spec))
	if err != nil {
		return nil, err
	}
	fault, slow, script := r.condition()
	i := &Inference{handle: handle}
	err = i.prepare(request, script)
	if err == nil && fault != nil {
		err = fault
	}
	if err != nil {
		handle.Release()
		return nil, err
	}
	if i.batched == nil {
		i.latency = r.latency(slow) + i.call.Delay()
	}
	return i, nil
}

// prepare makes the checks of a request. For a batched request the runtime's checks are made later,
// for the whole batch. A request that a script answers is never batched.
func (i *Inference) prepare(request proto.Message, script *answers.Script) (err error) {
	bundle := i.handle.Bundle()
	if i.call, err = bundle.model.PrepareScripted(request, script); err != nil {
		return err
	}
	if bundle.batcher != nil && !i.call.Scripted() {
		t, failed := bundle.batcher.request(i.call)
		switch {
		case failed == infer.ErrCheck:
			return i.handle.reader.crash()
		case failed != nil:
			return failed
		case t != nil:
			i.batched = t
			return nil
		}
	}
	return asError(i.call.Check())
}

// crash ends the process because a CHECK of upstream failed. It returns the error that the client
// sees when the connection ends.
func (r *Reader) crash() error {
	r.do(func() { r.server.exit(-6, "") })
	return &env.RPCError{Code: rpcerrors.Unavailable, Message: rpcerrors.SocketClosed}
}

// do runs fn on the server's thread. It may be called from a reader's thread.
func (r *Reader) do(fn func()) {
	if r.shared {
		r.wake(fn)
	} else {
		r.server.timers.Request(fn)
	}
}

// asError converts a status to an error. A nil status becomes a nil error, not an interface with a
// nil pointer.
func asError(err *env.RPCError) error {
	if err == nil {
		return nil
	}
	return err
}

// specOf returns the model_spec of a request. For a MultiInferenceRequest it returns the model_spec
// of the first task (servables/tensorflow/multi_inference_helper.cc).
func (s *Server) specOf(request proto.Message) (*apis.ModelSpec, error) {
	var spec *apis.ModelSpec
	switch r := request.(type) {
	case *apis.PredictRequest:
		if s.fake != nil {
			return nil, statusf(rpcerrors.Internal, "Failed to serialize response!")
		}
		spec = r.GetModelSpec()
	case *apis.ClassificationRequest:
		spec = r.GetModelSpec()
	case *apis.RegressionRequest:
		spec = r.GetModelSpec()
	case *apis.MultiInferenceRequest:
		spec = &apis.ModelSpec{}
		if tasks := r.GetTasks(); len(tasks) > 0 && tasks[0].GetModelSpec() != nil {
			spec = tasks[0].GetModelSpec()
		}
	default:
		return nil, statusf(rpcerrors.Unimplemented, "")
	}
	if spec == nil && s.fake == nil {
		return nil, errMissingSpec()
	}
	return spec, nil
}

// Model returns the name of the model that answers the request.
func (i *Inference) Model() string { return i.handle.Model() }

// Version returns the version of the model that answers the request.
func (i *Inference) Version() int64 { return i.handle.Version() }

// Batched reports whether the request is computed in batches (TFS-22). A batched request must be
// started by Start, and has no Latency.
func (i *Inference) Batched() bool { return i.batched != nil }

// Start puts a batched request into its queue. When Run can return the response, done is called on
// the server's thread. If the process ends first, done is never called.
func (i *Inference) Start(done func()) {
	i.handle.reader.do(func() { i.batched.start(i.limit, done) })
}

// Latency returns how long the request takes, counted from Begin (TFS-18.1).
func (i *Inference) Latency() time.Duration { return i.latency }

// Limit sets the time until the deadline of the request's RPC, truncated to milliseconds; 0 or less
// means no limit (RunOptions.timeout_in_ms). Call it before Run.
//
// A request that takes longer is not interrupted. The runtime finishes its work and then answers
// DEADLINE_EXCEEDED (TFS-12.2, tensorflow/serving#1265).
func (i *Inference) Limit(d time.Duration) { i.limit = max(d.Truncate(time.Millisecond), 0) }

// ErrTimedOut is the runtime's answer to a request that took longer than its limit (tensorflow
// core/common_runtime/direct_session.cc, WaitForNotification).
var ErrTimedOut = &env.RPCError{Code: rpcerrors.DeadlineExceeded, Message: "Timed out waiting for notification"}

// Run computes the response. Any thread may call it at any time, because it reads only immutable
// data. For a batched request call it only after done was called.
func (i *Inference) Run() (proto.Message, error) {
	if i.batched != nil {
		return i.batched.answer()
	}
	if i.limit > 0 && i.latency > i.limit {
		return nil, ErrTimedOut
	}
	return i.call.Run()
}

// End releases the version that the request used. Call it once, after Latency has passed.
func (i *Inference) End() { i.handle.Release() }

// SetAnswers makes models answer as a script says from now on. Nil removes the script.
func (s *Server) SetAnswers(script *answers.Script) { s.reader.SetAnswers(script) }

// SetAnswers does what [Server.SetAnswers] does. Any thread may call it once the Reader is shared.
func (r *Reader) SetAnswers(script *answers.Script) { r.set(func(r *Reader) { r.script = script }) }

// FailPredicts makes every later PredictionService request that passes the checks fail with err.
// Calling it with nil ends the fault.
func (s *Server) FailPredicts(err *env.RPCError) { s.reader.set(func(r *Reader) { r.fault = err }) }

func servableNotFound(name string, version int64, latest bool) *env.RPCError {
	if latest {
		return statusf(rpcerrors.NotFound, "Servable not found for request: Latest(%s)", name)
	}
	return statusf(rpcerrors.NotFound, "Servable not found for request: Specific(%s, %d)", name, version)
}
