// Package serve has the simulated Consul agent of sim/consul behind a TCP port, for real clients.
//
// Two things to use first:
//
//   - [Listen] serves an agent of its own on an address.
//   - [Server.SetFaults] changes what is wrong with it.
//
// To change how requests become those of the agent look in [Server.ServeHTTP]; what the agent
// answers, in sim/consul.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/monosim/monosim/sim/consul"
)

// maxBody is the largest body that is taken.
const maxBody = 1 << 20

// Server is an agent that listens.
type Server struct {
	listener net.Listener
	http     *http.Server
	ended    context.CancelFunc
	done     chan struct{}
	err      error
	speed    float64
	began    time.Time

	mu    sync.Mutex
	agent *consul.Agent
}

// Listen serves on an address, as "127.0.0.1:2280"; port 0 takes any that is free. The agent's
// time passes speed times as fast as the wall clock: its TTLs, lags and delays. The caller must
// call Close.
func Listen(addr string, speed float64) (*Server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another port, or 0 for any that is free", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{listener: l, ended: cancel, done: make(chan struct{}), speed: speed, began: time.Now(), agent: consul.New()}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() {
		defer close(s.done)
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.err = err
		}
	}()
	return s, nil
}

// Addr is host:port where it listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Done is closed when it does not serve any more.
func (s *Server) Done() <-chan struct{} { return s.done }

// Close ends it; what is being answered is cut off. The error is that which ended it before.
func (s *Server) Close() error {
	s.ended()
	closed := s.http.Close()
	<-s.done
	return errors.Join(s.err, closed)
}

// now is the agent's time.
func (s *Server) now() time.Duration {
	return time.Duration(float64(time.Since(s.began)) * s.speed)
}

// Services are all registrations, the oldest first.
func (s *Server) Services() []consul.Service {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agent.Services(s.now())
}

// Faults are those that last.
func (s *Server) Faults() consul.Faults {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.agent.Faults()
}

// SetFaults replaces them; those that make no sense are an error and change nothing.
func (s *Server) SetFaults(f consul.Faults) error {
	if err := f.Check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.agent.Faults() = f
	return nil
}

// Forget loses all registrations.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent.Forget()
}

// ServeHTTP hands a request to the agent and sends its answer.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	from, _, _ := net.SplitHostPort(r.RemoteAddr)
	s.mu.Lock()
	answer := s.agent.Handle(s.now(), consul.Request{Method: r.Method, Target: r.RequestURI, Body: body, From: from})
	s.mu.Unlock()
	if !s.wait(r.Context(), answer.After) {
		panic(http.ErrAbortHandler) // to return would answer 200 while the connection is still open
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer.Body)))
	w.WriteHeader(answer.Status)
	if _, err := w.Write(answer.Sent()); err != nil {
		return // the client is gone
	}
	if answer.Cut {
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
		panic(http.ErrAbortHandler)
	}
}

// wait reports whether the time has passed: the client may hang up before, or the server end.
func (s *Server) wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(time.Duration(float64(d) / s.speed))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
