package network_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/network"
)

// asker sends a request whenever an answer arrives, without end. It works by events, or sleeps and
// uses an Exchange.
type asker struct {
	w        *vtime.World
	conn     *network.Conn
	loop     *vtime.Loop
	sleeper  *leap.Sleeper
	exchange network.Exchange
	many     int // number of answers after which a leap must stop; 0 for any number
	answers  int
	last     time.Duration
	others   []string // messages from others that came to the client
}

const askBytes, answerBytes = 40, 60

// asked is the payload of a request, answered that of an answer.
type asked struct{}
type answered struct{}

func (a *asker) send() { a.conn.SendStep(a.loop, asked{}, askBytes) }

func (a *asker) Receive(_ *network.Conn, payload any) {
	if _, ok := payload.(answered); !ok {
		a.others = append(a.others, a.w.Now().String())
		return
	}
	a.answers++
	if a.last = a.w.Now(); !a.sleeps() {
		a.send()
	}
}

func (a *asker) Closed(*network.Conn, error) {}

// sleeps switches to an Exchange without events and returns true. It returns false if leaps are off
// or the connection cannot be joined.
func (a *asker) sleeps() bool {
	if !a.w.Leaps() || !a.conn.Join(a.sleeper) {
		return false
	}
	a.exchange.Begin(a.conn, a.loop, a.w.Now())
	a.exchange.Count(sum(1, askBytes), sum(0, 0), sum(0, 0), sum(0, 0))
	a.sleeper.Sleep()
	return true
}

func sum(n, bytes int) network.Bytes { return network.Bytes{Messages: n, Bytes: n * bytes} }

func (a *asker) Next() (time.Duration, int) { return a.exchange.Next() }

func (a *asker) Leap(b vtime.Bound) {
	many := a.many
	if many == 0 {
		many = math.MaxInt
	}
	for {
		l := a.exchange.Leap(b, network.Forever, many)
		sent := l.Answered
		if l.Answered > 0 {
			a.answers, a.last = a.answers+l.Answered, l.LastAnswered
		}
		if l.Answered == many { // the exchange stopped there, so the next request has to be sent
			a.exchange.Begin(a.conn, a.loop, l.LastAnswered)
		}
		a.exchange.Count(sum(sent, askBytes), sum(l.Served, askBytes), sum(l.Served, answerBytes), sum(l.Answered, answerBytes))
		if at, part := a.exchange.Next(); !b.Allows(a.loop, at, part) {
			return
		}
	}
}

func (a *asker) Resume() {
	a.conn.Leave(a.sleeper)
	if a.exchange.Answers() {
		a.exchange.Resume(answered{}, answerBytes)
		return
	}
	a.exchange.Resume(asked{}, askBytes)
}

// answerer answers a request with SendStep, so that the answer is a step of its loop. It sends any
// other payload back with Send.
type answerer struct{ loop *vtime.Loop }

func (s *answerer) Receive(c *network.Conn, payload any) {
	if _, ok := payload.(asked); ok {
		c.SendStep(s.loop, answered{}, answerBytes)
		return
	}
	c.Send(payload, 1)
}

func (s *answerer) Closed(*network.Conn, error) {}

// newAsker returns an asker that has sent its first request, with the virtual time at 1 s.
func newAsker(t testing.TB, noLeaps bool, many int) (*bench, *asker) {
	w := vtime.New(vtime.Config{Seed: 7, NoLeaps: noLeaps})
	t.Cleanup(w.Close)
	b := &bench{t: t, w: w, n: network.New(w, network.DefaultLatency()), client: &end{w: w}, server: &end{w: w}}
	b.a, b.b = b.n.AddHost("a", "a"), b.n.AddHost("b", "b")
	b.listen(network.OwnedByNode(b.b.Node()))
	b.connect()
	a := &asker{w: w, conn: b.client.conn, loop: b.a.Node().NewLoop("asks"), many: many}
	a.sleeper = leap.NewSleeper(b.a.Node().NewProcess("asker"), a.loop, a)
	b.client.conn.SetReceiver(a)
	b.server.conn.SetReceiver(&answerer{a.loop})
	a.send()
	return b, a
}

// Goal: an Exchange gives the same arrival times, random draws and counters at both hosts as
// messages with events. This also holds when other messages use the connection meanwhile.
func TestAnExchangeIsItsMessages(t *testing.T) {
	type seen struct {
		Answers int
		Last    time.Duration
		Others  []string
		A, B    network.Counters
		Sites   []vtime.Site
		Hash    uint64
	}
	play := func(noLeaps bool, many int) (all []seen, events uint64) {
		b, a := newAsker(t, noLeaps, many)
		for i := range 40 {
			if i%4 == 3 {
				b.a.Node().After(time.Duration(i)*time.Millisecond/7, kindOther, func() { a.conn.Send("other", 1) })
			}
			b.run(b.w.Now() + 50*time.Millisecond + time.Duration(i)*time.Microsecond)
			all = append(all, seen{A: b.a.Counters(), B: b.b.Counters(), Answers: a.answers, Last: a.last,
				Others: a.others, Sites: b.w.Sites(), Hash: b.w.Hash()})
		}
		return all, b.w.Events()
	}
	want, without := play(true, 0)
	if last := want[len(want)-1]; last.Answers < 1000 || len(last.Others) != 10 {
		t.Fatalf("%d answers and %d other messages, want 1000 and 10 to compare", last.Answers, len(last.Others))
	}
	for _, many := range []int{0, 1, 7} {
		got, with := play(false, many)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d at a time (-by events +asleep):\n%s", many, diff)
		}
		if with != without {
			t.Errorf("%d at a time: %d events are counted, %d when all are made", many, with, without)
		}
	}
}

var kindOther = vtime.NewKind("network_test.other")

func TestAnExchangeAllocatesNothing(t *testing.T) {
	b, a := newAsker(t, false, 0)
	until := b.w.Now()
	before := a.answers
	allocs := testing.AllocsPerRun(10, func() {
		until += time.Second
		b.run(until)
		b.w.CatchUp()
	})
	if answers := a.answers - before; answers < 5000 {
		t.Fatalf("%d answers in 11 s, want thousands", answers)
	}
	if allocs > 1 {
		t.Errorf("a second of requests made %v allocations, want none", allocs)
	}
}
