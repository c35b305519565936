package jsonmodel_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	example "github.com/monosim/monosim/engine/proto/monolith/io/proto"
	pb "github.com/monosim/monosim/engine/proto/monolith/native_training/runtime/parameter_sync"
	rpc "github.com/monosim/monosim/engine/proto/monolith/parameter_sync_rpc"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/runners/serve/jsonmodel"
)

// Goal: a model is also served at two further addresses, one for pushed embeddings and one for
// predictions of examples. The Rust port's serve command does so too (TRN-4.10: "optional
// ParameterSync and TF-Serving listeners"). Method: Go and Python clients make the calls by gRPC.

// address matches the log line with the address on which a listener starts.
var address = regexp.MustCompile(`Starting (ParameterSync gRPC server|TF Serving PredictionService) on (\S+)`)

// servedBeside serves an export with both additional listeners on free ports. It calls ask with
// connections to them, and returns the log.
func servedBeside(t *testing.T, ask func(ctx context.Context, pushes, predictions *grpc.ClientConn)) string {
	t.Helper()
	export := jsonmodel.Defaults()
	export.CheckpointPath, export.OutputPath = "../../../cmd/monosim/testdata/checkpoints", filepath.Join(t.TempDir(), "ranker")
	if _, err := jsonmodel.Export(t.Context(), export, func(text string) { t.Error(text) }); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o := jsonmodel.ServeDefaults()
	o.Dir, o.AnyPort, o.ParameterSyncBindAddr, o.TFServingBindAddr = export.OutputPath, true, "127.0.0.1:0", "127.0.0.1:0"
	var logged []string
	err := jsonmodel.Serve(ctx, o, func(text string) { logged = append(logged, text) }, func(int) {
		found := address.FindAllStringSubmatch(strings.Join(logged, "\n"), -1)
		if len(found) != 2 {
			t.Fatalf("log: got %q, want two addresses", logged)
		}
		var connections []*grpc.ClientConn
		for _, f := range found {
			connection, err := grpc.NewClient(f[2], grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			connections = append(connections, connection)
		}
		ask(ctx, connections[0], connections[1])
		stop()
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(logged, "\n")
}

func TestPushesAreTaken(t *testing.T) {
	table := &pb.PushRequest_DeltaEmbeddingHashTable{UniqueId: proto.String("t"), DimSize: proto.Int32(2), Fids: []int64{1, 2}, Embeddings: []float32{0.1, 0.2, 0.3, 0.4}}
	log := servedBeside(t, func(ctx context.Context, pushes, _ *grpc.ClientConn) {
		client := rpc.NewParameterSyncRpcClient(pushes)
		for range 2 {
			got, err := client.Push(ctx, &pb.PushRequest{ModelName: proto.String("m"), DeltaHashTables: []*pb.PushRequest_DeltaEmbeddingHashTable{table}})
			want := &pb.PushResponse{StatusCode: proto.Int32(0), UpdateNum: proto.Int32(2)}
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" || err != nil {
				t.Errorf("push: %v (-want +got):\n%s", err, diff)
			}
		}
		_, err := client.Push(ctx, &pb.PushRequest{DeltaMultiHashTables: []*pb.PushRequest_DeltaEmbeddingHashTable{{}}})
		wantStatus(t, err, codes.Internal, "Server error: missing unique_id")
	})
	if !strings.HasSuffix(log, "Received shutdown signal, stopping server...\nParameterSync: 2 embeddings in 1 tables were pushed") {
		t.Errorf("log: got\n%s\nwant what was pushed in the end", log)
	}
}

func wantStatus(t *testing.T, err error, code codes.Code, message string) {
	t.Helper()
	if s := status.Convert(err); s.Code() != code || !strings.HasPrefix(s.Message(), message) {
		t.Errorf("got %v, want %v %s", err, code, message)
	}
}

// bytesOf makes a tensor that holds a serialized message: as its content if content is true, else
// as its first string.
func bytesOf(t *testing.T, message proto.Message, content bool) *framework.TensorProto {
	t.Helper()
	data, err := proto.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	tensor := &framework.TensorProto{Dtype: framework.DataType_DT_STRING}
	if content {
		tensor.TensorContent = data
	} else {
		tensor.StringVal = [][]byte{data}
	}
	return tensor
}

func withIDs(ids ...uint64) *example.Example {
	return &example.Example{NamedFeature: []*example.NamedFeature{{Name: "user_id", Feature: &example.Feature{Type: &example.Feature_FidV2List{FidV2List: &example.FidList{Value: ids}}}}}}
}

func TestExamplesArePredicted(t *testing.T) {
	servedBeside(t, func(ctx context.Context, _, predictions *grpc.ClientConn) {
		client := apis.NewPredictionServiceClient(predictions)
		predict := func(input string, tensor *framework.TensorProto) (*apis.PredictResponse, error) {
			return client.Predict(ctx, &apis.PredictRequest{ModelSpec: &apis.ModelSpec{Name: "any"}, Inputs: map[string]*framework.TensorProto{input: tensor}})
		}
		batch := &example.ExampleBatchRowMajor{Example: []*example.Example{withIDs(1), withIDs(2, 3), withIDs(1)}}
		var scores []float32
		for input, tensor := range map[string]*framework.TensorProto{"example_batch_row_major": bytesOf(t, batch, false), "example": bytesOf(t, withIDs(1), true)} {
			got, err := predict(input, tensor)
			if err != nil {
				t.Fatal(err)
			}
			n := int64(3)
			if input == "example" {
				n = 1
			}
			dims := got.Outputs["scores"].GetTensorShape().GetDim()
			if got.ModelSpec.GetName() != "any" || len(dims) != 2 || dims[0].Size != n || dims[1].Size != 1 || int64(len(got.Outputs["scores"].FloatVal)) != n {
				t.Errorf("%s: got %v, want %d scores, and the specification that was asked for", input, got, n)
			}
			scores = append(scores, got.Outputs["scores"].FloatVal[0])
		}
		if scores[0] != scores[1] {
			t.Errorf("an example alone and in a batch: got scores %v, want the same", scores)
		}
		numbers := &framework.TensorProto{Dtype: framework.DataType_DT_FLOAT, FloatVal: []float32{1}}
		for _, c := range []struct {
			input  string
			tensor *framework.TensorProto
			want   string
		}{
			{"x", numbers, "Invalid PredictRequest: Prediction failed: Missing input tensor: example_batch_row_major or example"},
			{"example", numbers, "Invalid PredictRequest: Prediction failed: Input tensor must be DT_STRING"},
			{"example", bytesOf(t, &example.Example{}, true), "Invalid PredictRequest: Prediction failed: Input tensor contains no bytes"},
			{"example_batch_row_major", bytesOf(t, &example.ExampleBatchRowMajor{}, false), "Invalid PredictRequest: Prediction failed: example_batch_row_major is empty"},
			{"example", &framework.TensorProto{Dtype: framework.DataType_DT_STRING, StringVal: [][]byte{{0xff}}}, "Invalid PredictRequest: Prediction failed: Failed to decode Example: "},
			{"example", bytesOf(t, &example.Example{}, false), "Example has no usable features"},
		} {
			_, err := predict(c.input, c.tensor)
			wantStatus(t, err, codes.InvalidArgument, c.want)
		}
		_, err := client.Classify(ctx, &apis.ClassificationRequest{})
		wantStatus(t, err, codes.Unimplemented, "classify is not implemented")
		_, err = client.Regress(ctx, &apis.RegressionRequest{})
		wantStatus(t, err, codes.Unimplemented, "regress is not implemented")
		_, err = client.MultiInference(ctx, &apis.MultiInferenceRequest{})
		wantStatus(t, err, codes.Unimplemented, "multi_inference is not implemented")
		_, err = client.GetModelMetadata(ctx, &apis.GetModelMetadataRequest{})
		wantStatus(t, err, codes.Unimplemented, "get_model_metadata is not implemented")
	})
}

// Goal: an invalid listener address ends the start with an error. If an address is in use, this is
// logged, and the model is served without that listener.
func TestAddressesOfListeners(t *testing.T) {
	o := jsonmodel.ServeDefaults()
	o.Dir, o.AnyPort = t.TempDir(), true
	for _, wrong := range []func(*jsonmodel.ServeOptions){
		func(o *jsonmodel.ServeOptions) { o.ParameterSyncBindAddr = "localhost:1" },
		func(o *jsonmodel.ServeOptions) {
			o.TFServingBindAddr, o.ParameterSyncBindAddr = "127.0.0.1", "127.0.0.1:0"
		},
	} {
		o := o
		wrong(&o)
		err := jsonmodel.Serve(t.Context(), o, func(string) {}, func(int) { t.Error("it serves") })
		if err == nil || !strings.HasPrefix(err.Error(), "Invalid --") || !strings.Contains(err.Error(), "-bind-addr (expected host:port): found ") {
			t.Errorf("got %v, want the flag named", err)
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	o.TFServingBindAddr = taken.Addr().String()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var logged []string
	err = jsonmodel.Serve(ctx, o, func(text string) { logged = append(logged, text) }, func(int) { stop() })
	if err != nil || !strings.Contains(strings.Join(logged, "\n"), "TF Serving PredictionService failed: ") {
		t.Errorf("got %v and\n%s\nwant the failure logged and nothing else", err, strings.Join(logged, "\n"))
	}
}

// pushClient is a Python client. It generates its stub from this project's .proto files and pushes
// embeddings.
const pushClient = `
import importlib, json, os, sys
import grpc
from grpc_tools import protoc

root, target, out = sys.argv[1:]
messages = "monolith/native_training/runtime/parameter_sync/parameter_sync"
service = "monolith/parameter_sync_rpc/parameter_sync_rpc"
assert protoc.main(["protoc", "-I", root, "--python_out", out, "--grpc_python_out", out, messages + ".proto", service + ".proto"]) == 0
sys.path.insert(0, out)
pb = importlib.import_module(messages.replace("/", ".") + "_pb2")
rpc = importlib.import_module(service.replace("/", ".") + "_pb2_grpc")
stub = rpc.ParameterSyncRpcStub(grpc.insecure_channel(target))
request = pb.PushRequest(model_name="m", signature_name="serving_default", timeout_in_ms=1000)
request.delta_hash_tables.add(unique_id="t", dim_size=2, fids=[1, 2], embeddings=[0.1, 0.2, 0.3, 0.4])
answer = stub.Push(request, timeout=60)
seen = ["%d %d %r" % (answer.status_code, answer.update_num, answer.HasField("target"))]
request.delta_hash_tables.add(dim_size=1)
try:
  stub.Push(request, timeout=60)
except grpc.RpcError as e:
  seen.append(e.code().name + " " + e.details())
print(json.dumps(seen))
`

func TestAStubOfPythonPushes(t *testing.T) {
	python := pythontest.Find(t)
	if !pythontest.Has(t, python, "grpc_tools.protoc", "grpc") {
		t.Skip("the Python has no grpcio-tools")
	}
	protos, err := filepath.Abs("../../../engine/proto")
	if err != nil {
		t.Fatal(err)
	}
	servedBeside(t, func(ctx context.Context, pushes, _ *grpc.ClientConn) {
		cmd := exec.CommandContext(ctx, python, "-c", pushClient, protos, pushes.Target(), t.TempDir())
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		var seen []string
		if err == nil {
			err = json.Unmarshal(out, &seen)
		}
		want := []string{"0 2 False", "INTERNAL Server error: missing unique_id"}
		if diff := cmp.Diff(want, seen); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}
