package node

import (
	"path"
	"unsafe"

	"github.com/monosim/monosim/engine/env/zkbulk"
	"github.com/monosim/monosim/sim/zookeeper"
)

// content is data of a znode by its place in memory: what a machine has given out never
// changes. That of a missing znode is the zero value.
type content struct {
	bytes *byte
	size  int
}

func contentOf(data []byte) content { return content{unsafe.SliceData(data), len(data)} }

func (k content) data() []byte { return unsafe.Slice(k.bytes, k.size) }

// blockReads are the reads of a block of names, of surveys of one kind. All clients of a
// world have them in common.
type blockReads struct {
	block *zkbulk.Block
	n     int // of paths
	// paths are nil as soon as each is that of a znode.
	paths []string
	odd   error // behind the last path
	// ends has the length of all paths before each.
	ends []uint32
	// parent is that of all paths, "" when they have several.
	parent string
	// classes says that they are of several classes (see pathClass).
	classes bool

	machine *zookeeper.Machine
	nodes   []zookeeper.KnownNode
	epoch   uint64    // of contentsBelow
	now     *sighting // at that epoch
}

// sighting is what the znodes of a block's paths hold at an instant. It never changes.
type sighting struct {
	contents []content
	// ends has the length of all contents before each.
	ends []uint32
	part *zkbulk.Part
	// odd are the places of those that have no value, or that not everybody may read.
	odd []int
}

// readsOf are the reads of a block.
func readsOf(b *zkbulk.Block, of *zkbulk.Survey) *blockReads {
	return b.Once(of.Kind, func() any {
		r := &blockReads{block: b}
		r.paths, r.odd = of.Paths(b.Names)
		r.n = len(r.paths)
		r.ends = make([]uint32, r.n+1)
		for i, p := range r.paths {
			r.ends[i+1] = r.ends[i] + uint32(len(p))
			switch parent := path.Dir(p); {
			case i == 0:
				r.parent = parent
			case parent != r.parent:
				r.parent = ""
			}
			r.classes = r.classes || pathClass(p) != pathClass(r.paths[0])
		}
		return r
	}).(*blockReads)
}

// look is what the znodes hold now.
func (r *blockReads) look(at *serverConn, of *zkbulk.Survey) *sighting {
	if at == nil || r.parent == "" {
		return nil
	}
	s := at.s
	epoch := s.contentsBelow(r.parent).epoch
	if r.now != nil && r.machine == s.machine && r.epoch == epoch {
		return r.now
	}
	if r.machine != s.machine {
		r.keepPaths()
		r.machine, r.nodes = s.machine, make([]zookeeper.KnownNode, r.n)
	}
	r.epoch = epoch
	if r.now == nil || !r.now.holds(r) {
		r.now = r.sight(of)
	}
	return r.now
}

// path is the i-th path.
func (r *blockReads) path(i int) string {
	if r.paths != nil {
		return r.paths[i]
	}
	path, _ := r.nodes[i].Path()
	return path
}

// keepPaths keeps the paths whatever becomes of the znodes.
func (r *blockReads) keepPaths() {
	if r.paths != nil {
		return
	}
	paths := make([]string, r.n)
	for i := range paths {
		paths[i] = r.path(i)
	}
	r.paths = paths
}

// lookAt looks at the i-th znode.
func (r *blockReads) lookAt(i int) (data []byte, everybody bool) {
	if r.paths == nil && r.nodes[i].Gone(r.machine) {
		r.keepPaths()
	}
	return r.machine.Look(&r.nodes[i], r.path(i))
}

// holds reports whether all is as it was.
func (g *sighting) holds(r *blockReads) bool {
	odd := 0
	for i := range r.n {
		data, ok := r.lookAt(i)
		if contentOf(data) != g.contents[i] {
			return false
		}
		if wasOdd := odd < len(g.odd) && g.odd[odd] == i; wasOdd {
			odd++
		} else if !ok {
			return false
		}
	}
	return true
}

// sight looks at all znodes.
func (r *blockReads) sight(of *zkbulk.Survey) *sighting {
	n, known := r.n, 0
	g := &sighting{contents: make([]content, n), ends: make([]uint32, n+1), part: &zkbulk.Part{Block: r.block, Values: make([]any, n)}}
	for i := range n {
		data, everybody := r.lookAt(i)
		g.contents[i] = contentOf(data)
		g.ends[i+1] = g.ends[i] + uint32(len(data))
		value, ok := any(nil), false
		if r.nodes[i].Known() {
			known++
			value, ok = r.valueOf(i, g.contents[i], of)
		}
		g.part.Values[i] = value
		if !ok || !everybody {
			g.odd = append(g.odd, i)
		}
	}
	if known == n {
		r.paths = nil
	}
	return g
}

// valueOf is the value of a content, which is nearly always the one that it had.
func (r *blockReads) valueOf(i int, k content, of *zkbulk.Survey) (any, bool) {
	if r.now != nil && r.now.contents[i] == k && r.now.part.Values[i] != nil {
		return r.now.part.Values[i], true
	}
	value, ok := of.Value(k.data())
	if !ok {
		return nil, false
	}
	return value, true
}

// asked is how large the requests are for the paths from one to before another.
func (r *blockReads) asked(from, to int) int {
	return (to-from)*requestBytes("") + int(r.ends[to]-r.ends[from])
}

// answered is how large their answers are.
func (r *blockReads) answered(from, to int) int {
	return (to-from)*emptyReplyBytes + int(r.now.ends[to]-r.now.ends[from])
}

// has reports whether it says the same as findings.
func (g *sighting) has(f []finding) bool {
	if len(f) != len(g.contents) {
		return false
	}
	for i := range f {
		if f[i].content != g.contents[i] || (f[i].value == nil) != (g.part.Values[i] == nil) {
			return false
		}
	}
	return true
}

// firstOdd is the first odd place from one on, n for none.
func (g *sighting) firstOdd(from int) int {
	for _, i := range g.odd {
		if i >= from {
			return i
		}
	}
	return len(g.contents)
}
