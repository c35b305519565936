package diff

import (
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper"
)

// invention says how random scripts use one operation. The table has one entry for each of
// zookeeper.OpCodes. Its length is checked below, so a new operation of the machine is a compile
// error until it has an entry. Entries have no field names, so that none can omit a field.
type invention struct {
	op zookeeper.OpCode
	// share is the weight of the operation among all requests. nested is its weight within a
	// multi. 0 means never.
	share, nested int
	// raw lists request bodies for Raw steps, which no client would send.
	raw []string
	// quiet is true if the operation never causes a watch event.
	quiet bool
	// fill draws the fields of a request other than Path and Version, which are already drawn.
	// inMulti is true if the request is part of a multi.
	fill func(g *generator, r *zookeeper.Request, inMulti bool)
}

var inventions = [...]invention{
	{zookeeper.OpCloseSession, 1, 0, nil, false, bare},
	{zookeeper.OpCreateSession, 0, 0, timeouts, false, bare},
	{zookeeper.OpError, 0, 0, noBody, false, bare},
	{zookeeper.OpNotification, 0, 0, noBody, false, bare},
	{zookeeper.OpCreate, 6, 6, cutShort, false, (*generator).create},
	{zookeeper.OpDelete, 8, 5, cutShort, false, bare},
	{zookeeper.OpExists, 6, 0, cutShort, true, (*generator).watch},
	{zookeeper.OpGetData, 6, 0, cutShort, true, (*generator).watch},
	{zookeeper.OpSetData, 8, 10, cutShort, false, func(g *generator, r *zookeeper.Request, _ bool) { r.Data = g.data() }},
	{zookeeper.OpGetACL, 2, 0, nil, true, bare},
	{zookeeper.OpSetACL, 2, 0, nil, false, func(g *generator, r *zookeeper.Request, _ bool) { r.ACL = g.acl() }},
	{zookeeper.OpGetChildren, 4, 0, nil, true, (*generator).watch},
	{zookeeper.OpSync, 2, 0, nil, true, bare},
	{zookeeper.OpPing, 1, 0, nil, true, bare},
	{zookeeper.OpGetChildren2, 4, 0, nil, true, (*generator).watch},
	{zookeeper.OpCheck, 2, 10, nil, false, (*generator).check},
	{zookeeper.OpMulti, 8, 0, cutShort, false, (*generator).multi},
	{zookeeper.OpCreate2, 3, 3, nil, false, (*generator).create},
	{zookeeper.OpReconfig, 0, 0, membership, false, bare},
	{zookeeper.OpCheckWatches, 2, 0, nil, false, func(g *generator, r *zookeeper.Request, _ bool) { r.Mode = pick[int32](g, 1, 2, 3, 4, 5) }},
	{zookeeper.OpRemoveWatches, 4, 0, nil, false, func(g *generator, r *zookeeper.Request, _ bool) { r.Mode = pick[int32](g, 1, 2, 3, 3, 4, 0) }},
	{zookeeper.OpCreateContainer, 3, 3, nil, false, (*generator).createContainer},
	{zookeeper.OpDeleteContainer, 0, 0, barePath, false, bare},
	{zookeeper.OpCreateTTL, 3, 3, nil, false, (*generator).createTTL},
	{zookeeper.OpMultiRead, 2, 0, nil, false, (*generator).multiRead},
	{zookeeper.OpAuth, 2, 0, nil, false, (*generator).auth},
	{zookeeper.OpSetWatches, 2, 0, cutShort, false, (*generator).setWatches},
	{zookeeper.OpSASL, 1, 0, nil, false, func(g *generator, r *zookeeper.Request, _ bool) { r.Data = pick(g, []byte("x"), []byte{}) }},
	{zookeeper.OpGetEphemerals, 2, 0, nil, true, bare},
	{zookeeper.OpGetAllChildrenNumber, 2, 0, nil, true, bare},
	{zookeeper.OpSetWatches2, 2, 0, nil, false, (*generator).setWatches},
	{zookeeper.OpAddWatch, 4, 0, cutShort, false, func(g *generator, r *zookeeper.Request, _ bool) { r.Mode = pick[int32](g, 0, 0, 1, 1, 2) }},
	{zookeeper.OpWhoAmI, 1, 0, nil, true, bare},
}

// The table must have one invention for each operation. Any other length makes this index
// out of bounds at compile time.
var _ = [1]int{}[len(inventions)-zookeeper.OpCount]

// Malformed request bodies, which no client sends.
var (
	noBody   = []string{""}
	timeouts = []string{"", "\x00\x00\x75", "\x00\x00\x75\x30", "\x00\x00\x75\x30\x00", "\xff\xff\x00\x00", "\x80\x00\x00\x00", "\x7f\xff\xff\xff"}
	cutShort = []string{"", "\x00\x00", "\x00\x00\x00\x09/a", "\x00\x00\x00\x02/a\x00\x00"}
	// Three null strings, followed by the version -1, which matches any version.
	membership = []string{"", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}
	barePath   = []string{"/a"}
)

// unknownOps lists operation codes that no operation has.
var unknownOps = []zookeeper.OpCode{77, 10, -3, 108}

// The generator draws from these lists. They are filled in init, because functions in the table use
// them and Go forbids such a cycle of initial values.
var (
	byOp    = map[zookeeper.OpCode]*invention{}
	shares  []*invention // inventions, each as often as its share says
	nesteds []*invention // inventions, each as often as its weight within other operations (nested) says
	raws    []Step       // Raw steps, whose Client is set when they are used
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
	raws = append(raws, lists.Map(unknownOps, func(op zookeeper.OpCode) Step { return Step{Kind: Raw, Op: op} })...)
}

// touchesNobody reports whether the operation never causes a watch event.
func touchesNobody(op zookeeper.OpCode) bool {
	v := byOp[op]
	return v != nil && v.quiet
}

// wanted reports whether any script can contain the operation.
func (v *invention) wanted() bool { return v.share > 0 || v.nested > 0 || len(v.raw) > 0 }
