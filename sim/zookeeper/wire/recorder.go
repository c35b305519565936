package wire

import (
	"io"
	"slices"

	"github.com/monosim/monosim/sim/zookeeper"
)

// recorder turns what a machine did into records. The machine keeps notes of znodes
// and the recorder those of sessions; it takes both at the end of each turn, when all that
// belongs together is there: a record of several inputs is as good as one of each, for none
// of them was answered.
type recorder struct {
	zxid     int64   // of the last record
	sessions []int64 // begun or ended since
	writer   recordWriter
}

// note remembers the session that a write began or ended. A failed write changes nothing
// but the zxid (ZK-4.1), which makes a record too.
func (r *recorder) note(w *zookeeper.Write) {
	if w.Err == zookeeper.CodeOK && w.Op.Effect() == zookeeper.EffectSession {
		r.sessions = append(r.sessions, w.Session)
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
	w := &r.writer
	*w = beginRecord(b, m.NowMs(), m.Zxid(), m.NextSessionID())
	m.TakeNotes(w)
	slices.Sort(r.sessions)
	for _, id := range slices.Compact(r.sessions) {
		if s, ok := m.SessionImage(id); ok {
			w.session(s)
		} else {
			w.ended(id)
		}
	}
	r.sessions = r.sessions[:0]
	b = w.end()
	r.writer = recordWriter{} // which is not to keep the bytes
	return b
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
		w.Node(&image.Nodes[i])
	}
	for _, session := range image.Sessions {
		w.session(session)
	}
	w.kind(entryComplete)
	_, err := to.Write(w.end())
	return err
}
