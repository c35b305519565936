package wire

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

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
	sessions := s.machine.Sessions()
	byDeadline := map[int64][]string{}
	owners := 0
	for _, info := range sessions {
		byDeadline[info.DeadlineMs] = append(byDeadline[info.DeadlineMs], fmt.Sprintf("%#x", info.ID))
		if len(info.Ephemerals) > 0 {
			owners++
		}
	}
	b.WriteString("SessionTracker dump:\n")
	s.writeSets(b, "Session", len(sessions), byDeadline)
	fmt.Fprintf(b, "ephemeral nodes dump:\nSessions with Ephemerals (%d):\n", owners)
	for _, info := range sessions {
		if len(info.Ephemerals) > 0 {
			fmt.Fprintf(b, "%#x:\n\t%s\n", info.ID, strings.Join(info.Ephemerals, "\n\t"))
		}
	}
	b.WriteString("Connections dump:\n")
	s.writeSets(b, "Connections", len(s.conns), s.connsByDeadline(sessions))
}

// connsByDeadline groups the connections by the time at which they are closed if the client stays
// silent. The times are multiples of FirstFrame (NIOServerCnxnFactory.java:628).
func (s *Server) connsByDeadline(sessions []zookeeper.SessionInfo) map[int64][]string {
	gridMs := s.limits.FirstFrame.Milliseconds()
	deadlineOf := map[zookeeper.ConnID]int64{}
	for _, info := range sessions {
		if info.Attached {
			deadlineOf[info.Conn] = info.DeadlineMs - 1
		}
	}
	sets := map[int64][]string{}
	for _, c := range s.connsByID() {
		atMs, ok := deadlineOf[c.id]
		if !ok {
			atMs = c.sinceMs + gridMs
		}
		atMs = (atMs/gridMs + 1) * gridMs
		sets[atMs] = append(sets[atMs], fmt.Sprintf("ip: /%s sessionId: %#x", javaAddrPort(c.remote), c.stats.session))
	}
	return sets
}

func (s *Server) writeSets(b *strings.Builder, what string, count int, sets map[int64][]string) {
	fmt.Fprintf(b, "%s Sets (%d)/(%d):\n", what, len(sets), count)
	for _, atMs := range slices.Sorted(maps.Keys(sets)) {
		fmt.Fprintf(b, "%d expire at %s:\n\t%s\n", len(sets[atMs]), s.date(atMs), strings.Join(sets[atMs], "\n\t"))
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
