package network_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
)

// counted receives numbers.
type counted struct{ got []int }

func (c *counted) Receive(_ *network.Conn, payload any) { c.got = append(c.got, payload.(int)) }
func (c *counted) Closed(*network.Conn, error)          {}

// Goal: whatever the latency, loss, partitions and delays, each direction of a connection delivers
// all messages once and in order, if the network heals before the connection times out.
func TestStreamsStayFirstInFirstOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := vtime.New(vtime.Config{Seed: rapid.Uint64().Draw(t, "seed")})
		defer w.Close()
		latency := network.DefaultLatency()
		latency.Spread = time.Duration(rapid.IntRange(0, 50).Draw(t, "spreadMs")) * time.Millisecond
		latency.LossPerMille = rapid.IntRange(0, 300).Draw(t, "lossPerMille")
		n := network.New(w, latency)
		a, b := n.AddHost("a", "a"), n.AddHost("b", "b")
		ends := [2]*counted{{}, {}}
		var conns [2]*network.Conn
		if _, err := b.Listen(network.OwnedByNode(b.Node()), 1, func(c *network.Conn) {
			conns[1] = c
			c.SetReceiver(ends[1])
		}); err != nil {
			t.Fatal(err)
		}
		a.Dial(network.OwnedByNode(a.Node()), "b:1", func(c *network.Conn, err error) {
			if err != nil {
				t.Fatal(err)
			}
			conns[0] = c
			c.SetReceiver(ends[0])
		})
		run := func(d time.Duration) {
			if _, err := w.Run(vtime.Limits{Until: w.Now() + d}); err != nil {
				t.Fatal(err)
			}
		}
		run(time.Hour)
		names := [2][]string{{"a"}, {"b"}}
		var sent [2]int
		steps := rapid.IntRange(1, 40).Draw(t, "steps")
		for range steps {
			side := rapid.IntRange(0, 1).Draw(t, "side")
			from, to := names[side], names[1-side]
			var err error
			switch rapid.SampledFrom([]string{"send", "send", "send", "partition", "heal", "slow", "run"}).Draw(t, "step") {
			case "send":
				sent[side]++
				conns[side].Send(sent[side], 1)
			case "partition":
				err = n.Partition(from, to)
			case "heal":
				err = n.Heal(from, to)
			case "slow":
				err = n.Slow(from, to, time.Duration(rapid.IntRange(0, 100).Draw(t, "extraMs"))*time.Millisecond)
			case "run":
				run(time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms")) * time.Millisecond)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		n.HealAll()
		run(2 * time.Hour)
		for side, e := range ends {
			if len(e.got) != sent[1-side] {
				t.Fatalf("end %d received %d messages, want %d", side, len(e.got), sent[1-side])
			}
			for i, x := range e.got {
				if x != i+1 {
					t.Fatalf("end %d received %v: message %d is out of order", side, e.got, i+1)
				}
			}
		}
	})
}
