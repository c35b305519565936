package recipes

import "slices"

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
// are gone, for a while: it takes 4 bytes for each.
type order struct{ refs []ref }

// add puts a ref at the end. live is how many count.
func (o *order) add(r ref, live int, counts func(ref) bool) {
	if len(o.refs) >= live+live/4+32 {
		o.tidy(live, counts)
	}
	o.refs = append(o.refs, r)
}

// tidy leaves the refs that count, each where it was added last.
func (o *order) tidy(live int, counts func(ref) bool) {
	if len(o.refs) == live {
		return
	}
	seen := refSet{}
	kept := len(o.refs)
	for i := len(o.refs) - 1; i >= 0; i-- {
		if r := o.refs[i]; counts(r) && seen.add(r) {
			kept--
			o.refs[kept] = r
		}
	}
	o.refs = slices.Delete(o.refs, 0, kept)
}

// replace puts another ref where one was added last.
func (o *order) replace(old, by ref) {
	for i := len(o.refs) - 1; i >= 0; i-- {
		if o.refs[i] == old {
			o.refs[i] = by
			return
		}
	}
}

// zxids remembers a zxid for each of many numbers, 0 to begin with. The upper halves,
// which count elections, are nearly always the same and kept once.
type zxids struct {
	epoch int64    // the upper half, in place
	low   []uint32 // 0 where there is none, or an odd one
	odd   map[uint32]int64
}

const lowHalf = 1<<32 - 1

func (z *zxids) get(i uint32) int64 {
	if int(i) < len(z.low) && z.low[i] != 0 {
		return z.epoch | int64(z.low[i])
	}
	return z.odd[i]
}

func (z *zxids) set(i uint32, zxid int64) {
	if int(i) >= len(z.low) {
		z.low = append(z.low, make([]uint32, int(i)+1-len(z.low))...)
	}
	z.put(i, zxid)
	if len(z.odd) <= len(z.low)/2 {
		return
	}
	old := *z
	*z = zxids{epoch: zxid &^ lowHalf, low: make([]uint32, len(old.low))}
	for i := range z.low {
		z.put(uint32(i), old.get(uint32(i)))
	}
}

func (z *zxids) put(i uint32, zxid int64) {
	delete(z.odd, i)
	z.low[i] = 0
	switch {
	case zxid&^lowHalf == z.epoch && zxid&lowHalf != 0:
		z.low[i] = uint32(zxid & lowHalf)
	case zxid != 0:
		if z.odd == nil {
			z.odd = map[uint32]int64{}
		}
		z.odd[i] = zxid
	}
}
