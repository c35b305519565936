// Package waves has the Fourier transforms of the innermost dimensions of tensors (core/kernels/fft_ops.cc).
//
// The two things to use first are Family, which the graph looks operations up in, and along, the
// transform along one dimension.
//
// To change what an operation asks of its inputs, look in kernels.go; how it is computed, in transform.go.
//
// Unstable: any commit may change it.
package waves

import (
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// Family has the operations of the package.
var Family = ops.Family{
	Kernels: map[string]ops.Kernel{
		"FFT": complexes(1, false), "FFT2D": complexes(2, false), "FFT3D": complexes(3, false),
		"IFFT": complexes(1, true), "IFFT2D": complexes(2, true), "IFFT3D": complexes(3, true),
		"RFFT": fromReals(1), "RFFT2D": fromReals(2), "RFFT3D": fromReals(3),
		"IRFFT": toReals(1), "IRFFT2D": toReals(2), "IRFFT3D": toReals(3),
	},
	Defaults: map[string]map[string]any{
		"RFFT": spectrum, "RFFT2D": spectrum, "RFFT3D": spectrum, "IRFFT": signal, "IRFFT2D": signal, "IRFFT3D": signal,
	},
}

var (
	spectrum = map[string]any{"Tcomplex": framework.DataType_DT_COMPLEX64}
	signal   = map[string]any{"Treal": value.Float32}
)
