package ops

import (
	"maps"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// Family is a group of operations: their kernels, and what a graph needs to know of those that the
// SavedModel does not define.
type Family struct {
	Kernels map[string]Kernel
	// Outputs lists the outputs of operations that have several. Every other operation has one.
	Outputs map[string][]Output
	// Defaults holds the attribute defaults of operations, where they are not 0, false or "".
	Defaults map[string]map[string]any
}

// Find returns the kernel of the operation called name; false if the package has none.
func Find(name string) (Kernel, bool) {
	run, ok := kernels[name]
	return run, ok
}

// Core returns the operations of this package.
func Core() Family { return Family{Kernels: kernels, Outputs: outputs, Defaults: defaults} }

var kernels map[string]Kernel

// init fills the table of kernels. An initializer of the variable could not do it, because the
// kernels of control flow look up other kernels in the table, and Go does not allow such a cycle.
func init() {
	kernels = map[string]Kernel{}
	for _, table := range []map[string]Kernel{
		passing, shapeOps, sliceOps, gatherOps, joinOps, fillOps, unaryOps(), binaryOps(), compareOps(), castOps,
		reductions(), sortOps(), segmentOps, matmulOps, convOps, nnOps, stringOps, ngramOps, regexOps,
		exampleOps, crossOps, countOps, unicodeOps, stateOps, updateOps, tableOps, bucketOps, sparseOps, raggedOps, listOps, controlOps,
	} {
		maps.Copy(kernels, table)
	}
}

// Definition returns what a graph needs to know of an operation of the family: the names of its
// outputs, and its attribute defaults.
func (f Family) Definition(op string) *framework.OpDef {
	def := &framework.OpDef{Name: op}
	for _, arg := range f.Outputs[op] {
		def.OutputArg = append(def.OutputArg, &framework.OpDef_ArgDef{Name: arg.Name, NumberAttr: arg.Count, TypeListAttr: arg.Types})
	}
	for name, to := range f.Defaults[op] { //lint:ordered attributes are found by name
		def.Attr = append(def.Attr, &framework.OpDef_AttrDef{Name: name, DefaultValue: attrOf(to)})
	}
	return def
}

// Output is an output of an operation. For an output that consists of several tensors, Count or
// Types names the attribute that determines how many.
type Output struct{ Name, Count, Types string }

// Named returns outputs of one tensor each.
func Named(names ...string) []Output {
	return lists.Map(names, func(name string) Output { return Output{Name: name} })
}

var outputs = map[string][]Output{
	"FusedBatchNorm":      Named("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"),
	"FusedBatchNormV2":    Named("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"),
	"FusedBatchNormV3":    Named("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3"),
	"ListDiff":            Named("out", "idx"),
	"LookupTableExportV2": Named("keys", "values"),
	"MaxPoolWithArgmax":   Named("output", "argmax"),
	"Merge":               Named("output", "value_index"),
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
	"RaggedCross":          Named("output_values", "output_row_splits"),
	"RaggedGather":         {{"output_nested_splits", "OUTPUT_RAGGED_RANK", ""}, {"output_dense_values", "", ""}},
	"RaggedRange":          Named("rt_nested_splits", "rt_dense_values"),
	"RaggedTensorToSparse": Named("sparse_indices", "sparse_values", "sparse_dense_shape"),
	"SparseCross":          Named("output_indices", "output_values", "output_shape"),
	"SparseCrossHashed":    Named("output_indices", "output_values", "output_shape"),
	"SparseCrossV2":        Named("output_indices", "output_values", "output_shape"),
	"SparseFillEmptyRows":  Named("output_indices", "output_values", "empty_row_indicator", "reverse_index_map"),
	"SparseReorder":        Named("output_indices", "output_values"),
	"SparseReshape":        Named("output_indices", "output_shape"),
	"StringNGrams":         Named("ngrams", "ngrams_splits"),
	"StringSplit":          Named("indices", "values", "shape"),
	"StringSplitV2":        Named("indices", "values", "shape"),
	"Switch":               Named("output_false", "output_true"),
	"TensorListConcatV2":   Named("tensor", "lengths"),
	"TensorListPopBack":    Named("output_handle", "tensor"),
	"TopK":                 Named("values", "indices"),
	"TopKV2":               Named("values", "indices"),
	"Unique":               Named("y", "idx"),
	"UniqueV2":             Named("y", "idx"),
	"UniqueWithCounts":     Named("y", "idx", "count"),
	"UniqueWithCountsV2":   Named("y", "idx", "count"),
	"TensorListConcat":     Named("tensor", "lengths"),
	"RaggedFillEmptyRows":  Named("output_value_rowids", "output_values", "empty_row_indicator", "reverse_index_map"),
	"BatchFunction":        {{"out_tensors", "", "Tout"}},
}

// defaults holds the attribute defaults of operations, where they are not 0, false or "".
var defaults = map[string]map[string]any{
	"ApproximateEqual": {"tolerance": 1e-5},
	"AsString":         {"precision": -1, "width": -1},
	"Assert":           {"summarize": 3},
	"DecodeRaw":        {"little_endian": true},
	"DataFormatDimMap": {"src_format": "NHWC", "dst_format": "NCHW"}, "DataFormatVecPermute": {"src_format": "NHWC", "dst_format": "NCHW"},
	"FusedBatchNorm": {"epsilon": 1e-4, "is_training": true}, "FusedBatchNormV2": {"epsilon": 1e-4, "is_training": true},
	"FusedBatchNormV3":            {"epsilon": 1e-4, "is_training": true},
	"InitializeTableFromTextFile": {"vocab_size": -1, "delimiter": "\t"}, "InitializeTableFromTextFileV2": {"vocab_size": -1, "delimiter": "\t"},
	"DenseCountSparseOutput": {"minlength": -1, "maxlength": -1}, "RaggedCountSparseOutput": {"minlength": -1, "maxlength": -1},
	"SparseCountSparseOutput": {"minlength": -1, "maxlength": -1},
	"StringFormat":            {"template": "%s", "placeholder": "%s", "summarize": 3},
	"UnicodeDecode":           {"errors": "replace", "replacement_char": 65533}, "UnicodeDecodeWithOffsets": {"errors": "replace", "replacement_char": 65533},
	"UnicodeEncode": {"errors": "replace", "replacement_char": 65533}, "UnicodeTranscode": {"errors": "replace", "replacement_char": 65533},
	"LRN":                   {"depth_radius": 5, "bias": 1.0, "alpha": 1.0, "beta": 0.5},
	"LeakyRelu":             {"alpha": 0.2},
	"MaxPoolWithArgmax":     {"Targmax": value.Int64},
	"MutableDenseHashTable": {"initial_num_buckets": 131072, "max_load_factor": 0.8}, "MutableDenseHashTableV2": {"initial_num_buckets": 131072, "max_load_factor": 0.8},
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
	case DType:
		return &framework.AttrValue{Value: &framework.AttrValue_Type{Type: v}}
	}
	text, _ := v.(string)
	return &framework.AttrValue{Value: &framework.AttrValue_S{S: []byte(text)}}
}
