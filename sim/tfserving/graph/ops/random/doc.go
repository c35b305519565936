// Package random has the operations that draw numbers from a seed alone, as tf.random.stateless_uniform
// makes them. A seed gives the same numbers as in TensorFlow.
//
// The two things to use first are Family, which the graph looks operations up in, and philox, the
// generator that all of them draw from.
//
// To change how bits are drawn, look in philox.go; how they become numbers in draws.go.
//
// Unstable: any commit may change it.
package random

import "github.com/monosim/monosim/sim/tfserving/graph/ops"

// Family has the operations of the package.
var Family = ops.Family{
	Kernels: map[string]ops.Kernel{
		"StatelessRandomGetKeyCounter": keyCounter, "StatelessRandomGetAlg": algorithm, "StatelessRandomGetKeyCounterAlg": keyCounter,
		"StatelessRandomUniform": seeded(uniform), "StatelessRandomUniformV2": keyed(uniform),
		"StatelessRandomNormal": seeded(normal), "StatelessRandomNormalV2": keyed(normal),
		"StatelessTruncatedNormal": seeded(truncated), "StatelessTruncatedNormalV2": keyed(truncated),
		"StatelessRandomUniformInt": seeded(between), "StatelessRandomUniformIntV2": keyed(between),
		"StatelessRandomUniformFullInt": seeded(whole), "StatelessRandomUniformFullIntV2": keyed(whole),
	},
	Outputs: map[string][]ops.Output{
		"StatelessRandomGetKeyCounter": ops.Named("key", "counter"), "StatelessRandomGetKeyCounterAlg": ops.Named("key", "counter", "alg"),
	},
}
