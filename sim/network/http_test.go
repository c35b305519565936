package network_test

import (
	"testing"

	"github.com/monosim/monosim/engine/runtimetest/networktest"
	"github.com/monosim/monosim/sim/network"
)

// Goal: plain HTTP on the simulated network behaves as on real sockets. Method: the same test cases
// run on both.
func TestHTTPConformance(t *testing.T) {
	networktest.RunHTTP(t, func(t *testing.T) networktest.HTTPWorld {
		return httpWorld{conforming{newBench(t, network.DefaultLatency())}}
	})
}

type httpWorld struct{ conforming }

func (w httpWorld) ServeHTTP() string {
	p := w.b.b.Node().NewProcess("http")
	server, err := w.b.b.ServeHTTP(network.OwnedBy(p), 0, func(call *network.HTTPCall) {
		switch reply := networktest.HTTPAnswer(call.Method, call.Target, string(call.Body)); {
		case reply.Never:
		case reply.HangUp:
			call.HangUp()
		case reply.Cut:
			call.Cut(reply.Status, []byte(reply.Body[:len(reply.Body)/2]), len(reply.Body))
		default:
			call.Answer(reply.Status, []byte(reply.Body))
		}
	})
	w.b.must(err)
	return w.Addr(server.Port())
}
