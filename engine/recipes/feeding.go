package recipes

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes/bulk"
)

// feeding makes reads of members one after another without waking the task, by a [bulk.Feed] of the
// session. They are the first reads of new watches, or the reads that follow from events.
type feeding struct {
	c      *Client
	feeder bulk.Feeder
	feed   bulk.Feed
	reads  memberReads
	err    error // error of a first read

	// The read in progress.
	f      *family // nil for nothing
	number uint32
	event  env.WatchEvent
	first  bool // whether it is a first read, which no event has caused

	// window holds the families of the reads that ahead has counted.
	window []*family
}

// memberReads is a queue of member reads that have to be made.
type memberReads interface {
	// at returns the read with index i. ok is false at the end of the queue, and for a read that a
	// task has to make.
	at(i int) (m member, typ env.EventType, first, ok bool)
	// take removes the first read from the queue.
	take()
}

// ready reports whether the family's function would now only store its arguments, if the data is
// usual.
func (f *family) ready() bool { return f.busy == 0 && len(f.waited) == 0 && f.usual.Ready() }

// newFeeding makes a feeding for the given reads. It returns nil if the session does not support
// it.
func newFeeding(c *Client, reads memberReads) *feeding {
	feeder, ok := c.session.(bulk.Feeder)
	if !ok {
		return nil
	}
	r := &feeding{c: c, feeder: feeder, reads: reads}
	r.feed = bulk.Feed{
		Usual: c.fed.usual.Data, Parents: func() []string { return c.fedParents },
		Next: r.next, Ready: r.ready, Ahead: r.ahead, Take: r.take,
	}
	return r
}

// free reports whether the session may read a member now.
func (m member) free() bool {
	return m.of.fed && !m.of.is.has(m.number, flagStopped|flagReading)
}

// goOn lets the session make the reads at the front of the queue. It returns false if a task has to
// make the next one.
func (r *feeding) goOn() bool {
	if m, _, _, ok := r.reads.at(0); !ok || !m.free() {
		return false
	}
	defer r.leave()
	odd, ok := r.feeder.Feed(&r.feed)
	if ok && odd != nil {
		r.done(r.f.answered(r.number, odd.Data, &odd.Stat, odd.Err, r.eventOrNil()))
	}
	return ok
}

// leave ends the present read. It is also called when the task unwinds.
func (r *feeding) leave() {
	if f := r.f; f != nil {
		r.f = nil
		f.unlock(r.number)
	}
}

func (r *feeding) eventOrNil() *env.WatchEvent {
	if r.first {
		return nil
	}
	return &r.event
}

// done handles the result of a read. The error of a first read is kept for the caller, and others
// are logged.
func (r *feeding) done(err error) {
	if r.first {
		r.err = err
	} else {
		r.c.logged(r.f.names.Path(r.number), err)
	}
}

// next begins the next read and returns its path and its watcher.
func (r *feeding) next() (path string, watch env.Watcher, ok bool) {
	if r.err != nil {
		return "", nil, false
	}
	m, typ, first, ok := r.reads.at(0)
	if !ok || !m.free() {
		return "", nil, false
	}
	r.reads.take()
	r.f, r.number, r.first = m.of, m.number, first
	m.of.is.set(m.number, flagReading, true)
	path = m.of.names.Path(m.number)
	if first {
		m.of.is.set(m.number, flagBegun, true)
		r.c.listeners.add(refOf(m.of.index, m.number))
	} else {
		r.event = env.WatchEvent{Type: typ, Path: path}
	}
	return path, m, true
}

// take handles the data of the present read, which is usual.
func (r *feeding) take(data []byte, stat *env.Stat) {
	f := r.f
	last := f.lastSeen(r.number)
	told := last.sees(stat)
	r.done(f.took(r.number, last, told, data, stat, r.eventOrNil()))
	r.leave()
}

// ready reports whether take can be called for the present read, and for the reads in the window.
func (r *feeding) ready() bool {
	if r.f != nil && !r.f.ready() {
		return false
	}
	return !slices.ContainsFunc(r.window, func(f *family) bool { return f != r.f && !f.ready() })
}

// ahead returns how many reads, at most most, are certain to come and can be given to take. It
// stops before a read for which odd returns true.
func (r *feeding) ahead(most int, odd func(path string) bool) int {
	r.window = r.window[:0]
	var last *family
	for i := range most {
		m, _, _, ok := r.reads.at(i)
		if !ok || !m.free() || odd != nil && odd(m.of.names.Path(m.number)) {
			return i
		}
		if m.of == last {
			continue
		}
		last = m.of
		if !slices.Contains(r.window, last) {
			if !last.ready() {
				return i
			}
			r.window = append(r.window, last)
		}
	}
	return most
}

// firstReads is a queue of the first reads of members. The members belong to one family, and were
// not watched before.
type firstReads struct {
	f    *family
	left []uint32
}

// firstReads returns the first reads for a list of names. It returns nil if a task has to make
// these reads.
func (f *family) firstReads(names []string) *feeding {
	var left []uint32
	for _, number := range f.names.Of(names) {
		if f.is.has(number, flagBegun) {
			continue
		}
		path := f.names.Path(number)
		if p, err := Normalize(path, false); err != nil || p != path || number >= maxMembers {
			return nil
		}
		left = append(left, number)
	}
	if len(left) == 0 {
		return nil
	}
	return newFeeding(f.c, &firstReads{f, left})
}

// at returns the read with index i. It skips members that the task has begun to watch in the
// meantime.
func (r *firstReads) at(i int) (m member, typ env.EventType, first, ok bool) {
	for len(r.left) > 0 && r.f.is.has(r.left[0], flagBegun) {
		r.left = r.left[1:]
	}
	if i >= len(r.left) {
		return member{}, 0, false, false
	}
	return member{r.f, r.left[i]}, 0, true, true
}

func (r *firstReads) take() { r.left = r.left[1:] }

// feed lets the session make the reads that follow from the events at the front of the queue. It
// reports whether there were any.
func (c *callbacks) feed() bool {
	m, _, _, ok := c.at(0)
	if !ok || !m.of.fed {
		return false
	}
	if c.feeding == nil {
		if c.feeding = newFeeding(m.of.c, c); c.feeding == nil {
			return false
		}
	}
	return m.of.c == c.feeding.c && c.feeding.goOn()
}

// at returns the read that follows from the event with index i of the queue.
func (c *callbacks) at(i int) (m member, typ env.EventType, first, ok bool) {
	if i >= len(c.queue) {
		return member{}, 0, false, false
	}
	t := c.queue[i]
	if t.ref.family() == 0 || t.typ != env.EventCreated && t.typ != env.EventChanged {
		return member{}, 0, false, false
	}
	return member{c.families[t.ref.family()], t.ref.member()}, t.typ, false, true
}

func (c *callbacks) take() { c.pop() }
