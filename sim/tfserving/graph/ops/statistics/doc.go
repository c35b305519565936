// Package statistics has the operations on distributions: losses of logits, histograms, the
// incomplete beta function, elements by rank.
//
// The two things to use first are Family, which the graph looks operations up in, and the kernel
// that its table names.
//
// To change the losses, look in losses.go; for the others, in statistics.go.
//
// Unstable: any commit may change it.
package statistics

import "github.com/monosim/monosim/sim/tfserving/graph/ops"

// Family has the operations of the package.
var Family = ops.Family{
	Kernels: map[string]ops.Kernel{
		"Betainc": betainc, "HistogramFixedWidth": histogram, "NthElement": nth,
		"SoftmaxCrossEntropyWithLogits": crossEntropy, "SparseSoftmaxCrossEntropyWithLogits": sparseCrossEntropy,
	},
	Outputs: map[string][]ops.Output{
		"SoftmaxCrossEntropyWithLogits": losses, "SparseSoftmaxCrossEntropyWithLogits": losses,
	},
	Defaults: map[string]map[string]any{},
}

var losses = ops.Named("loss", "backprop")
