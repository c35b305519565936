package vtime

import "time"

// everyWait is a task inside of Every: a loop that sleeps for a period and looks.
// Idle looks are fast-forwarded: the task sleeps until the first turn after a cause
// made done true.
type everyWait struct {
	task   *Task
	start  int64
	period int64
	done   func() bool
	causes []*Cond
	timer  Timer
	over   bool
}

func (p *Process) everyTurn(period time.Duration, done func() bool, causes []*Cond) {
	t := p.enter()
	w := p.node.w
	if period <= 0 {
		panic("vtime: Every with a period of 0 or less")
	}
	ts := &everyWait{task: t, start: w.now, period: int64(period), done: done, causes: causes}
	t.every = ts
	for _, c := range causes {
		c.watchers = append(c.watchers, ts)
	}
	ts.look()
	t.wait("its turn, every " + period.String())
	ts.leave()
}

// look schedules the next turn when there is something to see in it. A turn that
// falls on the very instant of its cause counts as over: the loop that it stands
// for would have set its timer a period ago, before nearly every cause.
func (ts *everyWait) look() {
	if ts.over || ts.timer.Pending() || !ts.done() {
		return
	}
	p := ts.task.proc
	past := (p.node.w.now - ts.start) / ts.period
	ts.timer = p.schedule(ts.start+(past+1)*ts.period, kindTurn, ts, 0)
}

// Handle is the turn: it ends the wait, or goes on when done is false again.
func (ts *everyWait) Handle(uint64) {
	if !ts.over && ts.done() {
		ts.over = true
		ts.task.resume()
	}
}

func (ts *everyWait) leave() {
	ts.over = true
	ts.timer.Cancel()
	ts.task.every = nil
	for _, c := range ts.causes {
		for i, w := range c.watchers {
			if w == ts {
				c.watchers = append(c.watchers[:i], c.watchers[i+1:]...)
				break
			}
		}
	}
	ts.causes = nil
}
