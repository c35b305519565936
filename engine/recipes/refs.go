package recipes

// ref is a reference to an item of a client, such as a listener or a watch, in little memory. It
// names a family (a group of data watches below one parent) and a member of it. With family 0 it
// names an item that belongs to no family.
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

// add adds a ref, and returns false if it is already in the set.
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

// order is a list of refs, in the order in which each was last added. It may contain outdated refs
// for a while.
type order struct{ refs []ref }

// add adds a ref at the end. live is the number of refs that are not outdated, and counts reports
// whether a ref is one of these.
func (o *order) add(r ref, live int, counts func(ref) bool) {
	if len(o.refs) >= live+live/4+32 {
		o.tidy(live, counts)
	}
	o.refs = appended(o.refs, r)
}

// tidy removes outdated refs. Each remaining ref is at the place where it was last added.
func (o *order) tidy(live int, counts func(ref) bool) {
	if len(o.refs) == live {
		return
	}
	seen, refs := refSet{}, o.refs
	kept := len(refs)
	for i := len(refs) - 1; i >= 0; i-- {
		if r := refs[i]; counts(r) && seen.add(r) {
			kept--
			refs[kept] = r
		}
	}
	o.refs = append(refs[:0], refs[kept:]...)
}

// replace replaces a ref by another, at the place where it was last added.
func (o *order) replace(old, by ref) {
	for i := len(o.refs) - 1; i >= 0; i-- {
		if o.refs[i] == old {
			o.refs[i] = by
			return
		}
	}
}

// appended appends an item as append does, but reserves only little room, because there are very
// many such lists.
func appended[T any](list []T, v T) []T {
	return append(withRoom(list, len(list)+1), v)
}

// setAt sets an item of a list. If the list is too short, it is extended by zero values.
func setAt[T any](list *[]T, i uint32, v T) {
	if n := int(i) + 1; n > len(*list) {
		*list = withRoom(*list, n)[:n]
	}
	(*list)[i] = v
}

// withRoom returns the list with room for n items. It adds only little room beyond that.
func withRoom[T any](list []T, n int) []T {
	if n <= cap(list) {
		return list
	}
	return append(make([]T, 0, n+n/8+8), list...)
}
