package zookeepertest

import (
	"fmt"
	"slices"
	"time"
)

var recipeCases = []testCase{
	{"a lock is held by one at a time", func(r *trial) {
		const programs, turns = 3, 4
		for i := range programs {
			r.program(fmt.Sprintf("p%d", i), long, func(c *client) {
				lock := c.NewLock(r.path("lock"), fmt.Sprint(i))
				for range turns {
					got, err := lock.Acquire(-1)
					if !got || err != nil {
						r.note("acquire: %v %v", got, err)
						return
					}
					r.note("in")
					c.Sleep(2 * time.Millisecond)
					r.note("out")
					c.must(lock.Release())
				}
			})
		}
		var want []string
		for range programs * turns {
			want = append(want, "in", "out")
		}
		r.want(want...)
	}},

	{"a lock is not waited for past the timeout", func(r *trial) {
		r.program("holder", long, func(c *client) {
			lock := c.NewLock(r.path("lock"), "holder")
			got, err := lock.Acquire(-1)
			r.note("holder %v %v", got, err)
			r.mark("held")
			c.awaitMark("tried")
			c.must(lock.Release())
			r.mark("free")
		})
		r.program("other", long, func(c *client) {
			c.awaitMark("held")
			lock := c.NewLock(r.path("lock"), "other")
			got, err := lock.Acquire(200 * time.Millisecond)
			r.note("other %v %v", got, err)
			names, err := lock.Contenders()
			r.note("contenders %q %v", names, err)
			r.mark("tried")
			c.awaitMark("free")
			got, err = lock.Acquire(-1)
			r.note("other %v %v", got, err)
		})
		r.want("holder true <nil>", "other false LockTimeout: R/lock", `contenders ["holder"] <nil>`, "other true <nil>")
	}},

	{"a cancelled lock is not acquired", func(r *trial) {
		r.program("a", long, func(c *client) {
			first, second := c.NewLock(r.path("lock"), "first"), c.NewLock(r.path("lock"), "second")
			_, err := first.Acquire(-1)
			c.must(err)
			waits := c.Go("second", func() {
				got, err := second.Acquire(-1)
				r.note("%v %v", got, err)
			})
			c.await(func() bool {
				names, err := second.Contenders()
				return err == nil && len(names) == 2
			})
			second.Cancel()
			waits.Join()
			names, err := first.Contenders()
			r.note("contenders %q %v", names, err)
		})
		r.want("false CancelledError", `contenders ["first"] <nil>`)
	}},

	{"a lock whose making was not answered is found again", func(r *trial) {
		r.program("a", long, func(c *client) {
			lock := c.NewLock(r.path("lock"), "me")
			_, err := lock.Contenders() // creates the path, so that the next request creates the lock's znode
			c.must(err)
			c.loseAnswer()
			got, err := lock.Acquire(-1)
			r.note("%v %v", got, err)
			names, err := c.Children(r.path("lock"))
			r.note("%d znodes: %v", len(names), err)
		})
		r.want("true <nil>", "1 znodes: <nil>")
	}},

	{"an election has one leader at a time", func(r *trial) {
		names := []string{"a", "b", "c"}
		for i, name := range names {
			r.program(name, long, func(c *client) {
				if i > 0 {
					c.await(func() bool { return slices.Equal(c.candidates("e"), names[:i]) })
				}
				c.must(c.NewElection(r.path("e"), name).Run(func() {
					r.note("%s leads", name)
					c.await(func() bool { return len(c.candidates("e")) == len(names)-i })
					c.Sleep(5 * time.Millisecond)
					r.note("%s steps down", name)
				}))
			})
		}
		r.want("a leads", "a steps down", "b leads", "b steps down", "c leads", "c steps down")
	}},

	{"the next candidate follows a leader that dies", func(r *trial) {
		leader := r.program("leader", short, func(c *client) {
			c.must(c.NewElection(r.path("e"), "leader").Run(func() {
				r.mark("leads")
				c.awaitMark("never")
			}))
		})
		r.program("next", long, func(c *client) {
			c.awaitMark("leads")
			c.Go("killer", func() {
				c.await(func() bool { return len(c.candidates("e")) == 2 })
				leader.Crash()
				r.note("killed")
			})
			c.must(c.NewElection(r.path("e"), "next").Run(func() { r.note("next leads") }))
		})
		r.want("killed", "next leads")
	}},

	{"the next candidate follows a leader whose session expires", func(r *trial) {
		r.program("leader", long, func(c *client) {
			c.must(c.NewElection(r.path("e"), "leader").Run(func() {
				r.mark("leads")
				c.await(func() bool { return slices.Equal(c.candidates("e"), []string{"leader", "next"}) })
				c.expire()
				c.awaitMark("next leads")
				r.note("nobody told the leader")
			}))
		})
		r.program("next", long, func(c *client) {
			c.awaitMark("leads")
			c.must(c.NewElection(r.path("e"), "next").Run(func() {
				r.note("next leads")
				r.mark("next leads")
			}))
		})
		r.want("next leads", "nobody told the leader")
	}},

	{"a candidate whose session expires stands again", func(r *trial) {
		r.program("leader", long, func(c *client) {
			c.must(c.NewElection(r.path("e"), "leader").Run(func() {
				r.mark("leads")
				c.awaitMark("expired")
				c.await(func() bool { return slices.Equal(c.candidates("e"), []string{"leader", "next"}) })
				r.note("next is back")
			}))
		})
		r.program("next", long, func(c *client) {
			c.awaitMark("leads")
			c.Go("operator", func() {
				c.await(func() bool { return len(c.candidates("e")) == 2 })
				c.expire()
				r.mark("expired")
			})
			c.must(c.NewElection(r.path("e"), "next").Run(func() { r.note("next leads") }))
		})
		r.want("next is back", "next leads")
	}},

	{"a cancelled election ends without an error", func(r *trial) {
		r.program("a", long, func(c *client) {
			leader, other := c.NewElection(r.path("e"), "leader"), c.NewElection(r.path("e"), "other")
			c.must(leader.Run(func() {
				waits := c.Go("other", func() { r.note("%v", other.Run(func() { r.note("never") })) })
				c.await(func() bool { return len(c.candidates("e")) == 2 })
				other.Cancel()
				waits.Join()
			}))
		})
		r.want("<nil>")
	}},

	// ZK-16.1: the reference's election path ends in a slash, so kazoo needs several attempts.
	{"an election at a path with a slash at its end has a leader", func(r *trial) {
		r.program("a", long, func(c *client) {
			for range 2 {
				c.must(c.NewElection(r.path("e/"), "a").Run(func() { r.note("leads") }))
			}
			names, err := c.Children(r.path("e"))
			r.note("%q %v", names, err)
		})
		r.want("leads", "leads", "[] <nil>")
	}},
}

// candidates returns the candidates of an election in order, or none if it cannot read them.
func (c *client) candidates(name string) []string {
	names, err := c.NewElection(c.r.path(name), "").Contenders()
	if err != nil {
		return nil
	}
	return names
}
