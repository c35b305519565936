package server

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/process"
)

// startLimit is the longest wait for a started server to serve. A start takes about a second.
const startLimit = 30 * time.Second

// errInterrupted is returned when Config.Interrupt is closed before the server serves.
var errInterrupted = errors.New("interrupted before the server has started")

// Server is a real ZooKeeper server's process and its data directory. Call Close after use.
type Server struct {
	cfg  Config
	dir  string
	port int

	cmd    *exec.Cmd
	exited chan struct{} // closed when cmd has ended
	how    error         // how cmd has ended; valid once exited is closed
}

// ForTest starts a server and closes it at the end of the test. It skips the test where no
// ZooKeeper is installed.
func ForTest(t testing.TB, cfg Config) *Server {
	t.Helper()
	s, err := New(cfg)
	if errors.Is(err, ErrNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// New starts an empty server on a free port, and returns when it serves. The error is
// ErrNotInstalled on a machine without a ZooKeeper. The caller has to call Close.
func New(cfg Config) (*Server, error) {
	dir, err := os.MkdirTemp("", "zkserver")
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, dir: dir}
	// Another program may take the free port before the server does, so New tries three times.
	for range 3 {
		var ports []int
		if ports, err = process.FreePorts(1); err == nil {
			s.port = ports[0]
			err = s.Start()
		}
		if err == nil {
			return s, nil
		}
		if errors.Is(err, ErrNotInstalled) || errors.Is(err, errInterrupted) {
			break
		}
	}
	return nil, errors.Join(err, os.RemoveAll(dir))
}

// DataDir returns the data directory of the server (dataDir).
func (s *Server) DataDir() string { return filepath.Join(s.dir, "data") }

// Addr returns the host:port of the server. The address stays the same across stops and starts.
func (s *Server) Addr() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

// PID returns the process id of the running server.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Start starts a stopped server on its existing data, and waits until it serves.
func (s *Server) Start() error {
	if err := s.launch(); err != nil {
		return err
	}
	if err := s.awaitServing(); err != nil {
		return errors.Join(err, s.Stop())
	}
	return nil
}

// launch writes zoo.cfg and starts the server's process, without waiting until it serves.
func (s *Server) launch() error {
	file := filepath.Join(s.dir, "zoo.cfg")
	if err := os.WriteFile(file, []byte(s.cfg.text(s.DataDir(), s.port)), 0o600); err != nil {
		return err
	}
	cmd, err := s.cfg.command(file)
	if err != nil {
		return err
	}
	out, err := os.Create(s.outputFile())
	if err != nil {
		return err
	}
	defer out.Close() // the child has its own copy
	cmd.Stdout, cmd.Stderr = out, out
	process.DieWithParent(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd, s.exited = cmd, make(chan struct{})
	go func(exited chan struct{}) {
		s.how = cmd.Wait()
		close(exited)
	}(s.exited)
	return nil
}

// Ended returns an error that tells how the process of a started server has ended, with the last
// lines of its output. It returns nil while the process runs, and after Stop.
func (s *Server) Ended() error {
	if s.cmd == nil {
		return nil
	}
	select {
	case <-s.exited:
	default:
		return nil
	}
	const most = 2_000 // number of bytes of the output that are quoted
	output, _ := os.ReadFile(s.outputFile())
	how := cmp.Or(s.how, errors.New("exit status 0"))
	return fmt.Errorf("the server's process has ended (%w): %s", how, bytes.TrimSpace(output[max(0, len(output)-most):]))
}

func (s *Server) outputFile() string { return filepath.Join(s.dir, "out.log") }

// awaitServing polls until the server reports its mode. The answer to ruok is no proof, because the
// server gives it already before it serves (ZK-17.3).
func (s *Server) awaitServing() error {
	limit := time.After(startLimit)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		if strings.Contains(s.ask("srvr"), "\nMode:") {
			return nil
		}
		select {
		case <-s.exited:
			output, _ := os.ReadFile(s.outputFile())
			return fmt.Errorf("zookeeper on port %d has ended before it served: %s", s.port, output)
		case <-s.cfg.Interrupt:
			return errInterrupted
		case <-limit:
			return fmt.Errorf("zookeeper on port %d does not serve after %s", s.port, startLimit)
		case <-again.C:
		}
	}
}

// ask sends a four-letter word and returns the answer, "" for none.
func (s *Server) ask(word string) string {
	conn, err := net.DialTimeout("tcp", s.Addr(), time.Second)
	if err != nil {
		return ""
	}
	defer conn.Close()
	if conn.SetDeadline(time.Now().Add(time.Second)) != nil {
		return ""
	}
	if _, err := io.WriteString(conn, word); err != nil {
		return ""
	}
	answer, _ := io.ReadAll(conn) // an incomplete answer names no mode, so the error needs no check
	return string(answer)
}

// Stop ends the server's process by SIGTERM, or by SIGKILL when it takes too long, and waits for
// its end (ZK-17.4). The data stay for the next Start. It does nothing to a stopped server.
func (s *Server) Stop() error {
	if s.cmd == nil {
		return nil
	}
	cmd := s.cmd
	s.cmd = nil
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.exited:
		return nil
	case <-time.After(startLimit):
	}
	err := cmd.Process.Kill()
	<-s.exited
	return err
}

// Close stops the server and removes its data.
func (s *Server) Close() error { return errors.Join(s.Stop(), os.RemoveAll(s.dir)) }
