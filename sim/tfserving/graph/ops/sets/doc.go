// Package sets has the operations on sets, which are the last dimension of a tensor: unions,
// intersections and differences, and the sizes of sets (core/kernels/set_kernels.cc).
//
// The two things to use first are Family, which the graph looks operations up in, and operate,
// the kernel of all of them but SetSize.
//
// To change how sets are read from dense and sparse tensors, look in groups.go; what is done with
// them in sets.go.
//
// Unstable: any commit may change it.
package sets

import "github.com/monosim/monosim/sim/tfserving/graph/ops"

// Family has the operations of the package.
var Family = ops.Family{
	Kernels: map[string]ops.Kernel{
		"DenseToDenseSetOperation": operate, "DenseToSparseSetOperation": operate, "SparseToSparseSetOperation": operate, "SetSize": size,
	},
	Outputs: map[string][]ops.Output{
		"DenseToDenseSetOperation": result, "DenseToSparseSetOperation": result, "SparseToSparseSetOperation": result,
	},
	Defaults: map[string]map[string]any{
		"DenseToDenseSetOperation": checked, "DenseToSparseSetOperation": checked, "SparseToSparseSetOperation": checked, "SetSize": checked,
	},
}

var (
	result  = ops.Named("result_indices", "result_values", "result_shape")
	checked = map[string]any{"validate_indices": true}
)
