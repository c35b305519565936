package admin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/runners/serve/admin"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/serve"
)

// Goal: clients of a served model server meet the faults that the admin interface was asked for,
// both by gRPC and by REST.

const graph = `{"signatures": {"serving_default": {"method": "tensorflow/serving/predict",
	"inputs": {"x": {"dtype": 1, "shape": [-1]}}, "outputs": {"y": {"dtype": 1, "shape": [-1]}}}}}`

type tfsLab struct {
	*testing.T
	dir    string
	server *serve.Server
	admin  *admin.Server
	conn   *grpc.ClientConn

	mu     sync.Mutex
	events []string
	news   chan struct{}
}

func newTFSLab(t *testing.T) *tfsLab {
	t.Helper()
	l := &tfsLab{T: t, dir: t.TempDir(), news: make(chan struct{}, 100)}
	l.export(1)
	o := serve.Options{Machine: tfserving.DefaultOptions(tfserving.Profile24), AnyPort: true, Speed: 20, OnEvent: l.heard}
	o.Machine.ModelName, o.Machine.ModelBasePath, o.Machine.RESTAPIPort, o.Machine.MaxNumLoadRetries = "ranker", l.dir, 1, 0
	l.server = serve.Start(o)
	t.Cleanup(l.server.Close)
	select {
	case <-l.server.Serving():
	case <-time.After(patience):
		t.Fatal("does not serve")
	}
	conn, err := grpc.NewClient(fmt.Sprintf("127.0.0.1:%d", l.server.Ports().GRPC), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	l.conn, l.admin = conn, listen(t, admin.ModelServer(l.server)...)
	return l
}

func (l *tfsLab) export(version int) {
	l.Helper()
	dir := filepath.Join(l.dir, fmt.Sprint(version))
	if err := os.MkdirAll(filepath.Join(dir, "variables"), 0o755); err != nil {
		l.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "saved_model.pb"), []byte(graph), 0o644); err != nil {
		l.Fatal(err)
	}
}

func (l *tfsLab) heard(e tfserving.Event) {
	l.mu.Lock()
	l.events = append(l.events, fmt.Sprintf("%d %s", e.Version, e.State))
	l.mu.Unlock()
	l.news <- struct{}{}
}

// await waits until the model server logs this event.
func (l *tfsLab) await(event string) {
	l.Helper()
	limit := time.After(patience)
	for {
		l.mu.Lock()
		all := strings.Join(l.events, ", ") + ","
		l.mu.Unlock()
		if strings.Contains(all, event+",") {
			return
		}
		select {
		case <-l.news:
		case <-limit:
			l.Fatalf("no %q; events %s", event, all)
		}
	}
}

func (l *tfsLab) ok(path, body string) {
	l.Helper()
	if status, answer := ask(l.T, "POST", l.admin.URL()+path, body); status != 200 {
		l.Fatalf("POST %s %s: %d %s", path, body, status, answer)
	}
}

func (l *tfsLab) predict() error {
	request := &apis.PredictRequest{ModelSpec: &apis.ModelSpec{Name: "ranker"}, Inputs: map[string]*framework.TensorProto{
		"x": {Dtype: framework.DataType_DT_FLOAT, FloatVal: []float32{1},
			TensorShape: &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: 1}}}},
	}}
	_, err := apis.NewPredictionServiceClient(l.conn).Predict(l.Context(), request)
	return err
}

func (l *tfsLab) status(version int64) (*apis.GetModelStatusResponse, error) {
	return apis.NewModelServiceClient(l.conn).GetModelStatus(l.Context(), &apis.GetModelStatusRequest{ModelSpec: &apis.ModelSpec{
		Name: "ranker", VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(version)},
	}})
}

func TestNextRequestsOfAModelServer(t *testing.T) {
	l := newTFSLab(t)
	if err := l.predict(); err != nil {
		t.Fatal(err)
	}
	l.ok("/requests/fail", `{"next": 2, "methods": ["Predict"], "error": "UNAVAILABLE:busy"}`)
	if _, err := l.status(1); err != nil {
		t.Errorf("another method: %v", err)
	}
	rest := fmt.Sprintf("http://127.0.0.1:%d/v1/models/ranker:predict", l.server.Ports().REST)
	if code, answer := ask(t, "POST", rest, `{"instances": [1.0]}`); code != 503 || !strings.Contains(answer, "busy") {
		t.Errorf("REST: got %d %s, want 503 busy", code, answer)
	}
	if err := l.predict(); status.Code(err) != codes.Unavailable || status.Convert(err).Message() != "busy" {
		t.Errorf("got %v, want busy", err)
	}
	if err := l.predict(); err != nil {
		t.Errorf("behind those that fail: %v", err)
	}
	l.ok("/requests/fail", `{"next": 1, "error": "NOT_FOUND:nowhere"}`)
	if _, err := l.status(1); status.Code(err) != codes.NotFound {
		t.Errorf("got %v, want NOT_FOUND", err)
	}
	l.ok("/requests/delay", `{"next": 1, "methods": ["GetModelStatus"], "delay": "300ms"}`)
	began := time.Now()
	if _, err := l.status(1); err != nil || time.Since(began) < 300*time.Millisecond {
		t.Errorf("got %v after %v, want an answer after 300ms", err, time.Since(began))
	}
}

func TestVersionsThatFailAreSlowOrDoNotLoad(t *testing.T) {
	l := newTFSLab(t)
	l.ok("/versions/fail", `{"model": "ranker", "version": 1, "error": "INTERNAL:broken"}`)
	for range 3 {
		if err := l.predict(); status.Code(err) != codes.Internal {
			t.Errorf("got %v, want INTERNAL", err)
		}
	}
	l.ok("/versions/break", `{"path": "`+l.dir+`/2/"}`)
	l.export(2)
	l.await("2 END")
	if answer, err := l.status(2); err != nil || answer.GetModelVersionStatus()[0].GetStatus().GetErrorCode() == 0 {
		t.Errorf("got %v %v, want the error of a load", answer, err)
	}
	l.export(3)
	l.await("3 AVAILABLE")
	if err := l.predict(); err != nil {
		t.Errorf("another version: %v", err)
	}
	l.ok("/versions/slow", `{"model": "ranker", "version": 3, "delay": "300ms"}`)
	began := time.Now()
	if err := l.predict(); err != nil || time.Since(began) < 300*time.Millisecond {
		t.Errorf("got %v after %v, want an answer after 300ms", err, time.Since(began))
	}
	_, state := ask(t, "GET", l.admin.URL()+"/state", "")
	for _, want := range []string{`"broken":["` + l.dir + `/2"]`, `{"version":3,"state":"AVAILABLE"}`, `"error":"INTERNAL:broken"`, `"delay":"300ms"`} {
		if !strings.Contains(state, want) {
			t.Errorf("GET /state: got %s, want %s in it", state, want)
		}
	}
	l.ok("/versions/repair", `{"path": "`+l.dir+`/2"}`)
	l.ok("/slow", `{"times": 2.5}`)
	if _, state = ask(t, "GET", l.admin.URL()+"/state", ""); !strings.Contains(state, `"slow":2.5`) {
		t.Errorf("GET /state: got %s, want models that work 2.5 times as long", state)
	}
	l.ok("/heal", "")
	_, state = ask(t, "GET", l.admin.URL()+"/state", "")
	if !strings.Contains(state, `"faults":[],"broken":[],"slow":1}`) {
		t.Errorf("GET /state: got %s, want no faults", state)
	}
}

func TestWhatAModelServerDoesNotTake(t *testing.T) {
	l := newTFSLab(t)
	for _, c := range []struct{ path, body, want string }{
		{"/requests/fail", `{"next": 0, "error": "INTERNAL:x"}`, "want 1 or more"},
		{"/requests/fail", `{"next": 1, "error": "SAD:x"}`, "UNAVAILABLE"},
		{"/requests/fail", `{"next": 1, "error": "INTERNAL:x", "methods": ["Dance"]}`, "GetModelStatus"},
		{"/requests/delay", `{"next": 1}`, "want a delay or an error"},
		{"/versions/break", ``, "want the directory of a version"},
		{"/versions/repair", `{"path": "/none"}`, "found no broken"},
		{"/answers", `{"models": {"ranker": [{"delay": "soon"}]}}`, `answers:1:31: found delay \"soon\"`},
		{"/answers", `{"models": 3}`, `found \"3\" for models, want a mapping`},
		{"/versions/repair", `{"path": "/none"}`, "want one of none: nothing is broken"},
		{"/versions/break", `{"path": "/nowhere/at/all"}`, `path: found \"/nowhere/at/all\", want the base path of a model or a version below one; there is no directory /nowhere/at/all`},
		{"/versions/break", `{"path": "/nowhere/3"}`, "there is no directory /nowhere"},
		{"/versions/break", `{"path": "` + l.dir + `/../.."}`, "has no versions"},
		{"/versions/fail", `{"model": "rankr", "version": 1, "error": "INTERNAL:x"}`, `model: found \"rankr\", want one of ranker`},
		{"/versions/slow", `{"model": "rankr", "delay": "1s"}`, `model: found \"rankr\", want one of ranker`},
		{"/versions/slow", `{"model": "ranker", "version": -1, "delay": "1s"}`, `version: found -1, want 1 or more`},
		{"/requests/fail", `{"next": 1, "model": "rankr", "error": "INTERNAL:x"}`, `model: found \"rankr\", want one of ranker`},
		{"/requests/delay", `{"next": 1, "model": "rankr", "delay": "1s"}`, `model: found \"rankr\", want one of ranker`},
		{"/answers", `{"models": {"rankr": [{"delay": "1s"}]}}`, `models: found \"rankr\", want one of ranker`},
		{"/slow", ``, "times: found 0 times as long, want a number above 0"},
	} {
		if status, answer := ask(t, "POST", l.admin.URL()+c.path, c.body); status != 400 || !strings.Contains(answer, c.want) {
			t.Errorf("POST %s %s: got %d %s, want 400 with %s", c.path, c.body, status, answer, c.want)
		}
	}
}

// Goal: the answers of models can be set while the server runs.
func TestAnswersOfAModelServer(t *testing.T) {
	l := newTFSLab(t)
	rest := fmt.Sprintf("http://127.0.0.1:%d/v1/models/ranker:predict", l.server.Ports().REST)
	predict := func() string {
		_, answer := ask(t, "POST", rest, `{"instances": [1.0]}`)
		return strings.Join(strings.Fields(answer), "")
	}
	invented := predict()
	l.ok("/answers", `{"models": {"ranker": [{"inputs": {"x": [1]}, "outputs": {"y": [2.5]}}]}}`)
	if got := predict(); got != `{"predictions":[2.5]}` {
		t.Errorf("got %s, want 2.5", got)
	}
	l.ok("/answers", `{"models": {"ranker": [{"error": {"code": "INTERNAL", "message": "broken"}}]}}`)
	if got := predict(); got != `{"error":"broken"}` {
		t.Errorf("got %s, want broken", got)
	}
	l.ok("/answers", `{}`)
	if got := predict(); got != invented {
		t.Errorf("without a script: got %s, want %s", got, invented)
	}
}
