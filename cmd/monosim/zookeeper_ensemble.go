package main

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/serve/admin"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// ensembleOptions holds the flags about an ensemble of several ZooKeeper servers.
type ensembleOptions struct {
	servers       int
	observers     int
	readOnlyMode  bool
	localSessions bool
	electionTime  time.Duration
	stopped       bool
}

func (o *ensembleOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.servers, "ensemble", 0, "how many servers to serve, on the port of --listen and those behind it; their addresses are printed with commas")
	f.IntVar(&o.observers, "observers", 0, "how many of the ensemble's servers, from the last one backwards, have no vote")
	f.BoolVar(&o.readOnlyMode, "read-only-mode", false, "have servers of an ensemble without a majority serve readers (readonlymode.enabled)")
	f.BoolVar(&o.localSessions, "local-sessions", false, "let them make sessions for that, without which they refuse readers too (localSessionsEnabled)")
	f.DurationVar(&o.electionTime, "election-time", 300*time.Millisecond, "how long an election of a leader takes")
	f.BoolVar(&o.stopped, "stopped", false, "leave the ensemble's servers to be started by the interface of --admin")
}

// portsFrom returns an address for each of several servers. The first server gets the port of the
// address in first, and the others get the ports after it. If the port in first is 0, each server
// gets any free port.
func portsFrom(flag, first string, servers int) (list []string, err error) {
	host, port, err := net.SplitHostPort(first)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	number, err := strconv.Atoi(port)
	if err != nil || number > 0 && number+servers > 1<<16 {
		return nil, fmt.Errorf("%s: port %s, want one that has %d behind it, or 0 for any that are free", flag, port, servers-1)
	}
	for i := range servers {
		at := number
		if number > 0 {
			at += i
		}
		list = append(list, net.JoinHostPort(host, strconv.Itoa(at)))
	}
	return list, nil
}

// checkEnsemble returns an error for flags that do not go together with an ensemble.
func (o *zooKeeperOptions) checkEnsemble() error {
	e := &o.ensemble
	switch {
	case e.servers < 0 || e.servers > 99:
		return fmt.Errorf("--ensemble: %d servers, want 1 to 99, or 0 for one by itself", e.servers)
	case e.servers == 0 && (e.observers != 0 || e.readOnlyMode || e.localSessions || e.stopped):
		return errors.New("--observers, --read-only-mode, --local-sessions and --stopped: want --ensemble too")
	case e.servers == 0:
		return nil
	case e.observers < 0 || e.observers >= e.servers:
		return fmt.Errorf("--observers: %d of %d servers, want one with a vote at least", e.observers, e.servers)
	case o.options.DataDir != "" || o.snapshot != "" || o.imported != "":
		return errors.New("--data-dir, --snapshot and --import: an ensemble begins with nothing and keeps its state in memory")
	case o.secureListen != "":
		return errors.New("--secure-listen: an ensemble has no such port")
	case e.stopped && o.admin.addr == "":
		return errors.New("--stopped: want --admin, by which the servers are started")
	case e.electionTime <= 0:
		return fmt.Errorf("--election-time: %v, want more than 0", e.electionTime)
	}
	return nil
}

// openEnsemble starts the servers of an ensemble.
func (o *zooKeeperOptions) openEnsemble(opt wire.Options) (*serving, error) {
	addresses, err := portsFrom("--listen", o.listen, o.ensemble.servers)
	if err != nil {
		return nil, command.BadInput(err)
	}
	e, err := wire.ListenEnsemble(wire.EnsembleOptions{
		Server: opt, Listen: addresses, Observers: o.ensemble.observers, Election: o.ensemble.electionTime,
		ReadOnly: o.ensemble.readOnlyMode, LocalSessions: o.ensemble.localSessions, Stopped: o.ensemble.stopped,
	})
	if err != nil {
		return nil, fmt.Errorf("zookeeper: %w", err)
	}
	if !o.ensemble.stopped {
		// The addresses are printed only after a leader is elected, so that the servers already
		// serve.
		if err := e.AwaitLeader(o.ensemble.electionTime + 10*time.Second); err != nil {
			return nil, errors.Join(fmt.Errorf("zookeeper: %w", err), e.Close())
		}
	}
	var at []string
	var servers []func() *wire.Server
	for _, s := range e.Servers() {
		at = append(at, s.Addr)
		servers = append(servers, func() *wire.Server { return e.Server(s.ID) })
	}
	addrs := strings.Join(at, ",")
	return o.serveCommands(&serving{title: "a ZooKeeper ensemble at " + addrs, addr: addrs, actions: admin.Ensemble(e), close: e.Close}, servers...)
}
