package wire

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// version returns the server's version and build date. The date has the form that clients parse;
// the real 3.8 prints one that they cannot parse (ZK-11.1).
func version(p zookeeper.Profile) string {
	if p == zookeeper.V39 {
		return "3.9.3-sim, built on 10/16/2024 20:28 UTC"
	}
	return "3.8.0-sim, built on 02/25/2022 08:49 UTC"
}

// words maps each four-letter word to the function that writes its answer. The function's caller
// holds the lock.
var words = map[string]func(*Server, *strings.Builder){
	"conf": (*Server).wordConf,
	"cons": (*Server).wordCons,
	"crst": (*Server).wordCrst,
	"dirs": (*Server).wordDirs,
	"dump": (*Server).wordDump,
	"envi": (*Server).wordEnvi,
	"gtmk": func(s *Server, b *strings.Builder) { fmt.Fprint(b, s.stats.traceMask) },
	"hash": (*Server).wordHash,
	"isro": (*Server).wordIsro,
	"mntr": (*Server).wordMntr,
	"ruok": func(_ *Server, b *strings.Builder) { b.WriteString("imok") },
	"srst": (*Server).wordSrst,
	"srvr": func(s *Server, b *strings.Builder) { s.wordSrvr(b, false) },
	"stmk": func(s *Server, b *strings.Builder) { fmt.Fprint(b, s.stats.traceMask) },
	"stat": func(s *Server, b *strings.Builder) { s.wordSrvr(b, true) },
	"wchc": (*Server).wordWchc,
	"wchp": (*Server).wordWchp,
	"wchs": (*Server).wordWchs,
}

var allWords = slices.Sorted(maps.Keys(words))

// word returns the answer to a four-letter word, the first four bytes of a connection. known is
// false if the bytes are not such a word (ZK-2.9, ZK-11).
func (s *Server) word(c *conn, word string) (answer string, known bool) {
	tell := words[word]
	if tell == nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received(c)
	c.stats.probe = true
	defer func() { s.stats.sent += int64(len(answer)+wordPacket-1) / wordPacket }()
	if !s.listed(word) {
		return word + " is not executed because it is not in the whitelist.\n", true
	}
	if s.faults.absence == Leaderless && !slices.Contains(alwaysTold, word) {
		return notServing + "\n", true
	}
	s.comeToNow()
	var b strings.Builder
	tell(s, &b)
	return b.String(), true
}

// comeToNow runs the server's due timers, so that a description of its state is up to date.
func (s *Server) comeToNow() {
	if s.faults.absence == Present && !s.member.follows() {
		s.machine.Tick(s.nowMs())
		s.deliver()
		s.endTurn()
	}
}

// wordPacket is how many bytes of the answer to a four-letter word count as one sent packet
// (NIOServerCnxn.java, SendBufferWriter).
const wordPacket = 8192

// listed reports whether the server answers a four-letter word. A server that may become read-only
// always answers isro, because clients learn its mode from that word (FourLetterCommands.java).
func (s *Server) listed(word string) bool {
	switch {
	case s.opt.Words == nil, word == "srvr", slices.Contains(s.opt.Words, word):
		return true
	}
	return word == "isro" && (s.readsOnly() || s.member != nil && s.member.ensemble.opt.ReadOnly)
}

// notServing is the answer of a server without a leader to all four-letter words but those in
// alwaysTold (ZK-24.8). It is also the error of most AdminServer commands on such a server.
const notServing = "This ZooKeeper instance is not currently serving requests"

var alwaysTold = []string{"ruok", "envi", "gtmk"}

// wordIsro prints "ro" in read-only mode, else "rw".
func (s *Server) wordIsro(b *strings.Builder) {
	if s.readsOnly() {
		b.WriteString("ro")
	} else {
		b.WriteString("rw")
	}
}

func (s *Server) readsOnly() bool { return s.faults.absence == ReadOnly || s.member.reads() }

// mode returns the server's mode as the word srvr prints it.
func (s *Server) mode() string {
	switch {
	case s.readsOnly():
		return "read-only"
	case s.member != nil:
		return s.member.mode()
	}
	return "standalone"
}

// wordSrvr answers the words srvr and stat with the server's state. The argument clients is true
// for stat: that answer also lists the connections (ZK-11.1, ZK-11.2).
func (s *Server) wordSrvr(b *strings.Builder, clients bool) {
	fmt.Fprintf(b, "Zookeeper version: %s\n", version(s.opt.Config.Profile))
	if s.readsOnly() {
		b.WriteString("READ-ONLY mode; serving only read-only clients\n")
	}
	if clients {
		b.WriteString("Clients:\n")
		for _, c := range s.connsByID() {
			fmt.Fprintf(b, "%s)\n", s.connBrief(c))
		}
		b.WriteString("\n")
	}
	l := &s.stats.latency
	fmt.Fprintf(b, "Latency min/avg/max: %d/%s/%d\n", l.min, javaDouble(l.average()), l.max)
	fmt.Fprintf(b, "Received: %d\nSent: %d\nConnections: %d\nOutstanding: %d\nZxid: %#x\nMode: %s\nNode count: %d\n",
		s.stats.received, s.stats.sent, len(s.conns), s.outstanding(), s.machine.Zxid(), s.mode(), s.nodeCount())
	if s.member.leads() {
		b.WriteString("Proposal sizes last/min/max: -1/-1/-1\n")
	}
}

// nodeCount returns the number of znodes. The root counts twice, because the real server keeps it
// under two names (DataTree.java:268).
func (s *Server) nodeCount() int { return len(s.machine.Nodes()) + 1 }

func (s *Server) outstanding() (n int) {
	for _, c := range s.conns {
		n += c.out.waiting()
	}
	return n
}

func (s *Server) connsByID() []*conn {
	list := make([]*conn, 0, len(s.conns))
	for _, id := range slices.Sorted(maps.Keys(s.conns)) {
		list = append(list, s.conns[id])
	}
	return list
}

// connBrief returns the beginning of a connection's line in the answers to stat and cons. The
// number in square brackets is 1 if the server still reads from the connection, else 0.
func (s *Server) connBrief(c *conn) string {
	reads := 1
	if c.stats.probe {
		reads = 0
	}
	return fmt.Sprintf(" /%s[%d](queued=%d,recved=%d,sent=%d", javaAddrPort(c.remote), reads, c.out.waiting()+c.stats.queued, c.stats.received, c.stats.sent)
}

func (s *Server) wordCons(b *strings.Builder) {
	for _, c := range s.connsByID() {
		b.WriteString(s.connBrief(c))
		if st := &c.stats; st.session != 0 {
			fmt.Fprintf(b, ",sid=%#x,lop=%s,est=%d,to=%d", st.session, cmp.Or(st.lastOp, "null"), c.sinceMs+s.opt.Config.EpochOffsetMs, st.timeoutMs)
			if st.lastXid >= 0 {
				fmt.Fprintf(b, ",lcxid=%#x", st.lastXid)
			}
			l := &st.latency
			fmt.Fprintf(b, ",lzxid=%#x,lresp=%d,llat=%d,minlat=%d,avglat=%d,maxlat=%d",
				uint64(st.lastZxid), s.lastResponse(c), l.last, l.min, int64(l.average()), l.max)
		}
		b.WriteString(")\n")
	}
	b.WriteString("\n")
}

func (s *Server) wordCrst(b *strings.Builder) {
	s.resetConns()
	b.WriteString("Connection stats reset.\n")
}

func (s *Server) resetConns() {
	for _, c := range s.conns {
		c.stats.reset()
	}
}

func (s *Server) wordSrst(b *strings.Builder) {
	s.resetStats()
	b.WriteString("Server stats reset.\n")
}

func (s *Server) resetStats() {
	s.stats = serverStats{rejected: s.stats.rejected, traceMask: s.stats.traceMask}
}

// sessionOf returns the id of a connection's session; 0 if it has none.
func (s *Server) sessionOf(id zookeeper.ConnID) uint64 {
	if c := s.conns[id]; c != nil {
		return uint64(c.stats.session)
	}
	return 0
}

// wordHash prints the digest of the tree after each 128th zxid (DigestCommand.java).
func (s *Server) wordHash(b *strings.Builder) {
	for _, d := range s.machine.Digests() {
		fmt.Fprintf(b, "%x: %d\n", d.Zxid, d.Value)
	}
}

func (s *Server) wordWchs(b *strings.Builder) {
	sessions, paths, total := s.countWatches()
	fmt.Fprintf(b, "%d connections watching %d paths\nTotal watches:%d\n", sessions, paths, total)
}

func (s *Server) countWatches() (sessions, paths, total int) {
	watched := s.machine.WatchedPaths()
	for _, w := range watched {
		total += len(w.Conns)
	}
	return len(s.machine.WatchingConns()), len(watched), total
}

// wordWchp prints the watched paths, each with the sessions that watch it. The paths have the order
// of the real server's hash table. The real server's order of the sessions cannot be predicted.
func (s *Server) wordWchp(b *strings.Builder) {
	for _, w := range s.machine.WatchedPaths() {
		b.WriteString(java.UTF8(w.Path) + "\n")
		for _, conn := range w.Conns {
			fmt.Fprintf(b, "\t%#x\n", s.sessionOf(conn))
		}
	}
	b.WriteString("\n")
}

// wordWchc prints the sessions with watches, each with its paths in the order of the real server's
// hash table. The real server's order of the sessions cannot be predicted. Here they are ordered by
// id.
func (s *Server) wordWchc(b *strings.Builder) {
	for _, w := range s.watchingSessions() {
		fmt.Fprintf(b, "%#x\n", s.sessionOf(w.Conn))
		for _, path := range w.Paths {
			b.WriteString("\t" + java.UTF8(path) + "\n")
		}
	}
	b.WriteString("\n")
}

func (s *Server) watchingSessions() []zookeeper.Watching {
	list := s.machine.WatchingConns()
	slices.SortStableFunc(list, func(a, b zookeeper.Watching) int { return cmp.Compare(s.sessionOf(a.Conn), s.sessionOf(b.Conn)) })
	return list
}
