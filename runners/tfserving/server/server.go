package server

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/process"
)

// startLimit is how long a server without models may take until it serves.
const startLimit = 30 * time.Second

// Config says what runs.
type Config struct {
	Program string
	// Args holds the program's arguments, without the flags for ports.
	Args []string
	// REST opens the REST port too.
	REST bool
}

// Server is a process of a model server on the loopback.
type Server struct {
	Config
	// GRPCPort and RESTPort are chosen by New and stay the same across restarts.
	GRPCPort, RESTPort int

	life *life
}

// New chooses free ports for a server, but does not start it. At the end of the test the
// server is killed.
func New(t testing.TB, c Config) *Server {
	t.Helper()
	ports, err := process.FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Config: c, GRPCPort: ports[0], RESTPort: ports[1]}
	t.Cleanup(func() {
		s.Kill()
		if t.Failed() {
			t.Logf("%s has said:\n%s", c.Program, s.Output())
		}
	})
	return s
}

// ForTest starts a server and waits until it serves.
func ForTest(t testing.TB, c Config) *Server {
	t.Helper()
	s := New(t, c)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// GRPCAddr and RESTAddr return the addresses for clients.
func (s *Server) GRPCAddr() string { return fmt.Sprintf("127.0.0.1:%d", s.GRPCPort) }
func (s *Server) RESTAddr() string { return fmt.Sprintf("127.0.0.1:%d", s.RESTPort) }

// Start starts the process and waits until its ports are open.
func (s *Server) Start() error {
	args, opened := []string{fmt.Sprintf("--port=%d", s.GRPCPort)}, grpcOpened
	if s.REST {
		args, opened = append(args, fmt.Sprintf("--rest_api_port=%d", s.RESTPort)), restOpened
	}
	life, err := begin(exec.Command(s.Program, append(args, s.Args...)...), opened)
	if err != nil {
		return err
	}
	s.life = life
	limit := time.NewTimer(startLimit)
	defer limit.Stop()
	select {
	case <-life.serving:
		return nil
	case <-life.ended:
		return fmt.Errorf("%s has ended: %v\n%s", s.Program, life.err, life.output())
	case <-limit.C:
		return fmt.Errorf("%s does not serve after %v:\n%s", s.Program, startLimit, life.output())
	}
}

// Lines of output that announce an open port (server.cc:371, 391). REST's line comes last.
var (
	grpcOpened = regexp.MustCompile(`Running gRPC ModelServer at \S+ \.\.\.\n`)
	restOpened = regexp.MustCompile(`Exporting HTTP/REST API at:\S+ \.\.\.\n`)
)

// Kill ends the process, if it runs, and waits for its end.
func (s *Server) Kill() {
	if s.life != nil {
		_ = s.life.cmd.Process.Kill() // the error is not looked at: it says that the process has ended
		<-s.life.ended
	}
}

// Output returns the output of the latest process.
func (s *Server) Output() string {
	if s.life == nil {
		return ""
	}
	return s.life.output()
}

// life is one process.
type life struct {
	cmd     *exec.Cmd
	opened  *regexp.Regexp // matches the line of output by which the server says that it serves
	serving chan struct{}  // closed after it
	ended   chan struct{}  // closed when the process has ended; err is set by then
	err     error

	mu   sync.Mutex
	said bytes.Buffer
}

func begin(cmd *exec.Cmd, opened *regexp.Regexp) (*life, error) {
	l := &life{cmd: cmd, opened: opened, serving: make(chan struct{}), ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = l, l
	process.DieWithParent(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start of a model server: %w", err)
	}
	go func() {
		l.err = cmd.Wait()
		if l.err == nil {
			l.err = errors.New("exit status 0")
		}
		close(l.ended)
	}()
	return l, nil
}

// Write collects the process's output, and notes when it announces an open port.
func (l *life) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said.Write(data)
	if !l.opened.Match(l.said.Bytes()) {
		return len(data), nil
	}
	select {
	case <-l.serving:
	default:
		close(l.serving)
	}
	return len(data), nil
}

func (l *life) output() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(l.said.String())
}
