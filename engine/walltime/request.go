package walltime

import "slices"

// entrant is a goroutine that runs requests, one after the other. It finds out the number of its
// goroutine only once, because that takes longer than the rest of a request. The deeper the stack
// is, the longer it takes.
type entrant struct {
	number uint64
	jobs   chan job
	done   chan bool // sends whether the job's function has returned; closed when the goroutine ends
}

type job struct {
	t  *Task
	fn func()
}

// Request does what [Process.Enter] does, for goroutines that cannot be tasks, such as those of a
// server. It does not check whether the caller is a task, and it runs fn on another goroutine,
// which later requests reuse.
func (p *Process) Request(name string, fn func()) error {
	t := newTask(p, name)
	v := p.takeEntrant()
	t.goroutine = v.number
	if !p.begin(t) {
		p.rest(v)
		return ErrEnded
	}
	v.jobs <- job{t, fn}
	returned, alive := <-v.done
	if alive {
		p.rest(v)
	}
	switch {
	case returned:
		return nil
	case t.failure != nil:
		return t.failure
	}
	return ErrEnded
}

// takeEntrant returns an idle entrant, or a new one if none is idle.
func (p *Process) takeEntrant() *entrant {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		v := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return v
	}
	p.mu.Unlock()
	v := &entrant{jobs: make(chan job), done: make(chan bool)}
	number := make(chan uint64)
	go func() {
		number <- goroutineNumber()
		defer close(v.done)
		v.serve(p)
	}()
	v.number = <-number
	return v
}

// rest makes an entrant idle. If the process's context has ended, no further request comes, and the
// entrant ends.
func (p *Process) rest(v *entrant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		close(v.jobs)
		return
	}
	p.idle = append(p.idle, v)
}

// serve runs jobs until the process's context ends. If a request has already taken the entrant by
// then, serve still runs that request's job.
func (v *entrant) serve(p *Process) {
	for {
		var j job
		var more bool
		select {
		case j, more = <-v.jobs:
		case <-p.ctx.Done():
			if p.dismiss(v) {
				return
			}
			j, more = <-v.jobs
		}
		if !more {
			return
		}
		<-j.t.baton
		v.done <- j.t.run(j.fn)
	}
}

// dismiss removes an idle entrant, and reports whether it was idle.
func (p *Process) dismiss(v *entrant) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.idle, v)
	if i < 0 {
		return false
	}
	p.idle = slices.Delete(p.idle, i, i+1)
	return true
}
