package jsonmodel

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	example "github.com/monosim/monosim/engine/proto/monolith/io/proto"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// predictions serves PredictionService like the Rust port's tfserving_server.rs. A request holds
// examples in a serialized message, as the input example_batch_row_major or example. The scores
// come from the primary server and have the shape [examples, 1]. Only Predict is implemented.
type predictions struct {
	apis.UnimplementedPredictionServiceServer
	primary apis.PredictionServiceClient
	// model and signature are the model's names on the primary server.
	model, signature string
}

const inputExample = "example"

func (p *predictions) Predict(ctx context.Context, r *apis.PredictRequest) (*apis.PredictResponse, error) {
	examples, err := examplesOf(r)
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "Invalid PredictRequest: Prediction failed: %v", err)
	}
	input := &framework.TensorProto{
		Dtype:       framework.DataType_DT_STRING,
		TensorShape: &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: int64(len(examples))}}},
	}
	for _, e := range examples {
		if !hasIDs(e) {
			return nil, status.Error(codes.InvalidArgument, "Example has no usable features")
		}
		row, err := proto.MarshalOptions{Deterministic: true}.Marshal(e)
		if err != nil {
			return nil, status.Errorf(codes.Internal, "Predict failed: %v", err)
		}
		input.StringVal = append(input.StringVal, row)
	}
	response, err := p.primary.Predict(ctx, &apis.PredictRequest{
		ModelSpec: &apis.ModelSpec{Name: p.model, SignatureName: p.signature}, Inputs: map[string]*framework.TensorProto{inputExamples: input},
	})
	if err != nil {
		return nil, status.Errorf(codes.Internal, "Predict failed: %s", status.Convert(err).Message())
	}
	return &apis.PredictResponse{ModelSpec: r.ModelSpec, Outputs: map[string]*framework.TensorProto{outputScores: response.Outputs[outputScores]}}, nil
}

// examplesOf decodes the examples of a request. A request without examples is an error.
func examplesOf(r *apis.PredictRequest) ([]*example.Example, error) {
	if input, ok := r.Inputs[inputExamples]; ok {
		batch := &example.ExampleBatchRowMajor{}
		if err := decode(input, batch, "ExampleBatchRowMajor"); err != nil {
			return nil, err
		}
		if len(batch.Example) == 0 {
			return nil, errors.New("example_batch_row_major is empty")
		}
		return batch.Example, nil
	}
	if input, ok := r.Inputs[inputExample]; ok {
		one := &example.Example{}
		return []*example.Example{one}, decode(input, one, "Example")
	}
	return nil, errors.New("Missing input tensor: example_batch_row_major or example")
}

// decode decodes a message from a tensor's content or its first string. name names the message in
// errors.
func decode(tensor *framework.TensorProto, message proto.Message, name string) error {
	if tensor.GetDtype() != framework.DataType_DT_STRING {
		return errors.New("Input tensor must be DT_STRING")
	}
	data := tensor.GetTensorContent()
	if len(tensor.GetStringVal()) > 0 {
		data = tensor.GetStringVal()[0]
	} else if len(data) == 0 {
		return errors.New("Input tensor contains no bytes")
	}
	if err := proto.Unmarshal(data, message); err != nil {
		return fmt.Errorf("Failed to decode %s: %w", name, err)
	}
	return nil
}

// hasIDs reports whether any column of an example has feature ids. Integers count as ids.
func hasIDs(e *example.Example) bool {
	for _, column := range e.NamedFeature {
		f := column.GetFeature()
		n := len(f.GetFidV1List().GetValue()) + len(f.GetFidV2List().GetValue()) + len(f.GetInt64List().GetValue())
		for _, lists := range []*example.FidLists{f.GetFidV1Lists(), f.GetFidV2Lists()} {
			for _, list := range lists.GetList() {
				n += len(list.GetValue())
			}
		}
		if n > 0 {
			return true
		}
	}
	return false
}

func (p *predictions) Classify(context.Context, *apis.ClassificationRequest) (*apis.ClassificationResponse, error) {
	return nil, notImplemented("classify")
}

func (p *predictions) Regress(context.Context, *apis.RegressionRequest) (*apis.RegressionResponse, error) {
	return nil, notImplemented("regress")
}

func (p *predictions) MultiInference(context.Context, *apis.MultiInferenceRequest) (*apis.MultiInferenceResponse, error) {
	return nil, notImplemented("multi_inference")
}

func (p *predictions) GetModelMetadata(context.Context, *apis.GetModelMetadataRequest) (*apis.GetModelMetadataResponse, error) {
	return nil, notImplemented("get_model_metadata")
}

func notImplemented(call string) error {
	return status.Errorf(codes.Unimplemented, "%s is not implemented", call)
}
