package recipes

import (
	"encoding/binary"

	"github.com/monosim/monosim/engine/env"
)

// refList is a list of refs. There are very many: an agent has one for each watch, twice. In
// the lists of all agents the members of a family come in nearly the same order, and the
// families in turns, so that nearly all refs are a byte: how their family is told from those
// before, and which of the members that have followed the last one of the family it is.
type refList struct {
	bytes []byte
	count int
	names []*env.Names // by family; nil for a family whose refs are written whole
	end   refContext   // behind the last ref
}

// A byte has how the family is told in its upper half, in the lower one the number that the
// names have given a member behind another. Where one of them cannot be told, whole stands
// there, and then the ref by binary.AppendUvarint.
const (
	sameFamily  = 0 // as that of the ref before
	usualFamily = 1 // the one that came after that family the last time
	// From 2 on it is the second latest, third latest and so on.
	recentFamilies = 14
	whole          = 0xf0
)

// refContext is what the next ref of a list is told by.
type refContext struct {
	// recent are families, the latest first.
	recent []uint32
	// of has, for each family, its last member and one, and the family that came after it.
	of []familyContext
}

type familyContext struct{ member, after uint32 }

func (c *refContext) at(family uint32) *familyContext {
	for int(family) >= len(c.of) {
		c.of = append(c.of, familyContext{})
	}
	return &c.of[family]
}

// told is how a family is told, false for not at all.
func (c *refContext) told(family uint32) (how byte, ok bool) {
	switch {
	case len(c.recent) == 0:
		return 0, false
	case c.recent[0] == family:
		return sameFamily, true
	case c.at(c.recent[0]).after == family:
		return usualFamily, true
	}
	for i, other := range c.recent {
		if other == family {
			return byte(1 + i), true
		}
	}
	return 0, false
}

// family is the one that is told so.
func (c *refContext) family(how byte) uint32 {
	switch how {
	case sameFamily:
		return c.recent[0]
	case usualFamily:
		return c.at(c.recent[0]).after
	}
	return c.recent[how-1]
}

// pass goes behind a ref.
func (c *refContext) pass(r ref) {
	family := r.family()
	c.at(family).member = r.member() + 1
	if len(c.recent) > 0 {
		if c.recent[0] == family {
			return
		}
		c.at(c.recent[0]).after = family
	}
	place := 0
	for place < len(c.recent) && c.recent[place] != family {
		place++
	}
	if place == len(c.recent) {
		if place < recentFamilies {
			c.recent = append(c.recent, family)
		} else {
			place--
		}
	}
	copy(c.recent[1:place+1], c.recent)
	c.recent[0] = family
}

// add puts a ref at the end. names are those of its family, nil for none.
func (l *refList) add(r ref, names *env.Names) {
	for int(r.family()) >= len(l.names) {
		l.names = append(l.names, nil)
	}
	l.names[r.family()] = names
	if n := len(l.bytes); n+1+binary.MaxVarintLen32 > cap(l.bytes) {
		l.bytes = append(make([]byte, 0, n+n/8+2*binary.MaxVarintLen32), l.bytes...)
	}
	if b, ok := l.short(r); ok {
		l.bytes = append(l.bytes, b)
	} else {
		l.bytes = binary.AppendUvarint(append(l.bytes, whole), uint64(r))
	}
	l.end.pass(r)
	l.count++
}

// short is the byte of a ref at the end, false for none.
func (l *refList) short(r ref) (b byte, ok bool) {
	names, before := l.names[r.family()], l.end.at(r.family()).member
	if names == nil || before == 0 {
		return 0, false
	}
	how, ok := l.end.told(r.family())
	if !ok {
		return 0, false
	}
	follower := names.Follower(before-1, r.member())
	return how<<4 | follower, follower != 0
}

// list are the refs in their order.
func (l *refList) list() []ref {
	refs := make([]ref, 0, l.count)
	var at refContext
	for rest := l.bytes; len(rest) > 0; {
		b, r := rest[0], ref(0)
		rest = rest[1:]
		if b == whole {
			code, n := binary.Uvarint(rest)
			r, rest = ref(code), rest[n:]
		} else {
			family := at.family(b >> 4)
			r = refOf(family, l.names[family].Following(at.at(family).member-1, b&0xf))
		}
		at.pass(r)
		refs = append(refs, r)
	}
	return refs
}

// become makes it the list of other refs, of families that it has had.
func (l *refList) become(refs []ref) {
	fresh := refList{names: l.names}
	for _, r := range refs {
		fresh.add(r, l.names[r.family()])
	}
	*l = fresh
}
