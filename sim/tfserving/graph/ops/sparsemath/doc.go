// Package sparsemath has the arithmetic of sparse tensors: sums, products with dense tensors,
// reductions, softmax, and how they are joined and cut.
//
// The two things to use first are Family, which the graph looks operations up in, and sparse, a
// sparse tensor as three inputs give it.
//
// To change:
//
//   - how a sparse tensor is read and made: sparse.go
//   - sums and extremes of two: two.go
//   - what is done with a dense tensor: dense.go
//   - reductions and softmax: reduce.go
//   - joining and cutting: cut.go
//   - how far lists are from each other: distance.go
//
// Unstable: any commit may change it.
package sparsemath

import "github.com/monosim/monosim/sim/tfserving/graph/ops"

// Family has the operations of the package.
var Family = ops.Family{
	Kernels: map[string]ops.Kernel{
		"SparseAdd": add, "SparseSparseMaximum": extreme, "SparseSparseMinimum": extreme,
		"SparseTensorDenseAdd": addDense, "SparseDenseCwiseAdd": withDense, "SparseDenseCwiseMul": withDense, "SparseDenseCwiseDiv": withDense,
		"SparseReduceSum": reduce, "SparseReduceMax": reduce, "SparseReduceSumSparse": reduce, "SparseReduceMaxSparse": reduce, "SparseSoftmax": softmax,
		"SparseConcat": concat, "SparseSplit": split, "SparseSlice": slice, "EditDistance": editDistance,
	},
	Outputs: map[string][]ops.Output{
		"SparseAdd": ops.Named("sum_indices", "sum_values", "sum_shape"), "SparseSlice": result, "SparseConcat": result,
		"SparseSparseMaximum": result[:2], "SparseSparseMinimum": result[:2], "SparseReduceSumSparse": result, "SparseReduceMaxSparse": result,
		"SparseSplit": {{Name: "output_indices", Count: "num_split"}, {Name: "output_values", Count: "num_split"}, {Name: "output_shape", Count: "num_split"}},
	},
}

var result = ops.Named("output_indices", "output_values", "output_shape")
