package wire

import (
	"io"
	"slices"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper"
)

// recorder turns what a machine did into records. It is told of writes as they
// happen and looks at the machine at the end of each turn, when all that belongs
// together is there: a record of several inputs is as good as one of each, for none of
// them was answered.
type recorder struct {
	zxid     int64    // of the last record
	nodes    []string // written or deleted
	parents  []string // of created and deleted ones
	sessions []int64  // begun or ended
}

// note remembers what a write touched. A failed one touches nothing but the zxid
// (ZK-4.1), which makes a record too.
func (r *recorder) note(w *zookeeper.Write, m *zookeeper.Machine) {
	if w.Err != zookeeper.CodeOK {
		return
	}
	// By a quota that the transaction may end.
	if stats, ok := m.QuotaStats(w.Path); ok {
		r.nodes = append(r.nodes, stats)
	}
	switch w.Op.Effect() {
	case zookeeper.EffectSession:
		r.sessions = append(r.sessions, w.Session)
	case zookeeper.EffectCreate, zookeeper.EffectDelete:
		r.nodes = append(r.nodes, w.Path)
		if up := strings.LastIndexByte(w.Path, '/'); up > 0 {
			r.parents = append(r.parents, w.Path[:up])
		} else {
			r.parents = append(r.parents, "/")
		}
	case zookeeper.EffectData, zookeeper.EffectACL:
		r.nodes = append(r.nodes, w.Path)
	}
}

// behind reports whether the machine did what is not recorded yet.
func (r *recorder) behind(m *zookeeper.Machine) bool { return m.Zxid() != r.zxid }

// record appends the record of what was noted since the last one, if anything.
func (r *recorder) record(b []byte, m *zookeeper.Machine) []byte {
	if !r.behind(m) {
		return b
	}
	r.zxid = m.Zxid()
	for _, path := range r.nodes {
		// By a quota that the transaction may have begun.
		if stats, ok := m.QuotaStats(path); ok {
			r.nodes = append(r.nodes, stats)
		}
	}
	w := beginRecord(b, m.NowMs(), m.Zxid(), m.NextSessionID())
	r.nodes, r.parents, r.sessions = unique(r.nodes), unique(r.parents), unique(r.sessions)
	for _, path := range r.nodes {
		if n, ok := m.NodeImage(path); ok {
			w.node(&n)
		} else {
			w.gone(path)
		}
	}
	for _, path := range r.parents {
		// A parent that is gone, or was written itself, has its entry already.
		if _, has := slices.BinarySearch(r.nodes, path); has {
			continue
		}
		if n, ok := m.NodeImage(path); ok {
			w.offspring(path, n.Offspring)
		}
	}
	for _, id := range r.sessions {
		if s, ok := m.SessionImage(id); ok {
			w.session(s)
		} else {
			w.ended(id)
		}
	}
	r.nodes, r.parents, r.sessions = r.nodes[:0], r.parents[:0], r.sessions[:0]
	return w.end()
}

// unique sorts the list and drops what is there twice. Sorted, parents come
// before their children.
func unique[T interface{ ~string | ~int64 }](list []T) []T {
	if len(list) < 2 {
		return list
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// recordSize is where a snapshot goes on with another record.
const recordSize = 1 << 20

// writeSnapshot writes a whole state as records.
func writeSnapshot(to io.Writer, nowMs int64, s *zookeeper.Snapshot) error {
	image := s.Image()
	w := beginRecord(nil, nowMs, image.Zxid, image.NextSessionID)
	for i := range image.Nodes {
		if len(w.b) > recordSize {
			if _, err := to.Write(w.end()); err != nil {
				return err
			}
			w = beginRecord(w.b[:0], nowMs, image.Zxid, image.NextSessionID)
		}
		w.node(&image.Nodes[i])
	}
	for _, session := range image.Sessions {
		w.session(session)
	}
	w.kind(entryComplete)
	_, err := to.Write(w.end())
	return err
}
