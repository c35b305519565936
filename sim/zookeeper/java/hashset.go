package java

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Hash returns String.hashCode, which counts in UTF-16 units.
func Hash(s string) (hash uint32) {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			hash = 31*hash + uint32(c)
			i++
			continue
		}
		if unit, ok := surrogate(s[i:]); ok {
			hash = 31*hash + uint32(unit)
			i += 3
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if i += n; r > 0xFFFF {
			hash = 31*hash + uint32(0xD800+(r-0x10000)>>10)
			r = 0xDC00 + (r-0x10000)&0x3FF
		}
		hash = 31*hash + uint32(r)
	}
	return hash
}

// Spread returns the hash whose low bits are a string's bucket in a HashSet or HashMap.
func Spread(s string) uint32 { return SpreadOf(Hash(s)) }

// SpreadOf does what Spread does for the hash of any object (HashMap.java, hash).
func SpreadOf(hash uint32) uint32 { return hash ^ hash>>16 }

// Buckets returns the size of a table that began with so many buckets and has held up to peak
// entries: it doubles when it is more than three quarters full, and never shrinks.
//
// A table of less than 64 buckets also doubles when the ninth entry comes into one of its buckets,
// and a larger one turns such a bucket into a tree. Both are left out.
func Buckets(first uint32, peak int) uint32 {
	for uint32(peak) > first/4*3 {
		first *= 2
	}
	return first
}

// CloneBuckets returns the size of the table of a clone of a set with n members, which is sized by
// them alone (HashMap.java, putMapEntries).
func CloneBuckets(n int) uint32 {
	want, buckets := uint32(float32(n)/0.75+1), uint32(1)
	for buckets < want {
		buckets *= 2
	}
	return buckets
}

// InOrder sorts the members of a set with so many buckets, given in the order in which they came,
// into the order in which Java iterates over them: by bucket, and in a bucket as they came. spread
// is a member's Spread.
func InOrder[T any](members []T, buckets uint32, spread func(T) uint32) {
	if len(members) < 2 {
		return
	}
	list := make([]placed[T], len(members)) // so that each is spread once
	for i, m := range members {
		list[i] = placed[T]{spread(m) & (buckets - 1), m}
	}
	slices.SortStableFunc(list, func(a, b placed[T]) int { return cmp.Compare(a.bucket, b.bucket) })
	for i := range list {
		members[i] = list[i].member
	}
}

type placed[T any] struct {
	bucket uint32
	member T
}
