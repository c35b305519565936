package wire

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/monosim/monosim/sim/zookeeper"
)

// committer makes what a machine did durable before anybody hears of it. While
// one write to the disk is under way the records of the next one gather, so that
// one fsync serves all connections.
type committer struct {
	store    *store
	recorder recorder

	// By the server's lock.
	work    sync.Cond
	records []byte  // not written yet
	busy    bool    // a write is under way
	waiting []*conn // have held messages
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
	return c.busy || len(c.records) > 0 || c.recorder.behind(m)
}

// record keeps what the machine did in a turn, as one record: what is done in one turn is
// answered by one commit.
func (c *committer) record(m *zookeeper.Machine) {
	before := len(c.records)
	c.records = c.recorder.record(c.records, m)
	if before == 0 && len(c.records) > 0 {
		c.work.Signal()
	}
}

// await puts a connection with held messages on the list.
func (c *committer) await(conn *conn) {
	if !conn.waits {
		conn.waits = true
		c.waiting = append(c.waiting, conn)
		c.work.Signal()
	}
}

// commitLoop writes until the server closes and all is written.
func (s *Server) commitLoop() {
	defer s.wg.Done()
	c := s.commit
	var spare []byte
	for {
		s.mu.Lock()
		for len(c.records) == 0 && len(c.waiting) == 0 && !s.down {
			c.work.Wait()
		}
		records, waiting := c.records, c.waiting
		if len(records) == 0 && len(waiting) == 0 {
			s.mu.Unlock()
			return
		}
		c.records, c.waiting, c.busy = spare[:0], nil, true
		for _, conn := range waiting {
			conn.waits = false
			conn.out.mark()
		}
		var snapshot *zookeeper.Snapshot
		nowMs := s.machine.NowMs()
		if c.store.full() {
			snapshot = s.machine.Snapshot()
		}
		s.mu.Unlock()

		if err := s.write(records, snapshot, nowMs); err != nil {
			s.fail(fmt.Errorf("data directory %s: %w", s.opt.DataDir, err))
			return
		}
		release(waiting)
		spare = records
		s.mu.Lock()
		c.busy = false
		s.mu.Unlock()
	}
}

// release sends what was held for connections. All of it is free before the next commit
// marks what that one is to set free. A goroutine for each processor sends: one for each
// connection costs more than what it sends, when there are many with little.
func release(waiting []*conn) {
	start := waiting[:0]
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
