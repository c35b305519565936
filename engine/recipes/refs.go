package recipes

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
type order struct{ refs []ref }

// add puts a ref at the end. live is how many count.
func (o *order) add(r ref, live int, counts func(ref) bool) {
	if len(o.refs) >= live+live/4+32 {
		o.tidy(live, counts)
	}
	o.refs = appended(o.refs, r)
}

// tidy leaves the refs that count, each where it was added last.
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

// replace puts another ref where one was added last.
func (o *order) replace(old, by ref) {
	for i := len(o.refs) - 1; i >= 0; i-- {
		if o.refs[i] == old {
			o.refs[i] = by
			return
		}
	}
}

// appended is append that grows by little: there are very many such lists.
func appended[T any](list []T, v T) []T {
	return append(withRoom(list, len(list)+1), v)
}

// setAt sets an item of a list whose items are zero to begin with.
func setAt[T any](list *[]T, i uint32, v T) {
	if n := int(i) + 1; n > len(*list) {
		*list = withRoom(*list, n)[:n]
	}
	(*list)[i] = v
}

// withRoom returns the list with room for n items. What it adds beyond is little.
func withRoom[T any](list []T, n int) []T {
	if n <= cap(list) {
		return list
	}
	return append(make([]T, 0, n+n/8+8), list...)
}
