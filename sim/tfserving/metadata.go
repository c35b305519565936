package tfserving

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/env"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// MetadataRequest is a tensorflow.serving.GetModelMetadataRequest.
type MetadataRequest struct {
	Spec   *env.ModelSpec
	Fields []string
}

// Metadata answers a MetadataRequest: for a real server it has the version and its
// signatures, for python-fake an Any value per field, with an empty type URL.
type Metadata struct {
	Version    int64
	Signatures map[string]*tfcore.SignatureDef
	FakeFields map[string]string
}

// Metadata answers GetModelMetadata without upstream's messages (TFS-12.3, TFS-17.1 item
// 21).
func (s *Server) Metadata(request MetadataRequest) (Metadata, error) {
	if s.fake != nil {
		return s.fakeMetadata(request)
	}
	s.timers.CatchUp()
	return s.reader.metadata(request)
}

func (r *Reader) metadata(request MetadataRequest) (Metadata, error) {
	if request.Spec == nil {
		return Metadata{}, errMissingSpec()
	}
	if len(request.Fields) == 0 {
		return Metadata{}, statusf(env.InvalidArgument, "GetModelMetadataRequest must specify at least one metadata_field")
	}
	for _, field := range request.Fields {
		if field != signatureField {
			return Metadata{}, statusf(env.InvalidArgument, "Metadata field %s is not supported", field)
		}
	}
	handle, err := r.acquire(*request.Spec)
	if err != nil {
		return Metadata{}, err
	}
	defer handle.Release()
	return Metadata{Version: handle.Version(), Signatures: handle.Bundle().Signatures}, nil
}

// signatureField is the one fact that GetModelMetadata knows.
const signatureField = "signature_def"

// GetModelMetadata is PredictionService.GetModelMetadata (TFS-12.3). The
// python-fake profile echoes the request's model_spec, and its values are Any
// without a type (TFS-17.1 item 21).
func (s *Server) GetModelMetadata(r *apis.GetModelMetadataRequest) (*apis.GetModelMetadataResponse, error) {
	if s.fake == nil {
		s.timers.CatchUp()
		return s.reader.GetModelMetadata(r)
	}
	metadata, err := s.fakeMetadata(metadataRequest(r))
	if err != nil {
		return nil, err
	}
	return fakeMetadataResponse(r, metadata), nil
}

func metadataRequest(r *apis.GetModelMetadataRequest) MetadataRequest {
	return MetadataRequest{Spec: specFromProto(r.GetModelSpec()), Fields: r.GetMetadataField()}
}

// GetModelMetadata is PredictionService.GetModelMetadata (TFS-12.3) for the profiles of
// real servers. Any thread may call it once the Reader is shared.
func (r *Reader) GetModelMetadata(request *apis.GetModelMetadataRequest) (*apis.GetModelMetadataResponse, error) {
	metadata, err := r.metadata(metadataRequest(request))
	if err != nil {
		return nil, err
	}
	packed := &anypb.Any{}
	signatures := &apis.SignatureDefMap{SignatureDef: metadata.Signatures}
	if err := anypb.MarshalFrom(packed, signatures, proto.MarshalOptions{Deterministic: true}); err != nil {
		return nil, statusf(env.Internal, "%v", err)
	}
	return &apis.GetModelMetadataResponse{
		ModelSpec: &apis.ModelSpec{
			Name:          request.GetModelSpec().GetName(),
			VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(metadata.Version)},
		},
		Metadata: map[string]*anypb.Any{signatureField: packed},
	}, nil
}

// fakeMetadataResponse has a model_spec even where the request has none: CopyFrom
// sets it (mocked_tfserving.py:347).
func fakeMetadataResponse(r *apis.GetModelMetadataRequest, metadata Metadata) *apis.GetModelMetadataResponse {
	response := &apis.GetModelMetadataResponse{
		ModelSpec: &apis.ModelSpec{},
		Metadata:  make(map[string]*anypb.Any, len(metadata.FakeFields)),
	}
	proto.Merge(response.ModelSpec, r.GetModelSpec())
	for field, value := range metadata.FakeFields {
		response.Metadata[field] = &anypb.Any{Value: []byte(value)}
	}
	return response
}

// Signatures are those of the version that a Predict with the spec would go to,
// by name; nil for a model that takes every request. They belong to the model:
// read them only.
func (r *Reader) Signatures(spec *apis.ModelSpec) (map[string]*tfcore.SignatureDef, error) {
	if spec == nil {
		return nil, errMissingSpec()
	}
	handle, err := r.acquire(SpecValue(spec))
	if err != nil {
		return nil, err
	}
	defer handle.Release()
	return handle.Bundle().Signatures, nil
}
