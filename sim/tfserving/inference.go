package tfserving

import (
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// Inference is a request of PredictionService that a model works on. It is in
// flight, and with it the serving map (TFS-2.3), until End.
type Inference struct {
	server  *Server
	handles []Handle
	run     func() (proto.Message, error)
}

// Begin resolves a request, checks it and puts it in flight. The request is a
// *apis.PredictRequest; it must not change until Run has returned.
func (s *Server) Begin(request proto.Message) (*Inference, error) {
	switch r := request.(type) {
	case *apis.PredictRequest:
		return s.beginPredict(r)
	}
	return nil, statusf(env.Unimplemented, "")
}

// Latency is how long the request takes from now (TFS-18.1).
func (i *Inference) Latency() time.Duration { return i.server.PredictTime() }

// Run computes the response. It reads nothing that changes: it may be called on
// any thread, at the same time as anything else.
func (i *Inference) Run() (proto.Message, error) { return i.run() }

// End takes the request out of flight; call it once, after Latency.
func (i *Inference) End() {
	for _, h := range i.handles {
		h.Release()
	}
}

func (s *Server) beginPredict(r *apis.PredictRequest) (*Inference, error) {
	p, err := s.Predict(predictRequestFromProto(r))
	if err != nil {
		return nil, err
	}
	return &Inference{server: s, handles: []Handle{p.Handle}, run: func() (proto.Message, error) {
		response := &apis.PredictResponse{
			ModelSpec: resolvedSpec(p.Handle, p.Signature),
			Outputs:   make(map[string]*framework.TensorProto, len(p.Outputs)),
		}
		for _, alias := range p.Outputs {
			response.Outputs[alias] = &framework.TensorProto{}
		}
		return response, nil
	}}, nil
}
