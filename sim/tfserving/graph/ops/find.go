package ops

import (
	"maps"
	"slices"
)

// Find returns the kernel of the operation called name; false if the package has none.
func Find(name string) (Kernel, bool) {
	run, ok := kernels[name]
	return run, ok
}

// Names returns the names of all operations.
func Names() []string { return slices.Sorted(maps.Keys(kernels)) }

var kernels map[string]Kernel

// init fills the table. A variable initializer could not, because control flow looks up other
// operations in the table, which would be a cycle.
func init() {
	kernels = map[string]Kernel{}
	for _, table := range []map[string]Kernel{
		passing, shapeOps, sliceOps, gatherOps, joinOps, fillOps, unaryOps(), binaryOps(), compareOps(), castOps,
		reductions(), sortOps(), segmentOps, matmulOps, convOps, nnOps, stringOps, ngramOps, regexOps, imageOps,
		exampleOps, stateOps, tableOps, sparseOps, raggedOps, listOps, controlOps,
	} {
		maps.Copy(kernels, table)
	}
}
