package tfserving

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// These tests cover quirks of the reference's fake model server (mocked_tfserving.py) that depend
// on time, or that are not followed here. The other quirks are recorded in the suite
// mocked_tfserving.

// fakeOf returns a started fake with the given models, and its host.
func fakeOf(faults bool, models ...modelconfig.ModelConfig) (*Server, *testHost) {
	host := newTestHost()
	o := DefaultOptions(ProfilePythonFake)
	o.InitialConfig, o.FakeBugs = &modelconfig.ServerConfig{Kind: modelconfig.ModelList, Models: models}, faults
	s := New(o, host)
	s.Start()
	return s, host
}

func fakeModelOf(name string, policy modelconfig.VersionPolicy) modelconfig.ModelConfig {
	return modelconfig.ModelConfig{Name: name, BasePath: "/b/" + name, Policy: policy}
}

func latest(n uint32) modelconfig.VersionPolicy {
	return modelconfig.VersionPolicy{Kind: modelconfig.Latest, NumVersions: n}
}

// versionsOf returns the versions of a model that the fake serves.
func versionsOf(t *testing.T, s *Server, model string) (list []int64) {
	t.Helper()
	statuses, err := s.Status(env.ModelSpec{Name: model})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range statuses {
		if v.State == env.StateAvailable {
			list = append(list, v.Version)
		}
	}
	return list
}

func TestQ92_Every30sAModelDrawnAtRandomGetsANewVersion(t *testing.T) {
	s, host := fakeOf(true, fakeModelOf("a", latest(1)), fakeModelOf("b", latest(1)))
	draws := []int{1, 1, 0}
	host.choose = func(string, int) int {
		drawn := draws[0]
		draws = draws[1:]
		return drawn
	}
	for _, step := range []struct {
		until time.Duration
		a, b  int64
	}{{29 * time.Second, 1, 1}, {31 * time.Second, 1, 2}, {61 * time.Second, 1, 3}, {91 * time.Second, 2, 3}} {
		host.runTo(step.until)
		if a, b := versionsOf(t, s, "a"), versionsOf(t, s, "b"); !slices.Equal(a, []int64{step.a}) || !slices.Equal(b, []int64{step.b}) {
			t.Errorf("at %s: got a %v and b %v, want %d and %d", step.until, a, b, step.a, step.b)
		}
	}
}

// Goal: an idle fake has one timer event every 30 s. The reference's thread instead loops all the
// time to look at its queue and its clock.
func TestQ91_AnIdleFakeOnlyWakesToDraw(t *testing.T) {
	_, host := fakeOf(true, fakeModelOf("a", latest(1)), fakeModelOf("b", modelconfig.VersionPolicy{Kind: modelconfig.Specific, Versions: []int64{1}}))
	host.choose = func(string, int) int { return 1 } // the model b has the policy specific, and gets no further version
	host.runTo(time.Second)
	fired := host.fired
	host.runTo(time.Second + time.Hour)
	if got := host.fired - fired; got != 120 {
		t.Errorf("an idle hour fired %d timers, want one every 30s", got)
	}
}

// Goal: policy all ends the fake's thread only with the option FakeBugs. In the reference a
// comparison with None ends the thread: the version stays AVAILABLE, and no later event is handled.
// The option exists because simulated clusters have to go on.
func TestQ93_PolicyAllEndsTheThreadWithTheOptionOnly(t *testing.T) {
	for _, faults := range []bool{true, false} {
		s, host := fakeOf(faults, fakeModelOf("all", modelconfig.VersionPolicy{Kind: modelconfig.All}))
		host.runTo(time.Second)
		s.Reload(modelconfig.ServerConfig{Kind: modelconfig.ModelList, Models: []modelconfig.ModelConfig{
			fakeModelOf("all", modelconfig.VersionPolicy{Kind: modelconfig.All}), fakeModelOf("later", latest(1)),
		}}, func(*env.RPCError) {})
		host.runTo(2 * time.Second)
		if died := len(versionsOf(t, s, "later")) == 0; died != faults {
			t.Errorf("faults %v: a later model stays unloaded: got %v, want %v", faults, died, faults)
		}
		if told := strings.Contains(strings.Join(host.logs, "\n"), "TypeError"); told != faults {
			t.Errorf("faults %v: a TypeError in the log: got %v, want %v", faults, told, faults)
		}
	}
}

// Goal: an old event unloads a version of a model that was removed and added again only with the
// option FakeBugs. The queue still holds the UNLOADING of version 1, and the reference does not
// notice that the event was for the earlier model.
func TestQ95_OldEventsUnloadAModelThatCameBackWithTheOptionOnly(t *testing.T) {
	for _, test := range []struct {
		faults bool
		want   []int64
	}{{true, []int64{2, 3}}, {false, []int64{1, 2, 3}}} {
		s, host := fakeOf(test.faults, fakeModelOf("m", latest(1)))
		host.runTo(time.Second)
		for _, models := range [][]modelconfig.ModelConfig{nil, {fakeModelOf("m", latest(3))}} {
			s.Reload(modelconfig.ServerConfig{Kind: modelconfig.ModelList, Models: models}, func(*env.RPCError) {})
		}
		host.runTo(2 * time.Second)
		if got := versionsOf(t, s, "m"); !slices.Equal(got, test.want) {
			t.Errorf("faults %v: got versions %v, want %v", test.faults, got, test.want)
		}
	}
}

// Goal: Predict fails, because the reference returns None, which gRPC cannot serialize.
func TestQ97_PredictAnswersNothing(t *testing.T) {
	s, host := fakeOf(true, fakeModelOf("m", latest(1)))
	host.runTo(time.Second)
	_, err := s.Begin(&apis.PredictRequest{ModelSpec: &apis.ModelSpec{Name: "m"}})
	if err == nil || !strings.Contains(err.Error(), "Failed to serialize response!") {
		t.Errorf("got error %v, want Failed to serialize response!", err)
	}
}

// Goal: sorting the versions changes the caller's config only with the option FakeBugs. The
// reference sorts the list inside the caller's message. Here that is optional, because a config may
// be shared.
func TestQ99_SortingTheVersionsChangesTheConfigWithTheOptionOnly(t *testing.T) {
	for _, test := range []struct {
		faults bool
		want   modelconfig.VersionPolicy
	}{
		{true, modelconfig.VersionPolicy{Kind: modelconfig.Specific, Versions: []int64{1, 2, 3}}},
		{false, modelconfig.VersionPolicy{Kind: modelconfig.Specific, Versions: []int64{3, 1, 2}}},
	} {
		request := fakeModelOf("m", modelconfig.VersionPolicy{Kind: modelconfig.Specific, Versions: []int64{3, 1, 2}})
		s, host := fakeOf(test.faults, request)
		host.runTo(time.Second)
		if got := versionsOf(t, s, "m"); !slices.Equal(got, []int64{1, 2, 3}) {
			t.Errorf("faults %v: got versions %v, want them sorted", test.faults, got)
		}
		if diff := cmp.Diff(test.want, request.Policy); diff != "" {
			t.Errorf("faults %v: request (-want +got):\n%s", test.faults, diff)
		}
	}
}
