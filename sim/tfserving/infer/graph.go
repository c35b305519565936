package infer

import (
	"errors"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// planOf returns the plan that computes the outputs of a signature from the graph. If the graph
// cannot compute them, it reports why and returns nil, and the outputs are invented.
func (m *Model) planOf(s *Signature) *graph.Plan {
	feeds, fetches := make([]string, len(s.inputs)), make([]string, len(s.outputs))
	for i, in := range s.inputs {
		if in.wrong != nil {
			return nil // nothing to compute, because each request is refused
		}
		feeds[i] = s.def.GetInputs()[in.alias].GetName()
	}
	good := slices.IndexFunc(s.outputs, func(out *output) bool { return out.wrong == nil })
	for i, out := range s.outputs {
		if good < 0 {
			return nil
		}
		if out.wrong != nil { // a request for it is refused, so another output can fill its place here
			out = s.outputs[good]
		}
		fetches[i] = s.def.GetOutputs()[out.alias].GetName()
	}
	plan, err := m.Graph.Plan(feeds, fetches)
	if err != nil {
		m.invented(s, err)
		return nil
	}
	return plan
}

func (m *Model) invented(s *Signature, why error) {
	if m.Inventions != nil {
		m.Inventions.Invented(s.name, why.Error())
	}
}

// runGraph computes outputs of a signature that has a plan. If an operation does not support its
// inputs, it returns nil, and the outputs are invented.
func (m *Model) runGraph(s *Signature, feeds []feed, outputs []*output) (map[*output]tensor.Tensor, error) {
	plan := s.plan
	if !slices.Equal(outputs, s.outputs) {
		asked := lists.Map(outputs, func(out *output) int { return slices.Index(s.outputs, out) })
		plan = plan.Only(asked)
	}
	values := lists.Map(feeds, func(f feed) tensor.Tensor { return f.value })
	fetched, err := plan.Run(values)
	var what *ops.Unsupported
	var status *env.RPCError
	switch {
	case errors.As(err, &status):
		return nil, status
	case errors.As(err, &what):
		m.invented(s, err)
		unplanned := *s
		unplanned.plan = nil
		if err := m.checkRun(&unplanned, feeds); err != nil {
			return nil, err
		}
		return nil, nil
	case err != nil:
		return nil, err
	}
	computed := make(map[*output]tensor.Tensor, len(outputs))
	for i, out := range outputs {
		computed[out] = fetched[i]
	}
	return computed, nil
}
