package java

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/lists"
)

// Hash returns Java's String.hashCode, which is computed over UTF-16 units.
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

// Spread returns the hash that Java's HashSet and HashMap use for a string. Its low bits are the
// bucket.
func Spread(s string) uint32 { return SpreadOf(Hash(s)) }

// SpreadOf does what Spread does, for the hash of any object (HashMap.java, hash).
func SpreadOf(hash uint32) uint32 { return hash ^ hash>>16 }

// Buckets returns the number of buckets of a table that has held up to peak entries. first is the
// number of buckets with which the table began. No bucket may ever have had more than eight
// entries. The table doubles when it is more than three quarters full, and never shrinks.
func Buckets(first uint32, peak int) uint32 {
	for uint32(peak) > first/4*3 {
		first *= 2
	}
	return first
}

// SpreadLong does what Spread does, for a Long (Long.java, hashCode).
func SpreadLong(n uint64) uint32 { return SpreadOf(uint32(n ^ n>>32)) }

// CloneBuckets returns the number of buckets of a copied set with n members. It depends on n alone
// (HashMap.java, putMapEntries).
func CloneBuckets(n int) uint32 {
	want, buckets := uint32(float32(n)/0.75+1), uint32(1)
	for buckets < want {
		buckets *= 2
	}
	return buckets
}

// Copied returns the members of a set or map in the order of a copy. first is the number of buckets
// with which the copy's table begins; the table grows while it is filled. No bucket may get more
// than eight members: use [Ordered] for any other set. spread returns a member's Spread.
func Copied[T any](members []T, first uint32, spread func(T) uint32) []T {
	list := inBuckets(members, Buckets(first, len(members)), spread)
	return lists.Map(list, func(p placed[T]) T { return p.member })
}

// inBuckets returns the members sorted by bucket, and within a bucket in their old order.
func inBuckets[T any](members []T, buckets uint32, spread func(T) uint32) []placed[T] {
	list := make([]placed[T], len(members)) // computes each member's spread only once
	for i, m := range members {
		list[i] = placed[T]{spread(m) & (buckets - 1), m}
	}
	slices.SortStableFunc(list, func(a, b placed[T]) int { return cmp.Compare(a.bucket, b.bucket) })
	return list
}

type placed[T any] struct {
	bucket uint32
	member T
}
