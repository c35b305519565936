package serve

import (
	"context"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/infer"
)

type predictionService struct {
	apis.UnimplementedPredictionServiceServer
	server *Server
}

func (p *predictionService) Predict(ctx context.Context, r *apis.PredictRequest) (*apis.PredictResponse, error) {
	return inferOver[*apis.PredictResponse](ctx, p.server, "Predict", r)
}

func (p *predictionService) Classify(ctx context.Context, r *apis.ClassificationRequest) (*apis.ClassificationResponse, error) {
	return inferOver[*apis.ClassificationResponse](ctx, p.server, "Classify", r)
}

func (p *predictionService) Regress(ctx context.Context, r *apis.RegressionRequest) (*apis.RegressionResponse, error) {
	return inferOver[*apis.RegressionResponse](ctx, p.server, "Regress", r)
}

func (p *predictionService) MultiInference(ctx context.Context, r *apis.MultiInferenceRequest) (*apis.MultiInferenceResponse, error) {
	return inferOver[*apis.MultiInferenceResponse](ctx, p.server, "MultiInference", r)
}

func (p *predictionService) GetModelMetadata(_ context.Context, r *apis.GetModelMetadataRequest) (*apis.GetModelMetadataResponse, error) {
	response, err := p.server.metadata(r)
	return response, grpcError(err)
}

func (s *Server) metadata(r *apis.GetModelMetadataRequest) (*apis.GetModelMetadataResponse, error) {
	if err := s.suffer("GetModelMetadata", r.GetModelSpec().GetName(), r.GetModelSpec().GetVersion().GetValue()); err != nil {
		return nil, err
	}
	return s.reader.GetModelMetadata(r)
}

// inferOver executes an inference request that came by gRPC, with the deadline of its call.
func inferOver[R proto.Message](ctx context.Context, s *Server, api string, r proto.Message) (response R, err error) {
	began := time.Now()
	deadline, _ := ctx.Deadline()
	var spent spent
	answer, err := s.infer(r, deadline, &spent)
	if s.opt.Timings {
		spent.tell(ctx)
	}
	if r, ok := any(r).(specified); ok {
		s.meter.requestOver(r.GetModelSpec().GetName(), api, "GRPC", began, codeOf(err))
	}
	if err != nil {
		return response, grpcError(err)
	}
	return answer.(R), nil
}

// specified is a request with exactly one model_spec. Upstream's metrics count only such requests.
type specified interface{ GetModelSpec() *apis.ModelSpec }

// infer executes an inference request, and stores its times in spent. When the deadline passes, the
// work continues (TFS-12.2, tensorflow/serving#1265): upstream's runtime finishes first and then
// returns DEADLINE_EXCEEDED. A zero deadline means none.
func (s *Server) infer(r proto.Message, deadline time.Time, spent *spent) (proto.Message, error) {
	came := time.Now()
	inference, err := s.reader.Begin(r)
	if err != nil {
		return nil, err
	}
	defer s.work()()
	began := time.Now()
	spent.waited = began.Sub(came)
	defer func() { spent.worked = time.Since(began) }()
	if inference.Batched() {
		return s.inferBatched(r, inference, deadline)
	}
	response, err := inference.Run()
	if rest := scale(inference.Latency(), s.times(r)/s.opt.Speed) - time.Since(began); rest > 0 {
		if gone := s.rest(rest); gone != nil && err == nil {
			err = gone
		}
	}
	if err == nil {
		err = s.suffer(infer.MethodOf(r), inference.Model(), inference.Version())
	}
	inference.End()
	if err != nil {
		return nil, err
	}
	if !deadline.IsZero() && time.Now().After(deadline) {
		return nil, tfserving.ErrTimedOut
	}
	took := time.Since(began)
	s.meter.ran(took)
	s.meter.inferred(r, took)
	return response, nil
}

// inferBatched executes a request that is computed in batches. It does not check the request's own
// deadline at the end, because a batch runs until the latest deadline of its requests.
func (s *Server) inferBatched(r proto.Message, inference *tfserving.Inference, deadline time.Time) (proto.Message, error) {
	began := time.Now()
	if !deadline.IsZero() {
		inference.Limit(scale(max(deadline.Sub(began), time.Millisecond), s.opt.Speed))
	}
	ready := make(chan struct{})
	inference.Start(func() { close(ready) })
	select {
	case <-ready:
	case <-s.done:
		return nil, errSocketClosed
	}
	response, err := inference.Run()
	if err == nil {
		err = s.suffer(infer.MethodOf(r), inference.Model(), inference.Version())
	}
	inference.End()
	if err != nil {
		return nil, err
	}
	s.meter.inferred(r, time.Since(began))
	return response, nil
}

// times returns the factor by which the cost model's time of the request is multiplied.
func (s *Server) times(r proto.Message) float64 {
	times := s.faults.slowness()
	if p, ok := r.(*apis.PredictRequest); ok && s.opt.PredictItemTime > 0 {
		times *= 1 + float64(itemsOf(p))*float64(s.opt.PredictItemTime)/float64(s.opt.Machine.Cost.PredictTime)
	}
	return times
}

// itemsOf returns the first dimension of a request's inputs. If the inputs differ, it returns the
// largest.
func itemsOf(r *apis.PredictRequest) (items int64) {
	for _, input := range r.GetInputs() {
		if dims := input.GetTensorShape().GetDim(); len(dims) > 0 {
			items = max(items, dims[0].GetSize())
		}
	}
	return items
}

// rest sleeps for d. It returns an error if the process ends first. The connections are then about
// to close, but the error may still reach the client.
func (s *Server) rest(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.done:
		return errSocketClosed
	}
}

var errSocketClosed = &env.RPCError{Code: rpcerrors.Unavailable, Message: rpcerrors.SocketClosed}

// These trailers are sent if Options.Timings is set. They say how many nanoseconds a request waited
// for a thread, and how many nanoseconds a thread executed it.
const (
	TrailerWaited = "monosim-waited-ns"
	TrailerWorked = "monosim-worked-ns"
)

// spent holds how long a request waited for a thread, and how long a thread worked on it.
type spent struct{ waited, worked time.Duration }

// tell sends the times as trailers of the gRPC call.
func (t *spent) tell(ctx context.Context) {
	// An error means that the call is over, so nobody reads its trailers.
	_ = grpc.SetTrailer(ctx, metadata.Pairs(
		TrailerWaited, strconv.FormatInt(int64(t.waited), 10),
		TrailerWorked, strconv.FormatInt(int64(t.worked), 10)))
}

// work waits for a free thread, in the order of arrival. It returns the function that frees the
// thread.
func (s *Server) work() (done func()) {
	if s.threads == nil {
		return func() {}
	}
	select {
	case s.threads <- struct{}{}:
		return func() { <-s.threads }
	case <-s.done:
		return func() {}
	}
}
