package serve

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/tfrecord"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/serve/export"
)

// patience is how long a test waits for an expected event. Only failing tests wait that long.
const patience = 20 * time.Second

// lab is a test with a directory of models and a process that serves them.
type lab struct {
	testing.TB
	dir  string
	s    *Server
	conn *grpc.ClientConn

	mu     sync.Mutex
	events []string
	news   chan struct{} // channel that is closed and replaced at every event and line of the log
	log    bytes.Buffer
}

func newLab(t testing.TB) *lab {
	return &lab{TB: t, dir: t.TempDir(), news: make(chan struct{})}
}

// options returns options for a fast process: 20 times as fast as the wall clock, with one attempt
// for each load.
func (l *lab) options(profile tfserving.Profile, change func(o *Options)) Options {
	o := Options{Machine: tfserving.DefaultOptions(profile), AnyPort: true, Speed: 20, Log: l, OnEvent: l.heard}
	o.Machine.MaxNumLoadRetries, o.Machine.InitialConfig = 0, &modelconfig.ServerConfig{Kind: modelconfig.ModelList}
	if change != nil {
		change(&o)
	}
	return o
}

// start starts a process that is closed at the end of the test. It does not wait until it serves.
func (l *lab) start(profile tfserving.Profile, change func(o *Options)) *Server {
	l.Helper()
	l.s = Start(l.options(profile, change))
	l.Cleanup(l.s.Close)
	return l.s
}

// serve starts a process and waits until it serves.
func (l *lab) serve(profile tfserving.Profile, change func(o *Options)) {
	l.Helper()
	l.start(profile, change)
	l.waitServing()
}

func (l *lab) waitServing() {
	l.Helper()
	select {
	case <-l.s.Serving():
	case <-l.s.Done():
		code, stdout := l.s.Exit()
		l.Fatalf("the process ended with %d before it served: %s\n%s", code, stdout, l.logged())
	case <-time.After(patience):
		l.Fatalf("not serving after %v; events %v\n%s", patience, l.heardSoFar(), l.logged())
	}
}

// waitDone waits until the process has ended by itself.
func (l *lab) waitDone() (code int, stdout string) {
	l.Helper()
	select {
	case <-l.s.Done():
		return l.s.Exit()
	case <-time.After(patience):
		l.Fatalf("not ended after %v; events %v\n%s", patience, l.heardSoFar(), l.logged())
		return 0, ""
	}
}

// Write takes log lines.
func (l *lab) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell()
	return l.log.Write(p)
}

func (l *lab) logged() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.String()
}

// eventText formats an event as tests name it, such as "m:1 AVAILABLE".
func eventText(e tfserving.Event) string {
	text := fmt.Sprintf("%s:%d %s", e.Model, e.Version, e.State)
	if e.Err != nil {
		text += " " + e.Err.Error()
	}
	return text
}

func (l *lab) heard(e tfserving.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, eventText(e))
	l.tell()
}

// tell wakes the goroutines that wait for new events or log lines.
func (l *lab) tell() {
	close(l.news)
	l.news = make(chan struct{})
}

func (l *lab) heardSoFar() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events)
}

// await waits for an event whose text begins with begin. It returns at once if there already was
// one.
func (l *lab) await(begin string) {
	l.Helper()
	l.waitFor("event "+begin, func() bool {
		return slices.ContainsFunc(l.events, func(e string) bool { return strings.HasPrefix(e, begin) })
	})
}

// awaitLog waits until the log has a text.
func (l *lab) awaitLog(text string) {
	l.Helper()
	l.waitFor(text, func() bool { return bytes.Contains(l.log.Bytes(), []byte(text)) })
}

// waitFor waits until done returns true, which may read the events and the log. what describes the
// condition if the test fails.
func (l *lab) waitFor(what string, done func() bool) {
	l.Helper()
	deadline := time.After(patience)
	for {
		l.mu.Lock()
		found, news := done(), l.news
		l.mu.Unlock()
		if found {
			return
		}
		select {
		case <-news:
		case <-deadline:
			l.Fatalf("no %s after %v, only %v\n%s", what, patience, l.heardSoFar(), l.logged())
		}
	}
}

// path returns a path below the lab's directory.
func (l *lab) path(parts ...string) string {
	return filepath.Join(append([]string{l.dir}, parts...)...)
}

// version exports a model version in one step, so that the server never sees half of it.
func (l *lab) version(model string, version int) {
	l.Helper()
	l.export(model, version, "{}")
}

// export exports a version whose SavedModel is described by JSON.
func (l *lab) export(model string, version int, description string) {
	l.Helper()
	l.must(export.Version(l.path(model), int64(version), []byte(description)))
}

// warmup writes the warm-up requests of a version.
func (l *lab) warmup(model string, version int, requests ...*apis.PredictRequest) {
	l.Helper()
	var file []byte
	for _, r := range requests {
		record, err := proto.Marshal(&apis.PredictionLog{LogType: &apis.PredictionLog_PredictLog{
			PredictLog: &apis.PredictLog{Request: r},
		}})
		l.must(err)
		file = tfrecord.Append(file, record)
	}
	dir := l.path(model, strconv.Itoa(version), "assets.extra")
	l.must(os.MkdirAll(dir, 0o755))
	l.must(os.WriteFile(filepath.Join(dir, "tf_serving_warmup_requests"), file, 0o644))
}

func (l *lab) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// dial returns a gRPC connection to the process. All calls return the same one.
func (l *lab) dial() *grpc.ClientConn {
	l.Helper()
	if l.conn == nil {
		l.conn = l.dialWith(l.grpcAddr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	}
	return l.conn
}

func (l *lab) dialWith(target string, options ...grpc.DialOption) *grpc.ClientConn {
	l.Helper()
	conn, err := grpc.NewClient(target, options...)
	l.must(err)
	l.Cleanup(func() { conn.Close() })
	return conn
}

func (l *lab) grpcAddr() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(l.s.Ports().GRPC))
}

func (l *lab) models() apis.ModelServiceClient { return apis.NewModelServiceClient(l.dial()) }

func (l *lab) predictions() apis.PredictionServiceClient {
	return apis.NewPredictionServiceClient(l.dial())
}

// context returns a context that is cancelled after patience.
func (l *lab) context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	l.Cleanup(cancel)
	return ctx
}

// modelConfig returns the config of a model in a directory of the lab. If dir is "", the directory
// has the model's name.
func (l *lab) modelConfig(name, dir string) *config.ModelConfig {
	if dir == "" {
		dir = name
	}
	return &config.ModelConfig{Name: name, BasePath: l.path(dir), ModelPlatform: "tensorflow"}
}

func reloadOf(models ...*config.ModelConfig) *apis.ReloadConfigRequest {
	return &apis.ReloadConfigRequest{Config: &config.ModelServerConfig{
		Config: &config.ModelServerConfig_ModelConfigList{ModelConfigList: &config.ModelConfigList{Config: models}},
	}}
}

func specOf(model string) *apis.ModelSpec { return &apis.ModelSpec{Name: model} }

func versionSpec(model string, version int64) *apis.ModelSpec {
	return &apis.ModelSpec{Name: model, VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(version)}}
}

// predictX returns a Predict request with two numbers as the input x.
func predictX(model string) *apis.PredictRequest {
	return &apis.PredictRequest{ModelSpec: specOf(model), Inputs: map[string]*framework.TensorProto{"x": {
		Dtype: framework.DataType_DT_FLOAT, FloatVal: []float32{1, 2},
		TensorShape: &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: 2}}},
	}}}
}

// wantStatus checks the gRPC code and the message of an error.
func wantStatus(t testing.TB, err error, code codes.Code, message string) {
	t.Helper()
	if got := status.Convert(err); got.Code() != code || got.Message() != message {
		t.Errorf("got %s %q\nwant %s %q", got.Code(), got.Message(), code, message)
	}
}

// wantNoMoreGoroutines waits until at most before goroutines are left. Otherwise it fails and shows
// their stacks.
func wantNoMoreGoroutines(t testing.TB, before int) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}
