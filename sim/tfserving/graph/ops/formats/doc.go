// Package formats has the operations that read and write formats of data: CSV, Examples in JSON,
// tensors as text, what is packed in
// texts, and their fingerprints.
//
// The two things to use first are Family, which the graph looks operations up in, and decodeCSV,
// a kernel to follow when you add one.
//
// To change what reads CSV, look in csv.go; for JSON in json.go, for tensors in written.go, for
// sparse ones in packed.go; what unpacks bytes and hashes them in raw.go.
//
// Unstable: any commit may change it.
package formats

import "github.com/monosim/monosim/sim/tfserving/graph/ops"

// Family has the operations of the package.
var Family = ops.Family{
	Kernels: map[string]ops.Kernel{
		"DecodeCSV": decodeCSV, "ParseTensor": parseTensor, "SerializeTensor": serializeTensor, "DecodeJSONExample": decodeJSON,
		"SerializeSparse": packSparse, "SerializeManySparse": packRows, "DeserializeSparse": unpackSparse, "DeserializeManySparse": unpackSparse,
		"DecodePaddedRaw": decodePadded, "DecodeCompressed": decodeCompressed, "Fingerprint": fingerprint,
	},
	Outputs: map[string][]ops.Output{
		"DecodeCSV": {{Name: "output", Types: "OUT_TYPE"}}, "DeserializeSparse": sparse, "DeserializeManySparse": sparse,
	},
	Defaults: map[string]map[string]any{
		"DecodeCSV": {"field_delim": ",", "use_quote_delim": true}, "DecodePaddedRaw": {"little_endian": true},
	},
}

var sparse = ops.Named("sparse_indices", "sparse_values", "sparse_shape")
