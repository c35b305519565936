package answers

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// Script is what models answer. It is immutable. A nil Script answers nothing.
type Script struct{ models map[string][]*rule }

// Question is a request to a model that passed the server's checks.
type Question struct {
	Model   string
	Version int64
	// Method is Predict, Classify, Regress or MultiInference.
	Method    string
	Signature string
	// Inputs are the inputs by alias. Those of Classify and Regress are serialized examples.
	Inputs map[string]tensor.Tensor
}

// Answer is what a rule says. Without Err the outputs that it does not name are the model's own.
type Answer struct {
	// Outputs are the outputs by alias.
	Outputs map[string]Values
	Err     *env.RPCError
	// Delay is how much longer the request takes.
	Delay time.Duration
}

// Find returns the answer to a question; nil where the model answers itself.
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

// fits reports whether a rule answers a question. What it does not name may be anything.
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
