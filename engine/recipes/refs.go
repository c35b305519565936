package recipes

import "github.com/monosim/monosim/engine/env"

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

// order keeps refs in the order in which they were added last, and may keep some that
// are gone, for a while.
type order struct{ refs refList }

// add puts a ref at the end; names are those of its family. live is how many count.
func (o *order) add(r ref, names *env.Names, live int, counts func(ref) bool) {
	if o.refs.count >= live+live/4+32 {
		o.tidy(live, counts)
	}
	o.refs.add(r, names)
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
	o.refs.become(refs[kept:])
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
	o.refs.become(refs)
}

// zxids remembers a zxid for each of many children, 0 to begin with: as the stamp that the
// names have for it, in a byte, or two when one of them needs more.
type zxids struct {
	names *env.Names
	low   []uint8
	high  []uint8          // the upper halves; nil while all are 0
	odd   map[uint32]int64 // those that got no stamp
}

func (z *zxids) stamp(i uint32) (stamp uint16) {
	if int(i) < len(z.low) {
		stamp = uint16(z.low[i])
	}
	if int(i) < len(z.high) {
		stamp |= uint16(z.high[i]) << 8
	}
	return stamp
}

func (z *zxids) get(i uint32) int64 {
	if stamp := z.stamp(i); stamp != 0 {
		return z.names.Stamped(i, stamp)
	}
	return z.odd[i]
}

func (z *zxids) set(i uint32, zxid int64) {
	stamp := uint16(0)
	if zxid != 0 {
		stamp = z.names.Stamp(i, zxid)
	}
	setByte(&z.low, i, uint8(stamp))
	if stamp > 0xff || int(i) < len(z.high) {
		setByte(&z.high, i, uint8(stamp>>8))
	}
	delete(z.odd, i)
	if zxid == 0 || stamp != 0 {
		return
	}
	if z.odd == nil {
		z.odd = map[uint32]int64{}
	}
	z.odd[i] = zxid
}

// setByte sets one of bytes that are 0 to begin with.
func setByte(bytes *[]uint8, i uint32, value uint8) {
	if int(i) >= len(*bytes) {
		if int(i) >= cap(*bytes) {
			*bytes = append(make([]uint8, 0, int(i)+int(i)/8+8), *bytes...)
		}
		*bytes = (*bytes)[:i+1]
	}
	(*bytes)[i] = value
}
