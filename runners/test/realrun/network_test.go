package realrun_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/runtimetest/networktest"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/runners/test/realrun"
)

// limit is how long tests wait for what should come soon.
const limit = 30 * time.Second

// Goal: real sockets behave as the simulated network. Method: the conformance cases that the
// simulated network passes, too.
func TestConformance(t *testing.T) {
	networktest.Run(t, func(t *testing.T) networktest.World {
		return &conforming{t: t, w: newWorld(t)}
	})
}

type conforming struct {
	t     *testing.T
	w     *walltime.World
	relay *relay
}

func newWorld(t *testing.T) *walltime.World { return newFastWorld(t, 1) }

func newFastWorld(t *testing.T, speed float64) *walltime.World {
	w := walltime.New(walltime.Config{Seed: 1, Speed: speed})
	t.Cleanup(w.Close)
	return w
}

func (c *conforming) NewClient(name string) networktest.Process { return newLife(c.w, "a", name) }
func (c *conforming) NewServer(name string) networktest.Process { return newLife(c.w, "b", name) }

func (c *conforming) Addr(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

func (c *conforming) FragileAddr(port int) string {
	c.relay = newRelay(c.t, c.Addr(port))
	return c.relay.addr()
}

func (c *conforming) ResetConns() { c.relay.reset() }

func (c *conforming) Silent() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func (c *conforming) Wait() error { return waitFor(c.w) }

func waitFor(w *walltime.World) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return w.Wait(ctx)
}

// life is a process with its network.
type life struct {
	*walltime.Process
	net env.Network
}

func newLife(w *walltime.World, node, name string) networktest.Process {
	p := w.NewProcess(node, name)
	return life{p, realrun.NewNetwork(p, realrun.Options{})}
}

func (l life) Network() env.Network { return l.net }

// Goal: by default only this host can reach a server.
func TestServersListenOnTheLoopbackUnlessToldOtherwise(t *testing.T) {
	for _, c := range []struct{ host, want, other string }{
		{"", "127.0.0.1:", "127.0.0.2:"},
		{"127.0.0.2", "127.0.0.2:", "127.0.0.1:"},
	} {
		w := newWorld(t)
		p := w.NewProcess("node", "p")
		network := realrun.NewNetwork(p, realrun.Options{ListenHost: c.host})
		p.Go("main", func() {
			const tries = 5 // another program may listen on the port at the other address
			for try := 1; ; try++ {
				server, err := network.Serve(0, 0, func(string, []byte) ([]byte, error) { return nil, nil })
				if err != nil {
					t.Error(err)
					return
				}
				if err := network.Probe(c.want+fmt.Sprint(server.Port()), 0); err != nil {
					t.Errorf("listen host %q: probe of %s: %v", c.host, c.want, err)
				}
				if network.Probe(c.other+fmt.Sprint(server.Port()), 0) != nil {
					return
				}
				if try == tries {
					t.Errorf("listen host %q: %s answers, too, on %d ports", c.host, c.other, tries)
					return
				}
			}
		})
		if err := waitFor(w); err != nil {
			t.Fatal(err)
		}
	}
}

// Goal: listening on an address that this host lacks gives an error that says so.
func TestServeOnAnAddressOfNobody(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("node", "p")
	p.Go("main", func() {
		_, err := realrun.NewNetwork(p, realrun.Options{ListenHost: "192.0.2.1"}).Serve(0, 0, nil)
		if err == nil || !strings.Contains(err.Error(), "serve gRPC: listen tcp 192.0.2.1:0") {
			t.Errorf("error %v", err)
		}
	})
	if err := waitFor(w); err != nil {
		t.Fatal(err)
	}
}
