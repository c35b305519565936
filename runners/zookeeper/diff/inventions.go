package diff

import "github.com/monosim/monosim/sim/zookeeper"

// invention says how random scripts ask for one operation. The table has one for each
// of zookeeper.OpCodes, written without names of fields: an operation that is new in the
// machine's table does not compile here before it is said how scripts have it.
type invention struct {
	op zookeeper.OpCode
	// share is how often requests are of it, and nested how often operations of a multi
	// are, each out of the sum of all; 0 is never.
	share, nested int
	// raw are bodies that are sent besides those that a client makes.
	raw []string
	// quiet says that nothing can have come to anybody after it.
	quiet bool
	// fill makes up all of a request but Path and Version, which each has; in a multi
	// when inMulti is set.
	fill func(g *generator, r *zookeeper.Request, inMulti bool)
}

var inventions = [...]invention{
	{zookeeper.OpCloseSession, 1, 0, nil, false, bare},
	{zookeeper.OpCreateSession, 0, 0, noBody, false, bare},
	{zookeeper.OpError, 0, 0, noBody, false, bare},
	{zookeeper.OpNotification, 0, 0, noBody, false, bare},
	{zookeeper.OpCreate, 6, 6, cutShort, false, (*generator).create},
	{zookeeper.OpDelete, 8, 5, cutShort, false, bare},
	{zookeeper.OpExists, 6, 0, cutShort, true, (*generator).watch},
	{zookeeper.OpGetData, 6, 0, cutShort, true, (*generator).watch},
	{zookeeper.OpSetData, 8, 10, cutShort, false, (*generator).setData},
	{zookeeper.OpGetACL, 2, 0, nil, true, bare},
	{zookeeper.OpSetACL, 2, 0, nil, false, (*generator).setACL},
	{zookeeper.OpGetChildren, 4, 0, nil, true, (*generator).watch},
	{zookeeper.OpSync, 2, 0, nil, true, bare},
	{zookeeper.OpPing, 1, 0, nil, true, bare},
	{zookeeper.OpGetChildren2, 4, 0, nil, true, (*generator).watch},
	{zookeeper.OpCheck, 2, 10, nil, false, (*generator).check},
	{zookeeper.OpMulti, 8, 0, cutShort, false, (*generator).multi},
	{zookeeper.OpCreate2, 3, 3, nil, false, (*generator).create},
	{zookeeper.OpReconfig, 0, 0, membership, false, bare},
	{zookeeper.OpCheckWatches, 2, 0, nil, false, (*generator).checkWatches},
	{zookeeper.OpRemoveWatches, 4, 0, nil, false, (*generator).removeWatches},
	{zookeeper.OpCreateContainer, 3, 3, nil, false, (*generator).createContainer},
	{zookeeper.OpDeleteContainer, 0, 0, barePath, false, bare},
	{zookeeper.OpCreateTTL, 3, 3, nil, false, (*generator).createTTL},
	{zookeeper.OpMultiRead, 2, 0, nil, false, (*generator).multiRead},
	{zookeeper.OpAuth, 2, 0, nil, false, (*generator).auth},
	{zookeeper.OpSetWatches, 2, 0, cutShort, false, (*generator).setWatches},
	{zookeeper.OpSASL, 1, 0, nil, false, (*generator).token},
	{zookeeper.OpGetEphemerals, 2, 0, nil, true, bare},
	{zookeeper.OpGetAllChildrenNumber, 2, 0, nil, true, bare},
	{zookeeper.OpSetWatches2, 2, 0, nil, false, (*generator).setWatches},
	{zookeeper.OpAddWatch, 4, 0, cutShort, false, (*generator).addWatch},
	{zookeeper.OpWhoAmI, 1, 0, nil, true, bare},
}

// One invention for each operation: other lengths are an index out of bounds.
var _ = [1]int{}[len(inventions)-zookeeper.OpCount]

// Bodies that no client sends.
var (
	noBody   = []string{""}
	cutShort = []string{"", "\x00\x00", "\x00\x00\x00\x09/a", "\x00\x00\x00\x02/a\x00\x00"}
	// three times null, and any version
	membership = []string{"", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}
	barePath   = []string{"/a"}
)

// unknownOps are numbers that no operation has.
var unknownOps = []zookeeper.OpCode{77, 10, -3, 108}

// What is drawn from is made of the table at start, as the table's functions draw from it.
var (
	byOp    = map[zookeeper.OpCode]*invention{}
	shares  []*invention // each as often as its share
	nesteds []*invention // each as often as it is nested
	raws    []Step       // without a client
)

func init() {
	for i := range inventions {
		v := &inventions[i]
		byOp[v.op] = v
		for range v.share {
			shares = append(shares, v)
		}
		for range v.nested {
			nesteds = append(nesteds, v)
		}
		for _, body := range v.raw {
			raws = append(raws, Step{Kind: Raw, Op: v.op, Body: []byte(body)})
		}
	}
	for _, op := range unknownOps {
		raws = append(raws, Step{Kind: Raw, Op: op})
	}
}

// touchesNobody reports whether nothing can have come to anybody after the operation.
func touchesNobody(op zookeeper.OpCode) bool {
	v := byOp[op]
	return v != nil && v.quiet
}

// wanted reports whether scripts ask for the operation at all.
func (v *invention) wanted() bool { return v.share > 0 || v.nested > 0 || len(v.raw) > 0 }
