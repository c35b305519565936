package datadir

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// node is a znode as it is in a snapshot.
type node struct {
	data                []byte
	acl                 []acl.Entry
	owner               int64
	czxid, mzxid, pzxid int64
	ctimeMs, mtimeMs    int64
	version, aversion   int32
	creates             int32
	children            *java.Table // by name; nil before the first child
	order               int         // its index in the order in which znodes were added
	digest              int64
}

// tree is the state that a server restores from a snapshot and its logs. A transaction is applied
// differently here than in a running server: the snapshot is not of a single moment, so it may
// already have all or part of the transaction. Transactions that cannot be applied are skipped
// (ZK-25.3).
type tree struct {
	zxid     int64
	timeMs   int64
	nodes    map[string]*node      // znodes by path; the root has the path ""
	sessions map[int64]int32       // session timeouts in ms, by session id
	owned    map[int64]*java.Table // paths of ephemerals, by session id
	added    int
	digest   int64
}

func newTree() *tree {
	return &tree{nodes: map[string]*node{}, sessions: map[int64]int32{}, owned: map[int64]*java.Table{}}
}

func (t *tree) root() *node { return t.nodes[""] }

// shown returns a tree's path as clients write it: the root is "/" instead of "".
func shown(path string) string {
	return cmp.Or(path, "/")
}

// of returns a znode and its path in the tree. The argument is the path as clients write it.
func (t *tree) of(path string) (string, *node) {
	if path == "/" {
		path = ""
	}
	return path, t.nodes[path]
}

func parentOf(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }
func nameOf(path string) string   { return path[strings.LastIndexByte(path, '/')+1:] }

// The numbers of buckets with which a server's sets of children's names and of a session's ephemerals
// begin (DataNode.java, DataTree.java).
const (
	childBuckets = 8
	usualBuckets = 16
)

// add puts a znode into the tree and into the list of its parent's children, if the parent
// exists.
func (t *tree) add(path string, n *node) {
	if old := t.nodes[path]; old != nil {
		t.digest -= old.digest
	}
	t.added++
	n.order, t.nodes[path] = t.added, n
	if parent := t.nodes[parentOf(path)]; path != "" && parent != nil {
		if parent.children == nil {
			parent.children = java.NewTable(childBuckets)
		}
		parent.children.Add(nameOf(path))
	}
	if isSession(n.owner) {
		if t.owned[n.owner] == nil {
			t.owned[n.owner] = java.NewTable(usualBuckets)
		}
		t.owned[n.owner].Add(path)
	}
	t.changed(path, n)
}

// changed updates the digest of the tree after a znode has changed. Znodes below /zookeeper
// are not part of the digest.
func (t *tree) changed(path string, n *node) {
	if strings.HasPrefix(path, "/zookeeper/") {
		return
	}
	t.digest -= n.digest
	n.digest = n.sum(path)
	t.digest += n.digest
}

// sum returns the digest of a znode (DigestCalculator.java).
func (n *node) sum(path string) int64 {
	b := append([]byte(java.UTF8(path)), n.data...)
	for _, v := range []int64{n.czxid, n.mzxid, n.pzxid, n.ctimeMs, n.mtimeMs} {
		b = binary.BigEndian.AppendUint64(b, uint64(v))
	}
	for _, v := range []int32{n.version, n.creates, n.aversion} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	return int64(crc32.ChecksumIEEE(binary.BigEndian.AppendUint64(b, uint64(n.owner))))
}

// apply changes the tree as the transaction changed it on the server.
func (t *tree) apply(tx *Transaction) {
	switch tx.Op {
	case zookeeper.OpCreateSession:
		t.sessions[tx.Session] = tx.TimeoutMs
	case zookeeper.OpCloseSession:
		delete(t.sessions, tx.Session)
		t.end(tx.Session, tx.Zxid, tx.Gone)
	case zookeeper.OpMulti:
		for i := range tx.Ops {
			t.change(tx, &tx.Ops[i])
		}
	default:
		t.change(tx, &tx.Change)
	}
	t.zxid, t.timeMs = max(t.zxid, tx.Zxid), max(t.timeMs, tx.TimeMs)
}

func (t *tree) change(tx *Transaction, c *Change) {
	path, n := t.of(c.Path)
	switch c.Op {
	case zookeeper.OpCreate, zookeeper.OpCreate2, zookeeper.OpCreateContainer, zookeeper.OpCreateTTL:
		t.create(tx, c)
	case zookeeper.OpDelete, zookeeper.OpDeleteContainer:
		t.delete(path, tx.Zxid)
	case zookeeper.OpSetData, zookeeper.OpReconfig:
		if n != nil {
			n.data, n.version, n.mzxid, n.mtimeMs = c.Data, c.Version, tx.Zxid, tx.TimeMs
			t.changed(path, n)
		}
	case zookeeper.OpSetACL:
		if n != nil {
			n.acl, n.aversion = c.ACL, c.Version
			t.changed(path, n)
		}
	}
}

// create creates a znode. If it already exists, a plain create still updates the parent's counters,
// because the snapshot may hold the parent in its state before this create (DataTree.java
// createNode, processTxn).
func (t *tree) create(tx *Transaction, c *Change) {
	above := parentOf(c.Path)
	parent := t.nodes[above]
	if parent == nil {
		return
	}
	there := parent.children.Has(nameOf(c.Path))
	if there && c.Op != zookeeper.OpCreate {
		return
	}
	creates := c.Creates
	if creates == -1 {
		creates = parent.creates + 1
	}
	if creates > parent.creates {
		parent.creates, parent.pzxid = creates, tx.Zxid
		t.changed(above, parent)
	}
	if there {
		return
	}
	n := &node{
		data: c.Data, acl: c.ACL, czxid: tx.Zxid, mzxid: tx.Zxid, pzxid: tx.Zxid, ctimeMs: tx.TimeMs, mtimeMs: tx.TimeMs,
	}
	if len(n.acl) == 0 {
		n.acl = acl.Everyone
	}
	switch {
	case c.Op == zookeeper.OpCreateContainer:
		n.owner = containerOwner
	case c.Op == zookeeper.OpCreateTTL:
		n.owner = ttlMask | c.TTLMs
	case c.Ephemeral:
		n.owner = tx.Session
	}
	t.add(c.Path, n)
}

// delete removes a znode. It updates the parent's pzxid even if the znode is already gone.
func (t *tree) delete(path string, zxid int64) {
	above := parentOf(path)
	parent, n := t.nodes[above], t.nodes[path]
	if parent == nil || path == "" {
		return
	}
	parent.children.Remove(nameOf(path))
	if zxid > parent.pzxid {
		parent.pzxid = zxid
		t.changed(above, parent)
	}
	if n == nil {
		return
	}
	delete(t.nodes, path)
	t.owned[n.owner].Remove(path)
	t.digest -= n.digest
}

// end deletes the ephemerals of a session: first those named in its closing transaction,
// then any that are left.
func (t *tree) end(session, zxid int64, named []string) {
	for _, path := range named {
		t.delete(path, zxid)
	}
	for _, path := range t.owned[session].Listed() {
		t.delete(path, zxid)
	}
	delete(t.owned, session)
}

// settle does what a server does after it has replayed its logs (ZK-25.5). It deletes
// ephemerals whose session does not exist (ZooKeeperServer.java loadData), and counts the
// usage of quotas (DataTree.java setupQuota).
func (t *tree) settle() {
	for _, session := range sortedKeys(t.owned) {
		if _, alive := t.sessions[session]; !alive {
			t.end(session, t.zxid, nil)
		}
	}
	for path := range t.nodes { //lint:ordered each stands by itself
		of, isQuota := strings.CutPrefix(path, "/zookeeper/quota/")
		of, isLimit := strings.CutSuffix(of, "/zookeeper_limits")
		if stats := t.nodes["/zookeeper/quota/"+of+"/zookeeper_stats"]; isQuota && isLimit && stats != nil {
			stats.data = t.usage("/" + of)
		}
	}
}

// usage counts the znodes and bytes of a subtree, in the format that a quota's znode stores.
func (t *tree) usage(top string) []byte {
	count, bytes := 0, 0
	for path, n := range t.nodes { //lint:ordered it is a sum
		if path == top || strings.HasPrefix(path, top+"/") {
			count++
			bytes += len(n.data)
		}
	}
	return []byte("count=" + strconv.Itoa(count) + ",bytes=" + strconv.Itoa(bytes))
}

// placed is a znode and its path.
type placed struct {
	path string
	node *node
}

// walk lists the root and the znodes below it, parents before their children. Children are
// in the order in which they were added.
func (t *tree) walk() (list []placed) {
	var visit func(path string, n *node)
	visit = func(path string, n *node) {
		list = append(list, placed{path, n})
		below := make([]placed, 0, n.children.Len())
		for _, name := range n.children.Listed() {
			if child := t.nodes[path+"/"+name]; child != nil {
				below = append(below, placed{path + "/" + name, child})
			}
		}
		slices.SortFunc(below, func(a, b placed) int { return cmp.Compare(a.node.order, b.node.order) })
		for _, child := range below {
			visit(child.path, child.node)
		}
	}
	if t.root() != nil {
		visit("", t.root())
	}
	return list
}

// image converts the tree to the form that the simulated server restores from. Znodes are in the
// order in which they were added, which decides the order of names (ZK-5.8).
func (t *tree) image() zookeeper.Image {
	image := zookeeper.Image{Zxid: t.zxid, Epoch: t.zxid >> 32}
	list := t.walk()
	slices.SortFunc(list, func(a, b placed) int { return cmp.Compare(a.node.order, b.node.order) })
	for _, one := range list {
		n := one.node
		made := zookeeper.NodeImage{
			Path: shown(one.path), Data: n.data, ACL: n.acl, Container: n.owner == containerOwner,
			CtimeMs: n.ctimeMs, MtimeMs: n.mtimeMs, Version: n.version, Aversion: n.aversion, Czxid: n.czxid, Mzxid: n.mzxid,
			Offspring: zookeeper.Offspring{Creates: n.creates, Pzxid: n.pzxid}, Names: n.children.Set(),
		}
		switch {
		case isTTL(n.owner):
			made.TTLMs = n.owner & ttlBits
		case isSession(n.owner):
			made.Owner = n.owner
		}
		image.Nodes = append(image.Nodes, made)
	}
	for _, id := range sortedKeys(t.sessions) {
		image.Sessions = append(image.Sessions, zookeeper.SessionImage{ID: id, TimeoutMs: int64(t.sessions[id]), Names: t.owned[id].Set()})
	}
	return image
}

// treeOf converts an image of the simulated server to a tree, the reverse of [tree.image].
func treeOf(image *zookeeper.Image) *tree {
	t := newTree()
	t.zxid = image.Zxid
	for _, s := range image.Sessions {
		t.sessions[s.ID] = int32(s.TimeoutMs)
	}
	for i := range image.Nodes {
		n := &image.Nodes[i]
		owner := n.Owner
		switch {
		case n.Container:
			owner = containerOwner
		case n.TTLMs != 0:
			owner = ttlMask | n.TTLMs
		}
		path, _ := t.of(n.Path)
		t.add(path, &node{
			data: n.Data, acl: n.ACL, owner: owner, czxid: n.Czxid, mzxid: n.Mzxid, pzxid: n.Pzxid,
			ctimeMs: n.CtimeMs, mtimeMs: n.MtimeMs, version: n.Version, aversion: n.Aversion, creates: n.Creates,
		})
	}
	return t
}

func sortedKeys[V any](m map[int64]V) []int64 { return slices.Sorted(maps.Keys(m)) }
