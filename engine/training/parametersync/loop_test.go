package parametersync_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/parametersync"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
)

// given is a backend that returns the same addresses always, or an error.
type given struct {
	addrs []string
	err   error
}

func (g *given) Start() error                { return nil }
func (g *given) SubscribeModel(string) error { return nil }
func (g *given) Stop()                       {}
func (g *given) Targets(subGraph string) (string, []string, error) {
	return "ctr:" + subGraph, g.addrs, g.err
}

// story is a PS with a loop, on a network with servers.
type story struct {
	t       *testing.T
	w       *vtime.World
	net     *network.Network
	backend given
	// touched is what the next rounds take.
	touched []int64
	ended   error
	// lost cuts the PS off from the host far.
	lost   bool
	quirks jobquirks.Set
	// held is set while the process is stopped.
	held bool
	// events lists what happened, with the time, as "10s ps-a:1 took 5".
	events []string
}

func begin(t *testing.T) *story {
	s := &story{t: t, w: vtime.New(vtime.Config{Seed: 1, CheckOwner: true})}
	t.Cleanup(s.w.Close)
	s.net = network.New(s.w, network.DefaultLatency())
	return s
}

func (s *story) say(format string, args ...any) {
	s.events = append(s.events, s.w.Now().Truncate(100*time.Millisecond).String()+" "+fmt.Sprintf(format, args...))
}

// serve starts a server that notes the ids of each push.
func (s *story) serve(name string) {
	m := hosts.NewMachine(s.net, hosts.Config{Name: name, IPs: []string{fmt.Sprintf("10.0.1.%d", len(s.events)+len(name))}})
	life := m.Node.NewProcess(name)
	life.Go("serve", func() {
		_, err := m.Env(life, nil).Network.Serve(1, 0, func(method string, data []byte) ([]byte, error) {
			r := &apis.PredictRequest{}
			if err := proto.Unmarshal(data, r); err != nil {
				return nil, err
			}
			s.say("%s %s %s %v", name, r.ModelSpec.Name, r.ModelSpec.SignatureName, r.Inputs["flat_value"].FloatVal)
			return nil, nil
		})
		if err != nil {
			s.t.Error(err)
		}
		life.Sleep(time.Hour)
	})
}

// run runs the loop of ps 3, and ends it after d. It calls then after 15 s, if it is set.
func (s *story) run(d time.Duration, then func()) {
	m := hosts.NewMachine(s.net, hosts.Config{Name: "trainer", IPs: []string{"10.0.0.1"}})
	if s.lost {
		if err := s.net.PartitionBoth([]string{"trainer"}, []string{"far"}); err != nil {
			s.t.Fatal(err)
		}
	}
	life := m.Node.NewProcess("cpu_training")
	life.Go("main", func() {
		e := m.Env(life, nil)
		loop := parametersync.Start(e, parametersync.Options{
			PS: 3, Backend: &s.backend, Quirks: s.quirks, Held: func() bool { return s.held },
			Take: func() (n int64) {
				if len(s.touched) > 0 {
					n, s.touched = s.touched[0], s.touched[1:]
				}
				return n
			},
			Pushed: func(p parametersync.Push) {
				if p.Err != nil {
					s.say("%s %d steps: %v", p.Target, p.Steps, p.Err)
				}
			},
			Ended: func(err error) { s.ended = err },
		})
		e.Tasks.Sleep(15 * time.Second)
		if then != nil {
			then()
		}
		e.Tasks.Sleep(d - 15*time.Second)
		loop.Finish()
		s.say("finished")
	})
	if _, err := s.w.Run(vtime.Limits{Until: time.Hour}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) want(events ...string) {
	s.t.Helper()
	if diff := cmp.Diff(events, s.events); diff != "" {
		s.t.Errorf("(-want +got):\n%s", diff)
	}
}

// Goal: a round comes every 10 s and pushes to each target once, what was touched and nothing else
// (cpu_training.py:1759, parameter_sync_tf_bridge.cc:92). A push that fails keeps none from the
// others, and is not made again. Method: one of three targets is no server.
func TestAPushThatFailsIsNotMadeAgain(t *testing.T) {
	s := begin(t)
	s.serve("a")
	s.serve("bb")
	s.backend.addrs = []string{"a:1", "bb:2", "bb:1", "a:1"}
	s.touched = []int64{5, 0, 7}
	s.run(25*time.Second, nil)
	const sign = "MonolithMultiHashTable_3/raw_assign"
	s.want(
		"0s a ctr:ps_3 "+sign+" [5]", "0s bb:2 5 steps: UNAVAILABLE: failed to connect to all addresses", "0s bb ctr:ps_3 "+sign+" [5]",
		"20s a ctr:ps_3 "+sign+" [7]", "20s bb:2 7 steps: UNAVAILABLE: failed to connect to all addresses", "20s bb ctr:ps_3 "+sign+" [7]",
		"30s finished",
	)
}

// Goal: a target that does not answer takes 3 s (distributed_serving_ops.py:112), one after another.
// The session gives up after 60 s (cpu_training.py:1749), and the next round waits for the operation,
// which goes on. Method: 25 targets, all cut off.
func TestTargetsThatDoNotAnswerHoldTheRound(t *testing.T) {
	s := begin(t)
	hosts.NewMachine(s.net, hosts.Config{Name: "far", IPs: []string{"10.0.2.1"}})
	for i := range 25 {
		s.backend.addrs = append(s.backend.addrs, fmt.Sprintf("far:%d", 100+i))
	}
	s.touched = []int64{1, 2}
	s.lost = true
	s.run(70*time.Second, nil)
	if n := len(s.events); n != 51 || !strings.HasPrefix(s.events[0], "3s far:100 1 steps: DEADLINE_EXCEEDED") || !strings.HasPrefix(s.events[24], "1m15s far:124 1 steps") ||
		!strings.HasPrefix(s.events[25], "1m18s far:100 2 steps") {
		t.Errorf("got %d events, %s, %s, %s; want pushes of 3 s each, and the second round after the first, at 1m15s", n, s.events[0], s.events[24], s.events[25])
	}
}

// Goal: what a target did not take, and what was touched without one, is lost with Q331, and comes
// later without it, to that target only. Method: one target is cut off until 15 s and one is well;
// then a story without any target until 15 s.
func TestQ331_WhatAPushDidNotBringComesLaterWhereThatIsRepaired(t *testing.T) {
	for _, c := range []struct {
		name         string
		quirks       jobquirks.Set
		cut, without []string
	}{
		{"kept", quirks.Python,
			[]string{"0s a [5]", "3s far:1 5 steps: DEADLINE_EXCEEDED: Deadline Exceeded", "10s a [7]", "13s far:1 7 steps: DEADLINE_EXCEEDED: Deadline Exceeded", "30s a [1]", "30s far [1]", "50s finished"},
			[]string{"30s a [1]", "50s finished"}},
		{"repaired", quirks.Python.Repair(jobquirks.Q331),
			[]string{"0s a [5]", "3s far:1 5 steps: DEADLINE_EXCEEDED: Deadline Exceeded", "10s a [7]", "13s far:1 12 steps: DEADLINE_EXCEEDED: Deadline Exceeded", "20s far [12]", "30s a [1]", "30s far [1]", "50s finished"},
			[]string{"20s a [5]", "30s a [7]", "50s finished"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, cut := range []bool{true, false} {
				s := begin(t)
				s.quirks, s.lost, s.touched = c.quirks, cut, []int64{5, 7, 0, 1}
				s.serve("a")
				then, want := func() { s.backend.addrs = []string{"a:1"} }, c.without
				if cut {
					s.serve("far")
					s.backend.addrs, want = []string{"a:1", "far:1"}, c.cut
					then = func() {
						if err := s.net.HealBoth([]string{"trainer"}, []string{"far"}); err != nil {
							t.Error(err)
						}
					}
				}
				s.run(45*time.Second, then)
				for i, e := range s.events {
					s.events[i] = strings.Replace(e, " ctr:ps_3 MonolithMultiHashTable_3/raw_assign", "", 1)
				}
				s.want(want...)
			}
		})
	}
}

// Goal: a PS that is stopped pushes nothing, and goes on with what it had. Method: it is stopped from
// its start on, and goes on after 15 s.
func TestAPSThatIsStoppedPushesNothing(t *testing.T) {
	s := begin(t)
	s.serve("a")
	s.backend.addrs = []string{"a:1"}
	s.touched = []int64{5}
	s.held = true
	s.run(16*time.Second, func() { s.held = false })
	s.want("15s a ctr:ps_3 MonolithMultiHashTable_3/raw_assign [5]", "25s finished")
}

// Goal: an error of TensorFlow is logged, and the loop goes on; any other ends the thread, and with
// it the parameter sync of the process (cpu_training.py:1751).
func TestAnErrorThatIsNotOfTensorFlowEndsTheLoop(t *testing.T) {
	for _, c := range []struct {
		err  error
		ends bool
	}{{session.Raise("DeadlineExceededError", "Deadline Exceeded"), false}, {errors.New("ConnectionTimeout"), true}} {
		s := begin(t)
		s.serve("a")
		s.backend.addrs, s.backend.err = []string{"a:1"}, c.err
		s.touched = []int64{1, 1, 1}
		s.run(25*time.Second, func() { s.backend.err = nil })
		if ended := s.ended != nil; ended != c.ends || (len(s.events) > 1) == c.ends {
			t.Errorf("%v: got an end %v and %v, want an end %v", c.err, s.ended, s.events, c.ends)
		}
	}
}

var _ parametersync.Backend = (*given)(nil)
