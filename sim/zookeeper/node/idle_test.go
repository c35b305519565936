package node_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// Goal: idle sessions cause no events, and still expire on a tick when their client is cut off.
// Method: many clients in virtual time. The number of events is checked, because it does not depend
// on the speed of the machine.

// crowd starts n clients that only create their ephemeral /e<i> and then do nothing.
func (l *lab) crowd(n int) {
	for i := range n {
		l.program(fmt.Sprint("idle", i), func(p *vtime.Process, zk env.ZooKeeper) {
			start(zk)
			must(zk.Create(fmt.Sprint("/e", i), nil, env.CreateOptions{Ephemeral: true}))
			p.Sleep(1000 * time.Hour)
		})
	}
}

func TestIdleSessionsCostNoEvents(t *testing.T) {
	l := newLab(t)
	l.crowd(100)
	l.until(time.Minute)
	events := func() uint64 { return l.world.Events() - l.world.Leapt() }
	before := events()
	l.until(25 * time.Hour)
	if got := events() - before; got != 0 {
		t.Errorf("a day of 100 idle sessions took %d events, want none", got)
	}
	if got := len(l.server.Machine().Sessions()); got != 100 {
		t.Errorf("got %d sessions, want 100", got)
	}
}

// Goal: an idle session expires on a tick after its client is cut off. Other clients are added in
// one case, because their activity could set the server's timer by chance.
func TestIdleSessionThatIsCutOffExpiresOnTheGrid(t *testing.T) { // ZK-3.1
	for _, other := range []int{0, 3} {
		l := newLab(t)
		l.crowd(1 + other)
		gone := time.Duration(0)
		for at := 24*time.Hour + 20*time.Second + 50*time.Millisecond; at < 24*time.Hour+40*time.Second; at += 100 * time.Millisecond {
			l.at(at, func() {
				if _, ok := l.server.Machine().Lookup("/e0"); !ok && gone == 0 {
					gone = l.world.Now().Truncate(100 * time.Millisecond)
				}
			})
		}
		l.at(24*time.Hour+21*time.Second, func() { l.net.PartitionBoth([]string{"idle0"}, []string{"zk"}) })
		l.until(24*time.Hour + time.Minute)
		if gone%(2*time.Second) != 0 || gone == 0 {
			t.Errorf("beside %d others: gone at %v, want an instant of the grid of 2 s", other, gone)
		}
		if got := len(l.server.Machine().Sessions()); got != other {
			t.Errorf("got %d sessions, want %d", got, other)
		}
	}
}

// BenchmarkIdleSessions simulates a day of 10,000 idle sessions, including their connecting.
func BenchmarkIdleSessions(b *testing.B) {
	for b.Loop() {
		l := newLabOf(b, vtime.Config{Seed: 7})
		l.crowd(10_000)
		l.until(24 * time.Hour)
	}
}
