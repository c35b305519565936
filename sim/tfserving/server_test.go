package tfserving

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	configpb "github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/textformat"
)

// servingOne returns a server that serves version 1 of model a, and its host.
func servingOne(t testing.TB) (*Server, *testHost) {
	host := newTestHost()
	host.disk.putModel("/m/a/1", 0)
	o := DefaultOptions(Profile24)
	o.ModelName, o.ModelBasePath = "a", "/m/a"
	s := New(o, host)
	s.Start()
	host.runTo(time.Second)
	if !s.Serving() {
		t.Fatal("the server does not serve after 1s")
	}
	return s, host
}

func TestAnAnswerOfStatusNeverChanges(t *testing.T) {
	s, host := servingOne(t)
	spec := env.ModelSpec{Name: "a"}
	before, err := s.Status(spec)
	if err != nil {
		t.Fatal(err)
	}
	want := []env.ModelVersionStatus{{Version: 1, State: env.StateAvailable}}
	host.disk.putModel("/m/a/2", 0)
	host.runTo(5 * time.Second)
	if diff := cmp.Diff(want, before); diff != "" {
		t.Errorf("the old answer (-want +got):\n%s", diff)
	}
	after, _ := s.Status(spec)
	want = []env.ModelVersionStatus{{Version: 2, State: env.StateAvailable}, {Version: 1, State: env.StateEnd}}
	if diff := cmp.Diff(want, after); diff != "" {
		t.Errorf("the new answer (-want +got):\n%s", diff)
	}
}

func TestStatusAllocatesNothing(t *testing.T) {
	s, _ := servingOne(t)
	for _, spec := range []env.ModelSpec{{Name: "a"}, {Name: "a", HasVersion: true, Version: 1}} {
		if n := testing.AllocsPerRun(100, func() { s.Status(spec) }); n != 0 {
			t.Errorf("status of %+v: got %v allocations, want 0", spec, n)
		}
	}
}

func BenchmarkStatus(b *testing.B) {
	s, _ := servingOne(b)
	spec := env.ModelSpec{Name: "a"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Status(spec); err != nil {
			b.Fatal(err)
		}
	}
}

// Goal: an error message for gRPC is cut off at 1024 bytes (TFS-8.1).
func TestLongMessagesAreTruncated(t *testing.T) {
	s, _ := servingOne(t)
	path := strings.Repeat("p", 2000)
	var got *env.RPCError
	s.Reload(modelconfig.ServerConfig{Kind: modelconfig.ModelList, Models: []modelconfig.ModelConfig{{Name: "b", BasePath: path}}},
		func(err *env.RPCError) { got = err })
	whole := "Expected model b to have an absolute path or URI; got base_path()=" + path
	if want := whole[:1024] + "...TRUNCATED"; got == nil || got.Message != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// Goal: a Predict takes longer while a load is in progress (S-11).
func TestPredictIsSlowDuringALoad(t *testing.T) {
	s, host := servingOne(t)
	idle := predictTime(t, s, "a")
	host.disk.putModel("/m/a/2", 3e9)
	host.runTo(3 * time.Second)
	if got, want := predictTime(t, s, "a"), 10*idle; got != want {
		t.Errorf("during a load: got %v, want %v", got, want)
	}
	host.runTo(30 * time.Second)
	if got := predictTime(t, s, "a"); got != idle {
		t.Errorf("after the load: got %v, want %v", got, idle)
	}
}

func TestInjectedFaultsFailPredicts(t *testing.T) {
	s, _ := servingOne(t)
	request := &apis.PredictRequest{ModelSpec: &apis.ModelSpec{Name: "a"}}
	s.FailPredicts(errBatchQueueFull)
	if _, err := s.Begin(request); err != error(errBatchQueueFull) {
		t.Errorf("with a fault: got %v, want %v", err, errBatchQueueFull)
	}
	s.FailPredicts(nil)
	if _, err := s.Begin(request); err != nil {
		t.Errorf("without a fault: %v", err)
	}
	if n := s.reader.serving.handles; n != 1 {
		t.Errorf("handles: got %d, want only that of the second request", n)
	}
}

// Goal: a stopped server does nothing more, and holds no timers or watches of the host.
func TestAStoppedServerIsSilent(t *testing.T) {
	s, host := servingOne(t)
	host.disk.putModel("/m/a/2", 0)
	s.OnEvent = func(e Event) { t.Errorf("event after the stop: %+v", e) }
	s.Stop()
	s.Reload(modelconfig.ServerConfig{Kind: modelconfig.ModelList}, func(*env.RPCError) { t.Error("a stopped server answers") })
	host.runTo(time.Minute)
	if len(host.timers) > 0 || len(host.disk.watches) > 0 {
		t.Errorf("left behind: %d timers, %d watches", len(host.timers), len(host.disk.watches))
	}
}

func TestConfigFromProto(t *testing.T) {
	const text = `
model_config_list {
  config { name: "a" base_path: "/a" model_type: TENSORFLOW version_labels { key: "y" value: 2 } version_labels { key: "x" value: 1 } }
  config { name: "b" base_path: "/b" model_platform: "tensorflow" model_version_policy { latest { num_versions: 2 } } }
  config { name: "c" model_version_policy { all { } } logging_config { } }
  config { name: "d" model_version_policy { specific { versions: 7 versions: 3 } } }
  config { name: "e" model_version_policy { latest_once { num_versions: 1 } } }
}`
	want := modelconfig.ServerConfig{Kind: modelconfig.ModelList, Models: []modelconfig.ModelConfig{
		{Name: "a", BasePath: "/a", Type: modelconfig.TypeTensorFlow, Labels: []modelconfig.Label{{Name: "x", Version: 1}, {Name: "y", Version: 2}}},
		{Name: "b", BasePath: "/b", Platform: "tensorflow", Policy: modelconfig.VersionPolicy{Kind: modelconfig.Latest, NumVersions: 2}},
		{Name: "c", Policy: modelconfig.VersionPolicy{Kind: modelconfig.All}, Logging: true},
		{Name: "d", Policy: modelconfig.VersionPolicy{Kind: modelconfig.Specific, Versions: []int64{7, 3}}},
		{Name: "e", Policy: modelconfig.VersionPolicy{Kind: modelconfig.LatestOnce, NumVersions: 1}},
	}}
	got, err := parseConfigText(messages{}, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("from text (-want +got):\n%s", diff)
	}
	var message configpb.ModelServerConfig
	if err := textformat.Unmarshal(text, &message); err != nil {
		t.Fatal(err)
	}
	data, err := proto.Marshal(&message)
	if err != nil {
		t.Fatal(err)
	}
	got, err = modelconfig.ParseServerConfig(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("from bytes (-want +got):\n%s", diff)
	}
	if _, err := modelconfig.ParseServerConfig([]byte{0xff}); err == nil {
		t.Error("a truncated message parses")
	}
}

// Goal: a process that is killed during a call of OnEvent publishes nothing more. This includes the
// second END of a refused version (TFS-5.8).
func TestAKilledServerSaysNothingMore(t *testing.T) {
	o := DefaultOptions(Profile24)
	o.ModelName, o.ModelBasePath, o.TotalModelMemoryLimitBytes = "a", "/m/a", 1
	host := newTestHost()
	host.disk.putModel("/m/a/1", 40e6)
	s := New(o, host)
	var heard []string
	s.OnEvent = func(e Event) {
		heard = append(heard, e.State.String())
		if e.State == env.StateEnd {
			s.Stop()
		}
	}
	s.Start()
	host.runTo(time.Minute)
	if diff := cmp.Diff([]string{"START", "END"}, heard); diff != "" {
		t.Errorf("events of a server that is stopped at its first END (-want +got):\n%s", diff)
	}
}
