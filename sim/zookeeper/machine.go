// Package zookeeper is the simulated ZooKeeper server: a deterministic state machine without a
// clock, sockets or randomness of its own. It follows server 3.8 (or 3.9) operation by operation:
// sessions and their expiry on the tick grid, znodes and stats, watches, transactions, ACLs.
//
// Two things to use first:
//
//   - [Machine]: feed it by Connect, Handle, Drop and Tick, each with the server's clock. After
//     each input, Drain returns what it does to which connection.
//   - [Machine.Dump] returns the whole state as text, for goldens and for people.
//
// It is tested against recordings of real servers 3.8.0 and 3.9.3, see sim/zookeeper/recorded.
//
// To change:
//
//   - a new operation: begin in opcodes.go, the table of all operations
//   - what a write does: create.go, delete.go, set.go or multi.go
//   - what a read does: read.go
//   - when a watch fires: watch.go and txn.go (publish)
//   - what a reconnecting client is told: setwatches.go
//   - who may do what: acl.go
//   - who a connection is by SASL: sasl.go
//   - the order in which children and ephemerals are listed: hashset.go, package java
//   - when a session ends: session.go and expiry.go
//   - when containers are removed: container.go
//   - what quotas count: quota.go
//   - what a follower's machine does: replica.go
//   - what a server does without a leader: readonly.go
//   - the members of an ensemble: membership.go
//   - the fields of messages: request.go and outbox.go
//
// Built on it are sim/zookeeper/node (servers and clients on the simulated network),
// sim/zookeeper/wire (a server on sockets) and sim/zookeeper/history (checks of what clients saw).
// fast_path.go makes the first of these fast.
//
// Comments cite the rules of SPEC.md (ZK-n.m) and, where SPEC.md is silent, files of Apache
// ZooKeeper 3.8.0.
//
// The specification leaves two choices open, which are made here: several watchers of one path are
// notified in the order in which their connections set their first watches; and sessions of one
// expiry bucket expire in the order of their ids.
//
// Unstable: any commit may change it.
package zookeeper

import (
	"cmp"

	"github.com/monosim/monosim/engine/enum"
	"github.com/monosim/monosim/sim/zookeeper/expiring"
)

// Profile is the server version that the machine follows.
type Profile uint8

// These are the profiles. ZK-14 lists their differences. Recordings also show differences in how a
// multi is read, and in a client's deleteContainer.
const (
	V38 Profile = iota
	V39
)

var profileNames = []string{"zookeeper-3.8", "zookeeper-3.9"}

func (p Profile) String() string { return enum.Listed(profileNames, p) }

// Config holds every setting of a server. The zero value is a standalone server 3.8 with its
// defaults.
type Config struct {
	Profile Profile
	// TickMs is the interval of session expiry in ms; 0 means 2000.
	TickMs int64
	// MinSessionTimeoutMs and MaxSessionTimeoutMs limit the timeouts that clients can get; 0 means
	// 2 and 20 ticks.
	MinSessionTimeoutMs, MaxSessionTimeoutMs int64
	// ClientSpeed is how many ms of the machine's clock pass in one ms of the clients' clock.
	// Clients ping by their own clock. So a session lasts ClientSpeed times the timeout that its
	// client is told. The limits above are for the timeouts that clients are told. 0 means 1.
	ClientSpeed float64
	// ServerID is the high byte of session ids; 0 means 1, the id of a standalone server.
	ServerID uint8
	// EpochOffsetMs is added to the clock to get the wall time of ctime and mtime.
	EpochOffsetMs int64
	// ExtendedTypes allows TTL nodes (zookeeper.extendedTypesEnabled).
	ExtendedTypes bool
	// ReconfigEnabled allows reconfig on a server of an ensemble. A standalone server still refuses
	// reconfig, but with -6 instead of -123.
	ReconfigEnabled bool
	// Quorum, if set, makes the machine a server of an ensemble. The machines of one ensemble may
	// share a Quorum.
	Quorum *Quorum
	// UnfilteredEvents sends events even to connections that may not read the znode. Versions 3.8.0
	// to 3.8.3 do so unless they have the fix of CVE-2024-23944. Debian's 3.8.0 and all of 3.9 have
	// that fix (ZK-9.7, ZK-14.5).
	UnfilteredEvents bool
	// EnforceQuota refuses writes beyond the hard limits of a quota (zookeeper.enforceQuota).
	// Without it usage is only counted.
	EnforceQuota bool
	// SuperDigest is the digest identity that has all permissions, as DigestID makes it; empty
	// means none.
	SuperDigest string
	// DigestAlg is the algorithm of the scheme digest, as Java names it; "" means SHA1
	// (DigestAuthenticationProvider.digestAlg).
	DigestAlg string
	// NoDigest removes the scheme digest: nobody authenticates by it, and no ACL may have it
	// (DigestAuthenticationProvider.enabled=false, ZK-9.8).
	NoDigest bool
	// SkipACL permits everything to everybody (zookeeper.skipACL).
	SkipACL bool
	// SASLUsers maps the users who can authenticate by SASL's DIGEST-MD5 to their passwords; nil
	// means that the server has no SASL. SuperUsers lists the users who have all permissions
	// (zookeeper.superUser). SASLScheme makes sasl a scheme of ACLs (SASLAuthenticationProvider).
	// AnyUser is a name that stands for every user in such ACLs (letAnySaslUserDoX); "" means none.
	SASLUsers  map[string]string
	SuperUsers []string
	SASLScheme bool
	AnyUser    string
	// EnforceAuth lists schemes. A connection must authenticate in one of them before any request
	// except auth and sasl (zookeeper.enforce.auth.schemes). With an empty list no connection needs
	// to.
	EnforceAuth []string
	// ContainerCheckIntervalMs is the time between two sweeps; 0 means 60000.
	ContainerCheckIntervalMs int64
	// ContainerMaxPerMinute limits how many znodes a sweep deletes per minute; 0 means 10000.
	ContainerMaxPerMinute int64
	// ContainerMaxNeverUsedMs is how long a container that never had a child may exist, in ms; 0
	// means forever.
	ContainerMaxNeverUsedMs int64
	// ShowWatches makes the machine simulate a real server's tables of watches, which WatchedPaths
	// and WatchingConns need. The tables cost memory for each watch.
	ShowWatches bool
	// Digests makes the machine compute the digest of its tree, which the method Digests needs.
	// This costs time and memory for each znode.
	Digests bool
	// ChildOrder, if set, returns the order of names in an answer to getChildren. If nil, it is the
	// order of a server's HashSet (ZK-5.8). The function receives the sorted names, which it may
	// keep. To keep runs repeatable, its result must depend only on the run itself.
	ChildOrder func(path string, sorted []string) []string
	// OnTransaction, if set, is called before every transaction. It must not call the machine.
	OnTransaction func()
	// OnContent, if set, is called before a znode is created or deleted, or its data or ACL
	// changes. It receives the paths of the znode and of its parent, and must not call the machine.
	// It is not called when a failed transaction is undone.
	OnContent func(parent, path string)
	// OnWrite, if set, is called for every write, before the events and the reply of that write. It
	// must not call the machine.
	OnWrite func(Write)
}

func (c Config) withDefaults() Config {
	set := func(field *int64, value int64) {
		if *field == 0 {
			*field = value
		}
	}
	set(&c.TickMs, 2000)
	set(&c.MinSessionTimeoutMs, 2*c.TickMs)
	set(&c.MaxSessionTimeoutMs, 20*c.TickMs)
	c.ClientSpeed = cmp.Or(c.ClientSpeed, 1)
	set(&c.ContainerCheckIntervalMs, 60_000)
	set(&c.ContainerMaxPerMinute, 10_000)
	c.ServerID = cmp.Or(c.ServerID, 1)
	c.UnfilteredEvents = c.UnfilteredEvents && c.Profile == V38
	return c
}

// Machine is the state machine of one server. Its inputs are Connect, Handle, Drop and Tick. Each
// input carries the server's monotonic clock in ms. The output of an input is put into the outbox.
type Machine struct {
	cfg   Config
	nowMs int64

	tree *tree
	zxid int64
	// lostZxids counts the zxids above zxid that failed requests have used up, without a
	// transaction (ZK-8.6).
	lostZxids int64
	epoch     int64
	changes   []change
	// kept holds the Java sets that the present multi has changed, each with a copy from before the
	// multi. inMulti is set while a multi is applied.
	kept    []keptSet
	inMulti bool
	// ahead holds the sequence counters of parents for which requests in progress see a different
	// value than the tree has.
	ahead map[*znode]int32
	notes notes
	// digests is nil unless Config.Digests is set.
	digests *digests
	// onCommit, if set, is called for every transaction, to pass it to followers.
	onCommit func(Transaction)

	sessions      map[int64]*session
	nextSessionID int64
	expiry        expiry
	sweep         sweep

	conns   map[ConnID]*Conn
	watches watches
	// saslUser is the last user who tried to authenticate by SASL. In 3.8 an attempt of an unknown
	// user does not change it.
	saslUser string
	// readOnly is true on a follower without a leader (see readonly.go).
	readOnly bool

	outbox   []Out
	path     []byte // buffer in which paths are composed
	roomy    int    // see Drain
	counters Counters
}

// New makes an empty server that starts at nowMs, which must not be negative.
func New(cfg Config, nowMs int64) *Machine {
	cfg = cfg.withDefaults()
	m := &Machine{
		cfg:           cfg,
		nowMs:         nowMs,
		tree:          newTree(),
		sessions:      make(map[int64]*session),
		nextSessionID: firstSessionID(nowMs, cfg.ServerID),
		expiry:        expiry{sets: expiring.NewSets(cfg.TickMs)},
		sweep: sweep{
			startMs: nowMs, intervalMs: cfg.ContainerCheckIntervalMs,
			pauseMs: 60_000 / cfg.ContainerMaxPerMinute, nextMs: nowMs + cfg.ContainerCheckIntervalMs,
		},
		conns:   make(map[ConnID]*Conn),
		watches: newWatches(cfg),
	}
	m.tellMembers()
	m.countDigests()
	return m
}

// wallMs returns the wall time in ms, which is stored in the stats of znodes.
func (m *Machine) wallMs() int64 { return m.nowMs + m.cfg.EpochOffsetMs }

// Handle processes a request of an established connection. It drops requests of connections that
// were refused or closed, like bytes that were still on their way.
func (m *Machine) Handle(nowMs int64, id ConnID, req *Request) {
	m.Tick(nowMs)
	c := m.conns[id]
	if c == nil {
		return
	}
	m.counters.count(req.Op)
	if req.Op.Touches() {
		m.touch(c.session)
	}
	if !req.Pipelined {
		clear(m.ahead) // there are no unfinished requests before this one any more
	}
	m.do(c, req)
}

// do executes a request. The table of operations says which server executes it. If the session has
// moved to another server, a write changes nothing, and the connection is closed without an answer
// (ZK-24.5; FinalRequestProcessor.java, SessionMovedException).
func (m *Machine) do(c *Conn, req *Request) {
	switch op := req.Op.entry(); {
	case m.enforced(c, req):
	case req.Op == OpCheck && m.cfg.Profile == V39:
		m.refuse(c, req) // a check exists only inside a multi (ZK-14.12)
	case m.refusesWrite(c, req):
	case op.place == asTransaction && c.session.conn != c, op.place == atConnection && req.Malformed:
		m.hangUp(c)
	case op.place < atLeader && req.Malformed:
		code := marshallingError
		if req.Op == OpCheckWatches && req.NullPath && m.cfg.Profile == V39 && m.knownWatchType(req.Mode) {
			code = CodeNoWatcher
		}
		m.reply(c, req).Err = code
	default:
		op.handle(m, c, req)
	}
}

// refuse answers with an error and closes the connection, because the server has no such operation
// (ZK-1.6).
func (m *Machine) refuse(c *Conn, req *Request) {
	r := m.reply(c, req)
	r.Err, r.Zxid = unimplemented, -1
	m.hangUp(c)
}

// ping answers a ping. The answer always has the xid reserved for pings
// (FinalRequestProcessor.java:185).
func (m *Machine) ping(c *Conn, req *Request) { m.reply(c, req).Xid = XidPing }

// sync returns the path of the request, even if it is null or the znode is missing (ZK-1.8).
func (m *Machine) sync(c *Conn, req *Request) {
	r := m.reply(c, req)
	if r.Path, r.NullPath = req.Path, req.NullPath; req.Malformed {
		r.Err = marshallingError
	}
}
