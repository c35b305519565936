package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/monosim/monosim/runners/process"
)

// Server is a model server in a process of its own.
type Server struct {
	// Addr is the address of its gRPC port.
	Addr string
	PID  int

	cmd    *exec.Cmd
	dir    string
	output process.Tail
	ended  chan struct{}
	err    error // error with which the server ended
}

// Start starts a model server that serves the given number of models with one version each.
// It returns once all are loaded. program must accept the command line of `monosim
// tfserving`. The caller has to call Close.
func Start(program []string, models int, flags ...string) (*Server, error) {
	dir, err := os.MkdirTemp("", "tfbench")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, output: process.Tail{Max: outputKept}, ended: make(chan struct{})}
	if err := s.start(program, models, flags); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	limit := startLimit + time.Duration(models)*loadTick
	if err := s.await(limit); err != nil {
		return nil, fmt.Errorf("%w; it said:\n%s", errors.Join(err, s.Close()), s.output.String())
	}
	return s, nil
}

const (
	// startLimit is how long a process may take until it serves. loadTick is added for each
	// model, because the manager loads one model at a time (TFS-4.2).
	startLimit = 30 * time.Second
	loadTick   = 200 * time.Millisecond
	portsFile  = "ports.json"

	// outputKept is how many bytes of the server's output an error shows.
	outputKept = 4 << 10
)

func (s *Server) start(program []string, models int, flags []string) error {
	config, err := exportModels(s.dir, models)
	if err != nil {
		return err
	}
	file := filepath.Join(s.dir, "models.conf")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		return err
	}
	args := append(program[1:len(program):len(program)],
		"--model_config_file="+file, "--port=1", "--monosim_any_port", "--monosim_ports_file="+filepath.Join(s.dir, portsFile))
	s.cmd = exec.Command(program[0], append(args, flags...)...)
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	process.DieWithParent(s.cmd)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.PID = s.cmd.Process.Pid
	go func() {
		s.err = s.cmd.Wait()
		close(s.ended)
	}()
	return nil
}

// await waits for the file in which the server writes its port.
func (s *Server) await(limit time.Duration) error {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	late := time.After(limit)
	for {
		select {
		case <-s.ended:
			return fmt.Errorf("the model server has ended: %w", errors.Join(s.err, errEnded))
		case <-late:
			return fmt.Errorf("the model server does not serve after %v", limit)
		case <-look.C:
		}
		data, err := os.ReadFile(filepath.Join(s.dir, portsFile))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		var ports struct {
			GRPC int `json:"grpc"`
		}
		if err == nil {
			err = json.Unmarshal(data, &ports)
		}
		s.Addr = fmt.Sprintf("127.0.0.1:%d", ports.GRPC)
		return err
	}
}

// errEnded is the error of a server that ended too early.
var errEnded = errors.New("it should run until it is killed")

// Wait waits for the end of the process.
func (s *Server) Wait() { <-s.ended }

// Close kills the server, waits for its end and removes its files. It returns an error if
// the server had already ended by itself.
func (s *Server) Close() error {
	err := s.cmd.Process.Kill() // the error os.ErrProcessDone means that the server has ended by itself
	<-s.ended
	return errors.Join(err, os.RemoveAll(s.dir))
}
