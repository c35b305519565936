package modelservertest

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
)

// These are the cases in which servers and clients start and end.
var lifeCases = []testCase{
	{"nobody listens", func(r *trial) {
		r.program("client", func(c *client) {
			c.status(env.ModelSpec{Name: "m"})
			c.reload(list(model{name: "m"}))
		})
		if err := r.Wait(); err != nil {
			r.Fatal(err)
		}
		r.want(r.word("refused"), r.word("refused, in the back-off"))
	}},

	{"the server is killed in a call", func(r *trial) {
		r.served(func(c *client) {
			r.AddBase("m")
			caller := c.Go("caller", func() { c.reloadWithin(list(model{name: "m"})(r), 0) })
			c.settle()
			r.KillServer()
			caller.Join()
			c.status(env.ModelSpec{Name: "m"})
		})
		r.wantEnd(r.word("refused"))
	}},

	{"a client connects again after the server came back", func(r *trial) {
		r.served(func(c *client) {
			r.AddVersion("m", 1)
			c.reload(list(model{name: "m"}))
			r.KillServer()
			_, err := c.Status(env.ModelSpec{Name: "m"}, patience)
			r.note("meanwhile %v", codeOf(err))
			if err := r.StartServer(); err != nil {
				r.Error(err)
				return
			}
			c.await(func() bool { return !strings.HasPrefix(c.states("m"), "UNAVAILABLE: ") })
			c.status(env.ModelSpec{Name: "m"}) // a restarted server no longer has the models of an earlier reload
			c.reload(list(model{name: "m"}))
			c.status(env.ModelSpec{Name: "m"})
		})
		r.want("OK", "meanwhile UNAVAILABLE", "NOT_FOUND: Could not find any versions of model m", "OK", "1 AVAILABLE")
	}},

	{"a caller that is stopped leaves its reload behind", func(r *trial) {
		r.abandoned(Process.Stop)
		r.want("unwound", "0 known", "OK", "1 AVAILABLE")
	}},

	{"a caller that is killed leaves its reload behind, and says nothing", func(r *trial) {
		r.abandoned(Process.Crash)
		r.want("0 known", "OK", "1 AVAILABLE")
	}},
}

// abandoned ends a client in the middle of a reload. The server must continue that reload, and then
// the reloads that wait after it (TFS-8.7).
func (r *trial) abandoned(end func(Process)) {
	r.Helper()
	r.served(func(c *client) {
		r.AddBase("m")
		victim := r.NewProcess("victim")
		victim.Go("main", func() {
			own := victim.Models().Dial(r.Addr())
			defer func() {
				own.Close() // if the process was killed, this does not return
				r.note("unwound")
			}()
			_, err := own.Reload(bytes(list(model{name: "m"})(r)), 0)
			r.note("the victim was told %v", err)
		})
		c.settle()
		end(victim)
		c.settle()
		r.note("%d known", strings.Count(c.states("m"), "AVAILABLE"))
		r.AddVersion("m", 1)
		c.awaitStates("m", "1 AVAILABLE")
		c.reload(list(model{name: "m"}))
		c.status(env.ModelSpec{Name: "m"})
	})
}
