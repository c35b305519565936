// Package gradients has the derivatives of operations, as models have them that explain their answers
// (core/kernels/cwise_op_gradients.h, relu_op_functor.h, bcast_ops.cc, bias_op.cc).
//
// The two things to use first are Family, which the graph looks operations up in, and pairs, the table
// of those that compute each element from two.
//
// To change a derivative, look in pairs.go; what is summed over, in sums.go.
//
// Unstable: any commit may change it.
package gradients

import "github.com/monosim/monosim/sim/tfserving/graph/ops"

// Family has the operations of the package.
var Family = ops.Family{
	Kernels:  kernels(),
	Outputs:  map[string][]ops.Output{"BroadcastGradientArgs": ops.Named("r0", "r1")},
	Defaults: map[string]map[string]any{"LeakyReluGrad": {"alpha": 0.2}},
}

func kernels() map[string]ops.Kernel {
	all := map[string]ops.Kernel{"BroadcastGradientArgs": broadcastArgs, "BiasAddGrad": biasAdd, "LeakyReluGrad": leakyRelu}
	for name := range pairs { //lint:ordered each name has an entry of its own
		all[name] = pair
	}
	return all
}
