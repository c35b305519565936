package runtimetest

import (
	"runtime"
	"sync/atomic"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/threading"
)

var taskCases = []testCase{
	{"begin when the starter waits, in the order of Go", func(r *trial) {
		r.within(func(p Process) {
			p.Go("a", func() { r.log.Addf("a") })
			p.Go("b", func() { r.log.Addf("b") })
			r.log.Addf("main")
			p.Sleep(0)
			r.log.Addf("main again")
		})
		r.wantLog("main", "a", "b", "main again")
	}},

	{"know themselves", func(r *trial) {
		r.within(func(p Process) {
			main := p.Self()
			var inside env.Task
			child := p.Go("child", func() { inside = p.Self() })
			child.Join()
			r.log.Addf("main is main: %v", p.Self() == main)
			r.log.Addf("child is child: %v", inside == child)
			r.log.Addf("child is main: %v", inside == main)
			r.log.Addf("%s, %s", main.Name(), child.Name())
		})
		r.wantLog("main is main: true", "child is child: true", "child is main: false", "main, child")
	}},

	{"Join waits for the end", func(r *trial) {
		r.within(func(p Process) {
			child := p.Go("child", func() {
				p.Sleep(5 * ms)
				r.log.Addf("child ends")
			})
			r.log.Addf("done: %v", child.Done())
			child.Join()
			r.log.Addf("done: %v", child.Done())
			child.Join()
			r.log.Addf("joined twice")
		})
		r.wantLog("done: false", "child ends", "done: true", "joined twice")
	}},

	{"Join lets several go on in their order", func(r *trial) {
		r.within(func(p Process) {
			child := p.Go("child", func() { p.Sleep(5 * ms) })
			for _, name := range []string{"a", "b", "c"} {
				p.Go(name, func() {
					child.Join()
					r.log.Addf("%s", name)
				})
			}
		})
		r.wantLog("a", "b", "c")
	}},

	{"of one process never interleave between env calls", func(r *trial) {
		const tasks, rounds = 8, 100
		counter := 0
		r.within(func(p Process) {
			for range tasks {
				p.Go("counter", func() {
					for i := range rounds {
						seen := counter
						runtime.Gosched() // gives another task the chance to interfere
						counter = seen + 1
						if i%5 == 0 {
							p.Sleep(0)
						}
					}
				})
			}
		})
		if counter != tasks*rounds {
			r.Errorf("counted %d, want %d: increments were torn", counter, tasks*rounds)
		}
	}},

	{"of several processes run side by side", func(r *trial) {
		var ping, pong atomic.Int32
		const rounds = 5
		r.begin("p", func(p Process) {
			for i := range int32(rounds) {
				ping.Store(i + 1)
				for pong.Load() != i+1 {
					p.Sleep(ms)
				}
			}
			r.log.Addf("p ends")
		})
		r.begin("q", func(q Process) {
			for i := range int32(rounds) {
				for ping.Load() != i+1 {
					q.Sleep(ms)
				}
				pong.Store(i + 1)
			}
		})
		r.finish()
		r.wantLog("p ends")
	}},

	{"of a group are joined together", func(r *trial) {
		r.within(func(p Process) {
			g := threading.NewGroup(p)
			g.Go("long", func() {
				p.Sleep(20 * ms)
				r.log.Addf("long")
			})
			g.Go("short", func() {
				p.Sleep(5 * ms)
				g.Go("late", func() {
					p.Sleep(25 * ms)
					r.log.Addf("late")
				})
			})
			g.Join()
			r.log.Addf("joined")
			g.Join()
		})
		r.wantLog("long", "late", "joined")
	}},

	{"draw the same choices in two runs of a seed", func(r *trial) {
		draws := func(rt Runtime) (got []int) {
			p := rt.NewProcess("p")
			p.Go("main", func() {
				for range 20 {
					got = append(got, p.Intn("site", 1000))
				}
				got = append(got, int(p.Float64("other")*1e6))
			})
			rt.Wait()
			return got
		}
		first, second := draws(r.rt), draws(r.start(r.T))
		if diff := cmp.Diff(first, second); diff != "" {
			r.Errorf("second run (-first +second):\n%s", diff)
		}
		distinct := map[int]bool{}
		for _, v := range first[:20] {
			if v < 0 || v >= 1000 {
				r.Errorf("Intn(1000) = %d", v)
			}
			distinct[v] = true
		}
		if len(distinct) < 10 {
			r.Errorf("20 draws of 1000 gave only %d different values: %v", len(distinct), first[:20])
		}
	}},
}
