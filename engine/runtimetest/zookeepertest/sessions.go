package zookeepertest

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
)

var sessionCases = []testCase{
	{"listeners are told of the states", func(r *trial) {
		r.bare("a", env.ZooKeeperOptions{Timeout: long}, func(c *client) {
			c.noteStates("")
			r.note("at first %s", c.State())
			r.note("start: %v, then %s", c.Start(0), c.State())
			r.note("start again: %v", c.Start(0))
			r.note("restart: %v", c.Restart())
			c.Stop()
			r.note("then %s", c.State())
			c.Stop()
			c.Close()
		})
		r.want("at first LOST", "CONNECTED", "start: <nil>, then CONNECTED", "start again: <nil>",
			"LOST", "CONNECTED", "restart: <nil>", "LOST", "then LOST")
	}},

	{"listeners are told in turn until they leave", func(r *trial) {
		r.bare("a", env.ZooKeeperOptions{Timeout: long}, func(c *client) {
			c.AddListener(func(s env.SessionState) bool {
				r.note("first %s", s)
				return true
			})
			c.noteStates("second ")
			c.must(c.Start(0))
			c.Stop()
		})
		r.want("first CONNECTED", "second CONNECTED", "second LOST")
	}},

	{"a client that is not started is closed", func(r *trial) {
		r.bare("a", env.ZooKeeperOptions{Timeout: long}, func(c *client) {
			_, err := c.Exists("/")
			r.note("before: %v", err)
			c.must(c.Start(0))
			stat, err := c.Exists("/")
			r.note("started: %v %v", stat != nil, err)
			c.Stop()
			_, err = c.Create(r.path("x"), nil, env.CreateOptions{})
			r.note("after: %v", err)
		})
		r.want("before: ConnectionClosedError", "started: true <nil>", "after: ConnectionClosedError")
	}},

	{"ephemerals go when their session is ended", func(r *trial) {
		r.program("watcher", long, func(c *client) {
			r.program("owner", long, func(o *client) {
				o.ephemeral("first")
				o.create("stays", "")
				r.mark("made")
				o.awaitMark("seen")
				o.Stop()
				r.mark("stopped")
			})
			c.awaitMark("made")
			r.note("there %v", c.there("first"))
			r.mark("seen")
			c.awaitMark("stopped")
			r.note("there %v, the other %v", c.there("first"), c.there("stays"))
		})
		r.want("there true", "there false, the other true")
	}},

	{"ephemerals of a killed process stay until the session expires", func(r *trial) {
		owner := r.program("owner", short, func(o *client) {
			o.ephemeral("e")
			r.mark("made")
			o.awaitMark("never")
		})
		r.program("watcher", long, func(c *client) {
			c.awaitMark("made")
			owner.Crash()
			from := c.Elapsed()
			c.await(func() bool { return !c.there("e") })
			// The client's last ping came at most a third of the timeout before the crash.
			r.note("gone too early: %v", c.Elapsed()-from < short/2)
		})
		r.want("gone too early: false")
	}},

	{"start gives up at its limit", func(r *trial) {
		r.bare("a", env.ZooKeeperOptions{Timeout: long}, func(c *client) {
			c.noteStates("")
			c.cut()
			from := c.Elapsed()
			r.note("start: %v, %s", c.Start(300*time.Millisecond), c.State())
			r.note("too early: %v", c.Elapsed()-from < 300*time.Millisecond)
			c.heal()
			r.note("start: %v", c.Start(0))
			c.Stop()
		})
		r.want("start: KazooTimeoutError, LOST", "too early: false", "CONNECTED", "start: <nil>", "LOST")
	}},

	{"start waits for a server that comes late", func(r *trial) {
		r.bare("a", env.ZooKeeperOptions{Timeout: long}, func(c *client) {
			c.cut()
			c.Go("operator", func() {
				c.Sleep(300 * time.Millisecond)
				c.heal()
			})
			r.note("start: %v", c.Start(0))
			c.Stop()
		})
		r.want("start: <nil>")
	}},

	{"a credential is accepted again after each loss", func(r *trial) {
		r.bare("a", env.ZooKeeperOptions{Timeout: long, Auth: [][2]string{{"digest", "u:p"}}}, func(c *client) {
			c.noteStates("")
			c.must(c.Start(0))
			c.reset()
			c.awaitLines(3)
			stat, err := c.Exists("/")
			r.note("%v %v", stat != nil, err)
			c.Stop()
		})
		r.want("CONNECTED", "SUSPENDED", "CONNECTED", "true <nil>", "LOST")
	}},

	{"a refused credential ends the client", func(r *trial) {
		r.bare("a", env.ZooKeeperOptions{Timeout: long, Auth: [][2]string{{"nosuch", "u:p"}}}, func(c *client) {
			c.noteStates("")
			r.note("start: %v", c.Start(0))
			c.awaitState(env.Lost)
			c.await(func() bool {
				_, err := c.Exists("/")
				return err != nil && err.Error() == zkerrors.ErrConnectionClosed.Error()
			})
			c.Stop()
		})
		r.want("CONNECTED", "start: <nil>", "LOST")
	}},

	// A listener runs on the connection task. While it sleeps, kazoo sends nothing, not even pings,
	// so the server expires the session.
	{"a listener that sleeps too long costs the session", func(r *trial) {
		r.bare("a", env.ZooKeeperOptions{Timeout: short}, func(c *client) {
			slept := false
			c.AddListener(func(s env.SessionState) bool {
				r.note("%s", s)
				if s == env.Connected && !slept {
					slept = true
					c.Sleep(short + 3*Tick)
				}
				return false
			})
			c.must(c.Start(0))
			c.awaitLines(4)
			c.awaitState(env.Connected)
			c.Stop()
		})
		r.want("CONNECTED", "SUSPENDED", "LOST", "CONNECTED", "LOST")
	}},

	// The client loses nothing while the server keeps the session.
	{"a listener that sleeps a little costs nothing", func(r *trial) {
		r.bare("a", env.ZooKeeperOptions{Timeout: 4 * Tick}, func(c *client) {
			c.AddListener(func(s env.SessionState) bool {
				r.note("%s", s)
				if s == env.Connected {
					c.Sleep(3 * Tick) // longer than the client waits for an answer
					r.note("awake")
				}
				return false
			})
			c.must(c.Start(0))
			stat, err := c.Exists("/")
			r.note("%v %v", stat != nil, err)
			c.Stop()
		})
		r.want("CONNECTED", "awake", "true <nil>", "LOST")
	}},
}
