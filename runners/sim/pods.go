package sim

import "math/bits"

// podNumbers numbers pods in the order in which they are first seen.
type podNumbers struct {
	byName map[string]int
	names  []string
}

func (p *podNumbers) of(pod string) int {
	n, ok := p.byName[pod]
	if !ok {
		if p.byName == nil {
			p.byName = map[string]int{}
		}
		n = len(p.names)
		p.byName[pod], p.names = n, append(p.names, pod)
	}
	return n
}

// podSet is a bitmap of pod numbers. One bit for each pod keeps it small, since every model
// and every log message has a set of its own.
type podSet []uint64

// add adds a pod and reports whether it is new.
func (s *podSet) add(n int) bool {
	for len(*s) <= n/64 {
		*s = append(*s, 0)
	}
	w, bit := &(*s)[n/64], uint64(1)<<(n%64)
	if *w&bit != 0 {
		return false
	}
	*w |= bit
	return true
}

func (s podSet) has(n int) bool { return n/64 < len(s) && s[n/64]>>(n%64)&1 != 0 }

func (s *podSet) remove(n int) {
	if s.has(n) {
		(*s)[n/64] &^= 1 << (n % 64)
	}
}

func (s podSet) len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}
