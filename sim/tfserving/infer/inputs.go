package infer

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// feed is the value that a request gives to one input, with its shape.
type feed struct {
	in    *input
	value tensor.Tensor
	shape []int64
}

// feeds decodes the inputs of a request (predict_util.cc:72-110; tfs-head: tensorflow
// cc/saved_model/util.cc, GetInputValues). If several inputs are wrong, upstream reports the first
// in hash order. This function reports the first by alias.
func (m *Model) feeds(s *Signature, sent map[string]*framework.TensorProto) ([]feed, *env.RPCError) {
	if err := m.checkSize(s, sent); err != nil {
		return nil, err
	}
	feeds := make([]feed, len(s.inputs))
	for i, in := range s.inputs {
		encoded, err := m.inputValue(s, in, sent)
		if err != nil {
			return nil, err
		}
		value, failed := tensor.Parse(encoded)
		if failed != nil {
			return nil, invalidf("tensor parsing error: %s", in.alias)
		}
		feeds[i] = feed{in: in, value: value, shape: value.Shape()}
	}
	return feeds, m.checkUsed(s, sent)
}

// checkSize refuses a request with a wrong number of inputs. tfs-head accepts missing inputs if the
// signature has defaults (predict_util.cc:51-72).
func (m *Model) checkSize(s *Signature, sent map[string]*framework.TensorProto) *env.RPCError {
	missing := len(sent) < len(s.inputs) && !(m.Head && len(s.def.GetDefaults()) > 0)
	if len(sent) <= len(s.inputs) && !missing {
		return nil
	}
	got, want := keys(sent), keys(s.def.GetInputs())
	return invalidf("input size does not match signature: %d!=%d len({%s}) != len({%s}). Sent extra: {%s}. Missing but required: {%s}.",
		len(got), len(want), joined(got), joined(want), joined(without(got, want)), joined(without(want, got)))
}

// inputValue returns an input's value from the request or, in tfs-head, its default from the
// signature.
func (m *Model) inputValue(s *Signature, in *input, sent map[string]*framework.TensorProto) (*framework.TensorProto, *env.RPCError) {
	if value, ok := sent[in.alias]; ok {
		return value, nil
	}
	if !m.Head {
		got, want := keys(sent), keys(s.def.GetInputs())
		return nil, invalidf("input tensor alias not found in signature: %s. Inputs expected to be in the set {%s}.",
			without(got, want)[0], joined(want))
	}
	if value, ok := s.def.GetDefaults()[in.alias]; ok {
		return value, nil
	}
	return nil, invalidf("Signature input alias: %s(feed name: %s) not found in request and no default value provided. Inputs expected to be in the request {%s}, or default input alias set: %s",
		in.alias, s.def.GetInputs()[in.alias].GetName(), joined(keys(sent)), joined(keys(s.def.GetDefaults())))
}

// checkUsed refuses inputs that the signature does not have. In tfs-2.4 it never finds any:
// checkSize has compared the numbers, and all inputs of the signature were found.
func (m *Model) checkUsed(s *Signature, sent map[string]*framework.TensorProto) *env.RPCError {
	var used []string
	count := 0
	for _, in := range s.inputs {
		if _, ok := sent[in.alias]; ok {
			count++
		}
	}
	if count == len(sent) {
		return nil
	}
	used = append(used, lists.Filter(keys(sent), func(alias string) bool { return s.input(alias) != nil })...)
	return invalidf("Inputs contains invalid name. Used request inputs: %s, request input: %s",
		joined(used), joined(keys(sent)))
}
