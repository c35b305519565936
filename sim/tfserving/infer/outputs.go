package infer

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
)

// selectOutputs returns the outputs named by an output_filter, in the order of the filter. If the
// filter is empty, it returns all outputs sorted by name (predict_util.cc:112-143).
func (s *Signature) selectOutputs(filter []string) ([]*output, *env.RPCError) {
	if len(filter) == 0 {
		return s.outputs, nil
	}
	selected := make([]*output, len(filter))
	for i, alias := range filter {
		selected[i] = s.output(alias)
		if selected[i] == nil {
			return nil, invalidf("output tensor alias not found in signature: %s Outputs expected to be in the set {%s}.",
				alias, joined(keys(s.def.GetOutputs())))
		}
		if slices.Contains(filter[:i], alias) {
			return nil, invalidf("duplicate output tensor alias: %s", alias)
		}
	}
	return selected, nil
}
