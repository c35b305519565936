package tfserving

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/infer"
)

// PredictRequest is a tensorflow.serving.PredictRequest without the values of its
// tensors.
type PredictRequest struct {
	Spec         *env.ModelSpec // nil when the request has none
	Inputs       []string       // aliases
	OutputFilter []string
}

// Prediction is the answer to a Predict, without the values of its tensors. It is in
// flight until its Handle is released, which the caller does after the time it takes
// (Server.PredictTime).
type Prediction struct {
	Handle    Handle
	Signature string
	Outputs   []string // aliases
}

// ErrBatchQueueFull is the fault of a server with too many requests, in
// TensorFlow's words (TFS-12.2).
var ErrBatchQueueFull = &env.RPCError{
	Code:    env.Unavailable,
	Message: "The batch scheduling queue to which this task was submitted is full",
}

// FailPredicts makes every request of PredictionService that passes the checks
// fail with err, until it is called with nil.
func (s *Server) FailPredicts(err *env.RPCError) { s.reader.setFault(err) }

// Predict resolves and checks a request and puts it in flight (TFS-12.2). The error is
// an *env.RPCError in the words of the profile's server.
func (s *Server) Predict(request PredictRequest) (Prediction, error) {
	if s.fake != nil {
		return Prediction{}, statusf(env.Internal, "Failed to serialize response!")
	}
	if request.Spec == nil {
		return Prediction{}, errMissingSpec()
	}
	handle, err := s.Acquire(*request.Spec)
	if err != nil {
		return Prediction{}, err
	}
	prediction := Prediction{Handle: handle, Signature: infer.SignatureName(request.Spec.Signature)}
	failure := handle.Bundle().check(&prediction, request)
	if failure == nil {
		failure, _ = s.reader.condition()
	}
	if failure != nil {
		handle.Release()
		return Prediction{}, failure
	}
	return prediction, nil
}

// Acquire finds the version that a request goes to and keeps it in use until Release
// (TFS-12.1). The error is an *env.RPCError when no such version is served.
func (s *Server) Acquire(spec env.ModelSpec) (Handle, error) {
	s.timers.CatchUp()
	return s.reader.acquire(spec)
}

func servableNotFound(name string, version int64, latest bool) *env.RPCError {
	if latest {
		return statusf(env.NotFound, "Servable not found for request: Latest(%s)", name)
	}
	return statusf(env.NotFound, "Servable not found for request: Specific(%s, %d)", name, version)
}

// check compares the request with the signature and sets the outputs of the
// prediction.
func (b *Bundle) check(p *Prediction, request PredictRequest) *env.RPCError {
	signature, err := b.model.Signature(p.Signature)
	if err != nil {
		return err
	}
	p.Outputs = request.OutputFilter
	if signature != nil {
		if err := b.model.CheckInputs(signature, request.Inputs); err != nil {
			return err
		}
		if p.Outputs, err = b.model.SelectOutputs(signature, request.OutputFilter); err != nil {
			return err
		}
	}
	return b.model.Unready
}
