package network

import (
	"errors"
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/vtime"
)

// Env returns the network as a process sees it. Requests and responses travel by reference, so
// they must not be changed after sending.
func (h *Host) Env(p *vtime.Process) env.Network { return &hostEnv{h: h, p: p} }

type hostEnv struct {
	h *Host
	p *vtime.Process
}

func (e *hostEnv) Serve(port, workers int, handler env.Handler) (env.Server, error) {
	s := &served{p: e.p, workers: workers, handler: handler}
	server, err := e.h.ServeRPC(OwnedBy(e.p), port, s.take)
	if err != nil {
		return nil, err
	}
	return &envServer{p: e.p, server: server}, nil
}

func (e *hostEnv) Dial(addr string) env.Channel {
	e.p.Check()
	return (*envChannel)(NewChannel(e.p, e.h, addr))
}

// Probe connects to addr and closes the connection at once. It returns the error of connecting. The
// current task waits up to timeout; 0 means the kernel's limit of 127 s.
func (e *hostEnv) Probe(addr string, timeout time.Duration) error {
	e.p.Check()
	var (
		task   = e.p.Current()
		over   bool
		result error
	)
	conn := e.h.dial(OwnedBy(e.p), addr, func(c *Conn, err error) {
		over, result = true, err
		if c != nil {
			c.SetReceiver(deaf{})
			c.Close()
			e.h.n.probed(e.h.name, addr)
		}
		task.Wake()
	})
	defer func() {
		if !over {
			conn.Close()
		}
	}()
	if timeout <= 0 {
		timeout = -1
	}
	if !e.p.ParkFor(timeout, "connection to "+addr) {
		return env.ErrProbeTimedOut
	}
	return result
}

// deaf is a receiver that ignores everything, for connections that only probe a port.
type deaf struct{}

func (deaf) Receive(*Conn, any)  {}
func (deaf) Closed(*Conn, error) {}

type envServer struct {
	p      *vtime.Process
	server *RPCServer
}

func (s *envServer) Port() int { return s.server.Port() }

func (s *envServer) Stop() {
	s.p.Check()
	s.server.Stop()
}

// served runs the calls to one server as tasks of the server's process.
type served struct {
	p       *vtime.Process
	handler env.Handler
	workers int // number of calls handled at a time; 0 means no limit
	running int
	queue   []*Call // calls that wait for a worker, in the order of arrival
}

func (s *served) take(call *Call) {
	if s.workers > 0 && s.running >= s.workers {
		s.queue = append(s.queue, call)
		return
	}
	s.running++
	s.p.Go(call.Method, func() { s.work(call) })
}

// work handles a call, and then the queued calls until the queue is empty.
func (s *served) work(call *Call) {
	for {
		// grpc-python does not start a call that was cancelled in the queue.
		if !call.Cancelled() {
			s.handle(call)
		}
		if len(s.queue) == 0 {
			break
		}
		call = s.queue[0]
		s.queue[0] = nil
		s.queue = s.queue[1:]
	}
	s.running--
}

func (s *served) handle(call *Call) {
	request, ok := call.Request.([]byte)
	if !ok {
		call.Fail(&env.RPCError{Code: rpcerrors.Internal, Message: fmt.Sprintf("Exception deserializing request! (%T)", call.Request)})
		return
	}
	response, err := s.handler(call.Method, request)
	s.p.Check()
	if err == nil {
		call.Reply(response, len(response))
		return
	}
	var status *env.RPCError
	if !errors.As(err, &status) {
		// grpc-python's _server.py uses these words for an exception of a servicer.
		status = &env.RPCError{Code: rpcerrors.Unknown, Message: "Exception calling application: " + err.Error()}
	}
	call.Fail(status)
}

type envChannel Channel

func (c *envChannel) Call(method string, request []byte, timeout time.Duration) ([]byte, error) {
	resp, err := (*Channel)(c).Invoke(method, request, len(request), timeout)
	if err != nil {
		return nil, err
	}
	data, ok := resp.([]byte)
	if !ok {
		return nil, &env.RPCError{Code: rpcerrors.Internal, Message: fmt.Sprintf("Exception deserializing response! (%T)", resp)}
	}
	return data, nil
}

func (c *envChannel) Close() { (*Channel)(c).Close() }

var _ env.Network = (*hostEnv)(nil)
