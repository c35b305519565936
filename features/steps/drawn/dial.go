package drawn

import "hash/fnv"

// Dial is a source of random numbers for one part of a story.
type Dial struct{ state uint64 }

// New returns the dial of the given name for the story of a seed. Dials of different names draw
// independent numbers.
func New(seed uint64, name string) *Dial {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &Dial{state: mix(seed) ^ h.Sum64()}
}

// N returns a random number in [0, n). n must be at least 1.
func (d *Dial) N(n int) int { return int(d.Uint64() % uint64(n)) }

// Uint64 draws any number.
func (d *Dial) Uint64() uint64 {
	d.state += 0x9e3779b97f4a7c15
	return mix(d.state)
}

// mix is the finalizer of splitmix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Of returns a random member of a list, or "" if the list is empty.
func (d *Dial) Of(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[d.N(len(list))]
}
