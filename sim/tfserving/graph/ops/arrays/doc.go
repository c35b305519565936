// Package arrays has the arrays of tensors of TensorFlow 1, in which loops collect their results.
//
// The two things to use first are Family, which the graph looks operations up in, and array, which
// the operations change in place: the flow that they pass on keeps them in order.
//
// To change what an operation does, look in kernels.go; for the rules of an element, in array.go.
//
// Unstable: any commit may change it.
package arrays

import "github.com/monosim/monosim/sim/tfserving/graph/ops"

// Family has the operations of the package.
var Family = ops.Family{
	Kernels: map[string]ops.Kernel{
		"TensorArrayV3": create, "TensorArrayWriteV3": on(write), "TensorArrayReadV3": on(read), "TensorArrayGatherV3": on(gather),
		"TensorArrayScatterV3": on(scatter), "TensorArrayConcatV3": on(concat), "TensorArraySplitV3": on(split), "TensorArraySizeV3": on(size),
		"TensorArrayCloseV3": on(closeArray),
	},
	Outputs: map[string][]ops.Output{
		"TensorArrayV3": ops.Named("handle", "flow"), "TensorArrayConcatV3": ops.Named("value", "lengths"),
	},
	Defaults: map[string]map[string]any{"TensorArrayV3": {"clear_after_read": true}},
}
