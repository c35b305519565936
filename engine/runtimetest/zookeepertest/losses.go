package zookeepertest

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
)

var lossCases = []testCase{
	{"a lost connection suspends and the session goes on", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.noteStates("")
			c.ephemeral("e")
			c.reset()
			c.awaitLines(2)
			r.note("there %v", c.there("e"))
		})
		r.want("SUSPENDED", "CONNECTED", "there true", "LOST")
	}},

	{"calls wait while the connection is lost", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.noteStates("")
			c.create("x", "1")
			c.cut()
			c.awaitState(env.Suspended)
			call := c.Go("caller", func() {
				data, _, err := c.Get(r.path("x"))
				r.note("%q %v", data, err)
			})
			c.Sleep(Tick)
			r.note("answered %v", call.Done())
			c.heal()
			call.Join()
		})
		r.want("SUSPENDED", "answered false", "CONNECTED", `"1" <nil>`, "LOST")
	}},

	{"a lost answer is a ConnectionLoss of a call that was applied", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.loseAnswer()
			_, err := c.Create(r.path("x"), nil, env.CreateOptions{})
			r.note("%v", err)
			r.note("there %v", c.there("x"))
		})
		r.want("ConnectionLoss: R/x", "there true")
	}},

	{"retry goes on after a ConnectionLoss and not after others", func(r *trial) {
		r.program("a", long, func(c *client) {
			calls := 0
			c.loseAnswer()
			err := c.Retry(func() error {
				calls++
				_, err := c.Create(r.path("x"), nil, env.CreateOptions{})
				return err
			})
			r.note("%v after %d calls", err, calls)
		})
		r.want("NodeExistsError: R/x after 2 calls")
	}},

	{"retry runs again what asks for it", func(r *trial) {
		r.program("a", long, func(c *client) {
			errs := []error{zkerrors.ErrForceRetry, zkerrors.ErrOperationTimeout, zkerrors.ErrSessionExpired, nil}
			calls := 0
			err := c.Retry(func() error {
				calls++
				return errs[calls-1]
			})
			r.note("%v after %d calls", err, calls)
			other := errors.New("other")
			r.note("%v", c.Retry(func() error { return other }) == other)
		})
		r.want("<nil> after 4 calls", "true")
	}},

	{"an expired session is lost and another begins", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.noteStates("")
			c.ephemeral("e")
			c.create("stays", "")
			c.expire()
			c.awaitLines(3)
			r.note("ephemeral %v, persistent %v", c.there("e"), c.there("stays"))
			c.ephemeral("e")
			r.note("made again")
		})
		r.want("SUSPENDED", "LOST", "CONNECTED", "ephemeral false, persistent true", "made again", "LOST")
	}},

	{"a session expires while the connection is lost", func(r *trial) {
		r.program("a", short, func(c *client) {
			c.noteStates("")
			c.ephemeral("e")
			c.cut()
			c.awaitState(env.Suspended)
			call := c.Go("caller", func() {
				_, err := c.Exists(r.path("e"))
				r.note("%v", err)
			})
			r.mark("cut")
			c.awaitMark("gone")
			c.heal()
			call.Join()
			c.awaitState(env.Connected)
		})
		r.program("other", long, func(c *client) {
			c.awaitMark("cut")
			c.await(func() bool { return !c.there("e") })
			r.mark("gone")
		})
		r.want("SUSPENDED", "LOST", "SessionExpiredError: R/e", "CONNECTED", "LOST")
	}},

	{"stop ends a client that is cut off", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.noteStates("")
			c.cut()
			c.awaitState(env.Suspended)
			c.Stop()
			_, err := c.Exists("/")
			r.note("%v", err)
			c.heal()
			r.note("start: %v", c.Start(0))
		})
		r.want("SUSPENDED", "LOST", "ConnectionClosedError", "CONNECTED", "start: <nil>", "LOST")
	}},
}
