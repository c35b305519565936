package observe

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/grpccore"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/serve"
)

// predictOf returns an encoded Predict request for a model, without inputs.
func predictOf(model string) ([]byte, error) {
	return proto.Marshal(&apis.PredictRequest{ModelSpec: &apis.ModelSpec{Name: model}})
}

// inputOf returns the encoded part of a Predict request with an input of the given number of
// items.
func inputOf(items int32) []byte {
	b, err := proto.Marshal(&apis.PredictRequest{Inputs: map[string]*framework.TensorProto{"x": {
		Dtype: framework.DataType_DT_FLOAT, FloatVal: []float32{1}, // a tensor with a single value stands for all items
		TensorShape: &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: int64(items)}}},
	}}})
	if err != nil {
		panic(err) // cannot happen: a message without strings always encodes
	}
	return b
}

// target is a model server and the load generator's connection to it.
type target struct {
	addr string
	conn *grpc.ClientConn
	// free limits the calls in flight: it holds a token for each call, up to its capacity. nil
	// means no limit.
	free chan struct{}
	// way is the delay added to each direction of a call.
	way time.Duration
}

func dial(addr string, calls int, way time.Duration) (*target, error) {
	conn, err := grpc.NewClient("passthrough:///"+addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(grpccore.Bytes{})))
	if err != nil {
		return nil, err
	}
	t := &target{addr: addr, conn: conn, way: way}
	if calls > 0 {
		t.free = make(chan struct{}, calls)
	}
	return t, nil
}

// connect waits until the connection is ready.
func (t *target) connect(ctx context.Context) error {
	t.conn.Connect()
	for {
		state := t.conn.GetState()
		if state == connectivity.Ready {
			return nil
		}
		if !t.conn.WaitForStateChange(ctx, state) {
			return fmt.Errorf("connect to the model server at %s: %w", t.addr, context.Cause(ctx))
		}
	}
}

// account is a server's report on a call: how long the call waited and how long the server
// worked on it, in nanoseconds.
type account struct{ waited, worked int64 }

// predict makes one call. It first waits while too many calls are in flight.
func (t *target) predict(ctx context.Context, request []byte) (account, error) {
	a := account{-1, -1}
	if t.free != nil {
		select {
		case t.free <- struct{}{}:
			defer func() { <-t.free }()
		case <-ctx.Done():
			return a, status.FromContextError(ctx.Err()).Err()
		}
	}
	var response []byte
	var trailer metadata.MD
	if err := t.travel(ctx); err != nil {
		return a, err
	}
	err := t.conn.Invoke(ctx, apis.PredictionService_Predict_FullMethodName, &request, &response, grpc.Trailer(&trailer))
	a.waited, a.worked = nanos(trailer, serve.TrailerWaited), nanos(trailer, serve.TrailerWorked)
	if err != nil {
		return a, err
	}
	return a, t.travel(ctx)
}

// travel waits for the delay of one direction. If ctx ends first, it returns the status of a
// timeout.
func (t *target) travel(ctx context.Context) error {
	if t.way <= 0 {
		return nil
	}
	there := time.NewTimer(t.way)
	defer there.Stop()
	select {
	case <-there.C:
		return nil
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
}

// nanos returns the number in a trailer field, -1 if the field is missing.
func nanos(md metadata.MD, key string) int64 {
	values := md.Get(key)
	if len(values) == 0 {
		return -1
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// outcomeOf returns how a call ended. over says that the run was cancelled, and givenUp that
// nobody waited for the call any longer.
func outcomeOf(err error, over, givenUp bool) uint8 {
	switch status.Code(err) {
	case codes.OK:
		return Answered
	case codes.DeadlineExceeded:
		return TimedOut
	case codes.Unavailable:
		return Refused
	case codes.Canceled:
		switch {
		case over:
			return Open
		case givenUp:
			return GivenUp
		}
	}
	return Failed
}

// answerLimit is how long the first calls to all servers may take together, before a run.
const answerLimit = 30 * time.Second
