package serve

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
)

// Goal: a disk that hangs delays only what must wait for it, and no request to a loaded version, on
// a real machine (TFS-2.3). Method: a gate before the disk makes one call hang for as long as the
// test wants.

// halves is a model with one signature, described in JSON.
const halves = `{"signatures": {"serving_default": {"method_name": "tensorflow/serving/predict",
	"inputs": {"x": {"name": "x:0", "dtype": 1, "shape": [-1]}},
	"outputs": {"y": {"name": "y:0", "dtype": 1, "shape": [-1]}}}}}`

// hangingRow is a test case in which one call to the disk hangs.
type hangingRow struct {
	name string
	call string // call that hangs; DIR stands for the lab's directory
	// holdsReloads says that even a reload without new models must wait for the call.
	holdsReloads bool
}

func TestADiskThatHangsHoldsUpNoRequest(t *testing.T) {
	for _, row := range []hangingRow{
		{"a poll: is the base path there", "Exists DIR/m", true},
		{"a poll: the listing", "List DIR/m", true},
		{"a load: the estimate", "SizeBytes DIR/m/2", false},
		{"a load: is the SavedModel there", "Exists DIR/m/2/saved_model.pb", false},
		{"a load: the SavedModel", "ReadFile DIR/m/2/saved_model.pb", false},
		{"a load: the warm-up", "Exists DIR/m/2/assets.extra/tf_serving_warmup_requests", false},
		{"the config file", "ReadFile DIR/config", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			l := newLab(t)
			row.call = strings.ReplaceAll(row.call, "DIR", l.dir)
			l.serveGated(row)
		})
	}
}

// serveGated serves version 1 of m, makes the row's call hang, checks the answers, and then lets
// the call continue.
func (l *lab) serveGated(row hangingRow) {
	l.export("m", 1, halves)
	l.must(os.WriteFile(l.path("config"), fmt.Appendf(nil,
		`model_config_list { config { name: "m" base_path: %q model_platform: "tensorflow" } }`, l.path("m")), 0o644))
	var g *gate
	l.serve(tfserving.Profile24, func(o *Options) {
		g = l.gated(o)
		withREST(o)
		o.Machine.InitialConfig, o.Machine.ModelConfigFile = nil, l.path("config")
		if row.call == "ReadFile "+l.path("config") {
			o.Machine.ModelConfigFilePollWaitSeconds = 5
		}
	})
	g.shut(row.call)
	l.export("m", 2, halves)
	g.waitReached(l)
	for range 20 {
		l.wantAnswers()
	}
	reloaded := make(chan error, 1)
	go func() { reloaded <- l.reloadError(reloadOf(l.modelConfig("m", ""))) }()
	if row.holdsReloads {
		l.waitFor("second reload", func() bool { return bytes.Count(l.log.Bytes(), []byte("Adding/updating models.")) == 2 })
	} else {
		l.must(<-reloaded)
		reloaded <- nil
	}
	l.wantAnswers()
	if row.holdsReloads && len(reloaded) > 0 {
		l.Error("a reload was answered during a poll")
	}
	g.open()
	l.must(<-reloaded)
	l.await("m:2 AVAILABLE")
	l.await("m:1 END")
	l.wantAnswers()
}

// wantAnswers checks that every request that needs no disk is answered, by gRPC and by REST.
func (l *lab) wantAnswers() {
	l.Helper()
	_, err := l.predictions().Predict(l.context(), predictX("m"))
	l.must(err)
	_, err = l.predictions().GetModelMetadata(l.context(),
		&apis.GetModelMetadataRequest{ModelSpec: specOf("m"), MetadataField: []string{"signature_def"}})
	l.must(err)
	wantStatus(l, l.predictError(specOf("nobody")), codes.NotFound, "Servable not found for request: Latest(nobody)")
	l.must(l.statusError(specOf("m")))
	wantStatus(l, l.statusError(nil), codes.InvalidArgument, "Missing ModelSpec")
	const body = `{"instances": [1, 2]}`
	for _, request := range []string{
		"GET /v1/models/m HTTP/1.0\n\n",
		"GET /v1/models/m/metadata HTTP/1.0\n\n",
		fmt.Sprintf("POST /v1/models/m:predict HTTP/1.0\nContent-Length: %d\n\n%s", len(body), body),
	} {
		if got := l.exchange(crlf(request)); !strings.HasPrefix(got, "HTTP/1.0 200 OK\r\n") {
			l.Fatalf("%s: got %s", request, got)
		}
	}
}

// Goal: a real system call that hangs does not block the server. Method: the SavedModel is a pipe
// to which nobody writes.
func TestALoadFromAPipe(t *testing.T) {
	l := newLab(t)
	l.export("m", 1, halves)
	l.serve(tfserving.Profile24, withREST)
	l.must(l.reloadError(reloadOf(l.modelConfig("m", ""))))
	pipe := l.path("slow", "1", "saved_model.pb")
	l.must(os.MkdirAll(l.path("slow", "1"), 0o755))
	l.must(syscall.Mkfifo(pipe, 0o600))
	reloaded := make(chan error, 1)
	go func() { reloaded <- l.reloadError(reloadOf(l.modelConfig("m", ""), l.modelConfig("slow", ""))) }()
	l.await("slow:1 LOADING")
	for range 20 {
		l.wantAnswers()
		got, err := l.models().GetModelStatus(l.context(), &apis.GetModelStatusRequest{ModelSpec: specOf("slow")})
		l.must(err)
		if state := got.GetModelVersionStatus()[0].GetState(); state != apis.ModelVersionStatus_LOADING {
			t.Fatalf("got %v, want it loading", state)
		}
	}
	l.must(os.WriteFile(pipe, []byte("{}"), 0)) // when the pipe is opened for writing, the server's read goes on
	l.must(<-reloaded)
}

// Goal: a process ends without waiting for a hanging disk, whatever it was reading. A later answer
// of the disk has no effect.
func TestTheEndDoesNotWaitForTheDisk(t *testing.T) {
	for _, call := range []string{"ReadFile DIR/config", "Exists DIR/m", "ReadFile DIR/m/1/saved_model.pb", "ReadFile DIR/monitoring"} {
		t.Run(call, func(t *testing.T) {
			before := runtime.NumGoroutine()
			l := newLab(t)
			l.version("m", 1)
			l.must(os.WriteFile(l.path("config"), fmt.Appendf(nil,
				`model_config_list { config { name: "m" base_path: %q model_platform: "tensorflow" } }`, l.path("m")), 0o644))
			l.must(os.WriteFile(l.path("monitoring"), []byte("prometheus_config { enable: true }"), 0o644))
			var g *gate
			s := l.start(tfserving.Profile24, func(o *Options) {
				g = l.gated(o)
				g.shut(strings.ReplaceAll(call, "DIR", l.dir))
				withREST(o)
				o.Machine.InitialConfig, o.Machine.ModelConfigFile, o.Machine.MonitoringConfigFile = nil, l.path("config"), l.path("monitoring")
			})
			g.waitReached(t)
			s.Close()
			heard := len(l.heardSoFar())
			g.open()
			wantNoMoreGoroutines(t, before)
			if events := l.heardSoFar(); len(events) > heard {
				t.Errorf("events after the end: %v", events[heard:])
			}
		})
	}
}
