package graph

import (
	"slices"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/arrays"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/cells"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/formats"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/gradients"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/linear"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/nested"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/pictures"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/quantized"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/random"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/sequences"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/sets"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/sparsemath"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/statistics"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/waves"
)

// families holds all operations that can be run.
var families = []ops.Family{ops.Core(), arrays.Family, cells.Family, formats.Family, gradients.Family, linear.Family, nested.Family, pictures.Family, quantized.Family, random.Family, sequences.Family, sets.Family, sparsemath.Family, statistics.Family, waves.Family}

// Operations returns the names of all operations that can be run.
func Operations() (names []string) {
	for _, family := range families {
		for name := range family.Kernels { //lint:ordered the names are sorted
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// familyOf returns the family that has an operation; an empty one if none has.
func familyOf(op string) ops.Family {
	for _, family := range families {
		if family.Kernels[op] != nil {
			return family
		}
	}
	return ops.Family{}
}

// definitionOf returns the definition of an operation that the SavedModel does not define.
func definitionOf(op string) *framework.OpDef { return familyOf(op).Definition(op) }
