package diff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Config returns the configuration of a simulated server for a comparison with a real one.
func Config(profile zookeeper.Profile) zookeeper.Config {
	return zookeeper.Config{Profile: profile, SuperDigest: SuperDigest, ExtendedTypes: true, ContainerCheckIntervalMs: never.Milliseconds()}
}

// RealConfig returns the configuration of the real server for a comparison. It switches off
// background changes, such as the removal of empty containers.
func RealConfig() server.Config {
	return server.Config{SuperDigest: SuperDigest, ContainerCheck: never}
}

// never is an interval longer than any comparison takes.
const never = 24 * time.Hour

// Servers returns the servers to compare at the version of a profile, the real one first. If addr
// (host:port) is set, the real server is the one at addr. If addr is "", Servers starts an
// installed real server. If none is installed, a line written to notes says so, and simulated
// servers are compared with each other. ctx cancels a start. end stops what was started, and may be
// called after an error too.
func Servers(ctx context.Context, addr string, profile zookeeper.Profile, notes io.Writer) (servers []Server, end func() error, err error) {
	var closers []func() error
	end = func() error {
		return errors.Join(lists.MapOrNil(closers, func(c func() error) error { return c() })...)
	}
	if addr != "" {
		servers = append(servers, TCP{Label: "real server", Addr: addr})
	} else {
		real, err := startReal(ctx)
		switch {
		case errors.Is(err, server.ErrNotInstalled):
			fmt.Fprintf(notes, "%v\nthe simulated servers are compared with each other only\n", err)
		case err != nil:
			return nil, end, err
		default:
			closers = append(closers, real.Close)
			servers = append(servers, startedServer{TCP{Label: "real server", Addr: real.Addr()}, real})
		}
	}
	simulated, closeSimulated, err := Simulated(profile)
	if err != nil {
		return nil, end, err
	}
	closers = append(closers, closeSimulated)
	return append(servers, simulated...), end, nil
}

// Ensembles starts two ensembles, each of size servers: first an installed real one, then a
// simulated one. If no real server is installed, both are simulated.
func Ensembles(ctx context.Context, size int, profile zookeeper.Profile, notes io.Writer) (servers []Server, end func() error, err error) {
	var closers []func() error
	end = func() error {
		return errors.Join(lists.MapOrNil(closers, func(c func() error) error { return c() })...)
	}
	cfg := RealConfig()
	cfg.Interrupt = ctx.Done()
	real, err := server.NewEnsemble(cfg, size)
	simulated := []string{"simulated ensemble"}
	switch {
	case errors.Is(err, server.ErrNotInstalled):
		fmt.Fprintf(notes, "%v\ntwo simulated ensembles are compared\n", err)
		simulated = append(simulated, "another simulated ensemble")
	case err != nil:
		return nil, end, err
	default:
		closers = append(closers, real.Close)
		servers = append(servers, Ensemble{Label: "real ensemble", Addrs: real.Addrs()})
	}
	for _, label := range simulated {
		e, err := ServeEnsemble(profile, size)
		if err != nil {
			return nil, end, err
		}
		closers = append(closers, e.Close)
		addrs := lists.Map(e.Servers(), func(s wire.MemberLook) string { return s.Addr })
		servers = append(servers, Ensemble{Label: label, Addrs: addrs})
	}
	return servers, end, nil
}

// dial connects. ended says why the server no longer runs, which is told if nobody accepts.
func (s TCP) dial(ended func() error) (Conn, error) {
	conn, err := s.Dial()
	if err != nil {
		err = errors.Join(err, ended())
	}
	return conn, err
}

// startedServer is a real server that was started for the check.
type startedServer struct {
	TCP
	process *server.Server
}

// Dial connects. If the server's process has ended, the error tells how.
func (s startedServer) Dial() (Conn, error) {
	return s.dial(s.process.Ended)
}

// Restart ends the server's process and starts another one on its data.
func (s startedServer) Restart() error {
	if err := s.process.Stop(); err != nil {
		return err
	}
	return s.process.Start()
}

func startReal(ctx context.Context) (*server.Server, error) {
	cfg := RealConfig()
	cfg.Interrupt = ctx.Done()
	return server.New(cfg)
}

// Simulated returns two simulated servers of the version of a profile. One listens on a
// loopback port, with a temporary data directory, and the other is a state machine in this
// process. end stops the first.
func Simulated(profile zookeeper.Profile) (servers []Server, end func() error, err error) {
	dir, err := os.MkdirTemp("", "zkcheck")
	if err != nil {
		return nil, nil, err
	}
	served := &servedServer{TCP: TCP{Label: "simulated over TCP", Addr: "127.0.0.1:0"}, opt: options(profile)}
	served.opt.DataDir = dir
	if err := served.start(); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	end = func() error { return errors.Join(served.server.Close(), os.RemoveAll(dir)) }
	return []Server{served, NewMachine(Config(profile))}, end, nil
}

// servedServer is a simulated server in this process.
type servedServer struct {
	TCP
	opt    wire.Options
	server *wire.Server
}

func (s *servedServer) start() (err error) {
	if s.server, err = wire.Listen(s.Addr, s.opt); err == nil {
		s.Addr = s.server.Addr()
	}
	return err
}

// Dial connects. If the server has stopped by itself, the error tells why.
func (s *servedServer) Dial() (Conn, error) {
	return s.dial(s.server.Err)
}

// Restart closes the server and starts another one on its data.
func (s *servedServer) Restart() error {
	if err := s.server.Close(); err != nil {
		return err
	}
	return s.start()
}

// ServeEnsemble starts a simulated ensemble on free ports of the loopback. The caller must
// close it.
func ServeEnsemble(profile zookeeper.Profile, size int) (*wire.Ensemble, error) {
	opt := wire.EnsembleOptions{Server: options(profile)}
	for range size {
		opt.Listen = append(opt.Listen, "127.0.0.1:0")
	}
	e, err := wire.ListenEnsemble(opt)
	if err == nil {
		err = e.AwaitLeader(answerTimeout)
	}
	return e, err
}

// ServeMachine starts a simulated server on a free port of the loopback. The caller must close it.
func ServeMachine(profile zookeeper.Profile) (*wire.Server, error) {
	return wire.Listen("127.0.0.1:0", options(profile))
}

func options(profile zookeeper.Profile) wire.Options {
	return wire.Options{Config: Config(profile), Limits: wire.Limits{ConnsPerAddr: -1}}
}
