package zookeeper

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Dump returns the whole state as text. Equal states give equal texts. There is one line for the
// server, and then one for each znode, session and watch. Fields that are zero are left out.
//
//	zxid=7
//	/ pzxid=2
//	/a "x" czxid=2 mzxid=5 pzxid=2 ctime=10 mtime=40 version=1
//	session 0x100000000000000 timeout=10000 deadline=12000 conn=1 ephemerals=[/e]
//	watch data /a conn=1
func (m *Machine) Dump() string {
	var b strings.Builder
	fmt.Fprintf(&b, "zxid=%d\n", m.zxid)
	b.WriteString(m.DumpTree())
	for _, s := range m.Sessions() {
		fmt.Fprintf(&b, "session %#x timeout=%d deadline=%d", s.ID, s.TimeoutMs, s.DeadlineMs)
		if s.Attached {
			fmt.Fprintf(&b, " conn=%d", s.Conn)
		}
		if len(s.Ephemerals) > 0 {
			fmt.Fprintf(&b, " ephemerals=[%s]", strings.Join(s.Ephemerals, " "))
		}
		b.WriteByte('\n')
	}
	for _, w := range m.Watches() {
		b.WriteString(w.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// DumpTree shows the znodes as text, each on a line as in Dump.
func (m *Machine) DumpTree() string {
	var b strings.Builder
	for _, n := range m.Nodes() {
		b.WriteString(n.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// String shows the znode on one line.
func (n Node) String() string {
	var b strings.Builder
	b.WriteString(n.Path)
	if n.Data == nil || len(n.Data) > 0 {
		b.WriteString(" " + dataText(n.Data))
	}
	field := func(name string, value int64) {
		if value != 0 {
			fmt.Fprintf(&b, " %s=%d", name, value)
		}
	}
	s := n.Stat
	field("czxid", s.Czxid)
	field("mzxid", s.Mzxid)
	field("pzxid", s.Pzxid)
	field("ctime", s.CtimeMs)
	field("mtime", s.MtimeMs)
	field("version", int64(s.Version))
	field("cversion", int64(s.Cversion))
	field("aversion", int64(s.Aversion))
	if s.EphemeralOwner != 0 {
		fmt.Fprintf(&b, " owner=%#x", s.EphemeralOwner)
	}
	if n.Container {
		b.WriteString(" container")
	}
	field("ttl", n.TTLMs)
	if len(n.ACL) != 1 || n.ACL[0] != acl.Everyone[0] {
		b.WriteString(" acl=")
		for i, a := range n.ACL {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(a.String())
		}
	}
	return b.String()
}

// String shows the watch on one line.
func (w WatchInfo) String() string {
	table := "data"
	if w.Child {
		table = "child"
	}
	s := fmt.Sprintf("watch %s %s conn=%d", table, w.Path, w.Conn)
	if w.Persistent {
		s += " persistent"
	}
	if w.Recursive {
		s += " recursive"
	}
	if w.OneShot && (w.Persistent || w.Recursive) {
		s += " one-shot"
	}
	return s
}
