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

// traffic counts the requests of clients to a server. Pings are not among them, because on an idle
// connection they have no events (fastForward). Their number is in Counters.
type traffic struct {
	operator        string // name of the host whose requests are counted separately
	asked, operated cluster.Flow
	byOp            map[zookeeper.OpCode]*cluster.Flow
	byPath, byHost  map[string]*cluster.Flow
	requests        []uint64 // number of requests in each second; they may be counted in any order of their times
	// asking holds the counters for the present request, to which its answer is added, too.
	asking flows
	known  map[classKey]*classFlows
}

// flows holds the counters to which a request and its answer are added. For the watch events of a
// connection, class is nil. If of is nil, nothing is counted.
type flows struct {
	of    *traffic
	class *classFlows
	host  *cluster.Flow // counter of the host; nil for the operator
}

// classFlows holds the counters for an operation and for a class of paths.
type classFlows struct{ op, path *cluster.Flow }

type classKey struct {
	op    zookeeper.OpCode
	class string
}

// add adds the traffic in more to each of the counters.
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

// CountTraffic makes the server count requests from now on. Requests of the host operator are
// counted separately. Counting does not affect the run.
func (s *Server) CountTraffic(operator string) {
	s.traffic = &traffic{
		operator: operator,
		byOp:     map[zookeeper.OpCode]*cluster.Flow{},
		byPath:   map[string]*cluster.Flow{}, byHost: map[string]*cluster.Flow{},
		known: map[classKey]*classFlows{},
	}
}

// flowOf returns the counter of a key, and creates it if needed.
func flowOf[K comparable](of map[K]*cluster.Flow, key K) *cluster.Flow {
	f := of[key]
	if f == nil {
		f = &cluster.Flow{}
		of[key] = f
	}
	return f
}

// flowsOf returns the counters for a request.
func (t *traffic) flowsOf(host string, op zookeeper.OpCode, path string) flows {
	f := t.eventsOf(host)
	if f.host == nil {
		return f
	}
	key := classKey{op, pathClass(path)}
	if f.class = t.known[key]; f.class == nil {
		key.class = strings.Clone(key.class) // a clone, so that the key does not keep the whole path in memory
		f.class = &classFlows{op: flowOf(t.byOp, op), path: flowOf(t.byPath, key.class)}
		t.known[key] = f.class
	}
	return f
}

// eventsOf returns the counters for the events sent to a host.
func (t *traffic) eventsOf(host string) flows {
	if host == t.operator {
		return flows{of: t}
	}
	return flows{of: t, host: flowOf(t.byHost, host)}
}

// request counts a request before it is handled.
func (t *traffic) request(now time.Duration, f flows, r *zookeeper.Request) {
	t.asking = f
	t.leapt(t.asking, now, 1, 4+frameBytes(r), 0)
}

// leapt counts requests without events that were made in one second, with their answers. The
// present request does not matter.
func (t *traffic) leapt(f flows, at time.Duration, requests, bytesIn, bytesOut int) {
	if f.host != nil {
		t.inSecond(at, uint64(requests))
	}
	f.add(cluster.Flow{Requests: uint64(requests), BytesIn: uint64(bytesIn), BytesOut: uint64(bytesOut)})
}

// inSecond adds the number requests to the count of the second in which the virtual time now lies.
func (t *traffic) inSecond(now time.Duration, requests uint64) {
	second := int(now / time.Second)
	if n := second + 1 - len(t.requests); n > 0 {
		t.requests = append(t.requests, make([]uint64, n)...)
	}
	t.requests[second] += requests
}

// peak returns the largest number of requests in a second, and the first second with that number.
func (t *traffic) peak() (requests uint64, at time.Duration) {
	for second, n := range t.requests {
		if n > requests {
			requests, at = n, time.Duration(second)*time.Second
		}
	}
	return requests, at
}

// reply counts the answer to the present request.
func (t *traffic) reply(bytes int) {
	t.asking.add(cluster.Flow{BytesOut: uint64(4 + bytes)})
}

// followed counts an answer that a follower sends. It may be for an earlier request.
func (t *traffic) followed(host string, op zookeeper.OpCode, path string, bytes int) {
	t.flowsOf(host, op, path).add(cluster.Flow{BytesOut: uint64(4 + bytes)})
}

// event counts a watch notification.
func (t *traffic) event(of flows, bytes int) {
	of.add(cluster.Flow{Events: 1, BytesOut: uint64(4 + bytes)})
}

// ownFlows caches the counters for the last request of a connection. The next request nearly always
// has the same counters.
type ownFlows struct {
	flows flows
	host  string
	op    zookeeper.OpCode
	class string // class of the last request's path and a slash; "" if the path is not longer than its class
}

// of returns the counters for a request. They come from the cache if the last request had the same
// counters.
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

// events returns the counters for the connection's events.
func (o *ownFlows) events(t *traffic, host string) flows {
	if o.flows.of == t && o.host == host {
		return flows{of: t, host: o.flows.host}
	}
	return t.eventsOf(host)
}

// pathClass returns the first two parts of a path, such as "/gip/binding" for "/gip/binding/ctr/x".
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

// Load returns how much data the server holds, and the requests since CountTraffic.
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
