// Package serve puts the simulated Consul agent of sim/consul behind a TCP port, for real clients.
//
// Two things to use first:
//
//   - [Listen] serves a new agent on an address.
//   - [Server.SetFaults] changes the agent's faults.
//
// To change:
//
//   - how HTTP requests become the agent's requests: [Server.ServeHTTP]
//   - what the agent answers: package consul
//
// Unstable: any commit may change it.
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

// maxBody is the size of the largest accepted body, in bytes.
const maxBody = 1 << 20

// Server is a Consul agent that listens on a TCP port.
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

// Listen serves on an address, such as "127.0.0.1:2280"; port 0 picks a free one. TTLs, lags and
// delays are measured in the agent's time, which passes faster than the wall clock by the factor
// speed. The caller must call Close.
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

// Addr returns the host:port that the server listens on.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Done returns a channel that is closed when the server has ended.
func (s *Server) Done() <-chan struct{} { return s.done }

// Close ends the server and cuts off answers in progress. If an error had already ended the server,
// Close returns that error.
func (s *Server) Close() error {
	s.ended()
	closed := s.http.Close()
	<-s.done
	return errors.Join(s.err, closed)
}

func (s *Server) now() time.Duration {
	return time.Duration(float64(time.Since(s.began)) * s.speed)
}

// Services returns all registrations, the oldest first.
func (s *Server) Services() []consul.Service {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agent.Services(s.now())
}

// Faults returns the present faults.
func (s *Server) Faults() consul.Faults {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.agent.Faults()
}

// SetFaults replaces the faults. For invalid ones it returns an error and changes nothing.
func (s *Server) SetFaults(f consul.Faults) error {
	if err := f.Check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.agent.Faults() = f
	return nil
}

// Forget removes all services.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent.Forget()
}

// ServeHTTP passes a request to the agent and sends its answer.
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
		panic(http.ErrAbortHandler) // not by returning, which would send status 200 if the connection is still open
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer.Body)))
	w.WriteHeader(answer.Status)
	if _, err := w.Write(answer.Sent()); err != nil {
		return // the client has gone
	}
	if answer.Cut {
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
		panic(http.ErrAbortHandler)
	}
}

// wait sleeps for d. It returns false if the client hangs up, or the server ends, before that.
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
