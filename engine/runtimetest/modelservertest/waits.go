package modelservertest

import (
	"sync/atomic"

	"github.com/monosim/monosim/engine/env"
)

// These are the cases of reloads that do not end without help (TFS-8.7).
var waitCases = []testCase{
	{"a reload without a deadline waits until the version is there", func(r *trial) {
		r.served(func(c *client) {
			r.AddBase("m")
			caller := c.Go("caller", func() { c.reloadWithin(list(model{name: "m"})(r), 0) })
			c.settle()
			r.note("answered %v", caller.Done())
			r.AddVersion("m", 1)
			caller.Join()
			c.status(env.ModelSpec{Name: "m"})
		})
		r.want("answered false", "OK", "1 AVAILABLE")
	}},

	{"a reload that hangs keeps later ones waiting", func(r *trial) {
		r.served(func(c *client) {
			r.AddBase("m")
			r.AddVersion("n", 1)
			before := c.Elapsed()
			c.reloadWithin(list(model{name: "m"})(r), soon)
			c.reloadWithin(list(model{name: "m"}, model{name: "n"})(r), soon)
			if took := c.Elapsed() - before; took < 2*soon {
				r.Errorf("two reloads took %v, want 2 times %v", took, soon)
			}
			c.status(env.ModelSpec{Name: "n"})
		})
		r.want(r.word("deadline"), r.word("deadline"), "NOT_FOUND: Could not find any versions of model n")
	}},

	{"reloads whose callers have given up are done all the same", func(r *trial) {
		r.served(func(c *client) {
			r.AddBase("m")
			r.AddVersion("n", 1)
			c.reloadWithin(list(model{name: "m"})(r), soon)
			c.reloadWithin(list(model{name: "m"}, model{name: "n"})(r), soon)
			r.AddVersion("m", 1)
			c.awaitStates("m", "1 AVAILABLE")
			c.awaitStates("n", "1 AVAILABLE")
			c.reload(list(model{name: "m"}))
			c.awaitStates("n", "1 END")
		})
		r.want(r.word("deadline"), r.word("deadline"), "OK")
	}},

	{"a base path that is missing is waited for too", func(r *trial) {
		r.served(func(c *client) {
			r.AddVersion("n", 1)
			c.reloadWithin(list(model{name: "m"}, model{name: "n"})(r), soon)
			c.settle()
			c.status(env.ModelSpec{Name: "n"}) // a poll of the file system succeeds as a whole or not at all (TFS-3.3)
			r.AddVersion("m", 1)
			c.awaitStates("n", "1 AVAILABLE")
		})
		r.want(r.word("deadline"), "NOT_FOUND: Could not find any versions of model n")
	}},

	{"the states can be asked for during a reload", func(r *trial) { // TFS-2.3 item 4
		r.served(func(c *client) {
			r.AddBase("m")
			var answered atomic.Bool
			caller := c.Go("caller", func() {
				c.reloadWithin(list(model{name: "m"})(r), patience)
				answered.Store(true)
			})
			for range 100 {
				c.states("m")
			}
			r.note("answered %v", answered.Load())
			r.AddVersion("m", 1)
			caller.Join()
		})
		r.want("answered false", "OK")
	}},

	{"the client is closed in a call", func(r *trial) {
		r.served(func(c *client) {
			r.AddBase("m")
			caller := c.Go("caller", func() { c.reloadWithin(list(model{name: "m"})(r), patience) })
			c.settle()
			c.Close()
			caller.Join()
			c.status(env.ModelSpec{Name: "m"})
		})
		r.want(r.word("channel closes"), r.word("channel closes"))
	}},
}
