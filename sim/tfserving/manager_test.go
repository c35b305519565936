package tfserving

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// newManagerTest returns a server whose manager gets its requests from the test, not from a source,
// as in core/aspired_versions_manager_test.cc.
func newManagerTest(o Options) (*Server, *testHost, *[]string) {
	host := newTestHost()
	s := New(o, host)
	events := &[]string{}
	s.OnEvent = func(e Event) {
		*events = append(*events, fmt.Sprintf("%.3f %s:%d %s", e.At.Seconds(), e.Model, e.Version, e.State))
		if e.Err != nil {
			(*events)[len(*events)-1] += " " + e.Err.Error()
		}
	}
	s.timers.Request(s.manager.start)
	return s, host, events
}

func (s *Server) aspireForTest(model string, versions ...aspired) {
	s.timers.Request(func() { s.manager.enqueue(model, versions) })
}

func TestManagerEvents(t *testing.T) {
	good := func(host *testHost, versions ...int64) (list []aspired) {
		for _, v := range versions {
			path := fmt.Sprintf("/m/%d", v)
			host.disk.putModel(path, 0)
			list = append(list, aspired{version: v, path: path})
		}
		return list
	}
	tests := []struct {
		name  string
		drive func(s *Server, host *testHost)
		want  []string
	}{
		{"duplicates: the first is taken, the second is managed already", func(s *Server, host *testHost) {
			host.disk.putModel("/m/01", 0)
			s.aspireForTest("a", aspired{version: 1, path: "/m/01"}, aspired{version: 1, path: "/m/1"})
			host.runTo(time.Second)
		}, []string{"0.100 a:1 START", "0.100 a:1 LOADING", "0.130 a:1 AVAILABLE"}},
		{"wedge 1: an empty request that is overwritten leaves no trace", func(s *Server, host *testHost) {
			s.aspireForTest("a", good(host, 1)...)
			host.runTo(time.Second)
			s.aspireForTest("a")
			s.aspireForTest("a", good(host, 1)...)
			host.runTo(10 * time.Second)
		}, []string{"0.100 a:1 START", "0.100 a:1 LOADING", "0.130 a:1 AVAILABLE"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, host, events := newManagerTest(DefaultOptions(Profile24))
			test.drive(s, host)
			if diff := cmp.Diff(test.want, *events); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// Goal: if several models could do the same kind of action, the host chooses the model (TFS-21.2).
func TestTheHostChoosesAmongModels(t *testing.T) {
	s, host, events := newManagerTest(DefaultOptions(Profile24))
	host.choose = func(site string, n int) int {
		if site != "tfserving.action" {
			return 0
		}
		return n - 1
	}
	for _, model := range []string{"a", "b", "c"} {
		host.disk.putModel("/m/"+model, 0)
		s.aspireForTest(model, aspired{version: 1, path: "/m/" + model})
	}
	host.runTo(time.Second)
	want := []string{
		"0.100 a:1 START", "0.100 b:1 START", "0.100 c:1 START", "0.100 c:1 LOADING", "0.130 c:1 AVAILABLE",
		"0.200 b:1 LOADING", "0.230 b:1 AVAILABLE", "0.300 a:1 LOADING", "0.330 a:1 AVAILABLE",
	}
	if diff := cmp.Diff(want, *events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestTransitionPolicies(t *testing.T) {
	h := func(version int64, aspired bool, state harnessState) *harness {
		return &harness{id: servable{"m", version}, aspired: aspired, state: state}
	}
	tests := []struct {
		name                       string
		versions                   []*harness
		availability, preservation string
	}{
		{"nothing", nil, "none", "none"},
		{"the highest new version", []*harness{h(1, true, harnessNew), h(2, true, harnessNew)}, "load 2", "load 2"},
		{"no aspired version", []*harness{h(1, false, harnessReady)}, "unload 1", "unload 1"},
		{"the last serving version waits for its successor",
			[]*harness{h(1, false, harnessReady), h(2, true, harnessLoading)}, "none", "unload 1"},
		{"and for one that is new", []*harness{h(1, false, harnessReady), h(2, true, harnessNew)}, "load 2", "unload 1"},
		{"and for ever behind one that failed",
			[]*harness{h(1, false, harnessReady), h(2, true, harnessError)}, "none", "unload 1"},
		{"two of them do not", []*harness{h(1, false, harnessReady), h(2, false, harnessReady), h(3, true, harnessNew)},
			"unload 1", "unload 1"},
		{"an aspired version serves", []*harness{h(1, false, harnessReady), h(2, true, harnessReady)}, "unload 1", "unload 1"},
		{"an unload in progress", []*harness{h(1, false, harnessUnloading), h(2, true, harnessNew)}, "load 2", "none"},
		{"ended versions", []*harness{h(1, false, harnessDisabled), h(2, false, harnessError), h(3, true, harnessNew)},
			"load 3", "load 3"},
	}
	for _, test := range tests {
		if got := actionText(AvailabilityPreserving.next(test.versions)); got != test.availability {
			t.Errorf("%s: AvailabilityPreserving: got %s, want %s", test.name, got, test.availability)
		}
		if got := actionText(ResourcePreserving.next(test.versions)); got != test.preservation {
			t.Errorf("%s: ResourcePreserving: got %s, want %s", test.name, got, test.preservation)
		}
	}
}
