package wire

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/monosim/monosim/sim/zookeeper"
)

// committer makes what a machine did durable before anybody hears of it. While
// one write to the disk is under way the records of the next one gather, so that
// one fsync serves all connections.
type committer struct {
	store *store

	// By the server's lock.
	recorder recorder
	held     []*conn // were given messages to hold in this turn

	// A lock of its own, taken after the server's: the loop that writes need not wait for
	// the turns of all connections.
	mu      sync.Mutex
	work    sync.Cond
	next    batch // gathers while another one is written
	closing bool
	// settled says that all records are written.
	settled atomic.Bool
}

// openCommitter opens the data directory. With a snapshot besides, the directory
// must be empty.
func openCommitter(opt *Options, given *zookeeper.Snapshot, givenMs int64) (c *committer, snapshot *zookeeper.Snapshot, nowMs int64, err error) {
	store, st, cut, err := openStore(opt.DataDir)
	if err != nil {
		return nil, nil, 0, err
	}
	if cut != "" {
		opt.log("%s", cut)
	}
	if opt.rotateAt != 0 {
		store.rotateAt = opt.rotateAt
	}
	c = &committer{store: store}
	c.work.L = &c.mu
	c.settled.Store(true)
	switch {
	case st == nil && given != nil:
		if err := store.first(givenMs, given); err != nil {
			return nil, nil, 0, errors.Join(err, store.close())
		}
		return c, given, givenMs, nil
	case st == nil:
		return c, nil, 0, nil
	case given != nil:
		store.close()
		return nil, nil, 0, fmt.Errorf("data directory %s is not empty: it cannot start from another snapshot", opt.DataDir)
	}
	if snapshot, err = st.snapshot(); err != nil {
		store.close()
		return nil, nil, 0, fmt.Errorf("data directory %s: %w", opt.DataDir, err)
	}
	return c, snapshot, st.nowMs, nil
}

// holds reports whether what follows from what the machine has done so far must be held.
func (c *committer) holds(m *zookeeper.Machine) bool {
	return !c.settled.Load() || c.recorder.behind(m)
}

// record keeps what the machine did in a turn, as one record: what is done in one turn is
// answered by one commit.
// The messages held in it then wait for that commit, or for the one under way.
func (c *committer) record(m *zookeeper.Machine) {
	if len(c.held) == 0 && !c.recorder.behind(m) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next.empty() {
		c.work.Signal()
	}
	if c.next.records = c.recorder.record(c.next.records, m); len(c.next.records) > 0 {
		c.settled.Store(false)
	}
	for i, conn := range c.held {
		conn.holds = false
		conn.out.seal()
		if !conn.waits {
			conn.waits = true
			c.next.waiting = append(c.next.waiting, conn)
		}
		c.held[i] = nil
	}
	c.held = c.held[:0]
}

// await takes note of a connection with held messages.
func (c *committer) await(conn *conn) {
	if !conn.holds {
		conn.holds = true
		c.held = append(c.held, conn)
	}
}

// finish has the loop end when all is written.
func (c *committer) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = true
	c.work.Signal()
}

// batch is what one commit writes and sets free.
type batch struct {
	records []byte
	waiting []*conn // have held messages
}

func (b *batch) empty() bool { return len(b.records) == 0 && len(b.waiting) == 0 }

// wait waits for work. It reports false when there will be none.
func (c *committer) wait() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.next.empty() && !c.closing {
		c.work.Wait()
	}
	return !c.next.empty()
}

// take begins a commit of all that there is. What the last one was is room for the next.
func (c *committer) take(last batch) batch {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.next
	c.next = batch{last.records[:0], last.waiting[:0]}
	for _, conn := range b.waiting {
		conn.waits = false
		conn.out.mark()
	}
	return b
}

// written ends the commit.
func (c *committer) written() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled.Store(len(c.next.records) == 0)
}

// commitLoop writes until the server closes and all is written.
func (s *Server) commitLoop() {
	defer s.wg.Done()
	c := s.commit
	var b batch
	for c.wait() {
		runtime.Gosched() // turns that could go on now are in this commit, which costs as much with few
		var snapshot *zookeeper.Snapshot
		var nowMs int64
		b, snapshot, nowMs = s.takeBatch(b)
		if err := s.write(b.records, snapshot, nowMs); err != nil {
			s.fail(fmt.Errorf("data directory %s: %w", s.opt.DataDir, err))
			return
		}
		release(b.waiting)
		clear(b.waiting)
		c.written()
	}
}

// takeBatch begins a commit. When a new generation is due the state comes with it, as it
// is after the batch: no turn may come between.
func (s *Server) takeBatch(last batch) (b batch, snapshot *zookeeper.Snapshot, nowMs int64) {
	if !s.commit.store.full() {
		return s.commit.take(last), nil, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commit.take(last), s.machine.Snapshot(), s.machine.NowMs()
}

// release sends what was held for connections. All of it is free before the next commit
// marks what that one is to set free. A goroutine for each processor sends: one for each
// connection costs more than what it sends, when there are many with little.
func release(waiting []*conn) {
	var start []*conn // by the goroutines, which may outlast the list
	for _, conn := range waiting {
		if conn.out.release() {
			start = append(start, conn)
		}
	}
	for part := range slices.Chunk(start, len(start)/runtime.GOMAXPROCS(0)+1) {
		go func() {
			for _, conn := range part {
				conn.push()
			}
		}()
	}
}

// write makes records durable and, with a snapshot of the state after them,
// begins a new generation.
func (s *Server) write(records []byte, snapshot *zookeeper.Snapshot, nowMs int64) error {
	st := s.commit.store
	if len(records) > 0 {
		if err := s.sync(records); err != nil {
			return err
		}
	}
	if err := st.rotated(false); err != nil {
		return err
	}
	if snapshot != nil {
		return st.rotate(nowMs, snapshot)
	}
	return nil
}

func (s *Server) sync(records []byte) error {
	if s.opt.sync != nil {
		return s.opt.sync(records)
	}
	return s.commit.store.write(records)
}

func (c *committer) close() error { return c.store.close() }
