package node_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/node"
)

// wireClient sends serialized messages to a simulated server.
type wireClient struct {
	*conforming
	channel *network.Channel
}

// onWire runs fn as a client of a server that serves version 1 of model m.
func onWire(t *testing.T, fn func(c wireClient)) {
	t.Helper()
	c := newConforming(t, tfserving.Profile24)
	c.AddVersion("m", 1)
	c.must(c.StartServer())
	p := c.client.Node().NewProcess("client")
	p.Go("main", func() {
		p.Sleep(time.Second)
		fn(wireClient{c, network.NewChannel(p, c.client, c.Addr())})
	})
	c.must(c.Wait())
}

func (c wireClient) bytes(method string, request []byte) ([]byte, *env.RPCError) {
	answer, err := c.channel.Invoke(method, request, len(request), 10*time.Second)
	if err != nil {
		return nil, err
	}
	return answer.([]byte), nil
}

// call returns the response as text, or the error. The parameter request is in text format.
func (c wireClient) call(method, request string, in, out proto.Message) string {
	c.must(prototext.Unmarshal([]byte(request), in))
	data, err := proto.Marshal(in)
	c.must(err)
	answer, failure := c.bytes(method, data)
	if failure != nil {
		return failure.Error()
	}
	c.must(proto.Unmarshal(answer, out))
	text, err := prototext.MarshalOptions{}.Marshal(out)
	c.must(err)
	return string(text)
}

// Goal: every method of both services accepts serialized messages, as code for a real server sends
// them, and refuses invalid bytes.
func TestEveryMethodTakesTheBytesOfMessages(t *testing.T) {
	reload := `config { model_config_list { config { name: "m" base_path: "/models/m" model_platform: "tensorflow" } } }`
	examples := `model_spec { name: "m" } input { example_list { examples {} examples {} } }`
	spec := &apis.ModelSpec{Name: "m"}
	onWire(t, func(c wireClient) {
		if got, want := c.call(node.MethodReload, reload, &apis.ReloadConfigRequest{}, &apis.ReloadConfigResponse{}), "status:{}"; got != want {
			t.Errorf("reload: got %s, want %s", got, want)
		}
		status := &apis.GetModelStatusResponse{}
		c.call(node.MethodStatus, `model_spec { name: "m" }`, &apis.GetModelStatusRequest{}, status)
		if v := status.GetModelVersionStatus(); len(v) != 1 || v[0].GetState() != apis.ModelVersionStatus_AVAILABLE {
			t.Errorf("status: got %v, want version 1 AVAILABLE", status)
		}
		predicted := &apis.PredictResponse{}
		c.call(node.MethodPredict, `model_spec { name: "m" } output_filter: "y"`, &apis.PredictRequest{}, predicted)
		if predicted.GetModelSpec().GetVersion().GetValue() != 1 || predicted.GetOutputs()["y"] == nil {
			t.Errorf("predict: got %v, want y of version 1", predicted)
		}
		classified := &apis.ClassificationResponse{}
		c.call(node.MethodClassify, examples, &apis.ClassificationRequest{}, classified)
		if n := len(classified.GetResult().GetClassifications()); n != 2 {
			t.Errorf("classify: got %v, want two classifications", classified)
		}
		regressed := &apis.RegressionResponse{}
		c.call(node.MethodRegress, examples, &apis.RegressionRequest{}, regressed)
		if n := len(regressed.GetResult().GetRegressions()); n != 2 {
			t.Errorf("regress: got %v, want two regressions", regressed)
		}
		several := &apis.MultiInferenceResponse{}
		c.call(node.MethodMultiInference, `input { example_list { examples {} } }
			tasks { model_spec { name: "m" } method_name: "tensorflow/serving/regress" }`, &apis.MultiInferenceRequest{}, several)
		if n := len(several.GetResults()); n != 1 {
			t.Errorf("multi-inference: got %v, want one result", several)
		}
		described := &apis.GetModelMetadataResponse{}
		c.call(node.MethodMetadata, `model_spec { name: "m" } metadata_field: "signature_def"`, &apis.GetModelMetadataRequest{}, described)
		if described.GetModelSpec().GetName() != spec.Name || described.GetMetadata()["signature_def"] == nil {
			t.Errorf("metadata: got %v, want signature_def of m", described)
		}
	})
}

func TestBytesThatAreNoMessage(t *testing.T) {
	methods := []string{
		node.MethodStatus, node.MethodReload, node.MethodPredict, node.MethodClassify,
		node.MethodRegress, node.MethodMultiInference, node.MethodMetadata,
	}
	onWire(t, func(c wireClient) {
		for _, method := range methods {
			_, err := c.bytes(method, []byte("\xff\xff\xff"))
			if diff := cmp.Diff(&env.RPCError{Code: rpcerrors.Internal}, err); diff != "" {
				t.Errorf("%s (-want +got):\n%s", method, diff)
			}
		}
		if _, err := c.bytes("/tensorflow.serving.SessionService/SessionRun", nil); err == nil || err.Code != rpcerrors.Unimplemented {
			t.Errorf("a service that is not there: got %v, want UNIMPLEMENTED", err)
		}
	})
}
