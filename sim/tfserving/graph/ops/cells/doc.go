// Package cells has the cells of recurrent layers that are one operation each (core/kernels/rnn).
//
// The two things to use first are Family, which the graph looks operations up in, and lstm, one step of
// most of them.
//
// To change a step of an LSTM, or how it goes through a sequence, look in lstm.go; for GRU in gru.go.
//
// Unstable: any commit may change it.
package cells

import "github.com/monosim/monosim/sim/tfserving/graph/ops"

// Family has the operations of the package.
var Family = ops.Family{
	Kernels: map[string]ops.Kernel{"LSTMBlockCell": cell, "BlockLSTM": sequence, "BlockLSTMV2": sequence, "GRUBlockCell": gru},
	Outputs: map[string][]ops.Output{
		"LSTMBlockCell": gates, "BlockLSTM": gates, "BlockLSTMV2": gates, "GRUBlockCell": ops.Named("r", "u", "c", "h"),
	},
	Defaults: map[string]map[string]any{
		"LSTMBlockCell": {"forget_bias": 1.0, "cell_clip": 3.0}, "BlockLSTM": {"forget_bias": 1.0, "cell_clip": 3.0},
	},
}

var gates = ops.Named("i", "cs", "f", "o", "ci", "co", "h")
