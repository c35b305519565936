package zookeeper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// Image is the durable state of a server as plain data, for callers that store it outside of
// memory. It has the same content as a Snapshot, except for the hash tables in which a server keeps
// names. A server that starts from an image fills new tables, in the order of the image.
type Image struct {
	Zxid          int64
	Epoch         int64
	NextSessionID int64
	// Nodes has parents before their children. In an image made from a Snapshot, children are in
	// the order in which the server lists them, as in a real server's snapshot file.
	Nodes    []NodeImage
	Sessions []SessionImage
}

// NodeImage is a znode with all its fields, including those that Node does not show. Data and the
// entries of ACL must not be changed.
type NodeImage struct {
	Path string
	Data []byte
	ACL  []acl.Entry
	// Owner is the id of the session that owns an ephemeral; 0 for other znodes.
	Owner            int64
	Container        bool
	TTLMs            int64 // time to live in ms; 0 if the znode has none
	CtimeMs, MtimeMs int64
	Version          int32
	Aversion         int32
	Czxid, Mzxid     int64
	Offspring
	// Names is the Java set of the children's names; nil if it is to be filled in the order of the
	// image, as in an image made from a Snapshot.
	Names *java.Set
}

// Offspring holds the fields of a znode that change when its children are created or deleted.
type Offspring struct {
	// Creates is the internal cversion, which counts the creations of children (ZK-5.2).
	Creates int32
	Pzxid   int64
}

// SessionImage is one live session. Names is the Java set of the paths of its ephemerals; nil if it
// is to be filled in the order of the image.
type SessionImage struct {
	ID, TimeoutMs int64
	Names         *java.Set
}

// Image returns the content of the snapshot as plain data.
func (s *Snapshot) Image() Image {
	image := Image{Zxid: s.zxid, Epoch: s.epoch, NextSessionID: s.nextSessionID}
	children := make(map[string][]*savedNode, len(s.nodes))
	for i := 1; i < len(s.nodes); i++ { // begins after the root, which is the first
		above := s.nodes[i].parentPath
		children[above] = append(children[above], &s.nodes[i])
	}
	// waiting is a stack: the znode that comes next is at its end.
	for waiting := []*savedNode{&s.nodes[0]}; len(waiting) > 0; {
		n := waiting[len(waiting)-1]
		image.Nodes = append(image.Nodes, n.node.image(n.owner))
		below := children[n.node.path]
		member := func(c *savedNode) java.Member {
			return java.Member{Text: c.node.name, Spread: java.Spread(c.node.name)}
		}
		set := n.node.set
		if set == nil {
			set = java.Filled(below, childBuckets, member)
		}
		java.Ordered(set, below, member)
		slices.Reverse(below)
		waiting = append(waiting[:len(waiting)-1], below...)
	}
	for _, saved := range s.sessions {
		image.Sessions = append(image.Sessions, SessionImage{ID: saved.id, TimeoutMs: saved.timeoutMs})
	}
	return image
}

func (n *znode) image(owner int64) NodeImage {
	return NodeImage{
		Path: n.path, Data: n.data, ACL: n.acl, Owner: owner, Container: n.kind == container, TTLMs: n.ttlMs,
		CtimeMs: n.ctimeMs, MtimeMs: n.mtimeMs, Version: n.version, Aversion: n.aversion,
		Czxid: n.czxid, Mzxid: n.mzxid, Offspring: Offspring{Creates: n.creates, Pzxid: n.pzxid},
	}
}

// Open reports whether everybody has all permissions on the znode.
func (n *NodeImage) Open() bool { return acl.IsOpen(n.ACL) }

// SessionImage returns the image of a live session; ok is false for any other id.
func (m *Machine) SessionImage(id int64) (SessionImage, bool) {
	s := m.sessions[id]
	if s == nil {
		return SessionImage{}, false
	}
	return SessionImage{ID: s.id, TimeoutMs: s.loggedMs}, true
}

// NewSnapshot makes a snapshot for Restore. It fails if the image is no valid tree: the root must
// come first, and each parent before its children.
func NewSnapshot(image Image) (*Snapshot, error) {
	s := &Snapshot{zxid: image.Zxid, epoch: image.Epoch, nextSessionID: image.NextSessionID}
	known := make(map[string]bool, len(image.Nodes))
	for i := range image.Nodes {
		node := &image.Nodes[i]
		saved, err := node.saved()
		if err != nil {
			return nil, err
		}
		switch {
		case i == 0 && node.Path != "/":
			return nil, fmt.Errorf("image of zookeeper: first node is %q, want /", node.Path)
		case i > 0 && (known[node.Path] || !known[saved.parentPath]):
			return nil, fmt.Errorf("image of zookeeper: node %q comes twice or before its parent", node.Path)
		}
		known[node.Path] = true
		if of, ok := quotaLimitsOf(node.Path); ok {
			s.quotas = append(s.quotas, of)
		}
		s.nodes = append(s.nodes, saved)
	}
	if len(s.nodes) == 0 {
		return nil, fmt.Errorf("image of zookeeper: no node, want / at least")
	}
	owned := map[int64][]string{}
	for i := range image.Nodes {
		if n := &image.Nodes[i]; n.Owner != 0 {
			owned[n.Owner] = append(owned[n.Owner], n.Path)
		}
	}
	for _, saved := range image.Sessions {
		s.sessions = append(s.sessions, savedSession{id: saved.ID, timeoutMs: saved.TimeoutMs, owned: owned[saved.ID], set: saved.Names})
	}
	return s, nil
}

func (n *NodeImage) saved() (savedNode, error) {
	if !validPath(n.Path) {
		return savedNode{}, fmt.Errorf("image of zookeeper: node %q, want a valid path", n.Path)
	}
	saved := savedNode{owner: n.Owner, node: znode{
		path: n.Path, data: n.Data, acl: n.ACL, ttlMs: n.TTLMs,
		ctimeMs: n.CtimeMs, mtimeMs: n.MtimeMs, version: n.Version, aversion: n.Aversion,
		czxid: n.Czxid, mzxid: n.Mzxid, pzxid: n.Pzxid, creates: n.Creates, set: n.Names,
	}}
	switch {
	case n.Container:
		saved.node.kind = container
	case n.TTLMs != 0:
		saved.node.kind = ttl
	case n.Owner != 0:
		saved.node.kind = ephemeral
	}
	if above, ok := ancestor(n.Path); ok {
		saved.parentPath = above
		saved.node.name = n.Path[len(above):]
		if above != "/" {
			saved.node.name = saved.node.name[1:]
		}
	}
	return saved, nil
}

// NextSessionID returns the id that the next new session gets.
func (m *Machine) NextSessionID() int64 { return m.nextSessionID }

// quotaLimitsOf returns the znode whose quota is stored at path. ok is false if path stores no
// quota limits.
func quotaLimitsOf(path string) (of string, ok bool) {
	of, below := strings.CutPrefix(path, quotaRoot)
	of, limits := strings.CutSuffix(of, "/"+limitsChild)
	return of, below && limits && of != ""
}
