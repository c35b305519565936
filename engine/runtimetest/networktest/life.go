package networktest

import (
	"sync/atomic"
	"time"

	"github.com/monosim/monosim/engine/env"
)

var lifeCases = []testCase{
	{"a channel connects again after its server came back", func(r *trial) {
		r.serve(0, echo, func(c Process, ch env.Channel) {
			r.call(ch, "before", patience)
			port := r.serverPort()
			r.server.Crash()
			await(c, func() bool { return c.Network().Probe(r.Addr(port), 0) != nil })
			_, err := ch.Call(method, nil, patience)
			r.note("meanwhile: %v", err != nil)
			r.port.Store(0)
			r.beginServer(port, 0, echo)
			r.awaitServer(c)
			r.persist(c, ch)
		})
		r.want(`"before"`, "meanwhile: true", `"again"`)
	}},

	{"a channel recovers from a refusal by itself", func(r *trial) {
		r.client(func(c Process) {
			port := r.unusedPort(c)
			ch := c.Network().Dial(r.Addr(port))
			r.call(ch, "refused", patience)
			r.port.Store(0)
			r.beginServer(port, 0, echo)
			r.awaitServer(c)
			r.persist(c, ch)
			ch.Close()
			r.server.Stop()
		})
		r.want(r.recorded("refused"), `"again"`)
	}},

	{"gRPC servers share a port, and it is free after Stop", func(r *trial) {
		r.client(func(c Process) {
			nothing := func(string, []byte) ([]byte, error) { return nil, nil }
			first, err := c.Network().Serve(0, 0, nothing)
			if err != nil {
				r.Error(err)
				return
			}
			second, err := c.Network().Serve(first.Port(), 0, nothing)
			if err != nil {
				r.Error(err)
				return
			}
			r.note("the same port: %v", second.Port() == first.Port())
			first.Stop()
			second.Stop()
			again, err := c.Network().Serve(first.Port(), 0, nothing)
			if err != nil {
				r.Error(err)
				return
			}
			r.note("the same port: %v", again.Port() == first.Port())
			again.Stop()
		})
		r.want("the same port: true", "the same port: true")
	}},

	{"a probe tells whether somebody listens", func(r *trial) {
		r.serve(0, echo, func(c Process, _ env.Channel) {
			r.note("listens: %v", c.Network().Probe(r.Addr(r.serverPort()), 0) == nil)
			r.server.Crash()
			await(c, func() bool { return c.Network().Probe(r.Addr(r.serverPort()), 0) != nil })
			r.note("gone")
		})
		r.want("listens: true", "gone")
	}},

	{"a server ends with the last task of its process", func(r *trial) {
		s := r.NewServer("server")
		s.Go("main", func() {
			server, err := s.Network().Serve(0, 0, func(string, []byte) ([]byte, error) { return nil, nil })
			if err != nil {
				r.Error(err)
				return
			}
			r.port.Store(int64(server.Port()))
		})
		r.client(func(c Process) {
			r.awaitServer(c)
			await(c, func() bool { return c.Network().Probe(r.Addr(r.serverPort()), 0) != nil })
		})
	}},

	{"a task that is stopped takes its call back", func(r *trial) {
		var entered, leave atomic.Bool
		r.beginServer(0, 1, func(s Process, _ string, request []byte) ([]byte, error) {
			entered.Store(true)
			await(s, leave.Load)
			return request, nil
		})
		caller := r.NewClient("caller")
		caller.Go("main", func() {
			r.awaitServer(caller)
			defer r.note("unwound")
			ch := caller.Network().Dial(r.Addr(r.serverPort()))
			r.call(ch, "x", patience)
		})
		r.client(func(c Process) {
			await(c, entered.Load)
			caller.Stop()
			leave.Store(true)
			ch := c.Network().Dial(r.Addr(r.serverPort()))
			r.call(ch, "another", patience)
			ch.Close()
			r.server.Stop()
		})
		r.wantBoth("unwound", `"another"`)
	}},

	{"a process that is killed in a call has no effects any more", func(r *trial) {
		var entered atomic.Bool
		r.serve(0, func(s Process, _ string, request []byte) ([]byte, error) {
			entered.Store(true)
			if string(request) == "x" {
				s.NewCond("the end").Wait()
			}
			return request, nil
		}, func(c Process, ch env.Channel) {
			victim := r.NewClient("victim")
			victim.Go("main", func() {
				own := victim.Network().Dial(r.Addr(r.serverPort()))
				defer func() { r.note("%s", outcome(own.Call(method, []byte("after death"), 0))) }()
				r.call(own, "x", 0)
			})
			await(c, entered.Load)
			victim.Crash()
			r.call(ch, "another", patience)
		})
		r.want(`"another"`)
	}},
}

// persist repeats a call until it succeeds, because a channel backs off for a second or more.
func (r *trial) persist(c Process, ch env.Channel) {
	for {
		answer, err := ch.Call(method, []byte("again"), patience)
		if err == nil {
			r.note("%s", outcome(answer, nil))
			return
		}
		c.Sleep(100 * time.Millisecond)
	}
}

// wantBoth fails the case unless the log holds exactly these two lines, in either order.
func (r *trial) wantBoth(a, b string) {
	r.Helper()
	if got := r.log.All(); len(got) == 2 && got[0] == b {
		a, b = b, a
	}
	r.want(a, b)
}
