package node

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/zookeeper"
)

// traffic counts what clients ask of a server. Pings are not counted: they are no events
// where nothing else happens (see fastForward), and Counters has their number.
type traffic struct {
	operator        string // the host whose requests are counted apart
	asked, operated cluster.Flow
	byOp            map[zookeeper.OpCode]*cluster.Flow
	byPath, byHost  map[string]*cluster.Flow
	requests        []uint64 // in each second of the clock; they are told in any order
	// asking are the counts of the request that is handled, which its answer belongs to.
	asking []*cluster.Flow
	aside  []*cluster.Flow // in its place for a request of leapt
}

// CountTraffic has the server count what is asked of it from now on; what the host
// operator asks for is counted apart. The run stays the same.
func (s *Server) CountTraffic(operator string) {
	s.traffic = &traffic{
		operator: operator,
		byOp:     map[zookeeper.OpCode]*cluster.Flow{},
		byPath:   map[string]*cluster.Flow{}, byHost: map[string]*cluster.Flow{},
	}
}

// flowOf finds the counts of a key, and makes them.
func flowOf[K comparable](of map[K]*cluster.Flow, key K) *cluster.Flow {
	f := of[key]
	if f == nil {
		f = &cluster.Flow{}
		of[key] = f
	}
	return f
}

// request is told of a request before it is handled.
func (t *traffic) request(now time.Duration, host string, r *zookeeper.Request) {
	t.asking = t.asking[:0]
	if host == t.operator {
		t.asking = append(t.asking, &t.operated)
	} else {
		t.asking = append(t.asking, &t.asked, flowOf(t.byOp, r.Op), flowOf(t.byPath, pathClass(r.Path)), flowOf(t.byHost, host))
		t.inSecond(now)
	}
	bytes := uint64(4 + frameBytes(r))
	for _, f := range t.asking {
		f.Requests++
		f.BytesIn += bytes
	}
}

// inSecond counts the requests of each second.
func (t *traffic) inSecond(now time.Duration) {
	second := int(now / time.Second)
	if n := second + 1 - len(t.requests); n > 0 {
		t.requests = append(t.requests, make([]uint64, n)...)
	}
	t.requests[second]++
}

// peak is the most requests of a second, and the first such.
func (t *traffic) peak() (requests uint64, at time.Duration) {
	for second, n := range t.requests {
		if n > requests {
			requests, at = n, time.Duration(second)*time.Second
		}
	}
	return requests, at
}

// reply is told of the answer to the request that is handled.
func (t *traffic) reply(bytes int) {
	for _, f := range t.asking {
		f.BytesOut += uint64(4 + bytes)
	}
}

// leapt is told of a request that was made without events, with its answer, whatever
// request is handled now.
func (t *traffic) leapt(at time.Duration, host string, r *zookeeper.Request, bytes int) {
	asking := t.asking
	t.asking = t.aside
	t.request(at, host, r)
	t.reply(bytes)
	t.aside, t.asking = t.asking, asking
}

// event is told of a notification to a host.
func (t *traffic) event(host string, bytes int) {
	to := []*cluster.Flow{&t.operated}
	if host != t.operator {
		to = []*cluster.Flow{&t.asked, flowOf(t.byHost, host)}
	}
	for _, f := range to {
		f.Events++
		f.BytesOut += uint64(4 + bytes)
	}
}

// pathClass is the first two parts of a path: "/gip/binding" of "/gip/binding/ctr/x".
func pathClass(path string) string {
	first := strings.IndexByte(strings.TrimPrefix(path, "/"), '/')
	if first < 0 {
		return path
	}
	second := strings.IndexByte(path[first+2:], '/')
	if second < 0 {
		return path
	}
	return path[:first+2+second]
}

// Load is what the server holds, and what was asked of it since CountTraffic.
func (s *Server) Load() cluster.ZooKeeperLoad {
	l := cluster.ZooKeeperLoad{Up: s.proc != nil && !s.leaderless, Connections: len(s.conns)}
	if machine := s.Machine(); machine != nil && l.Up {
		l.Sessions, l.Znodes, l.ZnodeBytes = machine.SessionCount(), machine.ZnodeCount(), machine.ZnodeBytes()
		l.DataWatches, l.ChildWatches = machine.WatchCounts()
	}
	t := s.traffic
	if t == nil {
		return l
	}
	l.Asked, l.Operator = t.asked, t.operated
	l.PeakRequests, l.PeakAt = t.peak()
	l.ByOp = map[string]cluster.Flow{}
	for _, op := range slices.Sorted(maps.Keys(t.byOp)) {
		l.ByOp[op.String()] = *t.byOp[op]
	}
	l.ByPath, l.ByPod = copied(t.byPath), copied(t.byHost)
	return l
}

func copied(of map[string]*cluster.Flow) map[string]cluster.Flow {
	flows := make(map[string]cluster.Flow, len(of))
	for _, key := range slices.Sorted(maps.Keys(of)) {
		flows[key] = *of[key]
	}
	return flows
}
