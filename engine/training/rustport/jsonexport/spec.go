package jsonexport

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// specFile is the file that describes a model's layers to the Rust port's server.
const specFile = "model_spec.json"

// kinds lists the kinds of models that a spec can describe, in the order in which kind tries them.
var kinds = []string{"mmoe", "dcn", "mlp"}

// kind returns the kind of the model. It takes the kind from the metadata, or else the first kind
// with which a parameter's name begins, as in "mlp.".
func (s *State) kind() string {
	if kind, ok := s.Metadata["model_spec_type"]; ok {
		return strings.ToLower(strings.TrimSpace(kind))
	}
	names := slices.Sorted(maps.Keys(s.DenseParams))
	return lists.Find(kinds, func(kind string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, kind+".") })
	})
}

// spec returns the content of specFile. ok is false for a model of unknown kind, or without sizes.
func (s *State) spec() (text []byte, ok bool) {
	kind := s.kind()
	input, hasInput := s.size("model_input_dim")
	output, hasOutput := s.size("model_output_dim")
	if !slices.Contains(kinds, kind) || !hasInput || !hasOutput && kind != "mmoe" {
		return nil, false
	}
	e := &encoder{pretty: true}
	e.open('{')
	e.textField("type", kind)
	e.uintField("input_dim", input)
	switch kind {
	case "mlp":
		s.sizes(e, "hidden_dims")
		e.uintField("output_dim", output)
	case "dcn":
		s.sizeOr(e, "cross_layers", 2)
		s.sizes(e, "deep_hidden_dims")
		e.uintField("output_dim", output)
	case "mmoe":
		s.sizeOr(e, "num_experts", 4)
		s.sizes(e, "expert_hidden_dims")
		s.sizeOr(e, "num_tasks", 1)
		s.sizes(e, "gate_hidden_dims")
		s.sizeOr(e, "task_output_dim", 1)
	}
	e.textField("activation", s.activation())
	e.close('}')
	return e.out, true
}

// size returns a number in the metadata; ok is false if it is missing or invalid.
func (s *State) size(key string) (n uint64, ok bool) { return parseSize(s.Metadata[key]) }

// sizeOr writes a number from the metadata as a field. If the metadata lacks the number, it writes
// the value of the parameter without instead.
func (s *State) sizeOr(e *encoder, name string, without uint64) {
	n, ok := s.size("model_" + name)
	if !ok {
		n = without
	}
	e.uintField(name, n)
}

// sizes writes a comma-separated list of the metadata as a field. It leaves out elements that are
// not numbers.
func (s *State) sizes(e *encoder, name string) {
	var list []uint64
	for part := range strings.SplitSeq(s.Metadata["model_"+name], ",") {
		if n, ok := parseSize(strings.TrimSpace(part)); ok {
			list = append(list, n)
		}
	}
	e.name(name)
	e.uints(list)
}

// activation returns the activation function in the metadata; relu if it is unknown.
func (s *State) activation() string {
	switch a := strings.ToLower(strings.TrimSpace(s.Metadata["model_activation"])); a {
	case "tanh", "sigmoid", "none":
		return a
	case "linear":
		return "none"
	}
	return "relu"
}

// parseSize parses an unsigned number as Rust does, which accepts a plus sign.
func parseSize(text string) (n uint64, ok bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 64)
	return n, err == nil
}
