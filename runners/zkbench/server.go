package zkbench

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/monosim/monosim/runners/child"
	"github.com/monosim/monosim/runners/realrun/zkserver"
)

// Server is a server in a process of its own.
type Server struct {
	Name string
	Addr string
	PID  int
	// Real says that it is the one that others are compared with.
	Real bool
	stop func() error
}

// Real starts the server that is installed here, as zkEnv.sh would but without
// fsync. Where there is none the error is zkserver.ErrNotInstalled.
func Real() (*Server, error) {
	s, err := zkserver.New(zkserver.Config{HeapMB: 1000})
	if err != nil {
		return nil, err
	}
	return &Server{Name: "real server", Addr: s.Addr(), PID: s.PID(), Real: true, stop: s.Close}, nil
}

// Start starts a program that prints the address where it serves as its first line,
// and serves until it is terminated.
func Start(name string, command ...string) (*Server, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	child.DieWithParent(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%s: printed no address: %w", strings.Join(command, " "), errors.Join(err, cmd.Process.Kill(), cmd.Wait()))
	}
	return &Server{Name: name, Addr: strings.TrimSpace(line), PID: cmd.Process.Pid, stop: func() error { return terminate(cmd) }}, nil
}

// endLimit is how long a server may take to end.
const endLimit = 20 * time.Second

func terminate(cmd *exec.Cmd) error {
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return errors.Join(err, cmd.Wait())
	}
	late := time.AfterFunc(endLimit, func() { _ = cmd.Process.Kill() }) // Wait then says so
	defer late.Stop()
	return cmd.Wait()
}

// Close ends the server.
func (s *Server) Close() error { return s.stop() }
