package diff_test

import (
	"errors"
	"testing"

	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: clients spread over three servers get the same answers from a simulated ensemble as
// from a real one (ZK-22.9). Method: the scripts for one server, with each connection to the
// next of the three servers. A sync takes the place of the ping that suffices for a single
// server.

func serveEnsemble(t *testing.T) diff.Ensemble {
	t.Helper()
	e, err := diff.ServeEnsemble(zookeeper.V38, 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	servers := diff.Ensemble{Label: "simulated ensemble"}
	for _, s := range e.Servers() {
		servers.Addrs = append(servers.Addrs, s.Addr)
	}
	return servers
}

func TestTwoSimulatedEnsemblesBehaveAlike(t *testing.T) {
	t.Parallel() // run in parallel with tests that mostly wait for leaders, too
	compare(t, 1_500, serveEnsemble(t), serveEnsemble(t))
}

func TestTheRealEnsembleBehavesAsTheSimulated(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts three servers")
	}
	t.Parallel() // run in parallel with tests that mostly wait for leaders, too
	real, err := server.NewEnsemble(diff.RealConfig(), 3)
	if errors.Is(err, server.ErrNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := real.Close(); err != nil {
			t.Error(err)
		}
	})
	compare(t, 1_500, diff.Ensemble{Label: "real ensemble", Addrs: real.Addrs()}, serveEnsemble(t))
}
