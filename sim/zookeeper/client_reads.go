package zookeeper

import (
	"github.com/monosim/monosim/engine/env"
)

// knownPath is what is known of a path that is read again and again. There are many,
// which are gone through in order, so they are small and lie side by side.
type knownPath struct {
	node *znode // that was found last, nil for none
	// content is the beginning of what was taken last, nil for nothing.
	content   *byte
	sizeBytes int
}

// takes says whether data is other than what was taken last. It need not be looked
// into: what a machine has given out never changes.
func (k *knownPath) takes(data []byte) bool {
	return len(data) == 0 || k.content != &data[0] || k.sizeBytes != len(data)
}

func (k *knownPath) taken(data []byte) {
	if len(data) > 0 {
		k.content, k.sizeBytes = &data[0], len(data)
	}
}

// reads are the session's own env.Reads.
type reads struct {
	s     *Session
	paths []string
	known []knownPath // of each path
}

// NewReads prepares reads of znodes.
func (s *Session) NewReads(paths []string) env.Reads {
	return &reads{s: s, paths: paths, known: make([]knownPath, len(paths))}
}

// Each reads them all.
func (r *reads) Each(take func(i int, data []byte) error) error {
	round := &readRound{reads: r, handOver: take}
	for round.at < len(r.paths) {
		if err := round.get(); err != nil {
			return err
		}
	}
	return nil
}

// readRound is one time through the list. Its task asks for the first znode; each
// further one is asked for where the answer comes in, and the task is woken for
// what is not as usual, and at the end.
type readRound struct {
	*reads
	handOver func(i int, data []byte) error
	at       int   // that is asked for
	taken    bool  // its answer was taken before the task was woken
	err      error // of handOver
}

// get asks for a znode and takes the answer of that one or of a later one.
func (r *readRound) get() error {
	c := r.s.newRead(OpGetData, r.paths[r.at], nil)
	c.request.known, c.round = &r.known[r.at], r
	r.taken = false
	if err := r.s.do(c); err != nil {
		return err
	}
	data := r.s.done(c).Data
	if !r.taken {
		r.take(data)
	}
	r.at++
	return r.err
}

// take hands over what is not as it was.
func (r *readRound) take(data []byte) {
	r.taken = true
	k := &r.known[r.at]
	if !k.takes(data) {
		return
	}
	if r.err = r.handOver(r.at, data); r.err == nil {
		k.taken(data)
	}
}

// next takes an answer and asks for the next znode, unless the task is to do so.
func (r *readRound) next(c *call) bool {
	s := r.s
	if r.at+1 == len(r.paths) || !s.open || len(s.queue) > 0 || !c.task.InSeries() || s.life.Refuse() != nil {
		return false
	}
	if r.take(c.reply.Data); r.err != nil {
		return false
	}
	r.taken = false
	r.at++
	k := &r.known[r.at]
	if k.node != nil {
		c.request.Path = k.node.path // the same, and nearer
	} else {
		c.request.Path = r.paths[r.at]
	}
	c.request.known, c.began = k, s.history.now()
	s.sendOne(c)
	s.idle.touch()
	c.task.Again(c.request.Path)
	return true
}

// readAgain answers a read of a known path when nothing but that read is to be
// done, as nearly always. It reports false, and has no effect, otherwise.
func (c *serverConn) readAgain(req *Request) bool {
	s := c.s
	if c.known == nil {
		c.known = s.machine.conns[c.id]
	}
	if c.known == nil || !s.machine.readAgain(s.nowMs(), c.known, req) {
		return false
	}
	c.conn.Send(req.scratch, emptyReplyBytes+len(req.scratch.Data))
	return true
}
