package serve

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"

	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/rest"
)

type restBackend struct{ server *Server }

var _ rest.Backend = restBackend{}

func (b restBackend) Predict(ctx context.Context, r *apis.PredictRequest) (*apis.PredictResponse, error) {
	return inferForREST[*apis.PredictResponse](ctx, b.server, r)
}

func (b restBackend) Classify(ctx context.Context, r *apis.ClassificationRequest) (*apis.ClassificationResponse, error) {
	return inferForREST[*apis.ClassificationResponse](ctx, b.server, r)
}

func (b restBackend) Regress(ctx context.Context, r *apis.RegressionRequest) (*apis.RegressionResponse, error) {
	return inferForREST[*apis.RegressionResponse](ctx, b.server, r)
}

// inferForREST executes an inference whose deadline is --rest_api_timeout_in_ms from now.
func inferForREST[R proto.Message](ctx context.Context, s *Server, r proto.Message) (response R, err error) {
	var deadline time.Time
	if timeout, ok := rest.Timeout(ctx); ok {
		deadline = time.Now().Add(timeout)
	}
	answer, err := s.infer(r, deadline, &spent{})
	if err != nil {
		return response, err
	}
	return answer.(R), nil
}

func (b restBackend) GetModelStatus(r *apis.GetModelStatusRequest) (*apis.GetModelStatusResponse, error) {
	return b.server.status(r)
}

func (b restBackend) GetModelMetadata(r *apis.GetModelMetadataRequest) (*apis.GetModelMetadataResponse, error) {
	return b.server.metadata(r)
}

func (b restBackend) Signatures(spec *apis.ModelSpec) (map[string]*tfcore.SignatureDef, error) {
	return b.server.reader.Signatures(spec)
}
