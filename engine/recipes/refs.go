package recipes

import (
	"encoding/binary"
	"slices"

	"github.com/monosim/monosim/engine/env"
)

// ref names one of the many things that a client keeps in an order: a member of a family,
// which is data watches of one parent, or for family 0 something by itself.
type ref uint32

const (
	memberBits = 22
	maxMembers = 1 << memberBits
	maxFamily  = 1<<(32-memberBits) - 1
)

func refOf(family, member uint32) ref { return ref(family<<memberBits | member) }
func (r ref) family() uint32          { return uint32(r) >> memberBits }
func (r ref) member() uint32          { return uint32(r) & (maxMembers - 1) }

// bits is a set of small numbers.
type bits []uint64

func (b bits) has(i uint32) bool {
	word := int(i / 64)
	return word < len(b) && b[word]&(1<<(i%64)) != 0
}

func (b *bits) set(i uint32, in bool) {
	if word := int(i / 64); word >= len(*b) {
		if !in {
			return
		}
		*b = append(*b, make(bits, word+1-len(*b))...)
	}
	if in {
		(*b)[i/64] |= 1 << (i % 64)
	} else {
		(*b)[i/64] &^= 1 << (i % 64)
	}
}

// refSet is a set of refs.
type refSet []bits // by family

// add reports whether the ref is new.
func (s *refSet) add(r ref) bool {
	for int(r.family()) >= len(*s) {
		*s = append(*s, nil)
	}
	of := &(*s)[r.family()]
	if of.has(r.member()) {
		return false
	}
	of.set(r.member(), true)
	return true
}

// refList is a list of refs. There are very many: one takes two or three bytes where it is
// near the one before it, whichever family that is of.
type refList struct {
	bytes []byte // how far each is from the one before it, as binary.AppendVarint has it
	last  int64  // code of the last one
	count int
}

// nearFamilies are the families of which refs to neighbours are near each other.
const nearFamilies = 64

func (r ref) code() int64 {
	return int64(r.family()/nearFamilies)<<32 | int64(r.member())*nearFamilies | int64(r.family()%nearFamilies)
}

func refOfCode(code int64) ref {
	near := uint32(code)
	return refOf(uint32(code>>32)*nearFamilies+near%nearFamilies, near/nearFamilies)
}

// add puts a ref at the end.
func (l *refList) add(r ref) {
	if n := len(l.bytes); n+binary.MaxVarintLen64 > cap(l.bytes) {
		l.bytes = append(make([]byte, 0, n+n/8+binary.MaxVarintLen64), l.bytes...)
	}
	code := r.code()
	l.bytes = binary.AppendVarint(l.bytes, code-l.last)
	l.last = code
	l.count++
}

// list are the refs in their order.
func (l *refList) list() []ref {
	refs := make([]ref, 0, l.count)
	code := int64(0)
	for rest := l.bytes; len(rest) > 0; {
		step, n := binary.Varint(rest)
		code, rest = code+step, rest[n:]
		refs = append(refs, refOfCode(code))
	}
	return refs
}

func listOf(refs []ref) (l refList) {
	for _, r := range refs {
		l.add(r)
	}
	return l
}

// order keeps refs in the order in which they were added last, and may keep some that
// are gone, for a while.
type order struct{ refs refList }

// add puts a ref at the end. live is how many count.
func (o *order) add(r ref, live int, counts func(ref) bool) {
	if o.refs.count >= live+live/4+32 {
		o.tidy(live, counts)
	}
	o.refs.add(r)
}

// tidy leaves the refs that count, each where it was added last.
func (o *order) tidy(live int, counts func(ref) bool) {
	if o.refs.count == live {
		return
	}
	seen, refs := refSet{}, o.refs.list()
	kept := len(refs)
	for i := len(refs) - 1; i >= 0; i-- {
		if r := refs[i]; counts(r) && seen.add(r) {
			kept--
			refs[kept] = r
		}
	}
	o.refs = listOf(refs[kept:])
}

// replace puts another ref where one was added last.
func (o *order) replace(old, by ref) {
	refs := o.refs.list()
	for i := len(refs) - 1; i >= 0; i-- {
		if refs[i] == old {
			refs[i] = by
			break
		}
	}
	o.refs = listOf(refs)
}

// zxids remembers a zxid for each of many children, 0 to begin with: as the stamp that the
// names have for it, in two bytes.
type zxids struct {
	names  *env.Names
	stamps []uint16
	odd    map[uint32]int64 // those that got no stamp
}

func (z *zxids) get(i uint32) int64 {
	if int(i) < len(z.stamps) && z.stamps[i] != 0 {
		return z.names.Stamped(i, z.stamps[i])
	}
	return z.odd[i]
}

func (z *zxids) set(i uint32, zxid int64) {
	if n := len(z.stamps); int(i) >= n {
		if int(i) >= cap(z.stamps) {
			z.stamps = slices.Grow(z.stamps, int(i)+1-n+n/8)
		}
		z.stamps = z.stamps[:i+1]
	}
	delete(z.odd, i)
	z.stamps[i] = 0
	if zxid == 0 {
		return
	}
	if z.stamps[i] = z.names.Stamp(i, zxid); z.stamps[i] != 0 {
		return
	}
	if z.odd == nil {
		z.odd = map[uint32]int64{}
	}
	z.odd[i] = zxid
}
