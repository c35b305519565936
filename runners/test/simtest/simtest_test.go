package simtest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/runtimetest/tbtest"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simtest"
)

// ctr returns a model with one sub-graph.
func ctr() []runners.Model {
	return []runners.Model{{Name: "ctr", BasePath: "/models/ctr", SubGraphs: []runners.SubGraph{
		{Name: "entry", SizeBytes: 30e6, Versions: []int64{1}},
	}}}
}

func TestThreeLines(t *testing.T) {
	c := simtest.Start(t, runners.Spec{Replicas: 2, Models: ctr()})
	c.RollOut("main", "ctr")
	c.Within(95*time.Second, "both pods are listed", c.Listed("ctr:entry"))
}

// Goal: every action changes the cluster, and the checks see the change. Method: one
// scenario with all actions.
func TestALife(t *testing.T) {
	c := simtest.Build(t, runners.Spec{Replicas: 2, Models: ctr(), RestartAfter: 30 * time.Second})
	c.RollOut("main", "ctr")
	c.Start()
	c.Within(95*time.Second, "both pods are listed", c.Listed("ctr:entry"))
	c.Within(time.Second, "both pods serve", c.Available("ctr:entry", 1))

	down := runners.Fault{Kind: "zookeeper.down"}
	c.Begin(down)
	c.Throughout(5*time.Second, "an outage changes nothing", c.Listed("ctr:entry"))
	c.End(down)
	c.Throughout(time.Minute, "nor does its end", c.Listed("ctr:entry"))

	c.Begin(runners.Fault{Kind: "agent.killed", Pod: "shard0-replica1"})
	c.Within(15*time.Second, "the dead pod is forgotten", c.Listed("ctr:entry", "shard0-replica0"))
	c.Within(2*time.Minute, "it starts again and is listed", c.Listed("ctr:entry"))
	c.Begin(runners.Fault{Kind: "agent.stopped", Pod: "shard0-replica1"})
	c.StartPod("shard0-replica1")
	c.Within(2*time.Minute, "and once more", c.Listed("ctr:entry"))
	c.Begin(runners.Fault{Kind: "modelserver.killed", Pod: "shard0-replica0"})
	c.Within(time.Minute, "the pod ends with its server", simtest.True(func() bool {
		s, err := c.PodState("shard0-replica0")
		return err == nil && !s.Running
	}))
	c.Within(3*time.Minute, "all is well again", c.Listed("ctr:entry"))

	c.ExportVersion("/models/ctr/entry", 2, 30e6)
	c.Within(time.Minute, "version 2 serves", c.Available("ctr:entry", 2))
	c.During(runners.Fault{Kind: "version.broken", BasePath: "/models/ctr/entry", N: 2}, time.Second)
	c.DeleteVersion("/models/ctr/entry", 1)

	c.During(runners.Fault{Kind: "network.partition", From: []string{"shard0-replica0"}, To: []string{"shard0-replica1"}}, time.Second)
	c.Begin(runners.Fault{Kind: "zookeeper.expired-session", Pod: "shard0-replica0"})
	c.Advance(time.Minute)

	c.Unpublish("main", "ctr", "entry")
	c.Within(time.Minute, "nothing is listed", c.Unlisted("ctr:entry"))
	c.WriteZnode("/own/note", []byte("hello"))
	if n, ok, err := c.Znode("/own/note"); err != nil || !ok || string(n.Data) != "hello" {
		t.Errorf("znode /own/note: got %+v, %v, %v, want hello", n, ok, err)
	}
	c.DeleteZnode("/own")
	if _, ok, err := c.Znode("/own/note"); ok || err != nil {
		t.Errorf("znode /own/note: got %v, %v, want none", ok, err)
	}
	c.Must(c.Raw().BeginFault(runners.Fault{Kind: "zookeeper.no-leader"}))
	c.Must(c.Raw().EndFault(runners.Fault{Kind: "zookeeper.no-leader"}))
}

// wantSaid compares the test's first message, without the log of observations that follows.
func wantSaid(t *testing.T, s *tbtest.TB, want string) {
	t.Helper()
	if len(s.Said) == 0 {
		t.Fatalf("the test said nothing, want %s", want)
	}
	if diff := cmp.Diff(want, s.Said[0]); diff != "" {
		t.Errorf("what the test said (-want +got):\n%s", diff)
	}
	if !s.IsFailed {
		t.Error("the test did not fail")
	}
}

const command = "MONOSIM_SEED=7 go test github.com/monosim/monosim/runners/test/simtest -run '^TestMine$/^a_case$'"

// Goal: a failure message has the cluster time, what was waited for, the last error, the
// seed, and the command that repeats the test.
func TestFailuresSayWhenAndHowToReplay(t *testing.T) {
	t.Setenv("MONOSIM_SEED", "7")
	never := func() error { return errors.New("want rain, got none") }
	for _, test := range []struct {
		name string
		do   func(c *simtest.Cluster)
		want string
	}{
		{"Within", func(c *simtest.Cluster) { c.Within(65*time.Second, "the weather", never) },
			"t+65.000s: the weather: want rain, got none (waited 1m5s)"},
		{"Throughout", func(c *simtest.Cluster) {
			begin := c.Now()
			c.Throughout(30*time.Second, "the weather", simtest.True(func() bool { return c.Now()-begin < 12*time.Second }))
		}, "t+12.000s: the weather: it is not so (held for 12s of 30s)"},
		{"an action", func(c *simtest.Cluster) {
			c.Advance(time.Second)
			c.Begin(runners.Fault{Kind: "agent.killed", Pod: "shard9-replica9"})
		},
			`t+1.000s: pod: found "shard9-replica9", want one of shard0-replica0`},
		{"a model that is not there", func(c *simtest.Cluster) { c.RollOut("main", "cvr") },
			"t+0.000s: roll out cvr: found no such model in the spec, want one of Spec.Models"},
		{"Listed", func(c *simtest.Cluster) { c.Advance(10 * time.Second); c.Within(0, "discovery", c.Listed("ctr:entry")) },
			"t+10.002s: discovery: HeartBeat of shard0-replica0: ctr:entry, want [shard0-replica0], got [] (waited 0s)"},
		{"Available", func(c *simtest.Cluster) { c.Within(0, "serving", c.Available("ctr:entry", 1)) },
			"t+0.000s: serving: pod shard0-replica0: ctr:entry, want version 1 AVAILABLE, got no model server (waited 0s)"},
		{"Listed without an agent", func(c *simtest.Cluster) {
			c.Advance(time.Second)
			c.Begin(runners.Fault{Kind: "agent.killed", Pod: "shard0-replica0"})
			c.Within(time.Second, "discovery", c.Listed("ctr:entry"))
		}, "t+2.000s: discovery: agents, want some running, got none (waited 1s)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := tbtest.Attempt("TestMine/a_case", func(tb testing.TB) {
				test.do(simtest.Start(tb, runners.Spec{Models: ctr()}))
				tb.Errorf("the test went on")
			})
			wantSaid(t, s, test.want+"\n    seed 7, replay with: "+command)
		})
	}
}

// Goal: the cluster's latest observations are logged for a failed test, and not for a passed
// one.
func TestAFailedTestIsToldWhatHappenedLast(t *testing.T) {
	s := tbtest.Attempt("TestMine", func(tb testing.TB) {
		c := simtest.Start(tb, runners.Spec{}, simtest.LogTail(2))
		c.Advance(time.Minute)
		c.Must(errors.New("enough"))
	})
	lines := strings.Split(s.Said[len(s.Said)-1], "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "what the cluster did last (2 of ") || !strings.HasPrefix(lines[2], "    t+") {
		t.Errorf("what was said last: got %q, want two observations", lines)
	}
	for name, s := range map[string]*tbtest.TB{
		"passed": tbtest.Attempt("TestMine", func(tb testing.TB) { simtest.Start(tb, runners.Spec{}) }),
		"no tail": tbtest.Attempt("TestMine", func(tb testing.TB) {
			simtest.Start(tb, runners.Spec{}, simtest.LogTail(0)).Must(errors.New("enough"))
		}),
	} {
		if strings.Contains(strings.Join(s.Said, "\n"), "what the cluster did") {
			t.Errorf("%s: found %q", name, s.Said)
		}
	}
}

func TestTheSeed(t *testing.T) {
	for _, test := range []struct {
		name, variable string
		spec, want     uint64
	}{
		{"by default", "", 0, 1}, {"of the environment", "12", 0, 12}, {"of the spec", "12", 5, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("MONOSIM_SEED", test.variable)
			if got := simtest.Build(t, runners.Spec{Seed: test.spec}).Seed(); got != test.want {
				t.Errorf("got seed %d, want %d", got, test.want)
			}
		})
	}
	hashOf := func(seed uint64) uint64 {
		c := simtest.Start(t, runners.Spec{Seed: seed})
		c.Advance(time.Minute)
		return c.Stats().TraceHash
	}
	first, again, other := hashOf(3), hashOf(3), hashOf(4)
	if first != again || first == other {
		t.Errorf("the traces do not follow from the seed: seed 3 gives %x and %x, seed 4 %x", first, again, other)
	}
}

func TestASpecThatMakesNoSenseEndsTheTest(t *testing.T) {
	s := tbtest.Attempt("TestMine", func(tb testing.TB) { simtest.Start(tb, runners.Spec{ModelServer: "tfs-9"}) })
	wantSaid(t, s, `build the cluster: model server profile: got "tfs-9", want one of ["tfs-2.4" "tfs-head" "python-fake"]`)
}

// stub is a runner whose clusters break or support nothing, as its fields say.
type stub struct {
	runners.Cluster
	broken      string
	unsupported bool
	closed      bool
}

func (s *stub) Name() string                                { return "stub" }
func (s *stub) Build(runners.Spec) (runners.Cluster, error) { return s, nil }
func (s *stub) Faults() []runners.FaultKind                 { return nil }
func (s *stub) Now() time.Duration                          { return 3 * time.Second }
func (s *stub) Failure() string                             { return s.broken }
func (s *stub) Log() []runners.Observation                  { return nil }
func (s *stub) Close()                                      { s.closed = true }
func (s *stub) Start() error {
	if s.unsupported {
		return fmt.Errorf("start: %w", runners.ErrUnsupported)
	}
	return nil
}

// Goal: simtest works with other runners. An action that a runner does not support skips the
// test. A cluster that broke fails the test at its next action or at the end.
func TestOtherRunners(t *testing.T) {
	for _, test := range []struct {
		name    string
		runner  *stub
		do      func(c *simtest.Cluster)
		said    []string
		failed  bool
		skipped bool
	}{
		{"it can", &stub{}, (*simtest.Cluster).Start, nil, false, false},
		{"it cannot", &stub{unsupported: true}, (*simtest.Cluster).Start, []string{"start: this runner cannot do that"}, false, true},
		{"it broke", &stub{broken: "panic: index"}, (*simtest.Cluster).Start,
			[]string{"t+3.000s: the run itself broke: panic: index\n    seed 5, replay with: again"}, true, false},
		{"it broke and nobody looked", &stub{broken: "panic: index"}, func(*simtest.Cluster) {},
			[]string{"t+3.000s: the run itself broke: panic: index\n    seed 5, replay with: again"}, true, false},
		{"it broke while waiting", &stub{broken: "panic: index"}, func(c *simtest.Cluster) { c.Within(time.Second, "x", func() error { return nil }) },
			[]string{"t+3.000s: the run itself broke: panic: index\n    seed 5, replay with: again"}, true, false},
		{"it cannot look", &stub{}, func(c *simtest.Cluster) {
			c.Within(time.Second, "x", func() error { return runners.ErrUnsupported })
		}, []string{"x: this runner cannot do that"}, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := tbtest.Attempt("TestMine", func(tb testing.TB) {
				test.do(simtest.Build(tb, runners.Spec{Seed: 5, Replay: "again"}, simtest.On(test.runner)))
			})
			if !slices.Equal(s.Said, test.said) || s.IsFailed != test.failed || s.IsSkipped != test.skipped {
				t.Errorf("got %q, failed %v, skipped %v\nwant %q, %v, %v", s.Said, s.IsFailed, s.IsSkipped, test.said, test.failed, test.skipped)
			}
			if !test.runner.closed {
				t.Error("the cluster was not closed")
			}
		})
	}
}
