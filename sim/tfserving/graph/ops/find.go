package ops

import (
	"maps"
	"slices"
)

// Find returns the operation called name.
func Find(name string) (Kernel, bool) {
	run, ok := kernels[name]
	return run, ok
}

// Names returns the names of all operations.
func Names() []string { return slices.Sorted(maps.Keys(kernels)) }

var kernels map[string]Kernel

// The table is made at the start and not as the value of the variable, because control flow finds
// other operations in it.
func init() {
	kernels = map[string]Kernel{}
	for _, table := range []map[string]Kernel{
		passing, shapeOps, sliceOps, gatherOps, joinOps, fillOps, unaryOps(), binaryOps(), compareOps(), castOps,
		reductions(), sortOps(), segmentOps, matmulOps, convOps, nnOps, stringOps, regexOps, imageOps,
		exampleOps, stateOps, tableOps, sparseOps, raggedOps, listOps, controlOps,
	} {
		maps.Copy(kernels, table)
	}
}
