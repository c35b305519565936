package node_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// Goal: sessions that are idle cost nothing, and expire all the same when their
// client is cut off, on the tick grid. Method: many clients in virtual time; what
// is counted is events, which no machine makes slower.

// crowd starts n clients that do nothing, each with its own ephemeral /e<i>.
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

// The other client keeps the server's timer from being set by chance.
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

// A day of 10,000 idle sessions in virtual time, their connecting included.
func BenchmarkIdleSessions(b *testing.B) {
	for b.Loop() {
		l := newLabOf(b, vtime.Config{Seed: 7})
		l.crowd(10_000)
		l.until(24 * time.Hour)
	}
}
