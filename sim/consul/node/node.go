// Package node runs the Consul agent of sim/consul on a host of the simulated network.
//
// Two things to use first:
//
//   - [New] makes a server and [Server.Start] starts it.
//   - [Server.Agent] is the agent, for faults and observers.
//
// To change:
//
//   - how an answer is sent on the network: [Server.handle]
//   - the answers themselves: package consul
//
// Unstable: any commit may change it.
package node

import (
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/consul"
	"github.com/monosim/monosim/sim/network"
)

var kindAnswer = vtime.NewKind("consul.answer")

// Server is a Consul agent that listens on a simulated host.
type Server struct {
	host  *network.Host
	port  int
	agent *consul.Agent
	http  *network.HTTPServer // http is nil while the server is down
}

// New makes a server that does not yet listen.
func New(host *network.Host, port int) *Server {
	return &Server{host: host, port: port, agent: consul.New()}
}

// Start opens the port. It does nothing if the server already listens.
func (s *Server) Start() (err error) {
	if s.http != nil {
		return nil
	}
	s.http, err = s.host.ServeHTTP(network.OwnedByNode(s.host.Node()), s.port, s.handle)
	return err
}

// Stop closes all connections, and refuses new ones until Start. Registrations are kept, and their
// TTLs continue.
func (s *Server) Stop() {
	if s.http != nil {
		s.http.Stop()
		s.http = nil
	}
}

// Agent returns the agent that the server runs.
func (s *Server) Agent() *consul.Agent { return s.agent }

// Services returns all present registrations.
func (s *Server) Services() []consul.Service {
	return s.agent.Services(s.host.Node().World().Now())
}

// handle answers a request, at once or after the agent's delay.
func (s *Server) handle(call *network.HTTPCall) {
	answer := s.agent.Handle(s.host.Node().World().Now(), consul.Request{
		Method: call.Method, Target: call.Target, Body: call.Body, From: call.From.Name(),
	})
	if answer.After > 0 {
		s.host.Node().After(answer.After, kindAnswer, func() { send(call, answer) })
		return
	}
	send(call, answer)
}

func send(call *network.HTTPCall, answer consul.Answer) {
	if answer.Cut {
		call.Cut(answer.Status, answer.Sent(), len(answer.Body))
		return
	}
	call.Answer(answer.Status, answer.Body)
}
