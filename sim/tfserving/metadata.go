package tfserving

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// signatureField is the only metadata_field that GetModelMetadata supports.
const signatureField = "signature_def"

// GetModelMetadata answers PredictionService.GetModelMetadata (TFS-12.3). python-fake repeats the
// request's model_spec and returns Any values without a type (TFS-17.1 item 21).
func (s *Server) GetModelMetadata(r *apis.GetModelMetadataRequest) (*apis.GetModelMetadataResponse, error) {
	if s.fake == nil {
		s.timers.CatchUp()
		return s.reader.GetModelMetadata(r)
	}
	response, err := s.fake.Metadata(r)
	if err != nil {
		return nil, err
	}
	return response, nil
}

// GetModelMetadata answers PredictionService.GetModelMetadata for tfs-2.4 and tfs-head (TFS-12.3).
// Any thread may call it once the Reader is shared.
func (r *Reader) GetModelMetadata(request *apis.GetModelMetadataRequest) (*apis.GetModelMetadataResponse, error) {
	if request.GetModelSpec() == nil {
		return nil, errMissingSpec()
	}
	if len(request.GetMetadataField()) == 0 {
		return nil, statusf(rpcerrors.InvalidArgument, "GetModelMetadataRequest must specify at least one metadata_field")
	}
	for _, field := range request.GetMetadataField() {
		if field != signatureField {
			return nil, statusf(rpcerrors.InvalidArgument, "Metadata field %s is not supported", field)
		}
	}
	handle, err := r.acquire(SpecValue(request.GetModelSpec()))
	if err != nil {
		return nil, err
	}
	defer handle.Release()
	packed := &anypb.Any{}
	signatures := &apis.SignatureDefMap{SignatureDef: handle.Bundle().Signatures}
	if err := anypb.MarshalFrom(packed, signatures, proto.MarshalOptions{Deterministic: true}); err != nil {
		return nil, statusf(rpcerrors.Internal, "%v", err)
	}
	return &apis.GetModelMetadataResponse{
		ModelSpec: &apis.ModelSpec{
			Name:          request.GetModelSpec().GetName(),
			VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(handle.Version())},
		},
		Metadata: map[string]*anypb.Any{signatureField: packed},
	}, nil
}

// Signatures returns the signatures of one version by name. It is the version that a Predict
// request with this spec would use. Signatures returns nil for a model that accepts every request.
// The caller must not change the map.
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
