package infer

import (
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/answers"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// PrepareScripted does what Prepare does. If the script has an answer to the call, the answer
// replaces the run.
func (m *Model) PrepareScripted(request proto.Message, script *answers.Script) (*Call, error) {
	c, err := m.Prepare(request)
	if err != nil || script == nil {
		return c, err
	}
	for i := range c.parts {
		p := &c.parts[i]
		p.scripted = script.Find(m.question(p, MethodOf(request)))
		if m.signatures == nil && len(p.outputs) == 0 && p.scripted != nil {
			for _, alias := range keys(p.scripted.Outputs) {
				p.outputs = append(p.outputs, &output{newPort(alias, &tfcore.TensorInfo{})})
			}
		}
	}
	return c, nil
}

func (m *Model) question(p *part, method string) answers.Question {
	inputs := lists.ToMap(p.feeds, func(f feed) (string, tensor.Tensor) { return f.in.alias, f.value })
	return answers.Question{Model: m.Name, Version: m.Version, Method: method, Signature: p.signature.name, Inputs: inputs}
}

// MethodOf returns the PredictionService method for the type of a request.
func MethodOf(request proto.Message) string {
	switch request.(type) {
	case *apis.ClassificationRequest:
		return "Classify"
	case *apis.RegressionRequest:
		return "Regress"
	case *apis.MultiInferenceRequest:
		return "MultiInference"
	}
	return "Predict"
}

// Delay returns the time that a script adds to the call.
func (c *Call) Delay() (d time.Duration) {
	for i := range c.parts {
		if answer := c.parts[i].scripted; answer != nil {
			d += answer.Delay
		}
	}
	return d
}

// Scripted reports whether a script answers at least one part of the call.
func (c *Call) Scripted() bool {
	return slices.ContainsFunc(c.parts, func(p part) bool { return p.scripted != nil })
}

// isScripted reports whether the script gives an error or all outputs of the part. Then the graph
// need not run.
func (p *part) isScripted() bool {
	if p.scripted == nil || p.scripted.Err != nil {
		return p.scripted != nil
	}
	for _, out := range p.outputs {
		if _, ok := p.scripted.Outputs[out.alias]; !ok {
			return false
		}
	}
	return true
}

// computePart gets the outputs of a part from a script or from the graph. Otherwise it invents
// them.
func (m *Model) computePart(p *part) (*computation, error) {
	c := &computation{signature: p.signature, feeds: p.feeds}
	if !p.isScripted() {
		var err error
		if c, err = m.compute(p.signature, p.feeds, p.outputs); err != nil {
			return nil, err
		}
	}
	return c, c.replace(p)
}

// replace replaces the model's outputs by those of the script, or returns the script's error.
func (c *computation) replace(p *part) error {
	switch {
	case p.scripted == nil:
		return nil
	case p.scripted.Err != nil:
		return p.scripted.Err
	}
	c.scripted = map[*output]tensor.Tensor{}
	for _, out := range p.outputs {
		values, ok := p.scripted.Outputs[out.alias]
		if !ok {
			continue
		}
		value, err := values.Tensor(out.dtype)
		if err != nil {
			return statusf(rpcerrors.Internal, "the script's output %s of signature %s: %v", out.alias, c.signature.name, err)
		}
		c.scripted[out] = value
	}
	return nil
}
