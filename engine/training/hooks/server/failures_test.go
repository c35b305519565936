package server_test

import (
	"errors"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/hooks/server"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// closedNetwork has no port for a server.
type closedNetwork struct{ env.Network }

var errNoPort = pysem.Raise("OSError", "no port")

func (closedNetwork) Serve(int, int, env.Handler) (env.Server, error) { return nil, errNoPort }

// Goal: a chief whose controller cannot be served, or whose address cannot be written, does not begin.
func TestAControllerThatCannotBeServed(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		begin := func(e *env.Env) error {
			barrier := barrierops.MustBarrierOp(c.Env, 1, barrierops.Options{})
			return server.NewServerHook(e, "m", barrier, nil).AfterCreateSession(session.NewMemory(), nil)
		}
		closed := *c.Env
		closed.Network = closedNetwork{c.Env.Network}
		if err := begin(&closed); !errors.Is(err, errNoPort) {
			t.Errorf("without a port: got %v, want that error", err)
		}
		for at := 0; ; at++ {
			files := &envtest.Failing{Files: c.Env.Files, At: at}
			failing := *c.Env
			failing.Files = files
			err := begin(&failing)
			if files.Calls <= at {
				if err != nil || at < 2 {
					t.Errorf("got %v after %d calls, want no error and some calls", err, at)
				}
				return
			}
			if err == nil {
				t.Errorf("call %d fails: got no error", at)
			}
		}
	})
}
