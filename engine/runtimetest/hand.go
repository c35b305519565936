package runtimetest

import (
	"time"

	"github.com/monosim/monosim/engine/pysem/threading"
)

var handCases = []testCase{
	{"an event wakes all that wait and then holds up nobody", func(r *trial) {
		r.within(func(p Process) {
			e := threading.NewEvent(p, "e")
			for _, name := range []string{"a", "b"} {
				p.Go(name, func() { r.log.Addf("%s: %v", name, e.Wait(-1)) })
			}
			p.Sleep(5 * ms)
			r.log.Addf("set: %v", e.IsSet())
			e.Set()
			r.log.Addf("set: %v, wait: %v", e.IsSet(), e.Wait(-1))
		})
		r.wantLog("set: false", "set: true, wait: true", "a: true", "b: true")
	}},

	{"an event that is not set in time says so", func(r *trial) {
		r.within(func(p Process) {
			e := threading.NewEvent(p, "e")
			r.log.Addf("%v %v", e.Wait(5*ms), e.Wait(0))
			e.Set()
			r.log.Addf("%v %v", e.Wait(5*ms), e.Wait(0))
			e.Clear()
			r.log.Addf("%v %v", e.Wait(5*ms), e.Wait(0))
		})
		r.wantLog("false false", "true true", "false false")
	}},

	{"an event that is cleared at once has still woken", func(r *trial) {
		r.within(func(p Process) {
			e := threading.NewEvent(p, "e")
			p.Go("waiter", func() { r.log.Addf("waiter: %v, set: %v", e.Wait(time.Minute), e.IsSet()) })
			p.Sleep(0)
			e.Set()
			e.Clear()
		})
		r.wantLog("waiter: true, set: false")
	}},

	{"a queue keeps its order", func(r *trial) {
		r.within(func(p Process) {
			q := threading.NewQueue[int](p, "q")
			for i := range 3 {
				q.Put(i)
			}
			r.log.Addf("%d items", q.Len())
			for range 3 {
				v, ok := q.Get(-1)
				r.log.Addf("%d %v", v, ok)
			}
			_, ok := q.Get(0)
			r.log.Addf("more: %v", ok)
		})
		r.wantLog("3 items", "0 true", "1 true", "2 true", "more: false")
	}},

	{"a queue serves the one that waited longest, not the fastest", func(r *trial) {
		r.within(func(p Process) {
			q := threading.NewQueue[int](p, "q")
			for _, name := range []string{"a", "b"} {
				p.Go(name, func() {
					v, _ := q.Get(-1)
					r.log.Addf("%s gets %d", name, v)
				})
			}
			p.Sleep(0)
			q.Put(1)
			_, ok := q.Get(0)
			r.log.Addf("stolen: %v", ok)
			q.Put(2)
			q.Put(3)
			r.log.Addf("%d items", q.Len())
		})
		r.wantLog("stolen: false", "1 items", "a gets 1", "b gets 2")
	}},

	{"a queue that stays empty says so, and keeps nothing for who has left", func(r *trial) {
		r.within(func(p Process) {
			q := threading.NewQueue[int](p, "q")
			_, ok := q.Get(5 * ms)
			r.log.Addf("in time: %v", ok)
			q.Put(1)
			r.log.Addf("%d items", q.Len())
		})
		r.wantLog("in time: false", "1 items")
	}},

	{"an item handed to a task that is stopped goes back to the front", func(r *trial) {
		r.within(func(p Process) {
			q := threading.NewQueue[int](p, "q")
			p.Go("receiver", func() {
				v, _ := q.Get(-1)
				r.log.Addf("receiver has %d", v)
			})
			p.Go("other", func() {
				defer func() {
					first, _ := q.Get(0)
					second, _ := q.Get(0)
					r.log.Addf("other has %d and %d", first, second)
				}()
				p.Sleep(time.Minute)
			})
			p.Sleep(0)
			q.Put(1)
			q.Put(2)
			p.Stop()
		})
		r.wantLog("other has 1 and 2")
	}},

	{"a future is set once, for all", func(r *trial) {
		r.within(func(p Process) {
			f := threading.NewFuture[string](p, "f")
			for _, name := range []string{"a", "b"} {
				p.Go(name, func() {
					v, ok := f.Wait(time.Minute)
					r.log.Addf("%s: %q %v", name, v, ok)
				})
			}
			p.Sleep(5 * ms)
			r.log.Addf("done: %v, first: %v", f.Done(), f.Set("one"))
			r.log.Addf("done: %v, first: %v", f.Done(), f.Set("two"))
			v, ok := f.Wait(0)
			r.log.Addf("main: %q %v", v, ok)
		})
		r.wantLog("done: false, first: true", "done: true, first: false", `main: "one" true`, `a: "one" true`, `b: "one" true`)
	}},

	{"a future that does not come in time says so", func(r *trial) {
		r.within(func(p Process) {
			f := threading.NewFuture[string](p, "f")
			v, ok := f.Wait(5 * ms)
			r.log.Addf("%q %v", v, ok)
		})
		r.wantLog(`"" false`)
	}},
}
