package network_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/runtimetest/networktest"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
)

// Goal: the simulated network behaves as gRPC on real sockets. Method: the same test cases run on
// both.
func TestConformance(t *testing.T) {
	networktest.Run(t, func(t *testing.T) networktest.World {
		b := newBench(t, network.DefaultLatency())
		b.n.AddHost("silent", "silent", "10.0.0.9")
		b.must(b.n.HostDown("silent"))
		return conforming{b}
	})
}

type conforming struct{ b *bench }

func (c conforming) NewClient(name string) networktest.Process { return newLife(c.b.a, name) }
func (c conforming) NewServer(name string) networktest.Process { return newLife(c.b.b, name) }
func (c conforming) Addr(port int) string                      { return fmt.Sprintf("b:%d", port) }
func (c conforming) FragileAddr(port int) string               { return c.Addr(port) }
func (c conforming) Silent() string                            { return "silent:9000" }

func (c conforming) ResetConns() { c.b.must(c.b.n.ResetConns("a", "b")) }

func (c conforming) Wait() error {
	_, err := c.b.w.Run(vtime.Limits{Until: time.Hour})
	for _, task := range c.b.w.Blocked() {
		err = fmt.Errorf("%v has not ended", task)
	}
	return err
}

// life is a process together with its view of the network.
type life struct {
	*vtime.Process
	net env.Network
}

func newLife(h *network.Host, name string) networktest.Process {
	p := h.Node().NewProcess(name)
	return life{p, h.Env(p)}
}

func (l life) Network() env.Network { return l.net }
