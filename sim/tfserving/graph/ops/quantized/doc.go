// Package quantized has the operations that put numbers on the grid of a quantized layer, as models
// have them that were trained to be quantized later.
//
// The two things to use first are Family, which the graph looks operations up in, and gridOf, which
// every kernel begins with.
//
// To change how a number is rounded, look in fake.go.
//
// Unstable: any commit may change it.
package quantized

import "github.com/monosim/monosim/sim/tfserving/graph/ops"

// Family has the operations of the package.
var Family = ops.Family{
	Kernels: map[string]ops.Kernel{
		"FakeQuantWithMinMaxArgs": fixed, "FakeQuantWithMinMaxVars": given, "FakeQuantWithMinMaxVarsPerChannel": perChannel,
	},
	Defaults: map[string]map[string]any{
		"FakeQuantWithMinMaxArgs": {"min": -6.0, "max": 6.0, "num_bits": 8}, "FakeQuantWithMinMaxVars": {"num_bits": 8},
		"FakeQuantWithMinMaxVarsPerChannel": {"num_bits": 8},
	},
}
