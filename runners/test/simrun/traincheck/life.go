package traincheck

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/job"
)

// Liveness is the invariant that a job keeps making steps whenever it can.
const Liveness = "INV-8"

// patience is how long a job may go without a step before INV-8 is broken, unless one of the
// job's own settings is longer. It exceeds every pause of the reference that ends by itself,
// except those in life.patience.
const patience = 10 * time.Minute

// undecidedAfter is how long the job must be without a step at the end of a run for INV-8 to
// be undecided.
const undecidedAfter = time.Minute

// life follows the steps of a job, to check INV-8.
type life struct {
	c *Checker
	// step is the step counter after the latest step. made is the number of all steps made. last
	// is when the latest step ended.
	step, made int64
	last       time.Duration
	pauses     []Pause
	losses     []Loss
	// restoring is set from the initialization of the variables until the next step, which shows
	// what was restored.
	restoring bool
	// finished says that a process has finished training since the chief last started. trained is
	// when the chief itself has, 0 before. over says that the chief or the whole application has
	// ended.
	finished, over bool
	trained        time.Duration
	// ended lists the processes whose heartbeat thread has ended.
	ended []string
}

// Pause is a period in which no process made a step.
type Pause struct{ From, To time.Duration }

// Loss says how many steps were lost because the step counter went back, at a restore or a
// restart.
type Loss struct {
	At    time.Duration
	Steps int64
}

// Activity says what a process does at the end of a run.
type Activity struct {
	Process string
	Running bool
	// Waits is what the process waits for. Stepping says that it waits for nothing, although it
	// has made no step since its restart at Began.
	Waits    job.Wait
	Stepping bool
	Began    time.Duration
	// Ended is when the process ended, if it does not run. Code says how it ended, now or before
	// its latest start. GaveUp is the error after which it did not retry, "" for none.
	Ended        time.Duration
	Code, GaveUp string
}

// Counted records that n steps were counted, which brought the step counter to value.
func (c *Checker) Counted(at time.Duration, n, value int64) {
	c.now = max(c.now, at)
	l := &c.life
	switch back := l.step - (value - n); {
	case back > 0:
		l.losses = append(l.losses, Loss{at, back})
	case back < 0 && l.restoring && len(l.losses) > 0:
		last := &l.losses[len(l.losses)-1]
		last.Steps = max(0, last.Steps+back)
	}
	c.resumed(value - n)
	l.restoring = l.restoring && value == n // the step counter was still 0, so the restore had not shown yet
	l.step = value
	l.made += n
}

// initialized resets the step counter to 0. The next step shows what was restored.
func (l *life) initialized(at time.Duration) {
	if l.step > 0 {
		l.losses, l.restoring = append(l.losses, Loss{at, l.step}), true
	}
	l.step = 0
	l.c.initialized()
}

// Stepped records that a process made steps between two times.
func (c *Checker) Stepped(who string, from, to time.Duration) {
	c.barrier.stepped(who, from, to)
	if p := c.procs[who]; p != nil {
		p.stepped = max(p.stepped, to)
	}
	if who == "chief" {
		c.begins(from)
	}
	if ps := c.procs["ps0"]; who == "chief" && ps != nil && from >= ps.started {
		c.restores.marked = ps.life
	}
	if c.Paused(from) {
		c.life.pauses = append(c.life.pauses, Pause{c.life.last, from})
	}
	c.life.last = max(c.life.last, to)
}

// Paused reports whether the pause between the latest step and a step that begins at the time from
// is long enough to be reported.
func (c *Checker) Paused(from time.Duration) bool {
	return from-c.life.last > 2*c.spec.StepTime+time.Second
}

// Idle returns a worker that could make steps and has made none for longer than limit, and since when.
// Time before from does not count. It returns "" if there is no such worker. A worker could make no
// steps while an operator holds the workers, or while it waits until it may begin.
func (c *Checker) Idle(from, limit time.Duration) (who string, since time.Duration) {
	if _, goesOn := c.life.stands(); !goesOn || c.life.finished {
		return "", 0
	}
	for _, name := range c.names {
		p := c.procs[name]
		role, _ := cluster.TrainerRole(name)
		if role != job.Worker || !p.running {
			continue
		}
		if w, ok := c.present(name); ok && w.In == "session_run_hooks" {
			continue
		}
		if since := max(from, p.stepped, p.started, p.served, p.retried); c.now-since > limit {
			return name, since
		}
	}
	return "", 0
}

// Pauses lists the periods without a step. The first begins with the run. If steps are left to
// make, the last one may still be going on.
func (c *Checker) Pauses() []Pause {
	if c.Paused(c.now) && !c.life.over && c.life.trained == 0 {
		return append(slices.Clone(c.life.pauses), Pause{c.life.last, c.now})
	}
	return c.life.pauses
}

// Saves returns how long, in total, workers were held at the barriers of saves.
func (c *Checker) Saves() time.Duration { return c.barrier.saves }

// Losses lists the times at which the step counter went back.
func (c *Checker) Losses() []Loss { return c.life.losses }

// Step returns the step counter after the latest step.
func (c *Checker) Step() int64 { return c.life.step }

// Steps returns the number of steps made, including lost ones, and when the latest step ended.
func (c *Checker) Steps() (made int64, last time.Duration) { return c.life.made, c.life.last }

// seen handles an observation of a process of the job.
func (l *life) seen(who, op, note string) {
	switch op {
	case "training.finished":
		l.finished = true
		if who == "chief" {
			l.trained = l.c.now
		}
	case "process.exit":
		l.over = l.over || who == "chief" && note == wellEnded
	case "process.start":
		if who == "chief" {
			l.finished, l.trained = false, 0
		}
	case "training.reported":
		l.over = true // now the application master ends the remaining processes
	case "training.heartbeat-ended":
		l.ended = append(l.ended, who)
	}
}

// stands returns when the latest step ended. ok is false if the job is over, has not
// started, or is held by the operator's barrier.
func (l *life) stands() (since time.Duration, ok bool) {
	held := l.c.barrier.placed && l.c.barrier.action == ""
	if l.over || held || !slices.ContainsFunc(l.c.names, func(name string) bool { return l.c.procs[name].life > 0 }) {
		return 0, false
	}
	return l.last, true
}

func (l *life) look() {
	if l.c.Unheard() {
		l.c.discovery.apart = max(l.c.discovery.apart, l.c.now)
	}
	if w, ok := l.c.present("chief"); ok && w.Lost && l.c.now-w.Since > l.patience() {
		// the others may make steps, but nobody saves them, and nobody ends the job
		l.c.breaks(Liveness, fmt.Sprint("chief ", w.Since), l.known(), "no save since %v: %s", w.Since.Round(time.Millisecond), l.c.Waiting())
	}
	since, ok := l.stands()
	if !ok || len(l.c.discovery.goesOn) > 0 {
		return
	}
	if from := max(since, l.c.discovery.calm, l.c.barrier.freed); l.c.now-from > l.patience() {
		l.breaks(since)
	}
}

func (l *life) breaks(since time.Duration) {
	l.c.breaks(Liveness, fmt.Sprint(since), l.known(), "%s: %s", l.still(since), l.c.Waiting())
}

// still says what does not go on: the steps, or the end of a job that has made all of them.
func (l *life) still(since time.Duration) string {
	if l.trained > 0 {
		return fmt.Sprintf("the training is over since %v, and the job does not end", l.trained.Round(time.Millisecond))
	}
	return fmt.Sprintf("no step since %v", since.Round(time.Millisecond))
}

// patience returns how long the job may go without a step at present.
func (l *life) patience() time.Duration {
	s := l.c.spec
	d := max(patience, 3*s.StepTime, 3*l.c.barrier.slowest, 2*s.RestartAfter+5*time.Minute)
	if chief := l.c.procs["chief"]; l.finished && chief.running {
		d = max(d, s.ChiefTimeout+time.Minute)
	}
	for _, name := range l.c.names {
		w, ok := l.c.present(name)
		if ok && w.In == "cluster_manager" && s.Discovery == "" && !l.hopeless() {
			d = max(d, converges) // all processes that it waits for register again within that time
		}
		if ok && w.Limit > 0 && w.In == "session_run_hooks" {
			d = max(d, w.Limit)
		}
	}
	return d
}

// hopeless reports whether a process that the job needs has ended and is never started again.
func (l *life) hopeless() bool {
	ps, again := 0, l.c.spec.RestartAfter > 0
	for _, name := range l.c.names {
		role, _ := cluster.TrainerRole(name)
		if p := l.c.procs[name]; role == job.PS && (p.running || again && p.code != wellEnded) {
			ps++
		}
	}
	chief := l.c.procs["chief"]
	return ps < l.c.spec.PS || !again && chief != nil && !chief.running
}

// Unheard reports whether a process waits for an answer that its server has given up sending
// (TRN-8.15). The job then makes no more steps, which INV-8 reports.
func (c *Checker) Unheard() bool {
	return slices.ContainsFunc(c.names, func(name string) bool {
		w, ok := c.present(name)
		return ok && w.Lost
	})
}

// endOfPS is the rule by which a chief cannot end its PS while one of them is gone.
const endOfPS = "TRN-8.14"

// wellEnded is the exit code of a process that ended normally, which is not started again.
const wellEnded = "code 0"

// endedByChief reports whether a failed chief has made a PS end normally.
func (l *life) endedByChief() bool {
	return !l.finished && slices.ContainsFunc(l.c.names, func(name string) bool {
		role, _ := cluster.TrainerRole(name)
		p := l.c.procs[name]
		return role == job.PS && !p.running && p.code == wellEnded
	})
}

// known returns the quirk that explains why the job makes no steps, "" if none does.
func (l *life) known() string {
	if len(l.ended) > 0 && l.c.quirks.Keeps(jobquirks.Q300) {
		return jobquirks.Q300.String()
	}
	if l.endedByChief() && l.c.quirks.Keeps(jobquirks.Q327) {
		return jobquirks.Q327.String()
	}
	if chief := l.c.procs["chief"]; !chief.running && strings.HasPrefix(chief.gaveUp, couldNotEndPS) {
		return endOfPS
	}
	for _, name := range l.c.names {
		switch w, ok := l.c.present(name); {
		case !ok:
		case w.In == "runner_utils" && l.c.quirks.Keeps(jobquirks.Q251):
			return jobquirks.Q251.String()
		case w.Lost:
			return callsOfCut
		case w.In == "session" && !*l.c.spec.FailFast:
			return callsOfGone
		case w.In == "cluster_manager" && l.c.spec.RedundantPS > 0 && l.c.quirks.Keeps(jobquirks.Q315):
			return jobquirks.Q315.String()
		}
	}
	return ""
}

// Finish judges a job at the end of its run. If INV-8 cannot be decided, it returns the
// reason: the job makes no steps, but not yet for longer than it may. Otherwise it returns
// "".
func (c *Checker) Finish(now time.Duration) (undecided string) {
	c.now = max(c.now, now)
	since, ok := c.life.stands()
	from := max(since, c.barrier.freed)
	switch {
	case c.told[Liveness+" "+fmt.Sprint(since)] || !ok || c.now-from <= max(undecidedAfter, 2*c.spec.StepTime+c.barrier.slowest):
		return ""
	case c.life.hopeless() || c.Unheard():
		c.life.breaks(since)
		return ""
	}
	why := fmt.Sprintf("for less than %v", c.life.patience())
	if on := c.discovery.faults(); on != "" {
		why = "while " + on + " goes on"
	}
	return fmt.Sprintf("%s, %s: %s", c.life.still(since), why, c.Waiting())
}

// present returns what a running process waits for.
func (c *Checker) present(name string) (job.Wait, bool) {
	p := c.procs[name]
	if c.Present == nil || p == nil || !p.running {
		return job.Wait{}, false
	}
	return c.Present(name)
}

// Activities lists what the processes do, in the order of their names in the job.
func (c *Checker) Activities() []Activity {
	var list []Activity
	for _, name := range c.names {
		p := c.procs[name]
		if p.life == 0 {
			continue
		}
		w, ok := c.present(name)
		a := Activity{Process: name, Running: p.running, Waits: w, Stepping: p.running && !ok, Ended: p.ended}
		if a.Stepping && p.life > 1 && c.life.last < p.started {
			a.Stepping, a.Began = false, p.started
		}
		if !a.Running || a.Began > 0 {
			a.Code, a.GaveUp = p.code, p.gaveUp
		}
		list = append(list, a)
	}
	return list
}

// Waiting describes in one line the processes that hold up the job, and what they wait for. Those
// are also the servers of a job that has made all its steps. The chief comes first, and processes
// with equal waits are grouped.
func (c *Checker) Waiting() string {
	parts := lists.Select(Grouped(c.Activities()), func(g Group) (string, bool) {
		return g.String(), !g.Stepping && (!g.Waits.Serves || c.life.trained > 0)
	})
	return strings.Join(parts, "; ")
}

// Group is a set of processes with equal activities.
type Group struct {
	Activity
	Names []string
	// Until is when the last process of the group ended.
	Until time.Duration
}

// Grouped groups processes with equal activities, whenever these began.
func Grouped(list []Activity) (groups []Group) {
	at := map[string]int{}
	for _, a := range list {
		key := fmt.Sprintf("%t %t %s %s %s %s", a.Running, a.Stepping, a.Waits.In, a.Waits.For, a.Code, a.GaveUp)
		if role, _ := cluster.TrainerRole(a.Process); role == job.PS {
			key += role
		}
		i, ok := at[key]
		if !ok {
			i, at[key] = len(groups), len(groups)
			groups = append(groups, Group{Activity: a})
		}
		g := &groups[i]
		g.Names = append(g.Names, a.Process)
		g.Waits.Since, g.Ended, g.Until = min(g.Waits.Since, a.Waits.Since), min(g.Ended, a.Ended), max(g.Until, a.Ended)
	}
	return groups
}

// Who names the processes of a group: all of them, or the first and the last of more than
// four.
func (g *Group) Who() string {
	if n := len(g.Names); n > 4 {
		return fmt.Sprintf("%s to %s (%d)", g.Names[0], g.Names[n-1], n)
	}
	return strings.Join(g.Names, ", ")
}

// What says what the processes of the group do.
func (g *Group) What() string {
	some := func(one, more string) string {
		if len(g.Names) == 1 {
			return one
		}
		return more
	}
	ended := g.Code
	if g.GaveUp != "" {
		ended += ": " + g.GaveUp
	}
	switch {
	case !g.Running:
		at := fmt.Sprintf("at %v", g.Ended.Round(time.Millisecond))
		if g.Until.Round(time.Millisecond) > g.Ended.Round(time.Millisecond) {
			at = fmt.Sprintf("from %v to %v", g.Ended.Round(time.Millisecond), g.Until.Round(time.Millisecond))
		}
		return fmt.Sprintf("%s ended %s with %s", some("has", "have"), at, ended)
	case g.Began > 0:
		return fmt.Sprintf("began again at %v, and made no step since %s end with %s", g.Began.Round(time.Millisecond), some("its", "their"), ended)
	case g.Waits.Serves:
		return some("serves", "serve")
	case g.Stepping:
		return some("makes", "make") + " steps"
	}
	every, limit := "", ""
	if g.Waits.Every > 0 {
		every = fmt.Sprintf(", every %v", g.Waits.Every)
	}
	if g.Waits.Limit > 0 {
		limit = fmt.Sprintf(", for %v at most", g.Waits.Limit)
	}
	return fmt.Sprintf("%s for %s, %s%s, since %v%s", some("waits", "wait"), g.Waits.For, g.Waits.In, every, g.Waits.Since.Round(time.Millisecond), limit)
}

// String names the processes and says what they do.
func (g *Group) String() string { return g.Who() + " " + g.What() }
