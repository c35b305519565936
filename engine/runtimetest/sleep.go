package runtimetest

import (
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
)

var sleepCases = []testCase{
	{"lasts as long as asked", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			before := p.Elapsed()
			p.Sleep(5 * ms)
			took = p.Elapsed() - before
		})
		r.wantTook("Sleep(5ms)", took, 5*ms)
	}},

	{"moves the wall clock too", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			before := p.Now()
			p.Sleep(5 * ms)
			took = p.Now().Sub(before)
		})
		r.wantTook("Sleep(5ms)", took, 5*ms)
	}},

	{"earlier deadlines come first", func(r *trial) {
		// A sleeper is a task that sleeps until a deadline. On the wall clock the exact deadline is
		// unknown: it lies between the time when this task began and the time when the next one
		// did.
		type sleeper struct {
			lower, upper time.Duration
		}
		durations := []time.Duration{60 * ms, 20 * ms, 40 * ms}
		sleepers := make([]sleeper, len(durations))
		var woke []int
		r.within(func(p Process) {
			for i, d := range durations {
				p.Go("sleeper", func() {
					if i > 0 {
						sleepers[i-1].upper = p.Elapsed() + durations[i-1]
					}
					sleepers[i].lower = p.Elapsed() + d
					p.Sleep(d)
					woke = append(woke, i)
				})
			}
			p.Go("last", func() { sleepers[2].upper = p.Elapsed() + durations[2] })
		})
		for i, a := range sleepers {
			for j, b := range sleepers {
				if a.upper < b.lower && slices.Index(woke, i) > slices.Index(woke, j) {
					r.Errorf("order of waking %v: sleeper %d (until %v) came after %d (until %v)", woke, i, a.upper, j, b.lower)
				}
			}
		}
		if want := []int{1, 2, 0}; r.rt.Exact() && !slices.Equal(woke, want) {
			r.Errorf("order of waking %v, want %v", woke, want)
		}
	}},

	{"equal deadlines come in the order of the calls", func(r *trial) {
		r.within(func(p Process) {
			for _, name := range []string{"a", "b", "c", "d"} {
				p.Go(name, func() {
					p.Sleep(5 * ms)
					r.log.Addf("%s", name)
				})
			}
		})
		r.wantLog("a", "b", "c", "d")
	}},

	{"of 0 lets others run", func(r *trial) { r.turns(0) }},
	{"of less than 0 lets others run", func(r *trial) { r.turns(-time.Second) }},

	{"of nearly for ever does not end at once", func(r *trial) {
		r.within(func(p Process) {
			p.Sleep(ms) // lets the time pass 0, at which nothing can overflow
			for _, d := range []time.Duration{1<<63 - 1, 1<<63 - 2} {
				p.Go("sleeper", func() {
					p.Sleep(d)
					r.log.Addf("woke")
				})
			}
			p.Sleep(5 * ms)
			r.log.Addf("crash")
			p.Crash()
		})
		r.wantLog("crash")
	}},

	{"keeps many apart", func(r *trial) {
		const n = 50
		late := make([]time.Duration, n)
		r.within(func(p Process) {
			for i := range n {
				d := time.Duration((i*7)%n) * ms / 4
				p.Go("sleeper", func() {
					before := p.Elapsed()
					p.Sleep(d)
					late[i] = p.Elapsed() - before - d
				})
			}
		})
		if !r.rt.Exact() {
			for i := range late {
				late[i] = min(late[i], 0)
			}
		}
		if diff := cmp.Diff(make([]time.Duration, n), late); diff != "" {
			r.Errorf("late by (-want +got):\n%s", diff)
		}
	}},
}

// turns runs two tasks that repeatedly write a line and then sleep for d.
func (r *trial) turns(d time.Duration) {
	r.within(func(p Process) {
		for _, name := range []string{"a", "b"} {
			p.Go(name, func() {
				for i := range 3 {
					r.log.Addf("%s%d", name, i)
					p.Sleep(d)
				}
			})
		}
	})
	r.wantLog("a0", "b0", "a1", "b1", "a2", "b2")
}
