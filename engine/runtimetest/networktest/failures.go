package networktest

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/monosim/monosim/engine/env"
)

var failureCases = []testCase{
	{"nobody listens", func(r *trial) {
		r.client(func(c Process) {
			ch := c.Network().Dial(r.Addr(r.unusedPort(c)))
			r.call(ch, "x", patience)
			r.call(ch, "in the back-off", patience)
			ch.Close()
		})
		r.want(r.recorded("refused"), r.recorded("refused, in the back-off"))
	}},

	{"nobody has the name", func(r *trial) {
		const addr = "no such host.invalid:1" // a name with a blank in it cannot exist, so no name server is asked
		r.client(func(c Process) {
			ch := c.Network().Dial(addr)
			r.call(ch, "x", patience)
			ch.Close()
		})
		r.want(strings.Replace(r.recorded("unknown name"), "no-such-host.invalid:<PORT>", addr, 1))
	}},

	{"a host is silent", func(r *trial) {
		r.client(func(c Process) {
			ch := c.Network().Dial(r.Silent())
			before := c.Elapsed()
			r.call(ch, "x", 50*ms)
			if took := c.Elapsed() - before; took < 50*ms {
				r.Errorf("the call took %v, want 50ms", took)
			}
			ch.Close()
		})
		r.want(r.recorded("silent server, deadline"))
	}},

	{"the answer is not there at the deadline", func(r *trial) {
		r.interrupted(func(Process, env.Channel) {}, 50*ms)
		r.want(r.recorded("deadline"))
	}},

	{"the server stops", func(r *trial) {
		r.interrupted(func(Process, env.Channel) { r.server.Stop() }, patience)
		r.wantEnd("connection closes")
	}},

	{"the server dies", func(r *trial) {
		r.interrupted(func(Process, env.Channel) { r.server.Crash() }, patience)
		r.wantEnd("connection closes")
	}},

	{"the connection is reset", func(r *trial) {
		r.fragile = true
		r.interrupted(func(Process, env.Channel) { r.ResetConns() }, patience)
		r.want(r.recorded("connection is reset"))
	}},

	{"the channel is closed", func(r *trial) {
		r.interrupted(func(_ Process, ch env.Channel) { ch.Close() }, patience)
		r.want(r.recorded("channel closes"))
	}},

	// grpc-python raises a ValueError in this case, for which env has no error.
	{"the channel was closed before", func(r *trial) {
		if got := r.statuses["channel is closed"].Raises; got != "ValueError" {
			r.Errorf("grpcio %s raises %q, want ValueError: this case is out of date", Version, got)
		}
		r.serve(0, echo, func(_ Process, ch env.Channel) {
			ch.Close()
			r.call(ch, "x", patience)
		})
		r.want(r.recorded("channel closes"))
	}},

	{"Stop cuts running calls, whose tasks go on", func(r *trial) {
		var entered, leave atomic.Bool
		s := r.NewServer("server")
		s.Go("main", func() {
			server, err := s.Network().Serve(0, 0, func(string, []byte) ([]byte, error) {
				entered.Store(true)
				await(s, leave.Load)
				r.note("the handler returns")
				return nil, nil
			})
			if err != nil {
				r.Error(err)
				return
			}
			r.port.Store(int64(server.Port()))
			await(s, entered.Load)
			server.Stop()
			server.Stop()
		})
		r.client(func(c Process) {
			r.awaitServer(c)
			ch := c.Network().Dial(r.Addr(r.serverPort()))
			r.call(ch, "x", patience)
			r.call(ch, "after it", patience)
			leave.Store(true)
			ch.Close()
		})
		r.wantEnd("server stops", r.recorded("refused"), "the handler returns")
	}},
}

// interrupted makes a call. While the call's handler waits, it runs the function in happen.
func (r *trial) interrupted(happen func(c Process, ch env.Channel), timeout time.Duration) {
	r.Helper()
	var entered atomic.Bool
	r.serve(0, func(s Process, _ string, _ []byte) ([]byte, error) {
		entered.Store(true)
		s.NewCond("the end").Wait()
		return nil, nil
	}, func(c Process, ch env.Channel) {
		caller := c.Go("caller", func() { r.call(ch, "x", timeout) })
		await(c, entered.Load)
		happen(c, ch)
		caller.Join()
	})
}

// wantEnd checks a log that begins with the end of a connection. It also accepts a reset there,
// because TCP sends a reset if the closing side has unread data.
func (r *trial) wantEnd(name string, lines ...string) {
	r.Helper()
	end := r.recorded(name)
	if got := r.log.All(); len(got) > 0 && got[0] == r.recorded("connection is reset") {
		end = got[0]
	}
	r.want(append([]string{end}, lines...)...)
}

// unusedPort returns a port of the server's host on which nobody listens.
func (r *trial) unusedPort(c Process) int {
	r.beginServer(0, 0, echo)
	r.awaitServer(c)
	r.server.Stop()
	await(c, func() bool { return c.Network().Probe(r.Addr(r.serverPort()), 0) != nil })
	return r.serverPort()
}
