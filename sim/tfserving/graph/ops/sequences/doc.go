// Package sequences has the operations that parse sequence examples: a context as that of an
// Example, and lists of features, one for each step (core/util/example_proto_fast_parsing.cc).
//
// The two things to use first are Family, which the graph looks operations up in, and parse, the
// kernel of all but ParseSingleSequenceExample.
//
// To change:
//
//   - how an example is read: read.go
//   - which features an operation asks for: wanted.go
//   - the outputs of the context, and of lists: context.go, steps.go
//   - ParseSingleSequenceExample: single.go
//
// Unstable: any commit may change it.
package sequences

import "github.com/monosim/monosim/sim/tfserving/graph/ops"

// Family has the operations of the package.
var Family = ops.Family{
	Kernels: map[string]ops.Kernel{"ParseSequenceExample": parse, "ParseSequenceExampleV2": parse, "ParseSingleSequenceExample": parseSingle},
	Outputs: map[string][]ops.Output{
		"ParseSequenceExample": {
			{Name: "context_sparse_indices", Count: "Ncontext_sparse"}, {Name: "context_sparse_values", Types: "context_sparse_types"},
			{Name: "context_sparse_shapes", Count: "Ncontext_sparse"}, {Name: "context_dense_values", Types: "Tcontext_dense"},
			{Name: "feature_list_sparse_indices", Count: "Nfeature_list_sparse"}, {Name: "feature_list_sparse_values", Types: "feature_list_sparse_types"},
			{Name: "feature_list_sparse_shapes", Count: "Nfeature_list_sparse"}, {Name: "feature_list_dense_values", Types: "feature_list_dense_types"},
			{Name: "feature_list_dense_lengths", Count: "Nfeature_list_dense"},
		},
		"ParseSingleSequenceExample": {
			{Name: "context_sparse_indices", Count: "Ncontext_sparse"}, {Name: "context_sparse_values", Types: "context_sparse_types"},
			{Name: "context_sparse_shapes", Count: "Ncontext_sparse"}, {Name: "context_dense_values", Types: "Tcontext_dense"},
			{Name: "feature_list_sparse_indices", Count: "Nfeature_list_sparse"}, {Name: "feature_list_sparse_values", Types: "feature_list_sparse_types"},
			{Name: "feature_list_sparse_shapes", Count: "Nfeature_list_sparse"}, {Name: "feature_list_dense_values", Types: "feature_list_dense_types"},
		},
		"ParseSequenceExampleV2": {
			{Name: "context_sparse_indices", Count: "Ncontext_sparse"}, {Name: "context_sparse_values", Types: "context_sparse_types"},
			{Name: "context_sparse_shapes", Count: "Ncontext_sparse"}, {Name: "context_dense_values", Types: "Tcontext_dense"},
			{Name: "context_ragged_values", Types: "context_ragged_value_types"}, {Name: "context_ragged_row_splits", Types: "context_ragged_split_types"},
			{Name: "feature_list_sparse_indices", Count: "Nfeature_list_sparse"}, {Name: "feature_list_sparse_values", Types: "feature_list_sparse_types"},
			{Name: "feature_list_sparse_shapes", Count: "Nfeature_list_sparse"}, {Name: "feature_list_dense_values", Types: "feature_list_dense_types"},
			{Name: "feature_list_dense_lengths", Count: "Nfeature_list_dense"}, {Name: "feature_list_ragged_values", Types: "feature_list_ragged_value_types"},
			{Name: "feature_list_ragged_outer_splits", Types: "feature_list_ragged_split_types"},
			{Name: "feature_list_ragged_inner_splits", Types: "feature_list_ragged_split_types"},
		},
	},
}
