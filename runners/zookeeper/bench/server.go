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

// Server is a ZooKeeper server that runs as a separate process.
type Server struct {
	Name string
	Addr string
	PID  int
	// Durable is true if the server answers a write only once the write is on disk.
	Durable bool
	// Real is true for Apache ZooKeeper. Simulated servers of equal durability are compared with
	// it.
	Real bool
	// Bare is true for a server that only answers with success. It is measured only with creates.
	Bare bool
	stop func() error
}

// Real starts the installed Apache ZooKeeper with the settings of zkEnv.sh. If durable is
// false it switches fsync off. The error is server.ErrNotInstalled if none is installed.
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

// Servers starts the servers to compare. First come two real ones, without fsync and with it. If no
// real server is installed, a line on notes says so. Then come two servers of the command line in
// serve, in memory and with a data directory, and one of the command line in bare, which runs
// ServeBare. The function end stops them all, and may be called after an error.
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

// Start starts a server program that prints its address as the first line of output. The
// program serves until it is terminated.
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

// endLimit is how long a server may take to end after it was told to.
const endLimit = 20 * time.Second

func terminate(cmd *exec.Cmd) error {
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return errors.Join(err, cmd.Wait())
	}
	// the error is not looked at: Wait reports that the process was killed
	late := time.AfterFunc(endLimit, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	return cmd.Wait()
}

// Close ends the server.
func (s *Server) Close() error { return s.stop() }
