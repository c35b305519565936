package runtimetest

import (
	"sync/atomic"
	"time"
)

var stopCases = []testCase{
	{"unwinds tasks however they wait", func(r *trial) { r.unwinds(Process.Stop) }},

	{"by a task of its own does not return", func(r *trial) {
		r.within(func(p Process) {
			defer r.log.Addf("deferred")
			p.Stop()
			r.log.Addf("after the stop")
		})
		r.wantLog("deferred")
	}},

	{"lets deferred code sleep, start tasks and signal", func(r *trial) {
		r.within(func(p Process) {
			c := p.NewCond("c")
			p.Go("waiter", func() {
				defer func() { r.log.Addf("waiter in time: %v", c.WaitFor(time.Minute)) }()
				p.Sleep(time.Minute)
			})
			p.Go("signaller", func() {
				defer func() {
					p.Sleep(5 * ms)
					p.Go("helper", func() { r.log.Addf("helper") }).Join()
					r.log.Addf("signal")
					c.Signal()
				}()
				p.Sleep(time.Minute)
			})
			p.Sleep(0)
			p.Stop()
		})
		r.wantLog("helper", "signal", "waiter in time: true")
	}},

	{"lets no task begin", func(r *trial) {
		r.within(func(p Process) {
			never := p.Go("never", func() { r.log.Addf("never") })
			defer func() {
				never.Join()
				r.log.Addf("joined")
			}()
			p.Stop()
		})
		r.wantLog("joined")
	}},

	{"again leaves deferred waits alone", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			p.Go("sleeper", func() {
				defer func() {
					before := p.Elapsed()
					p.Sleep(20 * ms)
					took = p.Elapsed() - before
				}()
				p.Sleep(time.Minute)
			})
			p.Sleep(0)
			defer func() {
				p.Sleep(5 * ms)
				p.Stop()
				r.log.Addf("a second stop returns to deferred code")
			}()
			p.Stop()
		})
		r.wantLog("a second stop returns to deferred code")
		r.wantTook("the deferred sleep", took, 20*ms)
	}},

	{"unwinds again what has swallowed the first time", func(r *trial) {
		r.within(func(p Process) {
			p.Go("swallower", func() {
				defer func() {
					p.Sleep(ms)
					r.log.Addf("unwound")
				}()
				func() {
					defer func() { r.log.Addf("swallowed: %v", recover() != nil) }()
					p.Sleep(time.Minute)
				}()
				r.log.Addf("goes on")
				p.Sleep(0)
				r.log.Addf("slept")
			})
			p.Sleep(0)
			p.Stop()
		})
		r.wantLog("swallowed: true", "goes on", "unwound")
	}},

	{"by a task of another process unwinds all", func(r *trial) {
		var ready atomic.Bool
		p := r.begin("p", func(p Process) {
			defer r.log.Addf("p unwinds")
			ready.Store(true)
			p.Sleep(time.Minute)
			r.log.Addf("p slept")
		})
		r.begin("q", func(q Process) {
			for !ready.Load() {
				q.Sleep(ms)
			}
			p.Stop()
		})
		r.finish()
		r.wantLog("p unwinds")
	}},

	{"can be cut short by a crash", func(r *trial) {
		r.within(func(p Process) {
			p.Go("sleeper", func() {
				defer func() {
					r.log.Addf("deferred")
					p.Sleep(time.Minute)
					r.log.Addf("slept")
				}()
				p.Sleep(time.Minute)
			})
			p.Sleep(0)
			defer func() {
				p.Sleep(5 * ms)
				p.Crash()
			}()
			p.Stop()
		})
		r.wantLog("deferred")
	}},
}
