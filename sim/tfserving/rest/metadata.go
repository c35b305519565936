package rest

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// statusJSON returns the body of a status response (TFS-13.4), as ToJsonString of
// model_servers/http_rest_api_util.cc:134 prints it. The JSON names of these messages equal the
// proto names.
func statusJSON(response *apis.GetModelStatusResponse, old bool) []byte {
	p := printer{old: old}
	p.document(response)
	return p.out
}

// metadataJSON returns the body of a metadata response (TFS-13.4), which upstream joins from two
// documents (model_servers/http_rest_api_util.cc:193-198).
func metadataJSON(response *apis.GetModelMetadataResponse, old bool) ([]byte, error) {
	any, found := response.GetMetadata()["signature_def"]
	if !found {
		return nil, internal("Failed to find 'signature_def' key in the GetModelMetadataResponse metadata map.")
	}
	signatures := &apis.SignatureDefMap{}
	if any.UnmarshalTo(signatures) != nil {
		return nil, internal("Failed to unpack 'Any' object to 'SignatureDefMap'.")
	}
	spec := response.GetModelSpec()
	if spec == nil {
		spec = &apis.ModelSpec{}
	}
	return slices.Concat(
		[]byte("{\n\"model_spec\":"), namesKept(spec, old),
		[]byte(",\n\"metadata\": {\"signature_def\": "), namesKept(signatures, old), []byte("}\n}\n")), nil
}

// namesKept prints a message with the field names of its proto file, which is protobuf's option
// preserve_proto_field_names.
func namesKept(m proto.Message, old bool) []byte {
	p := printer{old: old, protoNames: true}
	p.document(m)
	return p.out
}
