package walltime

import (
	"math/bits"
	"sync"
)

// node is a place where processes run; its choices are its own.
type node struct {
	name string
	seed uint64

	mu      sync.Mutex
	sources map[string]*source
}

// source draws the choices of one site on one node. The k-th draw is a function
// of (seed, node name, site, k) alone, and is the one that virtual time draws.
type source struct{ key, k uint64 }

func (n *node) draw(site string, outcomes uint64) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	s, ok := n.sources[site]
	if !ok {
		s = &source{key: mix(mix(n.seed, hashString(n.name)), hashString(site))}
		n.sources[site] = s
	}
	hi, _ := bits.Mul64(mix(s.key, s.k), outcomes)
	s.k++
	return hi
}

func (n *node) intn(site string, outcomes int) int {
	if outcomes <= 0 {
		panic("walltime: choice among 0 outcomes at " + site)
	}
	return int(n.draw(site, uint64(outcomes)))
}

func (n *node) float64(site string) float64 {
	return float64(n.draw(site, 1<<53)) / (1 << 53)
}

// mix is vtime's mixing of two words; a test holds the two to the same draws.
func mix(a, b uint64) uint64 {
	x := a ^ (b+0x9e3779b97f4a7c15)*0xbf58476d1ce4e5b9
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func hashString(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return mix(h, uint64(len(s)))
}
