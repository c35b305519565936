package network_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
)

// seriesRun is what a run of rounds of calls shows.
type seriesRun struct {
	Events, Hash uint64
	Calls        []network.RPC
	Outcomes     []string
	Wire         []network.Counters
	Spared       int // responses for which the task was not woken
}

// playSeries lets a client make rounds of four calls to two servers, of which one has
// trouble at some instant, as a loop of Invoke or as a series.
func playSeries(trouble string, atMs int, asSeries, noLeaps bool) (seriesRun, error) {
	w := vtime.New(vtime.Config{Seed: 3, NoLeaps: noLeaps})
	defer w.Close()
	n := network.New(w, network.DefaultLatency())
	a, b := n.AddHost("a", "a"), n.AddHost("b", "b")
	var r seriesRun
	n.OnRPC(func(c network.RPC) { r.Calls = append(r.Calls, c) })
	var servers []*network.RPCServer
	odd := false
	for port := 9000; port < 9002; port++ {
		s, err := b.ServeRPC(network.OwnedByNode(b.Node()), port, func(call *network.Call) {
			switch {
			case odd && trouble == "status":
				call.Fail(&env.RPCError{Code: env.NotFound})
			case odd && trouble == "large":
				call.Reply(call.Request, env.MaxMessageBytes+1)
			case odd && trouble == "change":
				call.Reply("changed", 8)
			default:
				call.Reply(call.Request, 8)
			}
		})
		if err != nil {
			return r, err
		}
		servers = append(servers, s)
	}
	p := a.Node().NewProcess("client")
	channels := []*network.Channel{network.NewChannel(p, a, "b:9000"), network.NewChannel(p, a, "b:9001")}
	p.Go("main", func() { rounds(&r, w, p, channels, asSeries) })
	w.Node("operator").After(time.Duration(atMs)*100*time.Microsecond, vtime.Kind(0), func() {
		odd = true
		switch trouble {
		case "stop":
			servers[1].Stop()
		case "close":
			channels[1].Close()
		case "reset":
			_ = n.ResetConns("a", "b")
		case "cut":
			_ = n.Partition([]string{"a"}, []string{"b"})
		case "lose":
			_ = n.LoseAnswer("b", 9001, 1)
		case "crash":
			p.Crash()
		case "stop client":
			p.Stop()
		}
	})
	_, err := w.Run(vtime.Limits{Until: 100 * time.Millisecond})
	r.Events, r.Hash = w.Events(), w.Hash()
	r.Wire = []network.Counters{a.Counters(), b.Counters()}
	return r, err
}

func rounds(r *seriesRun, w *vtime.World, p *vtime.Process, channels []*network.Channel, asSeries bool) {
	s := &network.Series{Usual: func(i int, response any) bool {
		if p.Current() == nil {
			r.Spared++
		}
		return response == fmt.Sprint(i)
	}}
	for i := range 4 {
		s.Calls = append(s.Calls, network.SeriesCall{Channel: channels[i/2], Method: "/svc/Do", Request: fmt.Sprint(i), SizeBytes: 8 + i})
	}
	for {
		for i := 0; i < len(s.Calls); i++ {
			var response any
			var err *env.RPCError
			if asSeries {
				i, response, err = s.From(i)
			} else {
				c := s.Calls[i]
				response, err = c.Channel.Invoke(c.Method, c.Request, c.SizeBytes, 0)
			}
			if err != nil || !s.Usual(i, response) || i == len(s.Calls)-1 {
				r.Outcomes = append(r.Outcomes, fmt.Sprint(w.Now(), i, response, err))
			}
		}
		p.Sleep(time.Millisecond)
	}
}

// Goal: calls of a series are those of a loop: outcomes, what observers see, what is
// on the wire, and the trace, whatever goes wrong. Method: random troubles at random
// instants, played as a loop, as a series, and as a series whose task is always
// woken.
func TestASeriesIsALoopOfCalls(t *testing.T) {
	troubles := []string{"none", "status", "large", "change", "stop", "close", "reset", "cut", "lose", "crash", "stop client"}
	spared := 0
	rapid.Check(t, func(t *rapid.T) {
		trouble := rapid.SampledFrom(troubles).Draw(t, "trouble")
		at := rapid.IntRange(0, 500).Draw(t, "at")
		play := func(asSeries, noLeaps bool) seriesRun {
			r, err := playSeries(trouble, at, asSeries, noLeaps)
			if err != nil {
				t.Fatal(err)
			}
			spared += r.Spared
			r.Spared = 0
			return r
		}
		loop := play(false, false)
		if diff := cmp.Diff(loop, play(true, false)); diff != "" {
			t.Errorf("series (-loop +series):\n%s", diff)
		}
		if diff := cmp.Diff(loop, play(true, true)); diff != "" {
			t.Errorf("series whose task is always woken (-loop +series):\n%s", diff)
		}
	})
	if spared == 0 {
		t.Error("the task was woken for each response")
	}
}
