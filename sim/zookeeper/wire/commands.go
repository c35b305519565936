package wire

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/java"
	"github.com/monosim/monosim/sim/zookeeper/members"
)

// Field is a name with a value in the answer to a command of the AdminServer. A value is a number,
// a string, a bool, nil, [Decimal], [Fields], or a []any of these.
type Field struct {
	Name  string
	Value any
}

// Fields is a list of fields in the order of a real server.
type Fields []Field

// print writes the name and value of each field with the given format.
func (l Fields) print(b *strings.Builder, format string) {
	for _, f := range l {
		fmt.Fprintf(b, format, f.Name, f.Value)
	}
}

// Decimal is a number formatted as Java formats a double.
type Decimal string

// command is a command of the AdminServer. tell returns the answer.
type command struct {
	word string // word is its name among the four-letter words, "" for none
	tell func(s *Server, argument string) Fields
	// always says that the command is answered even while the server serves no requests.
	always bool
}

// commands holds the AdminServer's commands of a 3.8 server (ZK-11.4, Commands.java). A command can
// also be called by its four-letter word.
var commands = map[string]command{
	"configuration":                  {word: "conf", tell: func(s *Server, _ string) Fields { return s.configuration() }},
	"connection_stat_reset":          {word: "crst", tell: func(s *Server, _ string) Fields { s.resetConns(); return nil }},
	"connections":                    {word: "cons", tell: func(s *Server, _ string) Fields { return s.connections(false) }},
	"dirs":                           {word: "dirs", tell: (*Server).tellDirs},
	"dump":                           {word: "dump", tell: (*Server).tellDump},
	"environment":                    {word: "envi", tell: (*Server).tellEnvironment, always: true},
	"get_trace_mask":                 {word: "gtmk", tell: (*Server).tellTraceMask, always: true},
	"hash":                           {word: "hash", tell: (*Server).tellDigests},
	"initial_configuration":          {word: "icfg", tell: func(*Server, string) Fields { return Fields{{"initial_configuration", nil}} }},
	"is_read_only":                   {word: "isro", tell: func(s *Server, _ string) Fields { return Fields{{"read_only", s.readsOnly()}} }},
	"last_snapshot":                  {word: "lsnp", tell: func(*Server, string) Fields { return noSnapshot }},
	"leader":                         {word: "lead", tell: (*Server).tellLeader},
	"monitor":                        {word: "mntr", tell: func(s *Server, _ string) Fields { return s.monitor() }},
	"observer_connection_stat_reset": {tell: func(*Server, string) Fields { return nil }},
	"observers":                      {word: "obsr", tell: (*Server).tellObservers},
	"ruok":                           {word: "ruok", tell: func(*Server, string) Fields { return nil }},
	"server_stats":                   {word: "srvr", tell: (*Server).tellStats},
	"set_trace_mask":                 {word: "stmk", tell: (*Server).setTraceMask, always: true},
	"stat_reset":                     {word: "srst", tell: func(s *Server, _ string) Fields { s.resetStats(); return nil }},
	"stats":                          {word: "stat", tell: func(s *Server, a string) Fields { return append(s.tellStats(a), s.connections(true)...) }},
	"system_properties":              {word: "sysp", tell: func(*Server, string) Fields { return Fields{{"os.arch", runtime.GOARCH}, {"os.name", runtime.GOOS}} }, always: true},
	"voting_view":                    {tell: (*Server).tellVotingView},
	"watch_summary":                  {word: "wchs", tell: (*Server).tellWatchSummary},
	"watches":                        {word: "wchc", tell: (*Server).tellWatches},
	"watches_by_path":                {word: "wchp", tell: (*Server).tellWatchesByPath},
	"zabstate":                       {tell: (*Server).tellZabState, always: true},
}

// ofWords maps four-letter words to the names of their commands.
var ofWords = func() map[string]string {
	names := map[string]string{}
	for name, c := range commands { //lint:ordered words are distinct
		names[c.word] = name
	}
	delete(names, "") // remove the entry made by commands that have no word
	return names
}()

// noSnapshot is a real server's answer before its first snapshot. It is always given here, because
// the snapshots in a data directory here are numbered by log, not by zxid.
var noSnapshot = Fields{{"zxid", "ffffffffffffffff"}, {"timestamp", -1}}

// CommandNames lists the AdminServer's commands in a version of ZooKeeper, sorted.
func CommandNames(p zookeeper.Profile) []string {
	var names []string
	for name := range commands { //lint:ordered sorted below
		names = append(names, name)
	}
	if p == zookeeper.V39 {
		names = append(names, "restore", "snapshot")
	}
	slices.Sort(names)
	return names
}

// Profile returns the ZooKeeper version that the server follows.
func (s *Server) Profile() zookeeper.Profile { return s.opt.Config.Profile }

// Command answers a command of the AdminServer, given by its name or its four-letter word. argument
// is the traceMask of set_trace_mask. The last fields of the answer are the command's name and its
// error, which is null or a string. ok is false for a stopped server, whose process would be gone.
func (s *Server) Command(name, argument string) (answer Fields, ok bool) {
	name = cmp.Or(ofWords[name], name)
	c, known := commands[name]
	if !known {
		return Fields{{"command", name}, {"error", "Unknown command: " + name}}, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.member != nil && s.member.role == stopped {
		return nil, false
	}
	if s.faults.absence == Leaderless && !c.always {
		return Fields{{"command", name}, {"error", notServing}}, true
	}
	s.comeToNow()
	answer = c.tell(s, argument)
	if len(answer) > 0 && answer[0].Name == "error" {
		return append(answer, Field{"command", name}), true
	}
	return append(answer, Field{"command", name}, Field{"error", nil}), true
}

func (s *Server) connections(brief bool) Fields {
	list := []any{}
	for _, c := range s.connsByID() {
		st := &c.stats
		one := Fields{
			{"remote_socket_address", javaAddrPort(c.remote)}, {"interest_ops", 1}, {"outstanding_requests", c.out.waiting() + st.queued},
			{"packets_received", st.received}, {"packets_sent", st.sent},
		}
		if l := &st.latency; !brief {
			one = append(one, Fields{
				{"session_id", st.session}, {"last_operation", orNull(st.lastOp)}, {"established", c.sinceMs + s.opt.Config.EpochOffsetMs},
				{"session_timeout", st.timeoutMs}, {"last_cxid", st.lastXid}, {"last_zxid", st.lastZxid},
				{"last_response_time", s.lastResponse(c)}, {"last_latency", l.last}, {"min_latency", l.min},
				{"avg_latency", int64(l.average())}, {"max_latency", l.max},
			}...)
		}
		list = append(list, one)
	}
	return Fields{{"connections", list}, {"secure_connections", []any{}}}
}

func (s *Server) tellDirs(string) Fields {
	snapshots, logs := s.diskSizes()
	return Fields{{"datadir_size", snapshots}, {"logdir_size", logs}}
}

// tellDump lists the sessions by the time at which they expire, and the ephemerals by session. A
// time may have no sessions (see package expiring). Sessions and paths are in the order of
// copies that the real server makes of its tables (SessionTrackerImpl.java getSessionExpiryMap,
// DataTree.java getEphemerals).
func (s *Server) tellDump(string) Fields {
	sessions := s.machine.Sessions()
	expiry, owned := Fields{}, Fields{}
	for _, set := range s.sessionSets(sessions) {
		ids := java.Copied(set.members, usualTable, func(id int64) uint32 { return java.SpreadLong(uint64(id)) })
		expiry = append(expiry, Field{strconv.FormatInt(set.atMs, 10), lists.Map(ids, func(id int64) any { return id })})
	}
	for _, info := range owners(sessions) {
		paths := java.Copied(info.Ephemerals, max(usualTable, java.CloneBuckets(len(info.Ephemerals))), java.Spread)
		owned = append(owned, Field{strconv.FormatInt(info.ID, 10), texts(paths)})
	}
	return Fields{{"expiry_time_to_session_ids", expiry}, {"session_id_to_ephemeral_paths", owned}}
}

// orNull returns a text as a field's value, "" as null.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// texts converts strings to field values.
func texts(list []string) []any {
	values := make([]any, len(list))
	for i, text := range list {
		values[i] = java.UTF8(text)
	}
	return values
}

// tellEnvironment returns the server's version and environment (ZK-11.3). kazoo derives the
// server's features from the version. Values that only a Java program has are "none" or left out.
func (s *Server) tellEnvironment(string) Fields {
	host, err := os.Hostname()
	if err != nil {
		host = "<NA>"
	}
	return Fields{
		{"zookeeper.version", version(s.opt.Config.Profile)}, {"host.name", host}, {"java.version", "none"},
		{"os.name", runtime.GOOS}, {"os.arch", runtime.GOARCH},
	}
}

func (s *Server) tellTraceMask(string) Fields { return Fields{{"tracemask", s.stats.traceMask}} }

func (s *Server) setTraceMask(argument string) Fields {
	const want = "setTraceMask requires long traceMask argument"
	mask, err := strconv.ParseInt(argument, 10, 64)
	switch {
	case argument == "":
		return Fields{{"error", want}}
	case err != nil:
		return Fields{{"error", want + ", got " + argument}}
	}
	s.stats.traceMask = mask
	return s.tellTraceMask("")
}

func (s *Server) tellLeader(string) Fields {
	m := s.member
	if m == nil {
		return Fields{{"error", "server is not initialized"}}
	}
	for _, o := range m.ensemble.members {
		if o.role == leading {
			return Fields{{"is_leader", o == m}, {"leader_id", o.id}, {"leader_ip", o.self().Host}}
		}
	}
	return Fields{{"error", "server is not initialized"}} // the server serves readers, and knows no leader
}

// tellObservers lists the observers of a leader, without the statistics that a real server has.
func (s *Server) tellObservers(string) Fields {
	list := []any{}
	if s.member.leads() {
		for _, o := range s.member.ensemble.members {
			if o.role == following && o.self().Observer {
				list = append(list, Fields{{"sid", o.id}})
			}
		}
	}
	return Fields{{"synced_observers", len(list)}, {"observers", list}}
}

// tellStats returns the data that srvr prints. Sizes of responses are not measured and always -1,
// as on a real server before its first response.
func (s *Server) tellStats(string) Fields {
	snapshots, logs := s.diskSizes()
	l := &s.stats.latency
	sizes := Fields{{"last_buffer_size", -1}, {"min_buffer_size", -1}, {"max_buffer_size", -1}}
	stats := Fields{
		{"packets_sent", s.stats.sent}, {"packets_received", s.stats.received}, {"fsync_threshold_exceed_count", 0},
		{"client_response_stats", sizes}, {"uptime", s.clock.NowMs() - s.beganMs}, {"data_dir_size", snapshots}, {"log_dir_size", logs},
		{"provider_null", false}, {"server_state", s.mode()}, {"last_processed_zxid", s.machine.Zxid()},
		{"outstanding_requests", s.outstanding()}, {"avg_latency", Decimal(javaDouble(l.average()))}, {"max_latency", l.max},
		{"min_latency", l.min}, {"num_alive_client_connections", len(s.conns)}, {"auth_failed_count", 0},
		{"non_mtlsremote_conn_count", 0}, {"non_mtlslocal_conn_count", 0},
	}
	fields := Fields{{"version", version(s.opt.Config.Profile)}, {"read_only", s.readsOnly()}, {"server_stats", stats}, {"client_response", sizes}}
	if s.member.leads() {
		fields = append(fields, Field{"proposal_stats", sizes})
	}
	return append(fields, Field{"node_count", s.nodeCount()})
}

func (s *Server) tellVotingView(string) Fields {
	view := Fields{}
	if s.member != nil {
		for _, one := range s.member.ensemble.quorum.Members.Servers() {
			if one.Observer {
				continue
			}
			view = append(view, Field{strconv.FormatInt(one.ID, 10), Fields{
				{"server_addresses", []any{hostPort(one, one.PeerPort)}}, {"election_addresses", []any{hostPort(one, one.ElectionPort)}},
				{"client_address", one.Client}, {"learner_type", "participant"},
			}})
		}
	}
	return Fields{{"current_config", view}}
}

func hostPort(one members.Server, port int) string {
	return net.JoinHostPort(one.Host, strconv.Itoa(port))
}

func (s *Server) tellWatchSummary(string) Fields {
	sessions, paths, total := s.countWatches()
	return Fields{{"num_connections", sessions}, {"num_paths", paths}, {"num_total_watches", total}}
}

// tellWatches returns the watched paths by session id. Sessions and paths are in the order of copies
// that the real server makes of its tables (WatchManager.java getWatches, WatchesReport.java).
func (s *Server) tellWatches(string) Fields {
	list := Fields{}
	for _, w := range java.Copied(s.watchingSessions(), usualTable, func(w zookeeper.Watching) uint32 { return java.SpreadLong(s.sessionOf(w.Conn)) }) {
		paths := java.Copied(w.Paths, max(usualTable, java.CloneBuckets(len(w.Paths))), java.Spread)
		list = append(list, Field{strconv.FormatInt(int64(s.sessionOf(w.Conn)), 10), texts(paths)})
	}
	return Fields{{"session_id_to_watched_paths", list}}
}

// usualTable is the number of buckets of the smallest Java hash table that a copy is put into.
const usualTable = 16

// tellWatchesByPath returns the ids of the watching sessions by path, in the order of the real
// server's copies (WatchManager.java getWatchesByPath, WatchesPathReport.java).
func (s *Server) tellWatchesByPath(string) Fields {
	list := Fields{}
	for _, w := range java.Copied(s.machine.WatchedPaths(), usualTable, func(w zookeeper.Watched) uint32 { return java.Spread(w.Path) }) {
		ids := lists.Map(w.Conns, s.sessionOf)
		slices.Sort(ids)
		ids = java.Copied(ids, max(usualTable, java.CloneBuckets(len(ids))), java.SpreadLong)
		list = append(list, Field{java.UTF8(w.Path), lists.Map(ids, func(id uint64) any { return int64(id) })})
	}
	return Fields{{"path_to_session_ids", list}}
}

// tellDigests returns the digests of the tree, one after each 128th zxid. A real server calculates
// them with its digest version 2.
func (s *Server) tellDigests(string) Fields {
	list := lists.Map(s.machine.Digests(), func(d zookeeper.Digest) any {
		return Fields{{"zxid", d.Zxid}, {"digest", d.Value}, {"digest_version", 2}}
	})
	return Fields{{"digests", list}}
}

// tellZabState returns the server's role in the broadcast protocol of its ensemble (Zab).
func (s *Server) tellZabState(string) Fields {
	m := s.member
	if m == nil || m.role != leading && m.role != following {
		return Fields{{"voting", false}, {"zabstate", ""}}
	}
	self, zxid := m.self(), uint64(s.machine.Zxid())
	return Fields{
		{"myid", m.id}, {"is_leader", m.role == leading}, {"quorum_address", addresses(self, self.PeerPort)},
		{"election_address", addresses(self, self.ElectionPort)}, {"client_address", s.Addr()}, {"voting", !self.Observer},
		{"last_zxid", fmt.Sprintf("%#x", zxid)}, {"zab_epoch", zxid >> 32}, {"zab_counter", zxid & 0xffffffff}, {"zabstate", "broadcast"},
	}
}

// addresses describes a port for connections between servers. The port has a single address here.
func addresses(one members.Server, port int) Fields {
	at := hostPort(one, port)
	return Fields{
		{"empty", false}, {"all_addresses", []any{at}}, {"all_reachable_addresses", []any{at}}, {"one", at}, {"reachable_address", at},
		{"wildcard_addresses", []any{net.JoinHostPort("0.0.0.0", strconv.Itoa(port))}}, {"all_ports", []any{port}},
		{"all_host_strings", []any{one.Host}}, {"all_reachable_addresses_or_all", []any{at}}, {"reachable_or_one", at},
	}
}
