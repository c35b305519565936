package rest_test

import (
	"context"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/rest"
)

// world is a Backend with one signature. It records the requests and returns prepared answers.
type world struct {
	inputs map[string]*tfcore.TensorInfo

	outputs         map[string]*framework.TensorProto
	classifications *apis.ClassificationResult
	regressions     *apis.RegressionResult
	status          *apis.GetModelStatusResponse
	metadata        *apis.GetModelMetadataResponse
	err             error

	spec    *apis.ModelSpec // model_spec of the last call
	request proto.Message   // request of the last call
	calls   int
}

func (w *world) asked(spec *apis.ModelSpec, request proto.Message) {
	w.spec, w.request = spec, request
	w.calls++
}

func (w *world) Predict(_ context.Context, r *apis.PredictRequest) (*apis.PredictResponse, error) {
	w.asked(r.ModelSpec, r)
	return &apis.PredictResponse{Outputs: w.outputs}, w.err
}

func (w *world) Classify(_ context.Context, r *apis.ClassificationRequest) (*apis.ClassificationResponse, error) {
	w.asked(r.ModelSpec, r)
	return &apis.ClassificationResponse{Result: w.classifications}, w.err
}

func (w *world) Regress(_ context.Context, r *apis.RegressionRequest) (*apis.RegressionResponse, error) {
	w.asked(r.ModelSpec, r)
	return &apis.RegressionResponse{Result: w.regressions}, w.err
}

func (w *world) GetModelStatus(r *apis.GetModelStatusRequest) (*apis.GetModelStatusResponse, error) {
	w.asked(r.ModelSpec, r)
	return w.status, w.err
}

func (w *world) GetModelMetadata(r *apis.GetModelMetadataRequest) (*apis.GetModelMetadataResponse, error) {
	w.asked(r.ModelSpec, r)
	return w.metadata, w.err
}

func (w *world) Signatures(spec *apis.ModelSpec) (map[string]*tfcore.SignatureDef, error) {
	signature := &tfcore.SignatureDef{Inputs: w.inputs}
	name := spec.GetSignatureName()
	if name == "" || name == "missing" {
		name = "serving_default"
	}
	return map[string]*tfcore.SignatureDef{name: signature}, nil
}

// profiles lists the profiles that have a REST API.
var profiles = []tfserving.Profile{tfserving.Profile24, tfserving.ProfileHead}

// each runs a test under both profiles.
func each(t *testing.T, test func(t *testing.T, profile tfserving.Profile)) {
	for _, profile := range profiles {
		t.Run(profile.String(), func(t *testing.T) { test(t, profile) })
	}
}

func serve(w *world, profile tfserving.Profile, method, target, body string) rest.Response {
	h := rest.New(w, rest.Options{Profile: profile})
	return h.Serve(context.Background(), rest.Request{Method: method, Target: target, Body: []byte(body)})
}

// inputs makes the inputs of a signature from a map of names to dtypes.
func inputs(dtypes map[string]framework.DataType) map[string]*tfcore.TensorInfo {
	infos := make(map[string]*tfcore.TensorInfo, len(dtypes))
	for name, dtype := range dtypes { //lint:ordered each name has an entry of its own
		infos[name] = &tfcore.TensorInfo{Dtype: dtype}
	}
	return infos
}

func text[M proto.Message](t testing.TB, m M, source string) M {
	t.Helper()
	if err := prototext.Unmarshal([]byte(source), m); err != nil {
		t.Fatalf("%v in %s", err, source)
	}
	return m
}

func status(code rpcerrors.Code, message string) error {
	return &env.RPCError{Code: code, Message: message}
}

func metadataOf(t testing.TB, spec *apis.ModelSpec, signatures *apis.SignatureDefMap) *apis.GetModelMetadataResponse {
	t.Helper()
	packed, err := anypb.New(signatures)
	if err != nil {
		t.Fatal(err)
	}
	return &apis.GetModelMetadataResponse{ModelSpec: spec, Metadata: map[string]*anypb.Any{"signature_def": packed}}
}
