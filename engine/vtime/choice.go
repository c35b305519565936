package vtime

import "math/bits"

// Source draws the choices of one site on one node. The k-th draw is a function
// of (seed, node name, site, k) alone, so that a draw more in one place leaves
// all others as they were.
type Source struct {
	node *Node
	site string
	key  uint64
	k    uint64
}

// Source returns the node's source for a site such as "network.latency".
func (n *Node) Source(site string) *Source {
	if s, ok := n.sources[site]; ok {
		return s
	}
	s := &Source{node: n, site: site, key: mix(mix(n.w.cfg.Seed, hashString(n.name)), hashString(site))}
	n.sources[site] = s
	return s
}

// Uint64n returns a number in [0, n). 0 is the default, the outcome that a
// shrunk run prefers: put the plain case there.
func (s *Source) Uint64n(n uint64) uint64 {
	if n == 0 {
		panic("vtime: choice among 0 outcomes at " + s.site)
	}
	k := s.k
	s.k++
	v := reduce(mix(s.key, k), n)
	if tape := s.node.w.cfg.Tape; tape != nil {
		v = tape.choose(s, k, n, v)
	}
	return v
}

// Intn returns a number in [0, n).
func (s *Source) Intn(n int) int {
	if n <= 0 {
		panic("vtime: choice among 0 outcomes at " + s.site)
	}
	return int(s.Uint64n(uint64(n)))
}

// Float64 returns a number in [0, 1).
func (s *Source) Float64() float64 { return float64(s.Uint64n(1<<53)) / (1 << 53) }

// Chance is true with probability p; false is the default.
func (s *Source) Chance(p float64) bool {
	if p <= 0 {
		return false
	}
	// The draw is turned round so that its default, 0, means false.
	return 1-s.Float64() <= p
}

// mix is a strong mixing of two words (the finaliser of splitmix64 over their
// combination).
func mix(a, b uint64) uint64 {
	x := a ^ (b+fold1)*0xbf58476d1ce4e5b9
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// reduce maps a word to [0, n) by its high bits (Lemire's method without the
// rejection: the bias is below n/2^64).
func reduce(x, n uint64) uint64 {
	hi, _ := bits.Mul64(x, n)
	return hi
}

func hashString(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return mix(h, uint64(len(s)))
}

func hashBytes(b []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range b {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return mix(h, uint64(len(b)))
}
