package tfserving

import (
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/infer"
)

// Inference is a request of PredictionService that a model works on. It is in
// flight, and with it the serving map (TFS-2.3), until End.
type Inference struct {
	handle  Handle
	latency time.Duration
	limit   time.Duration // 0: none
	run     infer.Run
}

// Begin resolves a request, checks it and puts it in flight. The request is a
// *apis.PredictRequest, *apis.ClassificationRequest, *apis.RegressionRequest or
// *apis.MultiInferenceRequest; it must not change until Run has returned.
func (s *Server) Begin(request proto.Message) (*Inference, error) {
	s.timers.CatchUp()
	return s.reader.Begin(request)
}

// Begin resolves a request, checks it and puts it in flight, for the requests and under
// the terms of [Server.Begin]. Any thread may call it once the Reader is shared.
func (r *Reader) Begin(request proto.Message) (*Inference, error) {
	spec, err := r.server.specOf(request)
	if err != nil {
		return nil, err
	}
	handle, err := r.acquire(SpecValue(spec))
	if err != nil {
		return nil, err
	}
	run, err := handle.Bundle().model.Begin(request)
	fault, slow := r.condition()
	if err == nil && fault != nil {
		err = fault
	}
	if err != nil {
		handle.Release()
		return nil, err
	}
	return &Inference{handle: handle, latency: r.latency(slow), run: run}, nil
}

// specOf is the model_spec of a request; a MultiInferenceRequest goes where its
// first task does (servables/tensorflow/multi_inference_helper.cc).
func (s *Server) specOf(request proto.Message) (*apis.ModelSpec, error) {
	var spec *apis.ModelSpec
	switch r := request.(type) {
	case *apis.PredictRequest:
		if s.fake != nil {
			return nil, statusf(env.Internal, "Failed to serialize response!")
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
		return nil, statusf(env.Unimplemented, "")
	}
	if spec == nil && s.fake == nil {
		return nil, errMissingSpec()
	}
	return spec, nil
}

// Model is the name of the model that works on the request.
func (i *Inference) Model() string { return i.handle.Model() }

// Version is the version of Model that works on the request.
func (i *Inference) Version() int64 { return i.handle.Version() }

// Latency is how long the request takes from Begin on (TFS-18.1).
func (i *Inference) Latency() time.Duration { return i.latency }

// Limit gives the request the time that its RPC has left, in whole milliseconds;
// nothing left is no limit (RunOptions.timeout_in_ms). Call it before Run.
//
// A request that takes longer is not cut short: the runtime waits for what it
// began and answers DEADLINE_EXCEEDED then (TFS-12.2, tensorflow/serving#1265).
func (i *Inference) Limit(d time.Duration) { i.limit = max(d.Truncate(time.Millisecond), 0) }

// ErrTimedOut is what the runtime answers when its time was over (tensorflow
// core/common_runtime/direct_session.cc, WaitForNotification).
var ErrTimedOut = &env.RPCError{Code: env.DeadlineExceeded, Message: "Timed out waiting for notification"}

// Run computes the response. It reads nothing that changes: it may be called on
// any thread, at the same time as anything else.
func (i *Inference) Run() (proto.Message, error) {
	if i.limit > 0 && i.latency > i.limit {
		return nil, ErrTimedOut
	}
	response, err := i.run()
	if err != nil {
		return nil, err
	}
	return response, nil
}

// End takes the request out of flight; call it once, after Latency.
func (i *Inference) End() { i.handle.Release() }
