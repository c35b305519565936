package serve

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	storagepath "github.com/monosim/monosim/engine/proto/tensorflow_serving/sources/storage_path"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/node"
	"github.com/monosim/monosim/sim/tfserving/serve/export"
)

// twin is a model server in one of two modes, virtual or served, as a script drives it. Scripts
// contain no instants. They wait for events, which take virtual time in one mode and real time in
// the other.
type twin interface {
	// write creates a directory with one file in a single step. mkdir and remove change
	// directories.
	write(path, text string)
	mkdir(path string)
	remove(path string)
	// await lets time pass until there is an event whose text begins with event.
	await(event string)
	// reload begins a reload. name identifies it for awaitReload.
	reload(name string, r *apis.ReloadConfigRequest)
	// awaitReload lets time pass until the named reload is answered, and returns the answer.
	awaitReload(name string) string
	status(spec *apis.ModelSpec) string
	predict(spec *apis.ModelSpec) string
	events() []string
}

// Goal: the same script gives the same events, status answers and error texts in virtual and in
// served mode (TFS-1.2), because both share one state machine.
func TestVirtualAndServedModesAreTheSame(t *testing.T) {
	for _, profile := range []tfserving.Profile{tfserving.Profile24, tfserving.ProfileHead} {
		t.Run(profile.String(), func(t *testing.T) {
			l := newLab(t)
			want := playScript(newVirtualTwin(t, twinMachine(profile, l), nil), l)
			got := playScript(newServedTwin(l, twinMachine(profile, l), 10), l)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what was seen (-virtual +served):\n%s", diff)
			}
			if len(want) < 50 {
				t.Errorf("the script shows %d lines only: %s", len(want), strings.Join(want, "\n"))
			}
		})
	}
}

// twinMachine returns the options of a model server with one model, "a". The test starts the
// virtual twin and the served twin with the same options.
func twinMachine(profile tfserving.Profile, l *lab) tfserving.Options {
	o := tfserving.DefaultOptions(profile)
	o.ModelName, o.ModelBasePath, o.MaxNumLoadRetries = "a", l.path("a"), 1
	o.LoadRetryIntervalMicros = 300_000
	o.Cost.UnloadJitter = 0
	return o
}

// playScript drives a server through loads, reloads, failures and unloads, and returns everything
// that the server says.
func playScript(s twin, l *lab) (seen []string) {
	tell := func(format string, args ...any) { seen = append(seen, fmt.Sprintf(format, args...)) }
	export := func(model string, version int) { exportTo(s, l.path(model, fmt.Sprint(version)), "{}") }
	reload := func(name string, r *apis.ReloadConfigRequest) {
		s.reload(name, r)
		tell("reload %s: %s", name, s.awaitReload(name))
	}
	statuses := func(models ...string) {
		for _, m := range models {
			tell("status %s: %s", m, s.status(specOf(m)))
		}
	}
	a, b := l.modelConfig("a", ""), l.modelConfig("b", "")

	export("a", 1)
	s.await("a:1 AVAILABLE")
	tell("start: %s", s.status(specOf("a")))
	export("a", 2) // a new version replaces the old one
	s.await("a:1 END")
	statuses("a", "nobody")
	tell("status of a version: %s", s.status(versionSpec("a", 9)))
	tell("status of nothing: %s", s.status(nil))

	s.reload("waits", reloadOf(a, b)) // polls of the file system fail, because b has no directory
	s.mkdir(l.path("b"))
	export("b", 7)
	tell("reload waits: %s", s.awaitReload("waits"))
	statuses("b")

	exportTo(s, l.path("c", "1"), `{"load_error": {"code": 3, "message": "broken"}}`)
	exportTo(s, l.path("d", "1"), `{"tags": ["train"]}`)
	s.mkdir(l.path("e", "1"))
	reload("failing models", reloadOf(a, b, l.modelConfig("c", ""), l.modelConfig("d", ""), l.modelConfig("e", "")))
	statuses("c", "d", "e")
	reload("failing models again (TFS-8.5)", reloadOf(a, b, l.modelConfig("c", ""), l.modelConfig("d", ""), l.modelConfig("e", "")))

	reload("duplicate", reloadOf(a, a))
	reload("relative", reloadOf(&config.ModelConfig{Name: "r", BasePath: "r", ModelPlatform: "tensorflow"}))
	reload("other kind", &apis.ReloadConfigRequest{})
	reload("unknown platform", reloadOf(a, b, &config.ModelConfig{Name: "p", BasePath: l.path("p"), ModelPlatform: "x"}))
	reload("removal", reloadOf(a))
	s.await("b:7 END")
	statuses("b")

	labelled := proto.Clone(a).(*config.ModelConfig)
	labelled.ModelVersionPolicy = &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy{
		PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Latest_{
			Latest: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Latest{NumVersions: 2},
		},
	}
	labelled.VersionLabels = map[string]int64{"canary": 2, "stable": 1}
	reload("labels of an unavailable version", reloadOf(labelled))
	labelled.VersionLabels = map[string]int64{"canary": 2}
	reload("labels", reloadOf(labelled))
	label := func(name string) *apis.ModelSpec {
		return &apis.ModelSpec{Name: "a", VersionChoice: &apis.ModelSpec_VersionLabel{VersionLabel: name}}
	}
	tell("predict: %s, %s, %s, %s", s.predict(label("canary")), s.predict(label("stable")), s.predict(versionSpec("a", 5)), s.predict(specOf("b")))

	s.remove(l.path("a", "2"))
	s.await("a:2 END")
	statuses("a")
	tell("predict: %s, %s", s.predict(label("canary")), s.predict(specOf("a")))
	for i, e := range s.events() {
		tell("event %d: %s", i, e)
	}
	return seen
}

// exportTo exports a version in one step, so that no poll sees half of it.
func exportTo(s twin, dir, description string) { s.write(dir+"/saved_model.pb", description) }

func outcome(err error) string {
	if err == nil {
		return "OK"
	}
	st := status.Convert(err)
	var own *env.RPCError
	if errors.As(err, &own) {
		return own.Error()
	}
	return fmt.Sprintf("%s: %s", rpcerrors.Code(st.Code()), st.Message())
}

func statusText(r *apis.GetModelStatusResponse, err error) string {
	if err != nil {
		return outcome(err)
	}
	var lines []string
	for _, v := range r.GetModelVersionStatus() {
		lines = append(lines, fmt.Sprintf("%d %s %s %q", v.GetVersion(), v.GetState(), v.GetStatus().GetErrorCode(), v.GetStatus().GetErrorMessage()))
	}
	return strings.Join(lines, ", ")
}

func predictText(r *apis.PredictResponse, err error) string {
	if err != nil {
		return outcome(err)
	}
	return prototext.MarshalOptions{}.Format(r.GetModelSpec().GetVersion())
}

// servedTwin is a process that reads a real directory and is called over gRPC.
type servedTwin struct {
	*lab
	answers map[string]chan string
}

func newServedTwin(l *lab, machine tfserving.Options, speed float64) *servedTwin {
	l.start(machine.Profile, func(o *Options) { o.Machine, o.Speed = machine, speed })
	return &servedTwin{lab: l, answers: map[string]chan string{}}
}

func (s *servedTwin) write(path, text string) {
	s.must(export.File(path, []byte(text)))
}

func (s *servedTwin) mkdir(path string)  { s.must(os.MkdirAll(path, 0o755)) }
func (s *servedTwin) remove(path string) { s.must(os.RemoveAll(path)) }
func (s *servedTwin) events() []string   { return s.heardSoFar() }

func (s *servedTwin) reload(name string, r *apis.ReloadConfigRequest) {
	answer := make(chan string, 1)
	s.answers[name] = answer
	models, ctx := s.models(), s.context()
	go func() {
		_, err := models.HandleReloadConfigRequest(ctx, r)
		answer <- outcome(err)
	}()
}

func (s *servedTwin) awaitReload(name string) string { return <-s.answers[name] }

func (s *servedTwin) status(spec *apis.ModelSpec) string {
	s.waitServing()
	return statusText(s.models().GetModelStatus(s.context(), &apis.GetModelStatusRequest{ModelSpec: spec}))
}

func (s *servedTwin) predict(spec *apis.ModelSpec) string {
	return predictText(s.predictions().Predict(s.context(), &apis.PredictRequest{ModelSpec: spec}))
}

// virtualTwin is a node of a simulated world, in virtual time.
type virtualTwin struct {
	testing.TB
	world   *vtime.World
	fs      *files.FS
	node    *node.Node
	heard   []string
	answers map[string]string
}

// newVirtualTwin starts a node. prepare, if set, first fills its disk.
func newVirtualTwin(t testing.TB, machine tfserving.Options, prepare func(*virtualTwin)) *virtualTwin {
	v := &virtualTwin{TB: t, world: vtime.New(vtime.Config{Seed: 1}), answers: map[string]string{}}
	t.Cleanup(v.world.Close)
	v.fs = files.NewFS(v.world)
	if prepare != nil {
		prepare(v)
	}
	host := network.New(v.world, network.DefaultLatency()).AddHost("host", "host")
	v.node = node.Start(node.Config{
		Options: machine, Proc: host.Node().NewProcess("server"), Host: host, Files: v.fs, Dir: "/",
		Exit:    func(code int, stdout string) { t.Errorf("the server ended with %d: %s", code, stdout) },
		OnEvent: func(e tfserving.Event) { v.heard = append(v.heard, eventText(e)) },
	})
	return v
}

// run lets virtual time pass until done returns true. It fails after an hour of virtual time.
func (v *virtualTwin) run(what string, done func() bool) {
	v.Helper()
	reason, err := v.world.Run(vtime.Limits{Until: v.world.Now() + time.Hour, Done: done})
	if reason != vtime.Satisfied {
		v.Fatalf("%s: not within an hour (%s, %v); events %v", what, reason, err, v.heard)
	}
}

func (v *virtualTwin) await(event string) {
	v.Helper()
	v.run(event, func() bool {
		return slices.ContainsFunc(v.heard, func(e string) bool { return strings.HasPrefix(e, event) })
	})
}

func (v *virtualTwin) write(path, text string) {
	v.mkdir(path[:strings.LastIndexByte(path, '/')])
	if err := v.fs.WriteFile(path, []byte(text)); err != nil {
		v.Fatal(err)
	}
}

func (v *virtualTwin) mkdir(path string) {
	if err := v.fs.MkdirAll(path); err != nil {
		v.Fatal(err)
	}
}

func (v *virtualTwin) remove(path string) {
	if err := v.fs.RemoveAll(path); err != nil {
		v.Fatal(err)
	}
}

func (v *virtualTwin) events() []string { return v.heard }

func (v *virtualTwin) reload(name string, r *apis.ReloadConfigRequest) {
	v.node.Server().HandleReloadConfigRequest(r, func(_ *apis.ReloadConfigResponse, err error) { v.answers[name] = outcome(err) })
}

func (v *virtualTwin) awaitReload(name string) string {
	v.run("reload "+name, func() bool { return v.answers[name] != "" })
	return v.answers[name]
}

func (v *virtualTwin) status(spec *apis.ModelSpec) string {
	v.run("serving", v.node.Server().Serving)
	return statusText(v.node.Server().GetModelStatus(&apis.GetModelStatusRequest{ModelSpec: spec}))
}

func (v *virtualTwin) predict(spec *apis.ModelSpec) string {
	inference, err := v.node.Server().Begin(&apis.PredictRequest{ModelSpec: spec})
	if err != nil {
		return outcome(err)
	}
	defer inference.End()
	response, err := inference.Run()
	if err != nil {
		return outcome(err)
	}
	return predictText(response.(*apis.PredictResponse), nil)
}
