package infer

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// Options says which model it is, and how the server checks requests.
type Options struct {
	// Name and Version seed the outputs and go into model_spec of responses.
	Name    string
	Version int64
	// Head selects the checks and texts of tfs-head instead of tfs-2.4.
	Head bool
	// CheckMethodNames is the flag enable_signature_method_name_check.
	CheckMethodNames bool
	// AnswerInContent is the flag enable_serialization_as_tensor_content.
	AnswerInContent bool
	// CheckShapes refuses inputs whose shapes differ from the signature's, as a model does
	// whose operations need certain shapes. Neither the server nor the runtime checks them
	// by itself: a graph that works element by element takes every shape.
	CheckShapes bool
	// Unready, when set, is the error of running any signature (TFS-5.7).
	Unready *env.RPCError
}

// Model is a loaded model. It does not change, so any thread may use it.
type Model struct {
	Options
	signatures map[string]*Signature // nil for a model that takes every request
	seed       uint64
}

// Run computes a response. It reads the request, which must not change until Run has returned.
type Run func() (proto.Message, error)

// New makes a model. With nil signatures it takes every request. The signatures must not
// change afterwards.
func New(signatures map[string]*tfcore.SignatureDef, o Options) *Model {
	m := &Model{Options: o, seed: newDigest().text(o.Name).number(uint64(o.Version)).sum()}
	if signatures != nil {
		m.signatures = make(map[string]*Signature, len(signatures))
	}
	for _, name := range keys(signatures) {
		s := newSignature(name, signatures[name])
		s.answers = m.resolved(name)
		m.signatures[name] = s
	}
	return m
}

// Begin checks a request. Its errors and those of Run are *env.RPCError.
func (m *Model) Begin(request proto.Message) (Run, error) {
	switch r := request.(type) {
	case *apis.PredictRequest:
		return m.predict(r)
	case *apis.ClassificationRequest:
		return m.classify(r)
	case *apis.RegressionRequest:
		return m.regress(r)
	case *apis.MultiInferenceRequest:
		return m.multiInference(r)
	}
	return nil, statusf(env.Unimplemented, "")
}

// defaultSignature is for requests that name none (kDefaultServingSignatureDefKey).
const defaultSignature = "serving_default"

// SignatureName returns the signature for a request that asks for a name, which may be "".
func SignatureName(asked string) string {
	if asked == "" {
		return defaultSignature
	}
	return asked
}
