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

// committer writes the machine's changes to the disk before any reply reveals them. While one batch
// is being written, it gathers the records of the next. So one fsync serves all connections.
type committer struct {
	store *store

	// The server's lock guards these fields.
	recorder recorder
	held     []*conn // held lists connections that got a held message in this turn

	// mu is acquired after the server's lock. It is a separate lock, so that the commit loop need
	// not wait while the server handles requests.
	mu      sync.Mutex
	work    sync.Cond
	next    batch // next gathers records while another batch is written
	closing bool
	// settled is true when every record is on the disk.
	settled atomic.Bool
}

// openCommitter opens the data directory and returns the state in it. snapshot is nil for a new
// directory. If given is set, it becomes the initial state, and the directory must be empty.
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

// mustHold reports whether replies must wait, because the machine has changes that are not yet on
// disk.
func (c *committer) mustHold(m *zookeeper.Machine) bool {
	return !c.settled.Load() || c.recorder.behind(m)
}

// gather adds the machine's changes in this turn to the next batch, as one record. The messages
// held in this turn are sent after that batch is on disk. They wait even if there is no new record,
// because a batch that is still being written may contain changes that the messages reveal.
func (c *committer) gather(m *zookeeper.Machine) {
	if len(c.held) == 0 && !c.recorder.behind(m) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next.empty() {
		c.work.Signal()
	}
	if c.next.records = c.recorder.appendRecord(c.next.records, m); len(c.next.records) > 0 {
		c.settled.Store(false)
	}
	for i, conn := range c.held {
		conn.heldThisTurn = false
		conn.out.seal()
		if !conn.inBatch {
			conn.inBatch = true
			c.next.waiting = append(c.next.waiting, conn)
		}
		c.held[i] = nil
	}
	c.held = c.held[:0]
}

// noteHeld records that a connection got a held message in this turn.
func (c *committer) noteHeld(conn *conn) {
	if !conn.heldThisTurn {
		conn.heldThisTurn = true
		c.held = append(c.held, conn)
	}
}

func (c *committer) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = true
	c.work.Signal()
}

// batch holds the records of one commit, and the connections whose messages wait for it.
type batch struct {
	records []byte
	waiting []*conn // connections that have held messages
}

func (b *batch) empty() bool { return len(b.records) == 0 && len(b.waiting) == 0 }

// wait blocks until there is a record to commit. It returns false when the server closes and no
// record is left.
func (c *committer) wait() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.next.empty() && !c.closing {
		c.work.Wait()
	}
	return !c.next.empty()
}

// takeBatch returns the batch gathered so far, and starts an empty one. The new one reuses the
// memory of last, a batch that has been written.
func (c *committer) takeBatch(last batch) batch {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.next
	c.next = batch{last.records[:0], last.waiting[:0]}
	for _, conn := range b.waiting {
		conn.inBatch = false
		conn.out.mark()
	}
	return b
}

// batchWritten records that the batch being written is now on disk.
func (c *committer) batchWritten() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled.Store(len(c.next.records) == 0)
}

// commitLoop writes batches until the server closes and everything is on disk.
func (s *Server) commitLoop() {
	defer s.wg.Done()
	c := s.commit
	var b batch
	for c.wait() {
		// Other runnable connections may join this batch first, because an fsync costs the same for
		// one record as for a hundred.
		runtime.Gosched()
		var snapshot *zookeeper.Snapshot
		var nowMs int64
		b, snapshot, nowMs = s.nextBatch(b)
		if err := s.makeDurable(b.records, snapshot, nowMs); err != nil {
			s.fail(fmt.Errorf("data directory %s: %w", s.opt.DataDir, err))
			return
		}
		release(b.waiting)
		clear(b.waiting)
		c.batchWritten()
	}
}

// nextBatch returns the next batch. If a new generation is due, it also returns a snapshot of the
// state after that batch. It takes both under the server's lock, so that no request comes in
// between.
func (s *Server) nextBatch(last batch) (b batch, snapshot *zookeeper.Snapshot, nowMs int64) {
	if !s.commit.store.full() {
		return s.commit.takeBatch(last), nil, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commit.takeBatch(last), s.machine.Snapshot(), s.machine.NowMs()
}

// release marks the messages that waited for a batch as ready to be sent, and starts the writers of
// their connections. It marks all messages before it returns, because the next batch overwrites the
// marks. It starts one goroutine for each processor. One for each connection would cost more than
// sending its few bytes.
func release(waiting []*conn) {
	var start []*conn // must be a new slice, because the goroutines may outlive the buffer of waiting
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

// makeDurable writes records to the disk. If snapshot is not nil, it is the state after these
// records, and a new generation of files begins with it.
func (s *Server) makeDurable(records []byte, snapshot *zookeeper.Snapshot, nowMs int64) error {
	st := s.commit.store
	appendRecords := st.append
	if s.opt.sync != nil {
		appendRecords = s.opt.sync
	}
	if len(records) > 0 {
		if err := appendRecords(records); err != nil {
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
