package wire

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

const javaDate = "Mon Jan 02 15:04:05 MST 2006"

// date formats a time of the server's clock, given in ms, as a date in UTC.
func (s *Server) date(ms int64) string {
	return time.UnixMilli(ms + s.opt.Config.EpochOffsetMs).UTC().Format(javaDate)
}

// wordDump lists the sessions by expiry time, the ephemerals by session, and the connections by the
// time at which silent ones are closed.
func (s *Server) wordDump(b *strings.Builder) {
	b.WriteString("SessionTracker dump:\n")
	sessions := s.machine.Sessions()
	if s.member.follows() {
		s.writeGlobalSessions(b, sessions)
	} else {
		writeSets(s, b, "Session", s.sessionSets(sessions), func(id int64) string { return fmt.Sprintf("%#x", id) })
	}
	owned := owners(sessions)
	fmt.Fprintf(b, "ephemeral nodes dump:\nSessions with Ephemerals (%d):\n", len(owned))
	for _, info := range owned {
		fmt.Fprintf(b, "%#x:\n", info.ID)
		for _, path := range info.Ephemerals {
			fmt.Fprintf(b, "\t%s\n", path)
		}
	}
	b.WriteString("Connections dump:\n")
	conns := expirySets(s.connSets.Times(s.nowMs()), s.connsByID(), func(c *conn) int64 { return c.deadlineMs })
	writeSets(s, b, "Connections", conns, func(c *conn) string {
		return fmt.Sprintf("ip: /%s sessionId: %#x", javaAddrPort(c.remote), c.stats.session)
	})
}

// expirySet holds what expires at one time.
type expirySet[T any] struct {
	atMs    int64
	members []T
}

// expirySets puts members into the sets of their deadlines. times are the times of the sets.
func expirySets[T any](times []int64, members []T, deadlineMs func(T) int64) []expirySet[T] {
	sets := lists.Map(times, func(atMs int64) expirySet[T] { return expirySet[T]{atMs: atMs} })
	for _, member := range members {
		if i, ok := slices.BinarySearch(times, deadlineMs(member)); ok {
			sets[i].members = append(sets[i].members, member)
		}
	}
	return sets
}

// writeGlobalSessions prints what a follower knows of sessions. Only the leader knows when they
// expire (LearnerSessionTracker.java, dumpSessions).
func (s *Server) writeGlobalSessions(b *strings.Builder, sessions []zookeeper.SessionInfo) {
	timeoutMs := map[int64]int64{}
	if leader := s.member.ensemble.leaderMachine(); leader != nil {
		for _, info := range leader.Sessions() {
			timeoutMs[info.ID] = info.TimeoutMs
		}
	}
	fmt.Fprintf(b, "Global Sessions(%d):\n", len(sessions))
	for _, info := range sessions {
		fmt.Fprintf(b, "%#x\t%dms\n", info.ID, timeoutMs[info.ID])
	}
}

// sessionSets returns the ids of the sessions that expire at the same time. A follower has none.
func (s *Server) sessionSets(sessions []zookeeper.SessionInfo) []expirySet[int64] {
	if s.member.follows() {
		return nil
	}
	deadlineMs := make(map[int64]int64, len(sessions))
	for _, info := range sessions {
		deadlineMs[info.ID] = info.DeadlineMs
	}
	ids := lists.Map(sessions, func(info zookeeper.SessionInfo) int64 { return info.ID })
	return expirySets(s.machine.ExpirySets(), ids, func(id int64) int64 { return deadlineMs[id] })
}

// owners returns the sessions that have created an ephemeral, also one that is gone. They are in the
// order of the real server's table.
func owners(sessions []zookeeper.SessionInfo) []zookeeper.SessionInfo {
	list := slices.DeleteFunc(slices.Clone(sessions), func(info zookeeper.SessionInfo) bool { return info.Ephemerals == nil })
	return java.Copied(list, usualTable, func(info zookeeper.SessionInfo) uint32 { return java.SpreadLong(uint64(info.ID)) })
}

// writeSets prints sets as ExpiryQueue.java does.
func writeSets[T any](s *Server, b *strings.Builder, what string, sets []expirySet[T], text func(T) string) {
	count := 0
	for _, set := range sets {
		count += len(set.members)
	}
	fmt.Fprintf(b, "%s Sets (%d)/(%d):\n", what, len(sets), count)
	for _, set := range sets {
		fmt.Fprintf(b, "%d expire at %s:\n", len(set.members), s.date(set.atMs))
		for _, member := range set.members {
			fmt.Fprintf(b, "\t%s\n", text(member))
		}
	}
}

func (s *Server) wordEnvi(b *strings.Builder) {
	b.WriteString("Environment:\n")
	s.tellEnvironment("").print(b, "%s=%v\n")
}

func (s *Server) wordConf(b *strings.Builder) {
	value := map[string]any{}
	for _, f := range s.configuration() {
		value[f.Name] = f.Value
	}
	snapshots, logs := s.diskSizes()
	fmt.Fprintf(b, "clientPort=%d\nsecureClientPort=-1\ndataDir=%s\ndataDirSize=%d\ndataLogDir=%s\ndataLogSize=%d\n",
		value["client_port"], s.opt.DataDir, snapshots, s.opt.DataDir, logs)
	fmt.Fprintf(b, "tickTime=%d\nmaxClientCnxns=%d\nminSessionTimeout=%d\nmaxSessionTimeout=%d\nclientPortListenBacklog=-1\nserverId=%d\n",
		value["tick_time"], value["max_client_cnxns"], value["min_session_timeout"], value["max_session_timeout"], value["server_id"])
	s.member.conf(b)
}

// configuration returns the settings that the word conf prints, under their names in the AdminServer.
func (s *Server) configuration() Fields {
	cfg := &s.opt.Config
	tickMs := s.tickMs()
	return Fields{
		{"client_port", port(s.Addr())}, {"data_dir", s.opt.DataDir}, {"data_log_dir", s.opt.DataDir}, {"tick_time", tickMs},
		{"max_client_cnxns", max(s.limits.ConnsPerAddr, 0)}, {"min_session_timeout", cmp.Or(cfg.MinSessionTimeoutMs, 2*tickMs)},
		{"max_session_timeout", cmp.Or(cfg.MaxSessionTimeoutMs, 20*tickMs)}, {"server_id", s.member.serverID()},
		{"client_port_listen_backlog", -1},
	}
}

func (s *Server) wordDirs(b *strings.Builder) { s.tellDirs("").print(b, "%s: %d\n") }

func (s *Server) diskSizes() (snapshots, logs int64) {
	if s.commit == nil {
		return 0, 0
	}
	return s.commit.store.sizes()
}

// wordMntr prints the metrics of the server. It has only some of the real server's five hundred, in
// the same order.
func (s *Server) wordMntr(b *strings.Builder) { s.monitor().print(b, "zk_%s\t%v\n") }

// monitor returns the values that the four-letter word mntr prints. The AdminServer's command
// monitor returns the same values.
func (s *Server) monitor() (fields Fields) {
	ephemerals, dataSize := 0, 0
	nodes := s.machine.Nodes()
	for i := range nodes {
		dataSize += java.Length(nodes[i].Path) + len(nodes[i].Data)
		if nodes[i].Stat.EphemeralOwner != 0 {
			ephemerals++
		}
	}
	l := &s.stats.latency
	values := map[string]any{}
	value := func(name string, v any) { values[name] = v }
	value("version", version(s.opt.Config.Profile))
	value("server_state", s.mode())
	value("ephemerals_count", ephemerals)
	value("num_alive_connections", len(s.conns))
	value("avg_latency", Decimal(javaDouble(l.average())))
	value("outstanding_requests", s.outstanding())
	value("znode_count", s.nodeCount())
	value("global_sessions", len(s.machine.Sessions()))
	value("packets_sent", s.stats.sent)
	value("packets_received", s.stats.received)
	data, child := s.machine.WatchCounts()
	value("watch_count", data+child)
	value("min_latency", l.min)
	open, most := fileDescriptors()
	value("max_file_descriptor_count", most)
	value("approximate_data_size", dataSize)
	value("open_file_descriptor_count", open)
	value("local_sessions", 0)
	value("uptime", s.clock.NowMs()-s.beganMs)
	value("max_latency", l.max)
	value("connection_rejected", s.stats.rejected)
	s.member.mntr(value)
	for _, name := range monitored {
		if v, ok := values[name]; ok {
			fields = append(fields, Field{name, v})
		}
	}
	return fields
}

// monitored lists the names of the values that monitor returns, in the order of a real server. Some
// of them exist only on servers of an ensemble.
var monitored = strings.Fields(`version server_state peer_state observer_master_id ephemerals_count num_alive_connections
	avg_latency min_proposal_size outstanding_requests znode_count global_sessions packets_sent packets_received
	max_proposal_size synced_followers watch_count synced_non_voting_followers synced_observers min_latency
	max_file_descriptor_count approximate_data_size open_file_descriptor_count last_proposal_size pending_syncs
	leader_uptime local_sessions uptime max_latency learners quorum_size connection_rejected`)
