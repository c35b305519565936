// Package linear has linear algebra: what solves systems of equations, decomposes matrices, and puts
// diagonals in and out of them (core/kernels/linalg). Decompositions take the steps of Eigen, in the
// precision of the dtype: so the signs of their vectors and what is not invertible are the runtime's.
//
// The two things to use first are Family, which the graph looks operations up in, and each, which
// makes a kernel of what is done with one matrix.
//
// To change:
//
//   - what inputs must be, and how a batch is gone through: batch.go
//   - arithmetic that numbers of several types share: number.go, matrix.go
//   - what solves and inverts, and determinants: lu.go, triangular.go, squares.go
//   - decompositions: cholesky.go, qr.go, eigen.go, singular.go
//   - diagonals: diagonal.go, tensor.go; vectors: cross.go
//
// Unstable: any commit may change it.
package linear

import (
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// Family has the operations of the package.
var Family = ops.Family{
	Kernels: map[string]ops.Kernel{
		"MatrixInverse":         each(square, sameShape, forms{inverse[float32], inverse[float64], inverse[complex64], inverse[complex128]}),
		"MatrixDeterminant":     each(square, numbers(1), forms{determinant[float32], determinant[float64], determinant[complex64], determinant[complex128]}),
		"LogMatrixDeterminant":  each(square, numbers(2), forms{logDeterminant[float32], logDeterminant[float64], logDeterminant[complex64], logDeterminant[complex128]}),
		"Lu":                    lu,
		"MatrixSolve":           each(squareSolver, solution, forms{solve[float32], solve[float64], solve[complex64], solve[complex128]}),
		"MatrixSolveLs":         each(solver, solution, forms{leastSquares[float32], leastSquares[float64], leastSquares[complex64], leastSquares[complex128]}),
		"MatrixTriangularSolve": triangularSolve,
		"Cholesky":              each(square, sameShape, forms{cholesky[float32], cholesky[float64], cholesky[complex64], cholesky[complex128]}),
		"Qr":                    each(anySize, qrShapes, forms{qr[float32, float32], qr[float64, float64], qr[complex64, float32], qr[complex128, float64]}),
		"SelfAdjointEigV2":      each(square, eigenShapes, forms{eigen[float32, float32], eigen[float64, float64], eigen[complex64, float32], eigen[complex128, float64]}),
		"Svd":                   each(anySize, singularShapes, forms{singular[float32], singular[float64], singular[complex64], singular[complex128]}),
		"MatrixDiag":            diagonal, "MatrixDiagV2": diagonal, "MatrixDiagV3": diagonal,
		"MatrixDiagPart": diagonalPart, "MatrixDiagPartV2": diagonalPart, "MatrixDiagPartV3": diagonalPart,
		"MatrixSetDiag": setDiagonal, "MatrixSetDiagV2": setDiagonal, "MatrixSetDiagV3": setDiagonal,
		"Diag": tensorDiagonal, "DiagPart": tensorDiagonalPart, "Cross": cross,
	},
	Outputs: map[string][]ops.Output{
		"LogMatrixDeterminant": ops.Named("sign", "log_abs_determinant"), "Lu": ops.Named("lu", "p"), "Qr": ops.Named("q", "r"),
		"SelfAdjointEigV2": ops.Named("e", "v"), "Svd": ops.Named("s", "u", "v"),
	},
	Defaults: map[string]map[string]any{
		"Lu": {"output_idx_type": value.Int32}, "MatrixSolveLs": {"fast": true}, "MatrixTriangularSolve": {"lower": true},
		"SelfAdjointEigV2": {"compute_v": true}, "Svd": {"compute_uv": true},
		"MatrixDiagV3": aligned, "MatrixDiagPartV3": aligned, "MatrixSetDiagV3": aligned,
	},
}

var aligned = map[string]any{"align": "RIGHT_LEFT"}
