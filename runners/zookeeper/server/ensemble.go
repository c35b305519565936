package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/process"
)

// Ensemble is a group of real ZooKeeper servers that replicate their data. Call Close after use.
type Ensemble []*Server

// NewEnsemble starts an ensemble of empty servers on free ports, and returns when all serve. The
// error is ErrNotInstalled on a machine without a server. The caller has to call Close.
func NewEnsemble(cfg Config, size int) (e Ensemble, err error) {
	ports, err := process.FreePorts(3 * size)
	if err != nil {
		return nil, err
	}
	var lines strings.Builder
	lines.WriteString("initLimit=20\nsyncLimit=10\n")
	for i := range size {
		fmt.Fprintf(&lines, "server.%d=127.0.0.1:%d:%d\n", i+1, ports[3*i+1], ports[3*i+2])
	}
	cfg.ensemble = lines.String()
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	for i := range size {
		s, err := member(cfg, i+1, ports[3*i])
		if err != nil {
			return e, err
		}
		e = append(e, s)
		if err := s.launch(); err != nil {
			return e, err
		}
	}
	for _, s := range e {
		if err := s.awaitServing(); err != nil {
			return e, err
		}
	}
	return e, nil
}

// member creates a server of an ensemble with its data directory, without starting it.
func member(cfg Config, id, port int) (*Server, error) {
	dir, err := os.MkdirTemp("", "zkserver")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	if err := errors.Join(os.Mkdir(data, 0o700), os.WriteFile(filepath.Join(data, "myid"), fmt.Appendf(nil, "%d\n", id), 0o600)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Server{cfg: cfg, dir: dir, port: port}, nil
}

// Addrs returns the servers' addresses, in the order of their ids.
func (e Ensemble) Addrs() (addrs []string) {
	return lists.MapOrNil(e, (*Server).Addr)
}

// Stop ends the servers, as [Server.Stop] does.
func (e Ensemble) Stop() error {
	return errors.Join(lists.MapOrNil(e, (*Server).Stop)...)
}

// Start starts the servers again with their data, and waits until they serve.
func (e Ensemble) Start() error {
	for _, s := range e {
		if err := s.launch(); err != nil {
			return errors.Join(err, e.Stop())
		}
	}
	for _, s := range e {
		if err := s.awaitServing(); err != nil {
			return errors.Join(err, e.Stop())
		}
	}
	return nil
}

// Close stops the servers and removes their data.
func (e Ensemble) Close() error {
	return errors.Join(lists.MapOrNil(e, (*Server).Close)...)
}
