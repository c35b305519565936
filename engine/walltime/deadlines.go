package walltime

import (
	"container/heap"
	"math"
	"time"
)

// deadlines is a heap of a process's tasks that wait with a limit, the earliest first. One timer
// serves all of them. So tasks wake in the order of their deadlines, even if the host's timers are
// late.
type deadlines []*Task

func (h deadlines) Len() int { return len(h) }

func (h deadlines) Less(i, j int) bool {
	a, b := h[i], h[j]
	return a.deadline < b.deadline || (a.deadline == b.deadline && a.order < b.order)
}

func (h deadlines) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push is for container/heap.
func (h *deadlines) Push(x any) {
	t := x.(*Task)
	t.place = len(*h)
	*h = append(*h, t)
}

// Pop is for container/heap.
func (h *deadlines) Pop() any {
	s := *h
	t := s[len(s)-1]
	s[len(s)-1] = nil
	*h = s[:len(s)-1]
	t.place = -1
	return t
}

// setDeadline makes the task run again after d at the latest. The caller holds p.mu.
func (p *Process) setDeadline(t *Task, d time.Duration) {
	at := p.w.Now() + d
	if d > 0 && at < d {
		at = math.MaxInt64
	}
	p.setDeadlineAt(t, at)
}

func (p *Process) setDeadlineAt(t *Task, at time.Duration) {
	p.lastOrder++
	t.deadline, t.order = at, p.lastOrder
	heap.Push(&p.deadlines, t)
	if t.place == 0 {
		p.arm()
	}
}

// forgetDeadline removes the deadline of a task that was woken before it. The timer stays set, so
// ring may be called with nothing to do. The caller holds p.mu.
func (p *Process) forgetDeadline(t *Task) {
	if t.place >= 0 {
		heap.Remove(&p.deadlines, t.place)
	}
}

// arm sets the timer to the earliest deadline. The caller holds p.mu.
func (p *Process) arm() {
	if len(p.deadlines) == 0 {
		return
	}
	d := max(0, p.w.Real(p.deadlines[0].deadline-p.w.Now()))
	if p.timer == nil {
		p.timer = time.AfterFunc(d, p.ring)
		return
	}
	p.timer.Reset(d)
}

// ring is called by the timer. It lets those tasks run whose deadlines have passed.
func (p *Process) ring() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.w.Now()
	for len(p.deadlines) > 0 && p.deadlines[0].deadline <= now {
		p.deadlines[0].stopWaiting()
	}
	p.arm()
}
