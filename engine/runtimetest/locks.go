package runtimetest

import (
	"time"

	"github.com/monosim/monosim/engine/pysem/threading"
)

var lockCases = []testCase{
	{"a lock keeps others out across a wait", func(r *trial) {
		r.within(func(p Process) {
			l := threading.NewLock(p, "l")
			for _, name := range []string{"a", "b", "c"} {
				p.Go(name, func() {
					l.Lock()
					defer l.Unlock()
					r.log.Addf("%s takes", name)
					p.Sleep(2 * ms)
					r.log.Addf("%s frees", name)
				})
			}
		})
		r.wantLog("a takes", "a frees", "b takes", "b frees", "c takes", "c frees")
	}},

	{"a lock that is freed belongs to the next, not to the fastest", func(r *trial) {
		r.within(func(p Process) {
			l := threading.NewLock(p, "l")
			l.Lock()
			p.Go("waiter", func() {
				l.Lock()
				r.log.Addf("waiter")
				l.Unlock()
			})
			p.Sleep(0)
			l.Unlock()
			r.log.Addf("free: %v", !l.Locked())
			r.log.Addf("stolen: %v", l.TryLock(0))
			l.Lock()
			r.log.Addf("main")
			l.Unlock()
			r.log.Addf("free: %v", !l.Locked())
		})
		r.wantLog("free: false", "stolen: false", "waiter", "main", "free: true")
	}},

	{"TryLock gives up in time and leaves the queue", func(r *trial) {
		r.within(func(p Process) {
			l := threading.NewLock(p, "l")
			l.Lock()
			impatient := p.Go("impatient", func() { r.log.Addf("impatient: %v", l.TryLock(5*ms)) })
			p.Go("patient", func() { r.log.Addf("patient: %v", l.TryLock(time.Minute)) })
			impatient.Join()
			l.Unlock()
		})
		r.wantLog("impatient: false", "patient: true")
	}},

	{"unlocking a free lock panics", func(r *trial) {
		r.within(func(p Process) {
			r.log.Addf("%s", recovered(threading.NewLock(p, "l").Unlock))
		})
		r.wantLog(`threading: unlock of "l", which nobody holds`)
	}},

	{"a lock handed to a task that is stopped is not lost", func(r *trial) {
		r.within(func(p Process) {
			l := threading.NewLock(p, "l")
			l.Lock()
			p.Go("receiver", func() {
				l.Lock()
				r.log.Addf("receiver has it")
			})
			p.Go("other", func() {
				defer func() { r.log.Addf("other has it: %v", l.TryLock(time.Minute)) }()
				p.Sleep(time.Minute)
			})
			p.Sleep(0)
			l.Unlock()
			p.Stop()
		})
		r.wantLog("other has it: true")
	}},

	{"an rlock lets its owner in again", func(r *trial) {
		r.within(func(p Process) {
			l := threading.NewRLock(p, "l")
			l.Lock()
			l.Lock()
			other := p.Go("other", func() {
				r.log.Addf("other at once: %v", l.TryLock(0))
				l.Lock()
				r.log.Addf("other")
				l.Unlock()
			})
			p.Sleep(0)
			l.Unlock()
			p.Sleep(2 * ms)
			r.log.Addf("main frees")
			l.Unlock()
			other.Join()
			r.log.Addf("main again: %v", l.TryLock(0))
		})
		r.wantLog("other at once: false", "main frees", "other", "main again: true")
	}},

	{"an rlock is unlocked by its owner alone", func(r *trial) {
		r.within(func(p Process) {
			l := threading.NewRLock(p, "l")
			l.Lock()
			p.Go("thief", func() { r.log.Addf("%s", recovered(l.Unlock)) }).Join()
			l.Unlock()
			r.log.Addf("%s", recovered(l.Unlock))
		})
		r.wantLog(`threading: task "thief" unlocks "l", of which it is not the owner`,
			`threading: task "main" unlocks "l", of which it is not the owner`)
	}},
}
