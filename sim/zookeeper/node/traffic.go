package node

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/lists"
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
	// asking are those of the request that is handled, which its answer belongs to.
	asking flows
	known  map[classKey]*classFlows
}

// flows are the counts that a request and its answer belong to, or the events of a
// connection, which have no class; of is nil for none.
type flows struct {
	of    *traffic
	class *classFlows
	host  *cluster.Flow // nil for the operator
}

// classFlows are the counts of an operation on a class of paths.
type classFlows struct{ op, path *cluster.Flow }

type classKey struct {
	op    zookeeper.OpCode
	class string
}

// add adds to each of the counts.
func (f flows) add(more cluster.Flow) {
	switch {
	case f.of == nil:
		return
	case f.host == nil:
		increase(&f.of.operated, &more)
		return
	}
	increase(&f.of.asked, &more)
	increase(f.host, &more)
	if c := f.class; c != nil {
		increase(c.op, &more)
		increase(c.path, &more)
	}
}

func increase(f, by *cluster.Flow) {
	f.Requests += by.Requests
	f.Events += by.Events
	f.BytesIn += by.BytesIn
	f.BytesOut += by.BytesOut
}

// CountTraffic has the server count what is asked of it from now on; what the host
// operator asks for is counted apart. The run stays the same.
func (s *Server) CountTraffic(operator string) {
	s.traffic = &traffic{
		operator: operator,
		byOp:     map[zookeeper.OpCode]*cluster.Flow{},
		byPath:   map[string]*cluster.Flow{}, byHost: map[string]*cluster.Flow{},
		known: map[classKey]*classFlows{},
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

// flowsOf are the counts of a request.
func (t *traffic) flowsOf(host string, op zookeeper.OpCode, path string) flows {
	f := t.eventsOf(host)
	if f.host == nil {
		return f
	}
	key := classKey{op, pathClass(path)}
	if f.class = t.known[key]; f.class == nil {
		key.class = strings.Clone(key.class) // the path is not kept for it
		f.class = &classFlows{op: flowOf(t.byOp, op), path: flowOf(t.byPath, key.class)}
		t.known[key] = f.class
	}
	return f
}

// eventsOf are the counts of the events of a connection.
func (t *traffic) eventsOf(host string) flows {
	if host == t.operator {
		return flows{of: t}
	}
	return flows{of: t, host: flowOf(t.byHost, host)}
}

// request is told of a request before it is handled.
func (t *traffic) request(now time.Duration, f flows, r *zookeeper.Request) {
	t.asking = f
	t.leapt(t.asking, now, 1, 4+frameBytes(r), 0)
}

// leapt is told of requests of one second that were made without events, with their
// answers, whatever request is handled now.
func (t *traffic) leapt(f flows, at time.Duration, requests, bytesIn, bytesOut int) {
	if f.host != nil {
		t.inSecond(at, uint64(requests))
	}
	f.add(cluster.Flow{Requests: uint64(requests), BytesIn: uint64(bytesIn), BytesOut: uint64(bytesOut)})
}

// inSecond counts the requests of each second.
func (t *traffic) inSecond(now time.Duration, requests uint64) {
	second := int(now / time.Second)
	if n := second + 1 - len(t.requests); n > 0 {
		t.requests = append(t.requests, make([]uint64, n)...)
	}
	t.requests[second] += requests
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
	t.asking.add(cluster.Flow{BytesOut: uint64(4 + bytes)})
}

// followed is told of the answer of a follower, or by way of one, which may be late.
func (t *traffic) followed(host string, op zookeeper.OpCode, path string, bytes int) {
	t.flowsOf(host, op, path).add(cluster.Flow{BytesOut: uint64(4 + bytes)})
}

// event is told of a notification.
func (t *traffic) event(of flows, bytes int) {
	of.add(cluster.Flow{Events: 1, BytesOut: uint64(4 + bytes)})
}

// ownFlows are the counts of the last request of a connection, which nearly always are
// those of the next.
type ownFlows struct {
	flows flows
	host  string
	op    zookeeper.OpCode
	class string // with a slash behind it, of paths of two parts before that; else empty
}

// of are the counts of a request.
func (o *ownFlows) of(t *traffic, host string, r *zookeeper.Request) flows {
	if o.flows.of == t && o.op == r.Op && o.class != "" && strings.HasPrefix(r.Path, o.class) && o.host == host {
		return o.flows
	}
	o.flows, o.host, o.op, o.class = t.flowsOf(host, r.Op, r.Path), host, r.Op, ""
	if class := pathClass(r.Path); len(class) < len(r.Path) {
		o.class = r.Path[:len(class)+1]
	}
	return o.flows
}

// events are the counts of the connection's events.
func (o *ownFlows) events(t *traffic, host string) flows {
	if o.flows.of == t && o.host == host {
		return flows{of: t, host: o.flows.host}
	}
	return t.eventsOf(host)
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
	return lists.ToMap(slices.Sorted(maps.Keys(of)), func(key string) (string, cluster.Flow) { return key, *of[key] })
}
