package ops

import (
	"maps"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
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
		exampleOps, crossOps, countOps, unicodeOps, stateOps, tableOps, sparseOps, raggedOps, listOps, controlOps,
	} {
		maps.Copy(kernels, table)
	}
}

// Definition returns what a graph needs to know of an operation that the SavedModel does not
// define: the names of its outputs, and attribute defaults other than 0, false and "".
func Definition(op string) *framework.OpDef {
	def := &framework.OpDef{Name: op}
	for _, arg := range outputNames[op] {
		def.OutputArg = append(def.OutputArg, &framework.OpDef_ArgDef{Name: arg.name, NumberAttr: arg.count, TypeListAttr: arg.types})
	}
	for name, to := range defaults[op] { //lint:ordered attributes are found by name
		def.Attr = append(def.Attr, &framework.OpDef_AttrDef{Name: name, DefaultValue: attrOf(to)})
	}
	return def
}

// outputArg is an output of an operation. For an output that consists of several tensors, count or
// types names the attribute that determines how many.
type outputArg struct{ name, count, types string }

func named(names ...string) []outputArg {
	return lists.Map(names, func(name string) outputArg { return outputArg{name: name} })
}

// outputNames lists the outputs of operations that have several. Every other operation has one.
var outputNames = map[string][]outputArg{
	"FusedBatchNorm":      named("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"),
	"FusedBatchNormV2":    named("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"),
	"FusedBatchNormV3":    named("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3"),
	"ListDiff":            named("out", "idx"),
	"LookupTableExportV2": named("keys", "values"),
	"Merge":               named("output", "value_index"),
	"ParseExample": {
		{"sparse_indices", "Nsparse", ""}, {"sparse_values", "", "sparse_types"}, {"sparse_shapes", "Nsparse", ""}, {"dense_values", "", "Tdense"},
	},
	"ParseSingleExample": {
		{"sparse_indices", "num_sparse", ""}, {"sparse_values", "", "sparse_types"}, {"sparse_shapes", "num_sparse", ""}, {"dense_values", "", "Tdense"},
	},
	"ParseExampleV2": {
		{"sparse_indices", "num_sparse", ""}, {"sparse_values", "", "sparse_types"}, {"sparse_shapes", "num_sparse", ""}, {"dense_values", "", "Tdense"},
		{"ragged_values", "", "ragged_value_types"}, {"ragged_row_splits", "", "ragged_split_types"},
	},
	"RaggedCross":          named("output_values", "output_row_splits"),
	"RaggedGather":         {{"output_nested_splits", "OUTPUT_RAGGED_RANK", ""}, {"output_dense_values", "", ""}},
	"RaggedRange":          named("rt_nested_splits", "rt_dense_values"),
	"RaggedTensorToSparse": named("sparse_indices", "sparse_values", "sparse_dense_shape"),
	"SparseCross":          named("output_indices", "output_values", "output_shape"),
	"SparseCrossHashed":    named("output_indices", "output_values", "output_shape"),
	"SparseCrossV2":        named("output_indices", "output_values", "output_shape"),
	"SparseFillEmptyRows":  named("output_indices", "output_values", "empty_row_indicator", "reverse_index_map"),
	"SparseReorder":        named("output_indices", "output_values"),
	"SparseReshape":        named("output_indices", "output_shape"),
	"StringNGrams":         named("ngrams", "ngrams_splits"),
	"StringSplit":          named("indices", "values", "shape"),
	"StringSplitV2":        named("indices", "values", "shape"),
	"Switch":               named("output_false", "output_true"),
	"TensorListConcatV2":   named("tensor", "lengths"),
	"TensorListPopBack":    named("output_handle", "tensor"),
	"TopK":                 named("values", "indices"),
	"TopKV2":               named("values", "indices"),
	"Unique":               named("y", "idx"),
	"UniqueV2":             named("y", "idx"),
	"UniqueWithCounts":     named("y", "idx", "count"),
}

// defaults holds the attribute defaults of operations, where they are not 0, false or "".
var defaults = map[string]map[string]any{
	"ApproximateEqual": {"tolerance": 1e-5},
	"AsString":         {"precision": -1, "width": -1},
	"Assert":           {"summarize": 3},
	"DecodeRaw":        {"little_endian": true},
	"FusedBatchNorm":   {"epsilon": 1e-4, "is_training": true}, "FusedBatchNormV2": {"epsilon": 1e-4, "is_training": true},
	"FusedBatchNormV3":            {"epsilon": 1e-4, "is_training": true},
	"InitializeTableFromTextFile": {"vocab_size": -1, "delimiter": "\t"}, "InitializeTableFromTextFileV2": {"vocab_size": -1, "delimiter": "\t"},
	"DenseCountSparseOutput": {"minlength": -1, "maxlength": -1}, "RaggedCountSparseOutput": {"minlength": -1, "maxlength": -1},
	"SparseCountSparseOutput": {"minlength": -1, "maxlength": -1},
	"StringFormat":            {"template": "%s", "placeholder": "%s", "summarize": 3},
	"UnicodeDecode":           {"errors": "replace", "replacement_char": 65533}, "UnicodeDecodeWithOffsets": {"errors": "replace", "replacement_char": 65533},
	"UnicodeEncode": {"errors": "replace", "replacement_char": 65533}, "UnicodeTranscode": {"errors": "replace", "replacement_char": 65533},
	"LeakyRelu":     {"alpha": 0.2},
	"OneHot":        {"axis": -1},
	"SparseToDense": {"validate_indices": true},
	"StringSplit":   {"skip_empty": true},
	"StringSplitV2": {"maxsplit": -1},
}

func attrOf(v any) *framework.AttrValue {
	switch v := v.(type) {
	case int:
		return &framework.AttrValue{Value: &framework.AttrValue_I{I: int64(v)}}
	case float64:
		return &framework.AttrValue{Value: &framework.AttrValue_F{F: float32(v)}}
	case bool:
		return &framework.AttrValue{Value: &framework.AttrValue_B{B: v}}
	}
	text, _ := v.(string)
	return &framework.AttrValue{Value: &framework.AttrValue_S{S: []byte(text)}}
}
