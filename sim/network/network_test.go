package network_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
)

// end is a receiver that logs what arrives, with the times.
type end struct {
	w    *vtime.World
	conn *network.Conn
	got  []string
	at   []time.Duration
	err  error
	echo bool
}

func (e *end) Receive(c *network.Conn, payload any) {
	e.got = append(e.got, fmt.Sprint(payload))
	e.at = append(e.at, e.w.Now())
	if e.echo {
		c.Send(payload, 1)
	}
}

func (e *end) Closed(_ *network.Conn, err error) {
	e.got = append(e.got, "closed: "+err.Error())
	e.at = append(e.at, e.w.Now())
	e.err = err
}

// bench is two hosts, a and b, with b listening on port 80.
type bench struct {
	t              testing.TB
	w              *vtime.World
	n              *network.Network
	a, b           *network.Host
	client, server *end
	listener       *network.Listener
	dialErr        error
	dialed         time.Duration // time at which done was called
	cancel         func()
}

func newBench(t testing.TB, latency network.LatencyModel) *bench {
	w := vtime.New(vtime.Config{Seed: 7})
	t.Cleanup(w.Close)
	b := &bench{t: t, w: w, n: network.New(w, latency), client: &end{w: w}, server: &end{w: w}}
	b.a = b.n.AddHost("a", "a", "10.0.0.1")
	b.b = b.n.AddHost("b", "b", "10.0.0.2", "fd00::2")
	b.listen(network.OwnedByNode(b.b.Node()))
	return b
}

func (b *bench) listen(o network.Owner) {
	if b.listener != nil {
		b.listener.Close()
	}
	l, err := b.b.Listen(o, 80, func(c *network.Conn) {
		b.server.conn = c
		c.SetReceiver(b.server)
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.listener = l
}

func (b *bench) dial(o network.Owner, addr string) {
	b.dialed = -1
	b.cancel = b.a.Dial(o, addr, func(c *network.Conn, err error) {
		b.dialed, b.dialErr = b.w.Now(), err
		if c != nil {
			b.client.conn = c
			c.SetReceiver(b.client)
		}
	})
}

func (b *bench) run(until time.Duration) {
	b.t.Helper()
	if _, err := b.w.Run(vtime.Limits{Until: until}); err != nil {
		b.t.Fatal(err)
	}
}

// connect makes a connection from host a to port 80 of host b, and runs until 1 s.
func (b *bench) connect() {
	b.t.Helper()
	b.dial(network.OwnedByNode(b.a.Node()), "b:80")
	b.run(time.Second)
	if b.client.conn == nil {
		b.t.Fatalf("no connection: %v", b.dialErr)
	}
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

var exact = network.LatencyModel{Min: time.Millisecond, LoopbackMin: 10 * time.Microsecond}

func TestMessagesArriveAfterTheLatencyInOrder(t *testing.T) {
	b := newBench(t, exact)
	b.connect()
	b.client.conn.Send("one", 1)
	b.client.conn.Send("two", 1)
	b.run(2 * time.Second)
	if diff := cmp.Diff([]string{"one", "two"}, b.server.got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	if want, got := time.Second+time.Millisecond, b.server.at[1]; got != want {
		t.Errorf("arrived at %v, want %v", got, want)
	}
}

func TestEachFormOfAnAddressReachesItsHost(t *testing.T) {
	cases := []struct{ addr, want string }{
		{"b:80", "b"}, {"10.0.0.2:80", "b"}, {"[fd00::2]:80", "b"}, {"[fd00:0::2]:80", "b"}, {"[::ffff:10.0.0.2]:80", "b"},
		{"localhost:90", "a"}, {"127.0.0.1:90", "a"}, {"[::1]:90", "a"}, {"0.0.0.0:90", "a"}, {"[::]:90", "a"}, {"a:90", "a"},
	}
	for _, c := range cases {
		t.Run(c.addr, func(t *testing.T) {
			b := newBench(t, exact)
			if _, err := b.a.Listen(network.OwnedByNode(b.a.Node()), 90, func(*network.Conn) {}); err != nil {
				t.Fatal(err)
			}
			b.dial(network.OwnedByNode(b.a.Node()), c.addr)
			b.run(time.Second)
			if b.client.conn == nil {
				t.Fatalf("no connection: %v", b.dialErr)
			}
			if got := b.client.conn.RemoteHost().Name(); got != c.want {
				t.Errorf("reached host %q, want %q", got, c.want)
			}
		})
	}
}

func TestADialThatCannotSucceed(t *testing.T) {
	cases := []struct {
		name, addr string
		break_     func(b *bench) error
		want       error
		after      time.Duration
	}{
		{name: "nobody listens", addr: "b:81", want: network.ErrRefused, after: 2 * time.Millisecond},
		{name: "unknown name", addr: "c:80", want: network.ErrUnknown, after: 0},
		{name: "address of nobody", addr: "10.9.9.9:80", want: network.ErrTimedOut, after: 127*time.Second + time.Millisecond},
		{name: "host down", addr: "b:80", want: network.ErrTimedOut, after: 127*time.Second + time.Millisecond,
			break_: func(b *bench) error { return b.n.HostDown("b") }},
		{name: "partition there", addr: "b:80", want: network.ErrTimedOut, after: 127*time.Second + time.Millisecond,
			break_: func(b *bench) error { return b.n.Partition([]string{"a"}, []string{"b"}) }},
		{name: "own host down", addr: "b:80", want: network.ErrHostDown, after: 0,
			break_: func(b *bench) error { return b.n.HostDown("a") }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, exact)
			if c.break_ != nil {
				b.must(c.break_(b))
			}
			b.dial(network.OwnedByNode(b.a.Node()), c.addr)
			b.run(200 * time.Second)
			if !errors.Is(b.dialErr, c.want) || b.dialed != c.after {
				t.Errorf("got %v after %v, want %v after %v", b.dialErr, b.dialed, c.want, c.after)
			}
		})
	}
}

func TestACancelledDialIsNeverAnswered(t *testing.T) {
	b := newBench(t, exact)
	b.dial(network.OwnedByNode(b.a.Node()), "b:80")
	b.cancel()
	b.run(time.Second)
	if b.dialed != -1 {
		t.Errorf("done was called at %v", b.dialed)
	}
	if diff := cmp.Diff([]string{"closed: connection reset by peer"}, b.server.got); diff != "" {
		t.Errorf("the accepting end saw (-want +got):\n%s", diff)
	}
}

func TestAPortInUseIsRefused(t *testing.T) {
	b := newBench(t, exact)
	_, err := b.b.Listen(network.OwnedByNode(b.b.Node()), 80, func(*network.Conn) {})
	if !errors.Is(err, network.ErrInUse) {
		t.Errorf("got %v, want %v", err, network.ErrInUse)
	}
}

func TestConnectionsToASharedPortAreSharedOut(t *testing.T) {
	b := newBench(t, exact)
	got := make([]int, 3)
	var listeners []*network.Listener
	share := func(i int) {
		l, err := b.b.ListenShared(network.OwnedByNode(b.b.Node()), 81, func(*network.Conn) { got[i]++ })
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, l)
	}
	dial := func(n int, until time.Duration) {
		for range n {
			b.a.Dial(network.OwnedByNode(b.a.Node()), "b:81", func(c *network.Conn, err error) {
				if err != nil {
					t.Error(err)
				}
			})
		}
		b.run(until)
	}
	share(0)
	if _, err := b.b.Listen(network.OwnedByNode(b.b.Node()), 81, func(*network.Conn) {}); !errors.Is(err, network.ErrInUse) {
		t.Errorf("alone on a shared port: got %v, want %v", err, network.ErrInUse)
	}
	if _, err := b.b.ListenShared(network.OwnedByNode(b.b.Node()), 80, func(*network.Conn) {}); !errors.Is(err, network.ErrInUse) {
		t.Errorf("sharing with one who does not: got %v, want %v", err, network.ErrInUse)
	}
	share(1)
	share(2)
	dial(60, time.Second)
	if got[0] == 0 || got[1] == 0 || got[2] == 0 || got[0]+got[1]+got[2] != 60 {
		t.Errorf("connections of the three: got %v, want 60 in all and some for each", got)
	}
	listeners[1].Close()
	before := got[1]
	dial(30, 2*time.Second)
	if got[1] != before || got[0]+got[1]+got[2] != 90 {
		t.Errorf("connections after the second closed: got %v, want 90 in all and still %d for it", got, before)
	}
}

func TestFreePortsCountUpAndSkipListeners(t *testing.T) {
	b := newBench(t, exact)
	if _, err := b.b.Listen(network.OwnedByNode(b.b.Node()), 30001, func(*network.Conn) {}); err != nil {
		t.Fatal(err)
	}
	got := []int{b.b.FreePort(), b.b.FreePort(), b.b.FreePort()}
	if diff := cmp.Diff([]int{30000, 30002, 30003}, got); diff != "" {
		t.Errorf("ports (-want +got):\n%s", diff)
	}
}

func TestAnOrderlyCloseComesAfterWhatWasSent(t *testing.T) {
	b := newBench(t, exact)
	b.connect()
	b.client.conn.Send("last words", 1)
	b.client.conn.Close()
	b.client.conn.Send("too late", 1)
	b.run(2 * time.Second)
	if diff := cmp.Diff([]string{"last words", "closed: EOF"}, b.server.got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	if len(b.client.got) > 0 {
		t.Errorf("the closing end was told %q", b.client.got)
	}
}

func TestTheDeathOfAProcessClosesItsSockets(t *testing.T) {
	b := newBench(t, exact)
	p := b.b.Node().NewProcess("server")
	p.Go("main", func() { p.Park("ever") })
	b.listen(network.OwnedBy(p))
	b.connect()
	p.Crash()
	b.run(2 * time.Second)
	if !errors.Is(b.client.err, io.EOF) {
		t.Errorf("the peer saw %v, want EOF", b.client.err)
	}
	b.dial(network.OwnedByNode(b.a.Node()), "b:80")
	b.run(3 * time.Second)
	if !errors.Is(b.dialErr, network.ErrRefused) {
		t.Errorf("dialing after the death: %v, want refused", b.dialErr)
	}
}

func TestAPartitionHoldsMessagesUntilARetransmissionAfterHealing(t *testing.T) {
	b := newBench(t, exact)
	b.connect()
	b.must(b.n.Partition([]string{"a"}, []string{"b"}))
	b.client.conn.Send("held", 1)
	b.server.conn.Send("other way", 1)
	b.run(2 * time.Second)
	if len(b.server.got) != 0 {
		t.Fatalf("got %q through a partition", b.server.got)
	}
	if diff := cmp.Diff([]string{"other way"}, b.client.got); diff != "" {
		t.Errorf("against the partition (-want +got):\n%s", diff)
	}
	b.client.conn.Send("held too", 1)
	b.must(b.n.Heal([]string{"a"}, []string{"b"}))
	b.client.conn.Send("after healing", 1)
	b.run(10 * time.Second)
	if diff := cmp.Diff([]string{"held", "held too", "after healing"}, b.server.got); diff != "" {
		t.Errorf("after healing (-want +got):\n%s", diff)
	}
	// The segment is lost at 1.001 s. Retransmissions follow 0.2, 0.6 and 1.4 s later.
	if want, got := 1001*time.Millisecond+1400*time.Millisecond, b.server.at[0]; got != want {
		t.Errorf("arrived at %v, want %v", got, want)
	}
}

func TestAConnectionThatStaysPartitionedTimesOut(t *testing.T) {
	b := newBench(t, exact)
	b.connect()
	b.must(b.n.PartitionBoth([]string{"a"}, []string{"b"}))
	b.client.conn.Send("lost", 1)
	b.run(2000 * time.Second)
	if !errors.Is(b.client.err, network.ErrTimedOut) {
		t.Fatalf("sender saw %v, want %v", b.client.err, network.ErrTimedOut)
	}
	if want, got := time.Second+time.Millisecond+924600*time.Millisecond, b.client.at[0]; got != want {
		t.Errorf("gave up at %v, want %v", got, want)
	}
	if b.server.err != nil {
		t.Errorf("the silent end saw %v, want nothing", b.server.err)
	}
	b.must(b.n.HealBoth([]string{"a"}, []string{"b"}))
	b.server.conn.Send("anybody there?", 1)
	b.run(2001 * time.Second)
	if !errors.Is(b.server.err, network.ErrReset) {
		t.Errorf("the half-open end saw %v, want %v", b.server.err, network.ErrReset)
	}
}

func TestAConnectionThatWasHealedInTimeLivesOn(t *testing.T) {
	b := newBench(t, exact)
	b.connect()
	b.must(b.n.Partition([]string{"a"}, []string{"b"}))
	b.client.conn.Send("held", 1)
	b.run(500 * time.Second)
	b.must(b.n.Heal([]string{"a"}, []string{"b"}))
	b.run(2000 * time.Second)
	if diff := cmp.Diff([]string{"held"}, b.server.got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	if len(b.client.got) > 0 {
		t.Errorf("the sender was told %q", b.client.got)
	}
}

func TestAPartitionOnceMoreDoesNotStartTheTimeLimitAnew(t *testing.T) {
	b := newBench(t, exact)
	b.connect()
	b.must(b.n.Partition([]string{"a"}, []string{"b"}))
	b.client.conn.Send("lost", 1)
	b.run(500 * time.Second)
	b.must(b.n.Heal([]string{"a"}, []string{"b"}))
	b.must(b.n.Partition([]string{"a"}, []string{"b"}))
	b.run(2000 * time.Second)
	if want, got := []time.Duration{time.Second + time.Millisecond + 924600*time.Millisecond}, b.client.at; !cmp.Equal(want, got) {
		t.Errorf("gave up at %v, want %v", got, want)
	}
}

func TestADeadProcessIsNotToldThatItsHostIsDown(t *testing.T) {
	b := newBench(t, exact)
	p := b.a.Node().NewProcess("client")
	p.Go("main", func() { p.Park("ever") })
	b.dial(network.OwnedBy(p), "b:80")
	b.run(time.Second)
	b.must(b.n.HostDown("a"))
	p.Crash()
	b.run(2 * time.Second)
	if len(b.client.got) > 0 {
		t.Errorf("it was told %q", b.client.got)
	}
}

func TestACancelledDialLeavesNothingBehind(t *testing.T) {
	for _, after := range []time.Duration{1, time.Second} {
		b := newBench(t, exact)
		b.must(b.n.HostDown("b"))
		b.dial(network.OwnedByNode(b.a.Node()), "b:80")
		b.run(after)
		b.cancel()
		if reason, err := b.w.Run(vtime.Limits{}); reason != vtime.Quiet || err != nil {
			t.Fatal(reason, err)
		}
		if b.w.Now() > time.Second {
			t.Errorf("cancelled after %v: the last event was at %v", after, b.w.Now())
		}
	}
}

func TestAHostThatWasDownResetsOldConnections(t *testing.T) {
	b := newBench(t, exact)
	b.connect()
	b.must(b.n.HostDown("b"))
	b.client.conn.Send("to the dead", 1)
	b.run(60 * time.Second)
	if len(b.client.got) != 0 {
		t.Fatalf("got %q from a host that is down", b.client.got)
	}
	if !errors.Is(b.server.err, network.ErrHostDown) {
		t.Errorf("who still ran on it saw %v, want %v", b.server.err, network.ErrHostDown)
	}
	b.must(b.n.HostUp("b"))
	b.run(300 * time.Second)
	if !errors.Is(b.client.err, network.ErrReset) {
		t.Errorf("after it came up: %v, want %v", b.client.err, network.ErrReset)
	}
}

func TestResetConnsBreaksBothEnds(t *testing.T) {
	for _, order := range [][2]string{{"a", "b"}, {"b", "a"}} {
		b := newBench(t, exact)
		b.connect()
		b.must(b.n.ResetConns(order[0], order[1]))
		b.run(2 * time.Second)
		if !errors.Is(b.client.err, network.ErrReset) || !errors.Is(b.server.err, network.ErrReset) {
			t.Errorf("ResetConns(%q): ends saw %v and %v, want %v", order, b.client.err, b.server.err, network.ErrReset)
		}
	}
}

func TestResetConnsInsideOfOneHost(t *testing.T) {
	b := newBench(t, exact)
	if _, err := b.a.Listen(network.OwnedByNode(b.a.Node()), 90, func(c *network.Conn) { c.SetReceiver(b.server) }); err != nil {
		t.Fatal(err)
	}
	b.dial(network.OwnedByNode(b.a.Node()), "localhost:90")
	b.run(time.Second)
	b.must(b.n.ResetConns("a", "a"))
	b.run(2 * time.Second)
	if !errors.Is(b.client.err, network.ErrReset) || !errors.Is(b.server.err, network.ErrReset) {
		t.Errorf("ends saw %v and %v, want %v", b.client.err, b.server.err, network.ErrReset)
	}
}

func TestAPartitionLeavesTheInsideOfAHostAlone(t *testing.T) {
	b := newBench(t, exact)
	if _, err := b.a.Listen(network.OwnedByNode(b.a.Node()), 90, func(*network.Conn) {}); err != nil {
		t.Fatal(err)
	}
	b.must(b.n.PartitionBoth([]string{"a"}, []string{"a", "b"}))
	b.dial(network.OwnedByNode(b.a.Node()), "localhost:90")
	b.run(time.Second)
	if b.dialed != 20*time.Microsecond || b.dialErr != nil {
		t.Errorf("dialing the own host: %v after %v", b.dialErr, b.dialed)
	}
}

func TestAResetDropsWhatAPartitionHolds(t *testing.T) {
	b := newBench(t, exact)
	b.connect()
	b.must(b.n.Partition([]string{"a"}, []string{"b"}))
	b.client.conn.Send("held", 1)
	b.run(2 * time.Second)
	b.client.conn.Reset()
	b.n.HealAll()
	b.run(time.Minute)
	if diff := cmp.Diff([]string{"closed: connection reset by peer"}, b.server.got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
}

func TestALostAnswerBreaksTheConnectionAfterTheRequestWasHandled(t *testing.T) {
	b := newBench(t, exact)
	b.server.echo = true
	b.connect()
	b.must(b.n.LoseAnswer("b", 80, 1))
	b.client.conn.Send("request", 1)
	b.run(2 * time.Second)
	if diff := cmp.Diff([]string{"request", "closed: connection reset by peer"}, b.server.got); diff != "" {
		t.Errorf("server (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"closed: connection reset by peer"}, b.client.got); diff != "" {
		t.Errorf("client (-want +got):\n%s", diff)
	}
}

func TestLosingSomeAnswersLetsOthersPass(t *testing.T) {
	b := newBench(t, exact)
	b.server.echo = true
	b.connect()
	b.must(b.n.LoseAnswerWhere("b", 80, 1, func(_ *network.Host, payload any) bool { return payload == "second" }))
	b.client.conn.Send("first", 1)
	b.client.conn.Send("second", 1)
	b.run(2 * time.Second)
	if diff := cmp.Diff([]string{"first", "closed: connection reset by peer"}, b.client.got); diff != "" {
		t.Errorf("client (-want +got):\n%s", diff)
	}
}

func TestSlowAddsLatencyAndKeepsOrder(t *testing.T) {
	b := newBench(t, exact)
	b.connect()
	b.must(b.n.Slow([]string{"a"}, []string{"b"}, time.Second))
	b.client.conn.Send("slow", 1)
	b.must(b.n.Slow([]string{"a"}, []string{"b"}, 0))
	b.client.conn.Send("behind", 1)
	b.run(5 * time.Second)
	if diff := cmp.Diff([]string{"slow", "behind"}, b.server.got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	if want, got := 2*time.Second+time.Millisecond, b.server.at[0]; got != want {
		t.Errorf("arrived at %v, want %v", got, want)
	}
}

func TestBandwidthDelaysWhatAHostSends(t *testing.T) {
	latency := exact
	latency.BytesPerSecond = 1000
	b := newBench(t, latency)
	b.connect()
	b.client.conn.Send("big", 1000)
	b.client.conn.Send("small", 10)
	b.run(5 * time.Second)
	want := []time.Duration{2*time.Second + time.Millisecond, 2*time.Second + 11*time.Millisecond}
	if diff := cmp.Diff(want, b.server.at); diff != "" {
		t.Errorf("arrivals (-want +got):\n%s", diff)
	}
}

func TestLossCostsRetransmissions(t *testing.T) {
	latency := exact
	latency.LossPerMille = 1000
	b := newBench(t, latency)
	b.dial(network.OwnedByNode(b.a.Node()), "b:80")
	b.run(time.Hour)
	// Each segment is lost 15 times. The time-out doubles from 0.2 s up to 120 s.
	var once time.Duration
	for i, rto := 0, 200*time.Millisecond; i < 15; i++ {
		once += rto
		rto = min(2*rto, 120*time.Second)
	}
	if want := 2*time.Millisecond + 2*once; b.dialed != want {
		t.Errorf("connected at %v, want %v", b.dialed, want)
	}
}

func TestAFaultOfAnUnknownHostIsAnError(t *testing.T) {
	b := newBench(t, exact)
	if err := b.n.Partition([]string{"a"}, []string{"nobody"}); err == nil {
		t.Error("got no error")
	}
}

func TestCountersCountMessagesByHost(t *testing.T) {
	b := newBench(t, exact)
	b.connect()
	b.client.conn.Send("x", 5)
	b.run(2 * time.Second)
	if diff := cmp.Diff(network.Counters{Dials: 1, MessagesSent: 1, BytesSent: 5}, b.a.Counters()); diff != "" {
		t.Errorf("a (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(network.Counters{Accepts: 1, MessagesReceived: 1, BytesReceived: 5}, b.b.Counters()); diff != "" {
		t.Errorf("b (-want +got):\n%s", diff)
	}
}

func TestAMessageIsOneEvent(t *testing.T) {
	b := newBench(t, exact)
	b.connect()
	before := b.w.Events()
	for i := range 10 {
		b.client.conn.Send(i, 1)
	}
	b.run(2 * time.Second)
	if got := b.w.Events() - before; got != 10 {
		t.Errorf("10 messages took %d events", got)
	}
}

// pong sends every message back until it has done so left times.
type pong struct{ left int }

func (p *pong) Receive(c *network.Conn, payload any) {
	if p.left--; p.left > 0 {
		c.Send(payload, 8)
	}
}
func (p *pong) Closed(*network.Conn, error) {}

func TestAMessageAllocatesNothing(t *testing.T) {
	b := newBench(t, network.DefaultLatency())
	b.connect()
	player := &pong{}
	b.client.conn.SetReceiver(player)
	b.server.conn.SetReceiver(player)
	payload := any(player)
	until := b.w.Now()
	allocs := testing.AllocsPerRun(10, func() {
		player.left = 1000
		b.client.conn.Send(payload, 8)
		until += 10 * time.Second
		b.run(until)
	})
	if allocs > 1 {
		t.Errorf("1000 messages made %v allocations, want none", allocs)
	}
}

func BenchmarkMessage(b *testing.B) {
	bn := newBench(b, network.DefaultLatency())
	bn.connect()
	player := &pong{left: b.N}
	bn.client.conn.SetReceiver(player)
	bn.server.conn.SetReceiver(player)
	b.ReportAllocs()
	b.ResetTimer()
	bn.client.conn.Send(player, 8)
	if _, err := bn.w.Run(vtime.Limits{}); err != nil {
		b.Fatal(err)
	}
}

// Goal: all connections draw latencies from the same distribution, independently of each other and
// in both directions of a connection. Method: the mean and spread over many messages. A dependence
// between connections would show in the mean of their first messages.
func TestLatenciesOfConnectionsFollowOneLaw(t *testing.T) {
	const conns, messages = 400, 25
	law := network.DefaultLatency()
	w := vtime.New(vtime.Config{Seed: 11})
	defer w.Close()
	n := network.New(w, law)
	a, b := n.AddHost("a", "a"), n.AddHost("b", "b")
	var all, firsts []time.Duration
	echo := func(c *network.Conn) { c.SetReceiver(&timed{w: w, sent: func() { c.Send(w.Now(), 1) }, all: &all}) }
	if _, err := b.Listen(network.OwnedByNode(b.Node()), 80, echo); err != nil {
		t.Fatal(err)
	}
	for range conns {
		a.Dial(network.OwnedByNode(a.Node()), "b:80", func(c *network.Conn, err error) {
			if err != nil {
				t.Error(err)
				return
			}
			left := messages
			r := &timed{w: w, all: &all, first: &firsts}
			r.sent = func() {
				if left--; left > 0 {
					c.Send(w.Now(), 1)
				}
			}
			c.SetReceiver(r)
			c.Send(w.Now(), 1)
		})
	}
	if _, err := w.Run(vtime.Limits{}); err != nil {
		t.Fatal(err)
	}
	for _, sample := range [][]time.Duration{all, firsts} {
		var sum, squares float64
		for _, d := range sample {
			x := float64(d-law.Min) / float64(law.Spread)
			if x < 0 || x >= 1 {
				t.Fatalf("a latency of %v, want %v to %v", d, law.Min, law.Min+law.Spread)
			}
			sum, squares = sum+x, squares+x*x
		}
		count := float64(len(sample))
		mean := sum / count
		variance := squares/count - mean*mean
		// A uniform choice from [0, 1) has the mean 1/2 and the variance 1/12. Five standard errors
		// of the mean are allowed for both.
		if far := 5 / math.Sqrt(12*count); math.Abs(mean-0.5) > far || math.Abs(variance-1.0/12) > far {
			t.Errorf("%d latencies: mean %.3f, variance %.4f of the spread, want 0.5 and 0.0833", len(sample), mean, variance)
		}
	}
	if want := 2 * conns * messages; len(all) < want-2*conns || len(firsts) != conns {
		t.Errorf("%d and %d latencies, want about %d and %d", len(all), len(firsts), want, conns)
	}
}

// timed measures the latency of messages whose payload is the time of sending.
type timed struct {
	w     *vtime.World
	sent  func()
	all   *[]time.Duration
	first *[]time.Duration // nil for nobody
}

func (r *timed) Receive(_ *network.Conn, payload any) {
	took := r.w.Now() - payload.(time.Duration)
	*r.all = append(*r.all, took)
	if r.first != nil {
		*r.first = append(*r.first, took)
		r.first = nil
	}
	r.sent()
}

func (r *timed) Closed(*network.Conn, error) {}
