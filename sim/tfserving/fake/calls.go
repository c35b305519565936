package fake

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// method handles a gRPC method. request is a serialized message. A nil result stands for Python's
// None.
type method func(f *Fake, request []byte) (proto.Message, *env.RPCError)

// methods holds the gRPC methods that the reference registers, by path. The reference leaves out
// some methods of its servicers (TFS-17.1 items 20 and 23).
var methods = map[string]method{
	apis.ModelService_GetModelStatus_FullMethodName:            decodes((*Fake).callStatus),
	apis.ModelService_HandleReloadConfigRequest_FullMethodName: decodes((*Fake).callReload),
	apis.PredictionService_Predict_FullMethodName:              decodes((*Fake).callPredict),
	apis.PredictionService_GetModelMetadata_FullMethodName:     decodes((*Fake).callMetadata),
	apis.PredictionService_Classify_FullMethodName:             decodes(unimplemented[*apis.ClassificationRequest]),
	apis.PredictionService_Regress_FullMethodName:              decodes(unimplemented[*apis.RegressionRequest]),
	apis.PredictionService_MultiInference_FullMethodName:       decodes(unimplemented[*apis.MultiInferenceRequest]),
}

// Call answers a gRPC call as grpc-python serves it. method is the path; request and answer
// are serialized messages. Errors are *env.RPCError with the details that a client sees.
func (f *Fake) Call(method string, request []byte) (answer []byte, err error) {
	do, known := methods[method]
	if !known {
		return nil, statusf(rpcerrors.Unimplemented, "Method not found!")
	}
	f.timers.Request(func() {
		message, failure := do(f, request)
		if failure == nil && message == nil {
			failure = statusf(rpcerrors.Internal, "Failed to serialize response!")
		}
		if failure != nil {
			err = failure
			return
		}
		answer, err = proto.MarshalOptions{Deterministic: true}.Marshal(message)
	})
	return answer, err
}

func statusf(code rpcerrors.Code, format string, args ...any) *env.RPCError {
	return &env.RPCError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// decodes wraps a handler of a message type, so that it accepts serialized requests.
func decodes[M interface {
	proto.Message
	*T
}, T any](do func(f *Fake, request M) (proto.Message, *env.RPCError)) method {
	return func(f *Fake, data []byte) (proto.Message, *env.RPCError) {
		request := M(new(T))
		if proto.Unmarshal(data, request) != nil {
			return nil, statusf(rpcerrors.Internal, "Exception deserializing request!")
		}
		return do(f, request)
	}
}

func (f *Fake) callStatus(r *apis.GetModelStatusRequest) (proto.Message, *env.RPCError) {
	spec := r.GetModelSpec()
	return modelconfig.StatusResponse(f.Status(spec.GetName(), choiceFromProto(spec))), nil
}

func (f *Fake) callReload(r *apis.ReloadConfigRequest) (proto.Message, *env.RPCError) {
	f.Reload(modelconfig.ConfigFromProto(r.GetConfig()))
	return &apis.ReloadConfigResponse{Status: modelconfig.StatusMessage(env.StatusProto{})}, nil
}

// callPredict returns None, which grpc-python cannot serialize (mocked_tfserving.py:339-340).
func (f *Fake) callPredict(*apis.PredictRequest) (proto.Message, *env.RPCError) { return nil, nil }

// Metadata answers GetModelMetadata (TFS-17.1 item 21). It repeats the request's model_spec, or an
// empty one, and has an Any without a type for each field (mocked_tfserving.py:342-353).
func (f *Fake) Metadata(r *apis.GetModelMetadataRequest) (*apis.GetModelMetadataResponse, *env.RPCError) {
	spec := r.GetModelSpec()
	if spec == nil {
		spec = &apis.ModelSpec{}
	}
	fields, err := f.Fields(spec.GetName(), choiceFromProto(spec), r.GetMetadataField())
	if err != nil {
		return nil, err
	}
	response := &apis.GetModelMetadataResponse{ModelSpec: spec, Metadata: map[string]*anypb.Any{}}
	for name, value := range fields { //lint:ordered each name has an entry of its own
		response.Metadata[name] = &anypb.Any{Value: []byte(value)}
	}
	return response, nil
}
func (f *Fake) callMetadata(r *apis.GetModelMetadataRequest) (proto.Message, *env.RPCError) {
	response, err := f.Metadata(r)
	if err != nil {
		return nil, err
	}
	return response, nil
}

// unimplemented answers UNIMPLEMENTED, as the generated servicer does for a method that the
// reference does not define.
func unimplemented[M proto.Message](*Fake, M) (proto.Message, *env.RPCError) {
	return nil, statusf(rpcerrors.Unimplemented, "Method not implemented!")
}
