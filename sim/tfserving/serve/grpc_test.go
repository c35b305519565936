package serve

import (
	"context"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/grpccore"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/sim/tfserving"
)

// Goal: clients with the real server's gRPC stubs can add a model, query its status and call it.
func TestAModelIsServedOverGRPC(t *testing.T) {
	l := newLab(t)
	l.version("m", 3)
	l.serve(tfserving.Profile24, nil)
	reloaded, err := l.models().HandleReloadConfigRequest(l.context(), reloadOf(l.modelConfig("m", "")))
	l.must(err)
	if diff := cmp.Diff(&apis.ReloadConfigResponse{Status: okStatus()}, reloaded, protocmp.Transform()); diff != "" {
		t.Errorf("TFS-8.1: answer (-want +got):\n%s", diff)
	}
	got, err := l.models().GetModelStatus(l.context(), &apis.GetModelStatusRequest{ModelSpec: specOf("m")})
	l.must(err)
	want := &apis.GetModelStatusResponse{ModelVersionStatus: []*apis.ModelVersionStatus{
		{Version: 3, State: apis.ModelVersionStatus_AVAILABLE, Status: okStatus()},
	}}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("TFS-7.1: status (-want +got):\n%s", diff)
	}
	predicted, err := l.predictions().Predict(l.context(), &apis.PredictRequest{ModelSpec: specOf("m")})
	l.must(err)
	wantSpec := versionSpec("m", 3)
	wantSpec.SignatureName = "serving_default"
	if diff := cmp.Diff(wantSpec, predicted.GetModelSpec(), protocmp.Transform()); diff != "" {
		t.Errorf("TFS-12.2: model_spec of the answer (-want +got):\n%s", diff)
	}
	metadata, err := l.predictions().GetModelMetadata(l.context(),
		&apis.GetModelMetadataRequest{ModelSpec: specOf("m"), MetadataField: []string{"signature_def"}})
	l.must(err)
	if diff := cmp.Diff(versionSpec("m", 3), metadata.GetModelSpec(), protocmp.Transform()); diff != "" {
		t.Errorf("TFS-12.3: model_spec of the metadata (-want +got):\n%s", diff)
	}
}

// Goal: errors arrive over gRPC with upstream's texts and codes.
func TestErrorsOverGRPC(t *testing.T) {
	l := newLab(t)
	l.version("m", 1)
	l.serve(tfserving.Profile24, nil)
	_, err := l.models().HandleReloadConfigRequest(l.context(), reloadOf(l.modelConfig("m", "")))
	l.must(err)
	long := strings.Repeat("n", 2000)
	absent := reloadOf(l.modelConfig("x", ""))
	absent.GetConfig().GetModelConfigList().GetConfig()[0].BasePath = "relative"
	tests := []struct {
		section string
		call    func() error
		code    codes.Code
		message string
	}{
		{"TFS-7.3 no spec", func() error { return l.statusError(nil) }, codes.InvalidArgument, "Missing ModelSpec"},
		{"TFS-7.3 unknown version", func() error { return l.statusError(versionSpec("m", 9)) },
			codes.NotFound, "Could not find version 9 of model m"},
		{"TFS-7.3 unknown model", func() error { return l.statusError(specOf("x")) },
			codes.NotFound, "Could not find any versions of model x"},
		{"TFS-8.1 cut at 1024 bytes", func() error { return l.statusError(specOf(long)) },
			codes.NotFound, ("Could not find any versions of model " + long)[:1024] + "...TRUNCATED"},
		{"TFS-8.2 step 1", func() error { return l.reloadError(&apis.ReloadConfigRequest{}) }, codes.InvalidArgument,
			"ServerModelConfig type not supported by HandleReloadConfigRequest. Only ModelConfigList is currently supported"},
		{"TFS-8.2 step 4", func() error { return l.reloadError(absent) }, codes.InvalidArgument,
			"Expected model x to have an absolute path or URI; got base_path()=relative"},
		{"TFS-12.2 not loaded", func() error { return l.predictError(specOf("x")) },
			codes.NotFound, "Servable not found for request: Latest(x)"},
		{"TFS-12.1 no name", func() error { return l.predictError(specOf("")) },
			codes.InvalidArgument, "ModelSpec has no name specified."},
		{"TFS-12.3 no field", func() error {
			_, err := l.predictions().GetModelMetadata(l.context(), &apis.GetModelMetadataRequest{ModelSpec: specOf("m")})
			return err
		}, codes.InvalidArgument, "GetModelMetadataRequest must specify at least one metadata_field"},
		{"TFS-15.2 a method that is not there", func() error {
			return l.dial().Invoke(l.context(), "/tensorflow.serving.ModelService/Other",
				&apis.GetModelStatusRequest{}, &apis.GetModelStatusResponse{})
		}, codes.Unimplemented, ""},
		{"TFS-14.2 no health service without its flag", func() error {
			_, err := grpc_health_v1.NewHealthClient(l.dial()).Check(l.context(), &grpc_health_v1.HealthCheckRequest{})
			return err
		}, codes.Unimplemented, ""},
	}
	for _, test := range tests {
		t.Run(test.section, func(t *testing.T) { wantStatus(t, test.call(), test.code, test.message) })
	}
}

// wantCode checks the gRPC code of an error.
func wantCode(t testing.TB, err error, code codes.Code) {
	t.Helper()
	if status.Code(err) != code {
		t.Errorf("got %v, want %s", err, code)
	}
}

func okStatus() *util.StatusProto { return &util.StatusProto{} }

func (l *lab) statusError(spec *apis.ModelSpec) error {
	_, err := l.models().GetModelStatus(l.context(), &apis.GetModelStatusRequest{ModelSpec: spec})
	return err
}

func (l *lab) reloadError(r *apis.ReloadConfigRequest) error {
	_, err := l.models().HandleReloadConfigRequest(l.context(), r)
	return err
}

func (l *lab) predictError(spec *apis.ModelSpec) error {
	_, err := l.predictions().Predict(l.context(), &apis.PredictRequest{ModelSpec: spec})
	return err
}

// Goal: a reload continues when its client disconnects (TFS-8.7). The lock stays held and later
// reloads wait. All of them finish when the missing model appears. Meanwhile status requests are
// answered (TFS-2.3 item 4).
func TestAReloadOutlivesItsClient(t *testing.T) {
	l := newLab(t)
	l.serve(tfserving.Profile24, nil)
	l.version("a", 1)
	l.must(os.MkdirAll(l.path("b"), 0o755)) // the base path has no version yet
	ctx, cancel := context.WithCancel(context.Background())
	first := make(chan error, 1)
	conn := l.dialWith(l.grpcAddr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	go func() {
		_, err := apis.NewModelServiceClient(conn).HandleReloadConfigRequest(ctx,
			reloadOf(l.modelConfig("a", ""), l.modelConfig("b", "")))
		first <- err
	}()
	l.await("a:1 AVAILABLE") // once a is loaded, the reload has begun and waits for b
	cancel()
	if err := <-first; status.Code(err) != codes.Canceled {
		t.Errorf("the client that went away got %v, want CANCELLED", err)
	}
	conn.Close()
	short, cancelShort := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancelShort()
	_, err := l.models().HandleReloadConfigRequest(short, reloadOf(l.modelConfig("a", "")))
	if status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("a reload behind the stuck one got %v, want DEADLINE_EXCEEDED", err)
	}
	if _, err := l.models().GetModelStatus(l.context(), &apis.GetModelStatusRequest{ModelSpec: specOf("a")}); err != nil {
		t.Errorf("a status request meanwhile got %v", err)
	}
	l.version("b", 1)
	l.await("b:1 AVAILABLE")
	l.await("b:1 END") // the second reload, whose client has gone as well, removes b
}

// Goal: a request continues past its client's deadline (TFS-12.2), and meanwhile delays whatever
// waits for the serving map (TFS-2.3 item 3).
func TestARequestRunsPastItsDeadline(t *testing.T) {
	l := newLab(t)
	l.version("m", 1)
	// a Predict takes one second of the wall clock
	l.serve(tfserving.Profile24, func(o *Options) { o.Machine.Cost.PredictTime = 20 * time.Second })
	_, err := l.models().HandleReloadConfigRequest(l.context(), reloadOf(l.modelConfig("m", "")))
	l.must(err)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err = l.predictions().Predict(ctx, &apis.PredictRequest{ModelSpec: specOf("m")}); status.Code(err) != codes.DeadlineExceeded {
		t.Fatalf("got %v, want DEADLINE_EXCEEDED", err)
	}
	began := time.Now()
	l.version("m", 2)
	l.await("m:2 AVAILABLE")
	if took := time.Since(began); took < 500*time.Millisecond {
		t.Errorf("the new version was available after %v, want it to wait for the request in flight, about 1s", took)
	}
}

// Goal: if the server itself notices that a deadline has passed, the error has TensorFlow's text.
func TestTheRuntimeNoticesADeadline(t *testing.T) {
	l := newLab(t)
	l.version("m", 1)
	l.serve(tfserving.Profile24, nil)
	_, err := l.models().HandleReloadConfigRequest(l.context(), reloadOf(l.modelConfig("m", "")))
	l.must(err)
	_, err = l.s.infer(&apis.PredictRequest{ModelSpec: specOf("m")}, time.Now().Add(-time.Second), &spent{})
	want := env.RPCError{Code: rpcerrors.DeadlineExceeded, Message: "Timed out waiting for notification"}
	if got, ok := err.(*env.RPCError); !ok || *got != want {
		t.Errorf("got %v, want %v", err, &want)
	}
}

// Goal: the option PredictFault makes inference requests fail (TFS-12.2).
func TestPredictFaults(t *testing.T) {
	l := newLab(t)
	l.version("m", 1)
	l.serve(tfserving.Profile24, func(o *Options) {
		o.PredictFault = &env.RPCError{Code: rpcerrors.Unavailable, Message: "The batch scheduling queue to which this task was submitted is full"}
	})
	_, err := l.models().HandleReloadConfigRequest(l.context(), reloadOf(l.modelConfig("m", "")))
	l.must(err)
	wantStatus(t, l.predictError(specOf("m")), codes.Unavailable,
		"The batch scheduling queue to which this task was submitted is full")
}

// Goal: --grpc_socket_path is served in addition to the port, even if an earlier server left its
// socket file.
func TestUNIXSocket(t *testing.T) {
	l := newLab(t)
	socket := l.path("s")
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	l.must(err)
	left.SetUnlinkOnClose(false)
	left.Close()
	l.serve(tfserving.Profile24, func(o *Options) { o.Machine.GRPCSocketPath = socket })
	conn := l.dialWith("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	_, err = apis.NewModelServiceClient(conn).GetModelStatus(l.context(), &apis.GetModelStatusRequest{})
	wantStatus(t, err, codes.InvalidArgument, "Missing ModelSpec")
	if want := "Running gRPC ModelServer at UNIX socket " + socket + " ..."; !strings.Contains(l.logged(), want) {
		t.Errorf("no line %q in\n%s", want, l.logged())
	}
	if l.s.Ports().GRPC == 0 {
		t.Error("the port is not open")
	}
}

// Goal: no goroutine is left after calls, disconnected clients, hanging reloads and the end of the
// process.
func TestNothingIsLeftBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	l := newLab(t)
	l.version("m", 1)
	s := l.start(tfserving.Profile24, func(o *Options) { o.Machine.RESTAPIPort = 8501 })
	l.waitServing()
	_, err := l.models().HandleReloadConfigRequest(l.context(), reloadOf(l.modelConfig("m", "")))
	l.must(err)
	for range 20 {
		conn := l.dialWith(l.grpcAddr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		client := apis.NewModelServiceClient(conn)
		if _, err := client.HandleReloadConfigRequest(ctx, reloadOf(l.modelConfig("never", ""))); err == nil {
			t.Error("a reload of a model without a directory was answered with OK")
		}
		cancel()
		conn.Close()
		rest, err := net.Dial("tcp", l.restAddr())
		l.must(err)
		_, err = rest.Write([]byte("GET /v1/mod"))
		l.must(err)
		rest.Close()
	}
	l.dial().Close()
	s.Close()
	wantNoMoreGoroutines(t, before)
}

// Goal: invalid request bytes are refused with an empty text, as by gRPC's C++ library.
func TestBytesThatAreNoMessage(t *testing.T) {
	l := newLab(t)
	l.serve(tfserving.Profile24, nil)
	bad, out := []byte("\xff\xff\xff"), []byte(nil)
	for _, method := range []string{apis.ModelService_GetModelStatus_FullMethodName, apis.PredictionService_Predict_FullMethodName} {
		err := l.dial().Invoke(l.context(), method, &bad, &out, grpc.ForceCodecV2(grpccore.Bytes{}))
		wantStatus(t, err, codes.Internal, "")
	}
}
