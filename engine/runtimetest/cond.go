package runtimetest

import "time"

var condCases = []testCase{
	{"Signal wakes the one that waited longest", func(r *trial) {
		r.within(func(p Process) {
			c := p.NewCond("c")
			for _, name := range []string{"a", "b", "c"} {
				p.Go(name, func() {
					r.log.Addf("%s in time: %v", name, c.WaitFor(time.Minute))
				})
			}
			for range 3 {
				p.Sleep(5 * ms)
				r.log.Addf("signal")
				c.Signal()
			}
		})
		r.wantLog("signal", "a in time: true", "signal", "b in time: true", "signal", "c in time: true")
	}},

	{"Broadcast wakes all in their order", func(r *trial) {
		r.within(func(p Process) {
			c := p.NewCond("c")
			for _, name := range []string{"a", "b", "c"} {
				p.Go(name, func() {
					c.Wait()
					r.log.Addf("%s", name)
				})
			}
			p.Sleep(0)
			c.Broadcast()
			r.log.Addf("broadcast")
		})
		r.wantLog("broadcast", "a", "b", "c")
	}},

	{"a signal that nobody waits for is lost", func(r *trial) {
		r.within(func(p Process) {
			c := p.NewCond("c")
			c.Signal()
			c.Broadcast()
			r.log.Addf("in time: %v", c.WaitFor(5*ms))
		})
		r.wantLog("in time: false")
	}},

	{"a limit that passes ends the wait", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			before := p.Elapsed()
			r.log.Addf("in time: %v", p.NewCond("c").WaitFor(5*ms))
			took = p.Elapsed() - before
		})
		r.wantTook("WaitFor(5ms)", took, 5*ms)
		r.wantLog("in time: false")
	}},

	{"a limit of 0 lets others run", func(r *trial) {
		r.within(func(p Process) {
			c := p.NewCond("c")
			p.Go("other", func() { r.log.Addf("other") })
			r.log.Addf("in time: %v", c.WaitFor(0))
		})
		r.wantLog("other", "in time: false")
	}},

	{"a limit that was not needed has no effect later", func(r *trial) {
		r.within(func(p Process) {
			first, second := p.NewCond("first"), p.NewCond("second")
			reached := false
			p.Go("waiter", func() {
				r.log.Addf("first in time: %v", first.WaitFor(20*ms))
				second.Wait()
				r.log.Addf("reached: %v", reached)
				before := p.Elapsed()
				p.Sleep(30 * ms)
				r.log.Addf("slept: %v", p.Elapsed()-before >= 30*ms)
			})
			p.Sleep(0)
			first.Signal()
			p.Sleep(40 * ms)
			reached = true
			second.Signal()
		})
		r.wantLog("first in time: true", "reached: true", "slept: true")
	}},

	{"a waiter whose limit has passed takes no signal", func(r *trial) {
		r.within(func(p Process) {
			c := p.NewCond("c")
			passed, slept := false, false
			short := p.Go("short", func() {
				r.log.Addf("short in time: %v", c.WaitFor(5*ms))
				passed = true
				before := p.Elapsed()
				p.Sleep(20 * ms)
				slept = p.Elapsed()-before >= 20*ms
			})
			long := p.Go("long", func() {
				r.log.Addf("long in time: %v", c.WaitFor(time.Minute))
			})
			for !passed {
				p.Sleep(ms)
			}
			c.Signal()
			long.Join()
			short.Join()
			r.log.Addf("slept: %v", slept)
		})
		r.wantLog("short in time: false", "long in time: true", "slept: true")
	}},

	{"limits pass in their order", func(r *trial) {
		r.within(func(p Process) {
			for _, name := range []string{"a", "b", "c"} {
				p.Go(name, func() {
					p.NewCond("c").WaitFor(5 * ms)
					r.log.Addf("%s", name)
				})
			}
		})
		r.wantLog("a", "b", "c")
	}},

	{"the signaller goes on first, so what it takes is gone", func(r *trial) {
		r.within(func(p Process) {
			c := p.NewCond("c")
			items := 0
			consumer := p.Go("consumer", func() {
				for wakes := 1; ; wakes++ {
					c.Wait()
					if items > 0 {
						r.log.Addf("consumer has an item after %d wakes", wakes)
						return
					}
				}
			})
			p.Sleep(0)
			items++
			c.Signal()
			items--
			p.Sleep(0)
			items++
			c.Signal()
			consumer.Join()
		})
		r.wantLog("consumer has an item after 2 wakes")
	}},

	{"one that waits again waits at the end", func(r *trial) {
		r.within(func(p Process) {
			c := p.NewCond("c")
			for _, name := range []string{"a", "b"} {
				p.Go(name, func() {
					for range 2 {
						c.Wait()
						r.log.Addf("%s", name)
					}
				})
			}
			for range 4 {
				p.Sleep(0)
				c.Signal()
			}
		})
		r.wantLog("a", "b", "a", "b")
	}},
}
