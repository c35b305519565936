package tfserving

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// fakeMethod answers the bytes of a request. A nil message is Python's None.
type fakeMethod func(f *fake, request []byte) (proto.Message, *env.RPCError)

const predictionService = "/tensorflow.serving.PredictionService/"

// fakeMethods are the methods that the reference registers; the servicers have
// those that it leaves out as well (TFS-17.1 items 20 and 23).
var fakeMethods = map[string]fakeMethod{
	MethodStatus:                         decodes((*fake).callStatus),
	MethodReload:                         decodes((*fake).callReload),
	MethodPredict:                        decodes((*fake).callPredict),
	MethodMetadata:                       decodes((*fake).callMetadata),
	predictionService + "Classify":       decodes(unimplemented[*apis.ClassificationRequest]),
	predictionService + "Regress":        decodes(unimplemented[*apis.RegressionRequest]),
	predictionService + "MultiInference": decodes(unimplemented[*apis.MultiInferenceRequest]),
}

// CallFake answers a gRPC call to a server of the profile python-fake as
// grpc-python serves it: method is the path, request and answer are serialized
// messages. Errors are *env.RPCError with the details that a client sees.
func (s *Server) CallFake(method string, request []byte) (answer []byte, err error) {
	do, known := fakeMethods[method]
	if !known {
		return nil, statusf(env.Unimplemented, "Method not found!")
	}
	s.agenda.request(func() {
		message, failure := do(s.fake, request)
		if failure == nil && message == nil {
			failure = statusf(env.Internal, "Failed to serialize response!")
		}
		if failure != nil {
			err = failure
			return
		}
		answer, err = proto.MarshalOptions{Deterministic: true}.Marshal(message)
	})
	return answer, err
}

// decodes makes a method of what answers a message.
func decodes[M interface {
	proto.Message
	*T
}, T any](do func(f *fake, request M) (proto.Message, *env.RPCError)) fakeMethod {
	return func(f *fake, data []byte) (proto.Message, *env.RPCError) {
		request := M(new(T))
		if proto.Unmarshal(data, request) != nil {
			return nil, statusf(env.Internal, "Exception deserializing request!")
		}
		return do(f, request)
	}
}

func (f *fake) callStatus(r *apis.GetModelStatusRequest) (proto.Message, *env.RPCError) {
	spec := r.GetModelSpec()
	return StatusResponse(f.status(spec.GetName(), fakeChoiceFromProto(spec))), nil
}

func (f *fake) callReload(r *apis.ReloadConfigRequest) (proto.Message, *env.RPCError) {
	f.reload(ConfigFromProto(r.GetConfig()))
	return &apis.ReloadConfigResponse{Status: statusMessage(env.StatusProto{})}, nil
}

// callPredict returns nothing (mocked_tfserving.py:339-340).
func (f *fake) callPredict(*apis.PredictRequest) (proto.Message, *env.RPCError) { return nil, nil }

// callMetadata repeats the model_spec, an empty one for none, and has an Any without
// a type for each field (mocked_tfserving.py:342-353).
func (f *fake) callMetadata(r *apis.GetModelMetadataRequest) (proto.Message, *env.RPCError) {
	spec := r.GetModelSpec()
	if spec == nil {
		spec = &apis.ModelSpec{}
	}
	fields, err := f.fields(spec.GetName(), fakeChoiceFromProto(spec), r.GetMetadataField())
	if err != nil {
		return nil, err
	}
	response := &apis.GetModelMetadataResponse{ModelSpec: spec, Metadata: map[string]*anypb.Any{}}
	for name, value := range fields {
		response.Metadata[name] = &anypb.Any{Value: []byte(value)}
	}
	return response, nil
}

// unimplemented is what the generated servicer answers.
func unimplemented[M proto.Message](*fake, M) (proto.Message, *env.RPCError) {
	return nil, statusf(env.Unimplemented, "Method not implemented!")
}
