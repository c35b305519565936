package answers

import (
	"maps"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// Script holds the scripted answers of models. It is immutable. A nil Script has no answers.
type Script struct{ models map[string][]*rule }

// Models returns the names of the models that the script answers for.
func (s *Script) Models() []string { return slices.Sorted(maps.Keys(s.models)) }

// Question is a request to a model that has passed the server's checks.
type Question struct {
	Model   string
	Version int64
	// Method is Predict, Classify, Regress or MultiInference.
	Method    string
	Signature string
	// Inputs holds the input tensors by alias. For Classify and Regress they are serialized
	// examples.
	Inputs map[string]tensor.Tensor
}

// Answer is the answer that a rule gives. If Err is nil, the model itself computes the outputs that
// the rule does not name.
type Answer struct {
	// Outputs holds the output values by alias.
	Outputs map[string]Values
	Err     *env.RPCError
	// Delay is added to the time that the request takes.
	Delay time.Duration
}

// Find returns the answer of the first rule that fits the question. It returns nil if none fits and
// the model itself must answer.
func (s *Script) Find(q Question) *Answer {
	if s == nil {
		return nil
	}
	for _, r := range s.models[q.Model] {
		if r.fits(q) {
			return &r.answer
		}
	}
	return nil
}

// fits reports whether the rule applies to a question. Conditions that the rule does not name are
// not checked.
func (r *rule) fits(q Question) bool {
	if r.hasVersion && r.version != q.Version || r.method != "" && r.method != q.Method || r.signature != "" && r.signature != q.Signature {
		return false
	}
	for alias, want := range r.inputs { //lint:ordered all have to fit
		if got, ok := q.Inputs[alias]; !ok || !want.equal(got) {
			return false
		}
	}
	return r.examples == nil || fitExamples(r.examples, q.Inputs)
}
