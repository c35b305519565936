package recipes

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes/bulk"
)

// feeding is reads of members that the session makes one after the other (bulk.Feed): of
// those that are watched for the first time, or of those that events tell of.
type feeding struct {
	c      *Client
	feeder bulk.Feeder
	feed   bulk.Feed
	reads  memberReads
	err    error // of a first read

	// What is read now.
	f      *family // nil for nothing
	number uint32
	event  env.WatchEvent
	first  bool // there is no event

	// window are the families of which Ahead has told.
	window []*family
}

// memberReads are reads of members to come.
type memberReads interface {
	// at is the i-th of them; ok is false at the end, and for one that is to be made by a task.
	at(i int) (m member, typ env.EventType, first, ok bool)
	// take takes out the first.
	take()
}

// ready reports whether what is usual of a member is only noted.
func (f *family) ready() bool { return f.busy == 0 && len(f.waited) == 0 && f.usual.Ready() }

// newFeeding is nil for a session that cannot make the reads.
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

// goOn has the session make those reads that come first. It reports false when the next one
// is to be made by the task.
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

// leave ends what is read, also when the task unwinds.
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

// done is the end of a read.
func (r *feeding) done(err error) {
	if r.first {
		r.err = err
	} else {
		r.c.logged(r.f.names.Path(r.number), err)
	}
}

// next begins with the next read.
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

// take takes what was read.
func (r *feeding) take(data []byte, stat *env.Stat) {
	f := r.f
	last := f.lastSeen(r.number)
	told := last.sees(stat)
	r.done(f.took(r.number, last, told, data, stat, r.eventOrNil()))
	r.leave()
}

// ready reports whether take can be called, for what is read now and in the window.
func (r *feeding) ready() bool {
	if r.f != nil && !r.f.ready() {
		return false
	}
	return !slices.ContainsFunc(r.window, func(f *family) bool { return f != r.f && !f.ready() })
}

// ahead counts the reads that are sure to come, and take can be called for, up to an odd one.
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

// firstReads are reads of members that nobody has watched, of one family.
type firstReads struct {
	f    *family
	left []uint32
}

// firstReads are those of a list, nil when they are to be made by the task.
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

// at is the i-th read. One that the task has begun meanwhile is no more to be made.
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

// feed has the session make the reads that come of the first events of the queue, and
// reports whether it has made any.
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

// at is the read that comes of the i-th event of the queue.
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
