package bench_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/runners/tfserving/bench"
)

// echo is a grpc-go server that answers Predict with the request's inputs.
type echo struct {
	apis.UnimplementedPredictionServiceServer
	addr    string
	stop    func()
	calls   atomic.Int64
	predict func(call int64, r *apis.PredictRequest) (*apis.PredictResponse, error)
}

func newEcho(t testing.TB, options ...grpc.ServerOption) *echo {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &echo{addr: listener.Addr().String(), predict: same}
	server := grpc.NewServer(options...)
	apis.RegisterPredictionServiceServer(server, e)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	e.stop = server.Stop
	t.Cleanup(func() {
		server.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return e
}

func (e *echo) Predict(_ context.Context, r *apis.PredictRequest) (*apis.PredictResponse, error) {
	return e.predict(e.calls.Add(1), r)
}

func same(_ int64, r *apis.PredictRequest) (*apis.PredictResponse, error) {
	return &apis.PredictResponse{ModelSpec: r.GetModelSpec(), Outputs: r.GetInputs()}, nil
}

// predictOf returns a call with the given number of different requests, each of about
// sizeBytes.
func predictOf(t testing.TB, requests, sizeBytes int) bench.Call {
	t.Helper()
	call := bench.Call{Name: "Predict", Method: "/tensorflow.serving.PredictionService/Predict"}
	for i := range requests {
		x := &framework.TensorProto{TensorContent: bytes.Repeat([]byte{byte(i)}, sizeBytes)}
		message, err := proto.Marshal(&apis.PredictRequest{
			ModelSpec: &apis.ModelSpec{Name: "m"}, Inputs: map[string]*framework.TensorProto{"x": x},
		})
		if err != nil {
			t.Fatal(err)
		}
		call.Requests = append(call.Requests, bench.Frame(message))
	}
	call.Check = func(index int, answer []byte) error {
		var r apis.PredictResponse
		if err := proto.Unmarshal(answer, &r); err != nil {
			return err
		}
		got := r.GetOutputs()["x"].GetTensorContent()
		if want := bytes.Repeat([]byte{byte(index)}, sizeBytes); !bytes.Equal(got, want) {
			return fmt.Errorf("got %d bytes, want the %d of the request", len(got), len(want))
		}
		return nil
	}
	return call
}

// short is long enough for some calls to be answered even on a busy machine.
var short = bench.Length{Warm: 20 * time.Millisecond, For: 300 * time.Millisecond}

// Goal: a closed loop works with header tables, with flow control in both directions, and
// with answers out of order. Method: a server that echoes requests and whose windows are so
// small that data waits for their updates.
func TestClosedLoop(t *testing.T) {
	for _, c := range []struct{ conns, window, requests, sizeBytes int }{
		{1, 1, 1, 0}, {1, 200, 7, 1000}, {3, 50, 2, 1000}, {2, 3, 1, 16000},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			e := newEcho(t)
			load := bench.Load{Call: predictOf(t, c.requests, c.sizeBytes), Conns: c.conns, Window: c.window}
			m, err := load.Run(e.addr, short)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.calls.Load(); m.Calls == 0 || m.Calls > got || m.Calls != m.Latency.TotalCount() {
				t.Errorf("%d calls counted, %d latencies, %d served", m.Calls, m.Latency.TotalCount(), got)
			}
			if want := float64(m.Calls) / short.For.Seconds(); m.PerSecond != want {
				t.Errorf("%g calls a second, want %g", m.PerSecond, want)
			}
		})
	}
}

// Goal: an answer that equals an earlier right answer is not decoded again, even if it comes
// in several frames. Otherwise the client's own work would be measured.
func TestEqualAnswersAreCheckedOnce(t *testing.T) {
	for _, sizeBytes := range []int{100, 40_000} {
		e := newEcho(t)
		e.predict = func(_ int64, r *apis.PredictRequest) (*apis.PredictResponse, error) {
			return &apis.PredictResponse{ModelSpec: &apis.ModelSpec{Name: strings.Repeat("m", sizeBytes)}, Outputs: r.GetInputs()}, nil
		}
		call := predictOf(t, 2, 100)
		check, checked := call.Check, atomic.Int64{}
		call.Check = func(index int, answer []byte) error {
			checked.Add(1)
			return check(index, answer)
		}
		m, err := bench.Load{Call: call, Conns: 2, Window: 3}.Run(e.addr, short)
		if err != nil {
			t.Fatal(err)
		}
		if got, most := checked.Load(), int64(2*2); got == 0 || got > most || m.Sent <= most {
			t.Errorf("%d bytes: %d of %d answers were read, want some and at most %d", sizeBytes, got, m.Sent, most)
		}
	}
}

// Goal: an open loop sends exactly the requests that are due.
func TestOpenLoop(t *testing.T) {
	e := newEcho(t)
	load := bench.Load{Call: predictOf(t, 3, 100), Conns: 2, Window: 10, Rate: 2000}
	m, err := load.Run(e.addr, short)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.calls.Load(), int64(2000*(short.Warm+short.For).Seconds()); got != want {
		t.Errorf("%d calls were served, want the %d that were due", got, want)
	}
	if m.Calls == 0 || m.Calls > e.calls.Load() {
		t.Errorf("%d calls counted, %d served", m.Calls, e.calls.Load())
	}
}

// Goal: if a server stalls, the latency includes all requests that were due in that time,
// although few could be sent. Method: one slow call blocks a window of a single request.
func TestOpenLoopChargesForWhatWasDue(t *testing.T) {
	e := newEcho(t)
	const stop, limit = 60 * time.Millisecond, 30 * time.Millisecond
	e.predict = func(call int64, r *apis.PredictRequest) (*apis.PredictResponse, error) {
		if call == 1 {
			<-time.After(stop)
		}
		return same(call, r)
	}
	load := bench.Load{Call: predictOf(t, 1, 1), Conns: 1, Window: 1, Rate: 1000}
	m, err := load.Run(e.addr, bench.Length{For: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	late := int64(0)
	for _, bar := range m.Latency.Distribution() {
		if bar.From >= int64(limit) {
			late += bar.Count
		}
	}
	if want := int64((stop - limit) / time.Millisecond); late < want {
		t.Errorf("%d calls took %v and longer, want at least the %d that were due in the first %v", late, limit, want, stop-limit)
	}
}

// Goal: a wrong answer ends the run with an error.
func TestWrongAnswers(t *testing.T) {
	wrong := func(r *apis.PredictRequest) *apis.PredictResponse {
		return &apis.PredictResponse{Outputs: map[string]*framework.TensorProto{"x": {}}, ModelSpec: r.GetModelSpec()}
	}
	for _, c := range []struct {
		name, want string
		predict    func(call int64, r *apis.PredictRequest) (*apis.PredictResponse, error)
	}{
		{"the first", "wrong answer to request", func(_ int64, r *apis.PredictRequest) (*apis.PredictResponse, error) {
			return wrong(r), nil
		}},
		{"the 100th", "wrong answer to request", func(call int64, r *apis.PredictRequest) (*apis.PredictResponse, error) {
			if call == 100 {
				return wrong(r), nil
			}
			return same(call, r)
		}},
		{"an error", `grpc-status "8", "too much"`, func(int64, *apis.PredictRequest) (*apis.PredictResponse, error) {
			return nil, status.Error(codes.ResourceExhausted, "too much")
		}},
		{"an error after right ones", `grpc-status "5", ""`, func(call int64, r *apis.PredictRequest) (*apis.PredictResponse, error) {
			if call == 100 {
				return nil, status.Error(codes.NotFound, "")
			}
			return same(call, r)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEcho(t)
			e.predict = c.predict
			load := bench.Load{Call: predictOf(t, 3, 100), Conns: 1, Window: 4}
			_, err := load.Run(e.addr, bench.Length{For: 10 * time.Second})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got the error %v, want one with %q", err, c.want)
			}
		})
	}
}

// Goal: a server that cannot be measured gives an error at once.
func TestServersThatCannotBeMeasured(t *testing.T) {
	load := bench.Load{Call: predictOf(t, 1, 100), Conns: 1, Window: 10}
	run := func(addr string) error {
		_, err := load.Run(addr, bench.Length{For: 10 * time.Second})
		return err
	}
	t.Run("it ends", func(t *testing.T) {
		e := newEcho(t)
		e.predict = func(call int64, r *apis.PredictRequest) (*apis.PredictResponse, error) {
			if call == 50 {
				go e.stop()
			}
			return same(call, r)
		}
		if run(e.addr) == nil {
			t.Error("got no error of a server that ended")
		}
	})
	t.Run("too few streams", func(t *testing.T) {
		err := run(newEcho(t, grpc.MaxConcurrentStreams(9)).addr)
		if err == nil || !strings.Contains(err.Error(), "allows 9 streams, want 10") {
			t.Errorf("got %v, want an error about streams", err)
		}
	})
	t.Run("no gRPC", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		go func() {
			if tcp, err := listener.Accept(); err == nil {
				_, _ = tcp.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
				tcp.Close()
			}
		}()
		if err := run(listener.Addr().String()); err == nil || !strings.Contains(err.Error(), "connect to") {
			t.Errorf("got %v, want an error of the connection", err)
		}
	})
	t.Run("a great request", func(t *testing.T) {
		load.Call = predictOf(t, 1, 17000)
		if err := run(newEcho(t).addr); err == nil || !strings.Contains(err.Error(), "more than one frame") {
			t.Errorf("got %v, want an error about the request", err)
		}
	})
	t.Run("nobody", func(t *testing.T) {
		if err := run("127.0.0.1:1"); errors.Is(err, context.Canceled) || err == nil {
			t.Errorf("got %v, want that of the connection", err)
		}
	})
}

// BenchmarkClient measures the client together with a server that does no work.
func BenchmarkClient(b *testing.B) {
	e := newEcho(b)
	load := bench.Load{Call: predictOf(b, 1, 10), Conns: 2, Window: 100}
	for b.Loop() {
		m, err := load.Run(e.addr, bench.Length{Warm: 100 * time.Millisecond, For: time.Second})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(m.PerSecond, "calls/s")
	}
}
