package history

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Commit is one write as recorded in the server's own log.
type Commit struct {
	Zxid int64
	// Op, Path and Value describe a write that succeeded. For a failed write the log may have
	// only the code. A delete has no value.
	Op          zookeeper.OpCode
	Path, Value string
	Code        zookeeper.Code
}

// FollowsCommits returns nil when the clients' answers agree with what the server committed, else
// an error with the contradiction:
//
//   - each write is in the log at the zxid of its answer, and no other create, set or delete is;
//   - replayed in that order, each write and each read gives its answer; a read counts after the
//     write of its zxid;
//   - no write, and no read after a sync, comes before an operation of any client that had ended
//     when it began; other reads may not come before what their own client knew.
//
// commits has the writes to the znodes of the history, failed ones that were logged too. Apart
// from sorting, it takes one pass over the history.
func (h History) FollowsCommits(commits []Commit) error {
	return errors.Join(h.areCommits(commits), h.replay(), h.keepsTime())
}

// areCommits checks that the history and the server's log contain the same writes, with the same
// results.
func (h History) areCommits(commits []Commit) error {
	byZxid := make(map[int64]*Operation, len(h))
	for i := range h {
		o := &h[i]
		if !o.writes() {
			continue
		}
		if other := byZxid[o.Zxid]; other != nil {
			return fmt.Errorf("two writes of one zxid:\n  %s\n  %s", other, o)
		}
		byZxid[o.Zxid] = o
	}
	for _, c := range commits {
		o := byZxid[c.Zxid]
		delete(byZxid, c.Zxid)
		if o == nil {
			return fmt.Errorf("the log has %s %s at zxid %#x, which no client was told of", c.Op, c.Path, c.Zxid)
		}
		same := c.Code == o.Code
		if c.Code == zookeeper.CodeOK {
			same = same && c.Op == o.Op && c.Path == o.Path && c.Value == o.Value
		}
		if !same {
			return fmt.Errorf("the log has %s %s %q, %s, at the zxid of\n  %s", c.Op, c.Path, c.Value, zookeeper.CodeName(c.Code), o)
		}
	}
	for _, o := range byZxid {
		return fmt.Errorf("not in the log:\n  %s", o)
	}
	return nil
}

// replay applies all operations in the order of their zxids and checks each answer. A write
// comes before the reads that saw it.
func (h History) replay() error {
	order := h.sorted(func(a, b *Operation) int {
		if c := cmp.Compare(a.Zxid, b.Zxid); c != 0 || a.writes() == b.writes() {
			return c
		}
		if a.writes() {
			return -1
		}
		return 1
	})
	nodes := map[string]znode{}
	for _, o := range order {
		next, answered := nodes[o.Path].after(o)
		if !answered {
			return fmt.Errorf("answered otherwise than the znode at its zxid, %+v, answers:\n  %s", nodes[o.Path], o)
		}
		nodes[o.Path] = next
	}
	return nil
}

func (h History) sorted(compare func(a, b *Operation) int) []*Operation {
	list := make([]*Operation, len(h))
	for i := range h {
		list[i] = &h[i]
	}
	slices.SortStableFunc(list, compare)
	return list
}

// keepsTime checks that zxids agree with the wall times of requests and answers.
func (h History) keepsTime() error {
	calls := h.sorted(func(a, b *Operation) int { return cmp.Compare(a.Call, b.Call) })
	returns := h.sorted(func(a, b *Operation) int { return cmp.Compare(a.Return, b.Return) })
	var last *Operation            // of the operations answered so far, the one with the greatest zxid
	lastOf := map[int]*Operation{} // the operation with the greatest zxid that each client has had an answer to
	for _, o := range calls {
		for ; len(returns) > 0 && returns[0].Return < o.Call; returns = returns[1:] {
			told := returns[0]
			if last == nil || told.Zxid > last.Zxid {
				last = told
			}
			if own := lastOf[told.Client]; own == nil || told.Zxid > own.Zxid {
				lastOf[told.Client] = told
			}
		}
		known := lastOf[o.Client]
		if o.writes() || o.Synced {
			known = last
		}
		if known != nil && (o.Zxid < known.Zxid || o.writes() && o.Zxid == known.Zxid) {
			return fmt.Errorf("went back in time:\n  %s\n  %s", known, o)
		}
	}
	return nil
}
