package node

import (
	"path"
	"slices"
	"strings"
	"unsafe"

	"github.com/monosim/monosim/engine/env/zkbulk"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/zookeeper"
)

// knownPath is what is known of a path that is read again and again. There are many,
// which are gone through in order, so they are small and lie side by side.
type knownPath struct {
	node zookeeper.KnownNode
	// content is the beginning of what was taken last, nil for nothing.
	content   *byte
	sizeBytes int
}

func (k *knownPath) data() []byte { return unsafe.Slice(k.content, k.sizeBytes) }

// takes reports whether data is other than what was taken last. It need not be looked
// into: what a machine has given out never changes.
func (k *knownPath) takes(data []byte) bool {
	return len(data) == 0 || k.content != &data[0] || k.sizeBytes != len(data)
}

func (k *knownPath) taken(data []byte) {
	k.content, k.sizeBytes = unsafe.SliceData(data), len(data)
}

// reads are the session's own zkbulk.Reads.
type reads struct {
	s *Session
	readPaths
	// common says that other clients have what is known, too: it is copied before it is
	// changed.
	common bool
	// Many reads are for one round only, in which nothing is known but of the path that is
	// being read: again says that a round is over, current is of that path.
	again   bool
	current knownPath
}

// readPaths are paths with what is known of each.
type readPaths struct {
	paths []string
	known []knownPath // nil in the first round, but in a turn of a loop
}

// share makes what is known of the paths one with what others know of them: clients that
// have read the same, as nearly all have, keep it once.
func (r *reads) share() {
	if r.common || r.known == nil || r.s.e.Shared == nil || len(r.paths) == 0 {
		return
	}
	r.readPaths = r.s.e.Shared.Same("reads below "+path.Dir(r.paths[0]), r.readPaths, func(last any) bool {
		return r.same(last.(readPaths))
	}).(readPaths)
	r.common = true
}

// same reports whether the same was taken from the same paths.
func (p readPaths) same(other readPaths) bool {
	if len(p.paths) != len(other.paths) || &p.paths[0] != &other.paths[0] {
		return false
	}
	for i := range p.known {
		if a, b := &p.known[i], &other.known[i]; a.content != b.content || a.sizeBytes != b.sizeBytes {
			return false
		}
	}
	return true
}

// mixed reports whether a server counts the paths apart.
func (p readPaths) mixed() bool {
	first := p.paths[0]
	class, parent := pathClass(first), first[:strings.LastIndexByte(first, '/')+1]
	for _, path := range p.paths {
		if near := len(class) < len(parent) && strings.HasPrefix(path, parent); !near && pathClass(path) != class {
			return true
		}
	}
	return false
}

// own is what is known of a path, to be changed.
func (r *reads) own(at int) *knownPath {
	if r.known == nil {
		return &r.current
	}
	if r.common {
		r.known, r.common = slices.Clone(r.known), false
	}
	return &r.known[at]
}

// NewReads prepares reads of the data of znodes that are made again and again.
func (s *Session) NewReads(paths []string) zkbulk.Reads {
	return &reads{s: s, readPaths: readPaths{paths: paths}}
}

// Each reads all znodes in their order and gives the data of each, or the error, to take.
// The first error of take ends it and is returned.
func (r *reads) Each(take func(i int, data []byte, err error) error, usual func(i int, data []byte) bool) error {
	t := leap.TurnsOf(r.s.p)
	if r.known == nil && (t != nil || r.again) {
		r.known = make([]knownPath, len(r.paths))
	}
	r.again = true
	round := &readRound{reads: r, handOver: take, usual: usual}
	if err := round.all(t); err != nil {
		return err
	}
	r.share()
	return nil
}

// readRound is one time through the list.
type readRound struct {
	*reads
	handOver func(i int, data []byte, err error) error
	usual    func(i int, data []byte) bool
	at       int // that is asked for

	// In a turn of a loop: the zxid of the first answer, and whether one was other than
	// known, or of another zxid.
	zxid int64
	odd  bool
}

func (r *readRound) all(t *leap.Turns) error {
	if t != nil && len(r.paths) > 0 {
		return r.askAll(t)
	}
	for r.at < len(r.paths) {
		if err := r.get(); err != nil {
			return err
		}
	}
	return nil
}

// knownOf is what is known of a path, not to be changed but by the server.
func (r *readRound) knownOf(at int) *knownPath {
	if r.known == nil {
		r.current = knownPath{}
		return &r.current
	}
	return &r.known[at]
}

// get asks for a znode and takes the answer.
func (r *readRound) get() error {
	c := r.s.newRead(zookeeper.OpGetData, r.paths[r.at], nil)
	c.request.known, c.follows = r.knownOf(r.at), r.at > 0
	err := r.s.do(c)
	var data []byte
	if err == nil {
		data = r.s.done(c).Data
	}
	err = r.take(data, err)
	r.at++
	return err
}

// take hands over what is not as it was.
func (r *readRound) take(data []byte, err error) error {
	if err == nil && r.known != nil && !r.known[r.at].takes(data) {
		return nil
	}
	k := r.own(r.at)
	failed := r.handOver(r.at, data, err)
	k.taken(nil)
	if failed == nil && err == nil {
		k.taken(data)
	}
	return failed
}

// recentPath is a path that was read, with its znode. All clients of a world that watch one
// znode have one text of its path, and in a storm they read it at nearly the same time.
type recentPath struct {
	path string
	node zookeeper.KnownNode
}

const recentPaths = 1024

// recentNode is what is known of a path.
func (s *Server) recentNode(path string) *zookeeper.KnownNode {
	text := unsafe.StringData(path)
	r := &s.recent[uint64(uintptr(unsafe.Pointer(text)))*0x9e3779b97f4a7c15>>54]
	if unsafe.StringData(r.path) != text || len(r.path) != len(path) {
		*r = recentPath{path: path}
	}
	return &r.node
}

// readAgain answers a read of data when nothing but that read is to be done, as nearly
// always. It reports false, and has no effect, otherwise.
func (c *serverConn) readAgain(req *request) bool {
	if req.Op != zookeeper.OpGetData || req.Malformed {
		return false
	}
	s := c.s
	var known *zookeeper.KnownNode
	if req.known != nil {
		known = &req.known.node
	} else {
		known = s.recentNode(req.Path)
	}
	if c.at == nil {
		c.at = s.machine.Conn(c.id)
	}
	if c.at == nil || req.reply == nil || !s.machine.ReadAgain(s.nowMs(), c.at, known, &req.Request, req.reply) {
		return false
	}
	bytes := emptyReplyBytes + len(req.reply.Data)
	if t := s.traffic; t != nil {
		t.reply(bytes)
	}
	c.conn.SendStep(req.loop, req.reply, bytes)
	return true
}
