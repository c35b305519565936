package network_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
)

// calls is a bench with a client process on host a and a log of outcomes.
type calls struct {
	*bench
	p   *vtime.Process
	log []string
}

func newCalls(t testing.TB, latency network.LatencyModel) *calls {
	c := &calls{bench: newBench(t, latency)}
	c.p = c.a.Node().NewProcess("client")
	return c
}

func (c *calls) note(format string, args ...any) {
	c.log = append(c.log, fmt.Sprintf("%v ", c.w.Now())+fmt.Sprintf(format, args...))
}

// serve starts an RPC server on host b, port 9000, with the handler.
func (c *calls) serve(handler network.RPCHandler) *network.RPCServer {
	c.t.Helper()
	s, err := c.b.ServeRPC(network.OwnedByNode(c.b.Node()), 9000, handler)
	c.must(err)
	return s
}

func (c *calls) invoke(ch *network.Channel, req any, timeout time.Duration) {
	resp, err := ch.Invoke("/svc/Do", req, 1, timeout)
	if err != nil {
		c.note("%v", err)
		return
	}
	c.note("%v", resp)
}

func (c *calls) want(lines ...string) {
	c.t.Helper()
	if diff := cmp.Diff(lines, c.log); diff != "" {
		c.t.Errorf("log (-want +got):\n%s", diff)
	}
}

func echo(call *network.Call) { call.Reply(call.Request, 1) }

func TestACallConnectsAndReturnsTheResponse(t *testing.T) {
	c := newCalls(t, exact)
	c.serve(echo)
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() {
		c.invoke(ch, "one", 0)
		c.invoke(ch, "two", 0)
	})
	c.run(time.Second)
	c.want("4ms one", "6ms two")
}

func TestAnAnswerMayComeLater(t *testing.T) {
	c := newCalls(t, exact)
	c.serve(func(call *network.Call) {
		c.b.Node().After(time.Second, vtime.Kind(0), func() {
			call.Fail(&env.RPCError{Code: rpcerrors.NotFound, Message: "no such model"})
		})
	})
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() { c.invoke(ch, "x", 5*time.Second) })
	c.run(10 * time.Second)
	c.want("1.004s NOT_FOUND: no such model")
}

func TestADeadlineEndsTheCallAndCancelsItOnTheServer(t *testing.T) {
	c := newCalls(t, exact)
	c.serve(func(call *network.Call) {
		c.note("deadline %v", call.Deadline)
		call.OnCancel(func() { c.note("cancelled") })
	})
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() { c.invoke(ch, "x", time.Second) })
	c.run(10 * time.Second)
	c.want("3ms deadline 1s", "1s DEADLINE_EXCEEDED: Deadline Exceeded", "1.001s cancelled")
}

func TestALateAnswerDoesNotReachTheNextCall(t *testing.T) {
	c := newCalls(t, exact)
	c.serve(func(call *network.Call) {
		if call.Request == "slow" {
			// The late answer leaves the server just before the client's cancellation arrives.
			c.b.Node().After(997500*time.Microsecond, vtime.Kind(0), func() { call.Reply("late", 1) })
			return
		}
		call.Reply("right", 1)
	})
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() {
		c.invoke(ch, "slow", time.Second)
		c.invoke(ch, "quick", time.Second)
	})
	c.run(10 * time.Second)
	c.want("1s DEADLINE_EXCEEDED: Deadline Exceeded", "1.002s right")
}

func TestCallsFailAtOnceDuringTheBackoffAndRecover(t *testing.T) {
	c := newCalls(t, exact)
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() {
		c.invoke(ch, "refused", 0)
		c.invoke(ch, "in the back-off", 0)
		c.p.Sleep(500 * time.Millisecond)
		c.serve(echo)
		c.invoke(ch, "still in the back-off", 0)
		c.p.Sleep(time.Second)
		c.invoke(ch, "recovered", 0)
	})
	c.run(10 * time.Second)
	c.want(
		"2ms UNAVAILABLE: failed to connect to all addresses",
		"2.1ms UNAVAILABLE: failed to connect to all addresses",
		"502.2ms UNAVAILABLE: failed to connect to all addresses",
		"1.5042s recovered")
}

func TestTheBackoffGrowsToTwoMinutes(t *testing.T) {
	c := newCalls(t, exact)
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() {
		c.invoke(ch, "x", 0)
		c.p.Park("ever")
	})
	var gaps []time.Duration
	var last time.Duration
	for len(gaps) < 14 {
		before := c.a.Counters().Dials
		if _, err := c.w.Run(vtime.Limits{Done: func() bool { return c.a.Counters().Dials > before }}); err != nil {
			t.Fatal(err)
		}
		gaps = append(gaps, c.w.Now()-last)
		last = c.w.Now()
	}
	// The first dial is at 0 s. The gap after it has no jitter.
	want := time.Second
	for i, gap := range gaps[1:] {
		low, high := want*8/10, want*12/10
		if i == 0 {
			low, high = want, want
		}
		if gap < low || gap > high {
			t.Errorf("gap %d is %v, want %v to %v", i, gap, low, high)
		}
		want = min(time.Duration(float64(want)*1.6), 120*time.Second)
	}
}

func TestAConnectionEndsTheGrowthOfTheBackoff(t *testing.T) {
	c := newCalls(t, exact)
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() {
		c.invoke(ch, "x", 0)
		c.p.Sleep(20 * time.Second) // several attempts
		s := c.serve(echo)
		c.p.Sleep(20 * time.Second)
		c.invoke(ch, "x", 0)
		s.Stop()
		c.p.Sleep(time.Second)
		c.log = nil
		c.invoke(ch, "refused", 0)
		c.serve(echo)
		c.p.Sleep(1100 * time.Millisecond)
		c.invoke(ch, "again", 0)
	})
	c.run(time.Minute)
	c.want("41.006s UNAVAILABLE: failed to connect to all addresses", "42.108s again")
}

func TestAProcessThatReturnedDoesNotReconnect(t *testing.T) {
	c := newCalls(t, exact)
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() { c.invoke(ch, "x", 0) })
	c.run(time.Hour)
	if got := c.a.Counters().Dials; got != 1 {
		t.Errorf("dialed %d times, want once", got)
	}
}

func TestASilentServerFailsTheAttemptAfterTwentySeconds(t *testing.T) {
	c := newCalls(t, exact)
	c.must(c.n.HostDown("b"))
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() { c.invoke(ch, "x", 0) })
	c.p.Go("hasty", func() { c.invoke(ch, "y", 5*time.Second) })
	c.run(time.Minute)
	c.want("5s DEADLINE_EXCEEDED: Deadline Exceeded", "20s UNAVAILABLE: failed to connect to all addresses")
}

func TestABrokenConnectionFailsItsCallsAndTheNextReconnects(t *testing.T) {
	c := newCalls(t, exact)
	held := false
	c.serve(func(call *network.Call) {
		if !held {
			held = true
			call.OnCancel(func() { c.note("cancelled") })
			return
		}
		echo(call)
	})
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() {
		c.invoke(ch, "first", 0)
		c.invoke(ch, "second", 0)
	})
	c.run(time.Second)
	c.must(c.n.ResetConns("a", "b"))
	c.run(2 * time.Second)
	// Both ends see the reset after 1 ms. The next call makes a new connection.
	c.want("1.001s cancelled", "1.001s UNAVAILABLE: Connection reset by peer", "1.005s second")
}

func TestAStoppedServerCutsItsCalls(t *testing.T) {
	c := newCalls(t, exact)
	s := c.serve(func(call *network.Call) { call.OnCancel(func() { c.note("cancelled") }) })
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() {
		c.invoke(ch, "x", 0)
		c.invoke(ch, "y", 0)
	})
	c.run(time.Second)
	s.Stop()
	c.run(2 * time.Second)
	c.want("1s cancelled", "1.001s UNAVAILABLE: Socket closed", "1.003s UNAVAILABLE: failed to connect to all addresses")
}

func TestClosingAChannelCancelsItsCalls(t *testing.T) {
	c := newCalls(t, exact)
	c.serve(func(*network.Call) {})
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() { c.invoke(ch, "x", 0) })
	c.p.Go("closer", func() {
		c.p.Sleep(time.Second)
		ch.Close()
		c.invoke(ch, "y", 0)
	})
	c.run(2 * time.Second)
	c.want("1s CANCELLED: Channel closed!", "1.0001s CANCELLED: Channel closed!")
}

func TestTheDeathOfAClientCancelsItsCalls(t *testing.T) {
	c := newCalls(t, exact)
	c.serve(func(call *network.Call) { call.OnCancel(func() { c.note("cancelled") }) })
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() { c.invoke(ch, "x", 0) })
	c.run(time.Second)
	c.p.Crash()
	c.run(2 * time.Second)
	c.want("1.001s cancelled")
	if got := c.a.Counters().MessagesSent; got != 1 {
		t.Errorf("the client sent %d messages, want the request alone: the dead send nothing", got)
	}
}

func TestAStoppedTaskTakesItsCallBack(t *testing.T) {
	c := newCalls(t, exact)
	c.serve(func(call *network.Call) { call.OnCancel(func() { c.note("cancelled") }) })
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() {
		defer c.note("unwound")
		c.invoke(ch, "x", 0)
	})
	c.run(time.Second)
	c.p.Stop()
	c.run(2 * time.Second)
	c.want("1s unwound", "1.001s cancelled")
}

func TestALostAnswerLooksLikeABrokenConnection(t *testing.T) {
	c := newCalls(t, exact)
	handled := 0
	c.serve(func(call *network.Call) { handled++; echo(call) })
	c.must(c.n.LoseAnswerWhere("b", 9000, 1, func(_ *network.Host, payload any) bool {
		a, ok := payload.(*network.Answer)
		return ok && a.Method == "/svc/Do" && a.Response() == "x" && a.Status() == nil
	}))
	ch := network.NewChannel(c.p, c.a, "b:9000")
	c.p.Go("main", func() { c.invoke(ch, "x", 0) })
	c.run(time.Second)
	c.want("4ms UNAVAILABLE: Connection reset by peer")
	if handled != 1 {
		t.Errorf("the request was handled %d times, want once", handled)
	}
}

func TestObserversSeeEveryCall(t *testing.T) {
	c := newCalls(t, exact)
	c.serve(echo)
	var seen []network.RPC
	c.n.OnRPC(func(r network.RPC) { seen = append(seen, r) })
	ok, bad := network.NewChannel(c.p, c.a, "b:9000"), network.NewChannel(c.p, c.a, "b:1")
	c.p.Go("main", func() {
		c.invoke(ok, "x", 0)
		c.invoke(bad, "y", 0)
	})
	c.run(time.Second)
	want := []network.RPC{
		{From: "a", To: "b", Method: "/svc/Do", Request: "x", Response: "x", RequestBytes: 1, ResponseBytes: 1, Ended: 4 * time.Millisecond},
		{From: "a", To: "b:1", Method: "/svc/Do", Request: "y", RequestBytes: 1, Started: 4 * time.Millisecond, Ended: 6 * time.Millisecond,
			Err: &env.RPCError{Code: rpcerrors.Unavailable, Message: "failed to connect to all addresses"}},
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
}

// bytesCall makes a call through env and notes the outcome.
func (c *calls) bytesCall(ch env.Channel, request string) {
	resp, err := ch.Call("/svc/Do", []byte(request), 0)
	if err != nil {
		c.note("%v", err)
		return
	}
	c.note("%s", resp)
}

func TestAtMostSoManyRequestsRunAsThereAreWorkers(t *testing.T) {
	c := newCalls(t, exact)
	server := c.b.Node().NewProcess("server")
	server.Go("main", func() {
		if _, err := c.b.Env(server).Serve(9000, 2, func(method string, request []byte) ([]byte, error) {
			server.Sleep(time.Second)
			return append([]byte("re: "), request...), nil
		}); err != nil {
			t.Error(err)
		}
		server.Park("ever")
	})
	ch := c.a.Env(c.p).Dial("b:9000")
	for _, name := range []string{"1", "2", "3", "4", "5"} {
		c.p.Go(name, func() { c.bytesCall(ch, name) })
	}
	c.run(10 * time.Second)
	c.want("1.004s re: 1", "1.004s re: 2", "2.004s re: 3", "2.004s re: 4", "3.004s re: 5")
}

func TestACallThatIsCancelledInTheQueueDoesNotRun(t *testing.T) {
	c := newCalls(t, exact)
	server := c.b.Node().NewProcess("server")
	server.Go("main", func() {
		if _, err := c.b.Env(server).Serve(9000, 1, func(method string, request []byte) ([]byte, error) {
			c.note("run %s", request)
			server.Sleep(time.Second)
			return request, nil
		}); err != nil {
			t.Error(err)
		}
		server.Park("ever")
	})
	ch := c.a.Env(c.p).Dial("b:9000")
	for _, name := range []string{"1", "2", "3"} {
		timeout := time.Minute
		if name == "2" {
			timeout = 500 * time.Millisecond
		}
		c.p.Go(name, func() {
			_, err := ch.Call("/svc/Do", []byte(name), timeout)
			c.note("%s: %v", name, err)
		})
	}
	c.run(10 * time.Second)
	c.want("3ms run 1", "500ms 2: DEADLINE_EXCEEDED: Deadline Exceeded", "1.003s run 3", "1.004s 1: <nil>", "2.004s 3: <nil>")
}

func TestWhatAHandlerReturnsBecomesAStatus(t *testing.T) {
	cases := []struct {
		name string
		err  error
		want string
	}{
		{"a status", &env.RPCError{Code: rpcerrors.Unimplemented, Message: "Method not found!"}, "4ms UNIMPLEMENTED: Method not found!"},
		{"a wrapped status", fmt.Errorf("while serving: %w", &env.RPCError{Code: rpcerrors.Aborted, Message: "no"}), "4ms ABORTED: no"},
		{"anything else", errors.New("boom"), "4ms UNKNOWN: Exception calling application: boom"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c := newCalls(t, exact)
			server := c.b.Node().NewProcess("server")
			server.Go("main", func() {
				if _, err := c.b.Env(server).Serve(9000, 0, func(string, []byte) ([]byte, error) { return nil, tc.err }); err != nil {
					t.Error(err)
				}
				server.Park("ever")
			})
			ch := c.a.Env(c.p).Dial("b:9000")
			c.p.Go("main", func() { c.bytesCall(ch, "x") })
			c.run(time.Second)
			c.want(tc.want)
		})
	}
}

func TestProbeTellsWhetherSomebodyListens(t *testing.T) {
	c := newCalls(t, exact)
	net := c.a.Env(c.p)
	c.p.Go("main", func() {
		c.note("%v", net.Probe("b:80", 0))
		c.note("%v", net.Probe("b:81", time.Second))
		c.must(c.n.PartitionBoth([]string{"a"}, []string{"b"}))
		c.note("%v", errors.Is(net.Probe("b:80", 200*time.Millisecond), env.ErrProbeTimedOut))
	})
	c.run(time.Second)
	c.want("2ms <nil>", "4ms dial 10.0.0.2:81: connection refused", "204ms true")
}

// typed is a message as callers on hot paths send it: a pointer, which needs no allocation when
// converted to any.
type typed struct{ _ int }

// caller returns a bench whose client calls the server in an endless loop on one task.
func caller(t testing.TB) *calls {
	c := newCalls(t, network.DefaultLatency())
	response := &typed{}
	c.serve(func(call *network.Call) { call.Reply(response, 8) })
	ch := network.NewChannel(c.p, c.a, "b:9000")
	request := &typed{}
	c.p.Go("main", func() {
		for {
			if _, err := ch.Invoke("/svc/Do", request, 8, time.Second); err != nil {
				t.Error(err)
				return
			}
		}
	})
	c.run(time.Second)
	return c
}

func TestACallAllocatesNothingAndTakesTwoEvents(t *testing.T) {
	c := caller(t)
	received, events := c.b.Counters().MessagesReceived, c.w.Events()
	until := c.w.Now()
	allocs := testing.AllocsPerRun(5, func() {
		until += time.Second
		c.run(until)
	})
	done := c.b.Counters().MessagesReceived - received
	if allocs > 2 {
		t.Errorf("a second of calls (%d in all) made %v allocations, want none", done, allocs)
	}
	if took := c.w.Events() - events; took > 2*done+1 {
		t.Errorf("%d calls took %d events, want two each", done, took)
	}
}

func BenchmarkRPC(b *testing.B) {
	c := caller(b)
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := c.w.Run(vtime.Limits{MaxEvents: uint64(2 * b.N)}); err != nil {
		b.Fatal(err)
	}
}
