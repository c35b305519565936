// Package pictures has the operations on images: what decodes, resizes and changes them.
//
// The two things to use first are Family, which the graph looks operations up in, and decodeImage,
// a kernel to follow when you add one.
//
// To change:
//
//   - what decodes files: decode.go
//   - colours and contrast: colours.go
//   - boxes that are cut out or picked: boxes.go
//
// Unstable: any commit may change it.
package pictures

import (
	"maps"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
)

// Family has the operations of the package.
var Family = ops.Family{Kernels: all(), Defaults: map[string]map[string]any{"CropAndResize": {"method": "bilinear"}}}

func all() map[string]ops.Kernel {
	kernels := maps.Clone(decoders)
	maps.Copy(kernels, colours)
	maps.Copy(kernels, boxes)
	return kernels
}
