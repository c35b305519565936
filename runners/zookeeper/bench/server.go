package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/zookeeper/server"
)

// Server is a server in a process of its own.
type Server struct {
	Name string
	Addr string
	PID  int
	// Durable reports that the server answers a write only once it is on disk.
	Durable bool
	// Real marks a real server. Simulated servers of the same durability are compared with it.
	Real bool
	// Bare marks a server that only answers; it is measured by creates alone.
	Bare bool
	stop func() error
}

// Real starts the installed server, as zkEnv.sh would, or with fsync switched off. The
// error is server.ErrNotInstalled if there is none.
func Real(durable bool) (*Server, error) {
	s, err := server.New(server.Config{HeapMB: 1000, ForceSync: durable})
	if err != nil {
		return nil, err
	}
	name := "real, forceSync=no"
	if durable {
		name = "real"
	}
	return &Server{Name: name, Addr: s.Addr(), PID: s.PID(), Durable: durable, Real: true, stop: s.Close}, nil
}

// Servers starts the servers to compare, in this order: a real one that waits for its disk
// and one that does not (or a line on notes that none is installed); the command line serve
// in memory, and with a data directory; the command line bare, which runs ServeBare. end
// stops them, and may be called after an error.
func Servers(notes io.Writer, serve, bare []string) (servers []*Server, end func() error, err error) {
	dir := ""
	end = func() error {
		return errors.Join(append(lists.MapOrNil(servers, (*Server).Close), os.RemoveAll(dir))...)
	}
	for _, durable := range []bool{false, true} {
		real, err := Real(durable)
		if errors.Is(err, server.ErrNotInstalled) {
			fmt.Fprintf(notes, "%v\nonly the simulated servers are measured\n", err)
			break
		}
		if err != nil {
			return servers, end, err
		}
		servers = append(servers, real)
	}
	if dir, err = os.MkdirTemp("", "zkbench"); err != nil {
		return servers, end, err
	}
	for _, ours := range []struct {
		name  string
		flags []string
	}{{"simulated", nil}, {"simulated, --data-dir", []string{"--data-dir", dir}}} {
		s, err := Start(ours.name, slices.Concat(serve, ours.flags)...)
		if err != nil {
			return servers, end, err
		}
		s.Durable = len(ours.flags) > 0
		servers = append(servers, s)
	}
	s, err := Start("only answers", bare...)
	if err != nil {
		return servers, end, err
	}
	s.Bare = true
	return append(servers, s), end, nil
}

// Start starts a program that prints its address on the first line, and that serves until
// it is terminated.
func Start(name string, command ...string) (*Server, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	process.DieWithParent(cmd)
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

// endLimit bounds how long a server may take to end.
const endLimit = 20 * time.Second

func terminate(cmd *exec.Cmd) error {
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return errors.Join(err, cmd.Wait())
	}
	late := time.AfterFunc(endLimit, func() { _ = cmd.Process.Kill() }) // Wait reports the kill
	defer late.Stop()
	return cmd.Wait()
}

// Close ends the server.
func (s *Server) Close() error { return s.stop() }
