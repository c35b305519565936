// Package ops has the operations of graphs: what each computes and how it fails, in the words of
// TensorFlow's kernels.
//
// More operations are in the packages below this one, each of which has a Family of them.
//
// The two things to use first are Find, which returns the operation of a name, and Call, one use
// of it with its inputs:
//
//	run, ok := ops.Find("MatMul")
//	outputs, err := run(&ops.Call{Node: node, In: []value.Value{a, b}, Env: env})
//
// An error is an *env.RPCError without the name of the node, or an *Unsupported, after which the
// caller answers in another way.
//
// To change:
//
//   - what an operation is given: call.go
//   - its defaults: find.go
//   - which operations there are: find.go, and the table at the top of each file
//   - arithmetic and comparison: elementwise.go, binary.go, compare.go, cast.go
//   - shapes and elements: shape.go, slice.go, gather.go, join.go, fill.go
//   - reductions, sorting, segments: reduce.go, sort.go, segment.go
//   - layers: matmul.go, conv.go, nn.go; linear algebra: package linear; cells of recurrent layers: package cells; Fourier transforms: package waves
//   - texts: strings.go, regex.go
//   - examples: example.go; sequence examples: package sequences; CSV, JSON and tensors as text: package formats; sets: package sets; draws from a seed: package random
//   - variables and tables: state.go, table.go, buckets.go
//   - sparse and ragged composites: sparse.go, ragged.go; arithmetic of sparse tensors: package sparsemath; ragged tensors as elements: package nested
//   - special functions: package special; losses and histograms: package statistics; derivatives: package gradients
//   - lists of tensors: list.go
//   - control flow: control.go
//
// Unstable: any commit may change it.
package ops
