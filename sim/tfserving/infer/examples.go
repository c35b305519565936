package infer

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	tfexample "github.com/monosim/monosim/engine/proto/tensorflow/core/example"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// onExamples prepares a call that feeds a list of examples to the signature.
func (m *Model) onExamples(s *Signature, in *apis.Input, method string, a answer) (*Call, error) {
	examples, err := examplesTensor(in)
	if err != nil {
		return nil, err
	}
	return newCall(m, onOutputs(s, examples, method), examples.Len(), a), nil
}

// onOutputs returns the part that feeds the examples to a signature and fetches all of its outputs.
func onOutputs(s *Signature, examples tensor.Tensor, method string) part {
	return part{signature: s, feeds: exampleFeeds(s, examples), outputs: s.outputs, classifies: method == classifyMethod}
}

// exampleSignature finds the signature called name and checks it. If the model accepts every
// request, the function anything makes a fitting signature instead.
func (m *Model) exampleSignature(name string, anything func(string) *Signature,
	check func(*Signature) *env.RPCError) (*Signature, *env.RPCError) {
	name = SignatureName(name)
	if m.signatures == nil {
		return anything(name), nil
	}
	s, ok := m.signatures[name]
	if !ok {
		return nil, invalidf("No signature was found with the name: %s", name)
	}
	return s, check(s)
}

// examplesTensor returns a vector of serialized examples, as upstream's
// InputToSerializedExampleTensor does (util.cc). If there is a context, each example is appended to
// it, so that the example's fields override those of the context.
func examplesTensor(in *apis.Input) (tensor.Tensor, *env.RPCError) {
	list := in.GetExampleList().GetExamples()
	var context *tfexample.Example
	if with := in.GetExampleListWithContext(); with != nil {
		list, context = with.GetExamples(), with.GetContext()
	}
	if len(list) == 0 {
		return tensor.Tensor{}, invalidf("Input is empty.")
	}
	serialized := make([][]byte, len(list))
	for i, e := range list {
		serialized[i] = appendExample(appendExample(nil, context), e)
	}
	t, err := tensor.FromStrings([]int64{int64(len(list))}, serialized)
	if err != nil {
		return tensor.Tensor{}, statusf(rpcerrors.Internal, "Error parsing serialized input.")
	}
	return t, nil
}

// appendExample appends the serialized example to a byte slice. It ignores the encoding error,
// which cannot occur, because the message was decoded before.
func appendExample(to []byte, e *tfexample.Example) []byte {
	if e == nil {
		return to
	}
	data, _ := proto.MarshalOptions{Deterministic: true}.MarshalAppend(to, e)
	return data
}

// exampleFeeds feeds the examples to the only input of a classification or regression signature.
func exampleFeeds(s *Signature, examples tensor.Tensor) []feed {
	return []feed{{in: s.inputs[0], value: examples, shape: examples.Shape()}}
}
