package loopback

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/runners/test/realrun"
)

// doors opens a door for the test, without a cable if plain. It skips the test where a cable
// is wanted but not allowed.
func doors(t *testing.T, plain bool) *door {
	t.Helper()
	c := &Cluster{}
	var err error
	if c.net, err = newNetwork(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(c.net.close)
	if !plain {
		if c.cable, err = newCable(); err != nil {
			t.Skip(err)
		}
		t.Cleanup(c.cable.close)
	}
	d, err := newDoor(c, c.net.ip(2))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.leave)
	return d
}

// dial connects to a door and returns how long that took.
func dial(d *door, limit time.Duration) (time.Duration, error) {
	began := time.Now()
	conn, err := net.DialTimeout("tcp", d.addr(), limit)
	if err == nil {
		conn.Close()
	}
	return time.Since(began), err
}

// Goal: a shut door makes dialing time out, a closed one refuses, and a slow one delays.
// After each, the door works normally again. Method: dial it in each condition.
func TestHowConnectionsFailToBegin(t *testing.T) {
	const soon, long = 300 * time.Millisecond, 20 * time.Second
	for name, plain := range map[string]bool{"with a network of its own": false, "without": true} {
		t.Run(name, func(t *testing.T) {
			d := doors(t, plain)
			open := func() {
				t.Helper()
				if _, err := dial(d, long); err != nil {
					t.Fatalf("an open door: %v", err)
				}
			}
			open()
			if err := d.hold(true); err != nil {
				t.Fatal(err)
			}
			if _, err := dial(d, soon); !isTimeout(err) {
				t.Errorf("an unreachable host: want that the attempt times out, got %v", err)
			}
			waits := make(chan error, 1)
			go func() { _, err := dial(d, long); waits <- err }()
			if err := d.hold(false); err != nil {
				t.Fatal(err)
			}
			if err := <-waits; err != nil {
				t.Errorf("an attempt that lasts until the host is there again: %v", err)
			}
			d.leave()
			if took, err := dial(d, long); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("a host without a server: want that it refuses, got %v after %v", err, took)
			}
			if _, err := d.comeBack(); err != nil {
				t.Fatal(err)
			}
			open()
			if plain {
				return
			}
			d.slow(soon / 2)
			if took, err := dial(d, long); err != nil || took < soon {
				t.Errorf("a slow host: want %v at least, got %v after %v", soon, err, took)
			}
			if _, err := dial(d, soon/2); !isTimeout(err) {
				t.Errorf("a slow host and a client that is not patient: want a time-out, got %v", err)
			}
			d.slow(0)
			if took, err := dial(d, long); err != nil || took >= soon {
				t.Errorf("a host that is no longer slow: got %v after %v", err, took)
			}
		})
	}
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// Goal: in a world a hundred times as fast a probe of a host that loses what is sent to it ends
// after the two minutes of that world in which Linux gives up, not after those of the clock.
func TestAProbeGivesUpInTheTimeOfItsWorld(t *testing.T) {
	d := doors(t, true)
	if err := d.hold(true); err != nil {
		t.Skip(err)
	}
	w := walltime.New(walltime.Config{Speed: 100})
	t.Cleanup(w.Close)
	p := w.NewProcess("node", "p")
	p.Go("probe", func() {
		err := realrun.NewNetwork(p, realrun.Options{}).Probe(d.addr(), 0)
		if took := p.Elapsed(); !errors.Is(err, syscall.ETIMEDOUT) || took < 127*time.Second {
			t.Errorf("got %v after %v, want a time-out after two minutes", err, took)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := w.Wait(ctx); err != nil {
		t.Error(err)
	}
}
