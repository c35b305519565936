package bench

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
)

// statusCall returns the call that asks for the versions of the models, one model after
// another.
func statusCall(models int) (Call, error) {
	call := Call{Name: "GetModelStatus", Method: apis.ModelService_GetModelStatus_FullMethodName, Check: checkStatus}
	for n := range models {
		err := call.add(&apis.GetModelStatusRequest{ModelSpec: &apis.ModelSpec{Name: modelName(n)}})
		if err != nil {
			return Call{}, err
		}
	}
	return call, nil
}

// add appends a request.
func (c *Call) add(request proto.Message) error {
	message, err := proto.MarshalOptions{Deterministic: true}.Marshal(request)
	c.Requests = append(c.Requests, Frame(message))
	return err
}

// checkStatus checks that the answer has exactly one version and that it is AVAILABLE.
func checkStatus(_ int, answer []byte) error {
	var got apis.GetModelStatusResponse
	if err := proto.Unmarshal(answer, &got); err != nil {
		return err
	}
	want := &apis.GetModelStatusResponse{ModelVersionStatus: []*apis.ModelVersionStatus{{
		Version: modelVersion, State: apis.ModelVersionStatus_AVAILABLE, Status: &util.StatusProto{},
	}}}
	if !proto.Equal(&got, want) {
		return fmt.Errorf("got %v, want %v", &got, want)
	}
	return nil
}

// predictCall returns the call that asks the models for a score, one model after another.
// Each model gets different inputs.
func predictCall(models int) (Call, error) {
	answers := &scores{first: make([]*apis.PredictResponse, models)}
	call := Call{Name: "Predict (1 KiB)", Method: apis.PredictionService_Predict_FullMethodName, Check: answers.check}
	for n := range models {
		row := make([]byte, 0, 4*inputs)
		for i := range inputs {
			row = binary.LittleEndian.AppendUint32(row, math.Float32bits(float32(n)+float32(i)/inputs))
		}
		err := call.add(&apis.PredictRequest{
			ModelSpec: &apis.ModelSpec{Name: modelName(n)},
			Inputs: map[string]*framework.TensorProto{inputAlias: {
				Dtype: framework.DataType_DT_FLOAT, TensorShape: shapeOf(1, inputs), TensorContent: row,
			}},
		})
		if err != nil {
			return Call{}, err
		}
	}
	return call, nil
}

// scores holds the first answer to each request. Later answers have to be equal.
type scores struct {
	mu    sync.Mutex
	first []*apis.PredictResponse
}

// check checks that an answer has one score, and the same as the first answer to this request.
func (s *scores) check(index int, answer []byte) error {
	got := &apis.PredictResponse{}
	if err := proto.Unmarshal(answer, got); err != nil {
		return err
	}
	spec := &apis.ModelSpec{
		Name: modelName(index), SignatureName: signature,
		VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(modelVersion)},
	}
	score := got.GetOutputs()[outputAlias]
	const floatBytes = 4
	switch values := len(score.GetFloatVal()) + len(score.GetTensorContent())/floatBytes; {
	case !proto.Equal(got.GetModelSpec(), spec):
		return fmt.Errorf("got the spec %v, want %v", got.GetModelSpec(), spec)
	case len(got.GetOutputs()) != 1 || score.GetDtype() != framework.DataType_DT_FLOAT || values != 1 ||
		!proto.Equal(score.GetTensorShape(), shapeOf(1)):
		return fmt.Errorf("got the outputs %v, want one float of shape [1] as %s", got.GetOutputs(), outputAlias)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first[index] == nil {
		s.first[index] = got
	} else if !proto.Equal(s.first[index], got) {
		return fmt.Errorf("got %v, and before %v to the same request", got, s.first[index])
	}
	return nil
}
