// Package pictures has the operations on images: what decodes, resizes and changes them.
//
// The two things to use first are Family, which the graph looks operations up in, and decodeImage,
// a kernel to follow when you add one.
//
// To change what decodes files, look in decode.go.
//
// Unstable: any commit may change it.
package pictures

import "github.com/monosim/monosim/sim/tfserving/graph/ops"

// Family has the operations of the package.
var Family = ops.Family{Kernels: decoders}
