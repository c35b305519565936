package model

import (
	"math"
	"slices"

	"github.com/monosim/monosim/engine/vtime"
)

// sharing divides the cores of a container among more threads than cores (processor sharing). With
// n runnable threads, each runs at the speed min(1, cores/n). So all threads do work at the same
// rate, and a single sum (attained) records how much each thread has done. A thread's job is done
// when that sum has grown by the job's work.
type sharing struct {
	cores    float64
	overhead float64     // fraction of the speed lost for each runnable thread above the number of cores
	device   bool        // whether the cores stand for a device, which is not slowed down by the loading of a version
	attained float64     // nanoseconds of work that each thread would have done if it had run all the time
	since    int64       // time up to which attained is complete
	jobs     []job       // heap of the running jobs; the one that ends first is at the top
	seq      uint64      // number of jobs that were started so far
	timer    vtime.Timer // event at which the first job ends
}

type job struct {
	end float64  // value of attained at which the job is done
	seq uint64   // number of the job, which decides among jobs that end together
	h   *handler // handler that runs when the job is done
	arg uint64   // argument of the handler
}

func (a job) before(b job) bool { return a.end < b.end || a.end == b.end && a.seq < b.seq }

// speed returns the speed of each thread, relative to a thread with a core of its own. A version
// that is being loaded takes part as another thread.
func (p *sharing) speed(loading int32) float64 {
	n := float64(len(p.jobs))
	if !p.device {
		n += float64(loading)
	}
	if n <= p.cores {
		return 1
	}
	return p.cores / n * math.Max(0.01, 1-float64(p.overhead*(n-p.cores)))
}

// advance adds to attained what threads have done up to now.
func (p *sharing) advance(w *world, s *server) {
	if len(p.jobs) > 0 && w.now > p.since {
		v := p.speed(s.loading)
		p.attained += float64(float64(w.now-p.since) * v)
		w.count(s, p.since, w.now, math.Min(float64(len(p.jobs)), p.cores))
	}
	p.since = w.now
}

func (p *sharing) add(w *world, at int32, work float64, h *handler, arg uint64) {
	at = w.servers[at].host
	s := &w.servers[at]
	p.advance(w, s)
	p.seq++
	p.jobs = append(p.jobs, job{p.attained + work, p.seq, h, arg})
	p.up(len(p.jobs) - 1)
	p.plan(w, at)
}

// remove ends the job of an abandoned call.
func (p *sharing) remove(w *world, at int32, arg uint64) {
	at = w.servers[at].host
	p.advance(w, &w.servers[at])
	i := slices.IndexFunc(p.jobs, func(j job) bool { return j.arg == arg && j.h == &w.onComplete })
	last := len(p.jobs) - 1
	p.jobs[i] = p.jobs[last]
	p.jobs = p.jobs[:last]
	if i < last {
		p.up(i)
		p.down(i)
	}
	p.plan(w, at)
}

// up moves job i up the heap until its parent does not end later.
func (p *sharing) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !p.jobs[i].before(p.jobs[parent]) {
			break
		}
		p.jobs[i], p.jobs[parent] = p.jobs[parent], p.jobs[i]
		i = parent
	}
}

// down moves job i down the heap until none of its children ends earlier.
func (p *sharing) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(p.jobs) {
			return
		}
		if child+1 < len(p.jobs) && p.jobs[child+1].before(p.jobs[child]) {
			child++
		}
		if !p.jobs[child].before(p.jobs[i]) {
			return
		}
		p.jobs[i], p.jobs[child] = p.jobs[child], p.jobs[i]
		i = child
	}
}

// plan schedules an event for the end of the job that will end first.
func (p *sharing) plan(w *world, at int32) {
	p.timer.Cancel()
	if len(p.jobs) == 0 {
		return
	}
	left := math.Max(0, p.jobs[0].end-p.attained)
	v := p.speed(w.servers[at].loading)
	p.timer = w.at(w.now+int64(math.Ceil(left/v)), &w.onShared, uint64(at))
}

// shared ends the jobs whose work is done.
func (w *world) shared(arg uint64) {
	at := int32(arg)
	s := &w.servers[at]
	p := s.share
	p.advance(w, s)
	// The timer is rounded up to a nanosecond, so less than one nanosecond of work may be left.
	for len(p.jobs) > 0 && p.jobs[0].end <= p.attained+0.5 {
		j := p.pop()
		j.h.do(w, j.arg)
	}
	p.plan(w, at)
}

func (p *sharing) pop() job {
	first := p.jobs[0]
	last := len(p.jobs) - 1
	p.jobs[0] = p.jobs[last]
	p.jobs = p.jobs[:last]
	p.down(0)
	return first
}

// clear drops all jobs that have the handler kind, without running it.
func (p *sharing) clear(w *world, at int32, kind *handler) {
	w.servers[at].ended(w, p, kind)
}

// end drops all jobs that have the handler kind, and runs it for each of them: their container has
// died.
func (p *sharing) end(w *world, at int32, kind *handler) {
	for _, j := range w.servers[at].ended(w, p, kind) {
		j.h.do(w, j.arg)
	}
}

// ended removes the jobs that have the handler kind. It returns them in the order in which they
// would have ended.
func (s *server) ended(w *world, p *sharing, kind *handler) (gone []job) {
	p.timer.Cancel()
	var left []job
	for len(p.jobs) > 0 {
		if j := p.pop(); j.h == kind {
			gone = append(gone, j)
		} else {
			left = append(left, j)
		}
	}
	p.jobs = left // in order of their ends, which is also a valid heap
	p.plan(w, s.host)
	return gone
}

// reload adds change to the number of versions that a container is loading. That changes the speed
// of the container's threads.
func (w *world) reload(at, change int32) {
	at = w.servers[at].host
	s := &w.servers[at]
	w.loading(s)
	if s.share == nil {
		s.loading += change
		return
	}
	s.share.advance(w, s)
	s.loading += change
	s.share.plan(w, at)
}
