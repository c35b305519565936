package tasks

import "math/bits"

// Draws is the sequence of random choices of one site on one node. The k-th choice depends only
// on the seed, the node's name, the site and k. An extra draw in one place therefore changes no
// draw elsewhere.
type Draws struct{ key, k uint64 }

// NewDraws returns the sequence of choices for a site such as "network.latency".
func NewDraws[T ~string | ~[]byte](seed uint64, node string, site T) Draws {
	return Draws{key: Mix(Mix(seed, Hash(node)), Hash(site))}
}

// Next draws a number in [0, n). k is the index of the draw at this site, starting at 0.
func (d *Draws) Next(n uint64) (k, drawn uint64) {
	k, drawn = d.k, d.Ahead(0, n)
	d.k++
	return k, drawn
}

// Ahead returns the number that Next will draw after the given number of further draws.
func (d Draws) Ahead(others, n uint64) (drawn uint64) {
	// This is Lemire's method without the rejection step. The bias is below n/2^64.
	drawn, _ = bits.Mul64(Mix(d.key, d.k+others), n)
	return drawn
}

// After returns the sequence as it will be after the given number of further draws.
func (d Draws) After(others uint64) Draws { return Draws{key: d.key, k: d.k + others} }

// Skip counts the given number of draws as made. Ahead has returned their numbers before.
func (d *Draws) Skip(draws uint64) { d.k += draws }

// Count returns the number of draws so far.
func (d *Draws) Count() uint64 { return d.k }

// Mix returns a word in which every bit depends on every bit of both arguments. It applies
// splitmix64's finalizer to their combination.
func Mix(a, b uint64) uint64 {
	x := a ^ (b+0x9e3779b97f4a7c15)*0xbf58476d1ce4e5b9
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Hash returns a hash of text or bytes (FNV-1a, mixed with the length).
func Hash[T ~string | ~[]byte](s T) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return Mix(h, uint64(len(s)))
}
