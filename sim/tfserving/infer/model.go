package infer

import (
	"cmp"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/graph"
)

// Options identifies the model, and says how the server checks requests.
type Options struct {
	// Name and Version seed the invented outputs and appear in the model_spec of responses.
	Name    string
	Version int64
	// Head selects the checks and texts of tfs-head instead of tfs-2.4.
	Head bool
	// CheckMethodNames is the flag enable_signature_method_name_check.
	CheckMethodNames bool
	// AnswerInContent is the flag enable_serialization_as_tensor_content.
	AnswerInContent bool
	// CheckShapes refuses inputs whose shapes differ from the signature's, as operations such as
	// MatMul do. It is optional, because neither the server nor the runtime compares shapes. A
	// graph of element-wise operations accepts every shape.
	CheckShapes bool
	// Unready, if set, is the error of every run whose outputs would be invented (TFS-5.7).
	Unready *env.RPCError
	// Graph, if set, computes the outputs of the signatures that it supports. Outputs of the others
	// are invented. A Graph must not be shared between models.
	Graph *graph.Model
	// Inventions, if set, is informed when outputs are invented although there is a graph.
	Inventions Inventions
}

// Inventions receives the reason why the outputs of a signature are invented. It is called when the
// model is made, or during a request on the request's thread.
type Inventions interface{ Invented(signature, why string) }

// Model is a loaded model. It is immutable, so any thread may use it.
type Model struct {
	Options
	signatures map[string]*Signature // signatures is by name; nil for a model that takes every request
	seed       uint64
}

// Run computes a response. The request message must not change until Run has returned.
type Run func() (proto.Message, error)

// New makes a model. With nil signatures it accepts every request. The signatures must not change
// afterwards.
func New(signatures map[string]*tfcore.SignatureDef, o Options) *Model {
	m := &Model{Options: o, seed: newDigest().text(o.Name).number(uint64(o.Version)).sum()}
	if signatures != nil {
		m.signatures = make(map[string]*Signature, len(signatures))
	}
	for _, name := range keys(signatures) {
		s := newSignature(name, signatures[name])
		s.answers = m.resolved(name)
		m.signatures[name] = s
		if m.Graph != nil {
			s.look(m.Graph)
			s.plan = m.planOf(s)
		}
	}
	if m.Graph != nil {
		m.Graph.Forget()
	}
	return m
}

// Outputless tells the model which nodes of the graph have no outputs. ops maps the names of these
// nodes to their operations. It must be called before the model is used.
func (m *Model) Outputless(ops map[string]string) {
	for _, s := range m.signatures { //lint:ordered each signature is marked for itself
		for _, out := range s.outputs {
			node, port := graph.Split(out.tensor)
			if op := ops[node]; op != "" && out.wrong == nil {
				out.wrong = noSuchPort(node, op, 0, port)
			}
		}
	}
}

// Begin checks a request and returns a function that computes the response. Errors of Begin and of
// that function are *env.RPCError.
func (m *Model) Begin(request proto.Message) (Run, error) {
	call, err := m.Prepare(request)
	if err != nil {
		return nil, err
	}
	if err := call.Check(); err != nil {
		return nil, err
	}
	return call.Run, nil
}

// Prepare makes the server's checks of a request. The runtime's checks are left to [Call.Check].
// The error is an *env.RPCError.
func (m *Model) Prepare(request proto.Message) (*Call, error) {
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
	return nil, statusf(rpcerrors.Unimplemented, "")
}

// defaultSignature is used when a request names no signature (kDefaultServingSignatureDefKey).
const defaultSignature = "serving_default"

// SignatureName returns the name asked for, or the default signature's name for "".
func SignatureName(asked string) string {
	return cmp.Or(asked, defaultSignature)
}
