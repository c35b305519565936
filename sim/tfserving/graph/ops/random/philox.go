package random

import "math/bits"

// philox is the counter-based generator Philox 4x32 with ten rounds (core/lib/random/philox_random.h).
// Each counter gives a block of four numbers.
type philox struct {
	counter [4]uint32
	key     [2]uint32
}

// block returns the numbers of a counter.
func (p philox) block() [4]uint32 {
	const rounds, first, second, weylFirst, weylSecond = 10, 0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85
	c, k := p.counter, p.key
	for range rounds {
		high, low := bits.Mul32(first, c[0])
		otherHigh, otherLow := bits.Mul32(second, c[2])
		c = [4]uint32{otherHigh ^ c[1] ^ k[0], otherLow, high ^ c[3] ^ k[1], low}
		k[0], k[1] = k[0]+weylFirst, k[1]+weylSecond
	}
	return c
}

// after returns the generator n blocks later.
func (p philox) after(n uint64) philox {
	low, carry := bits.Add64(uint64(p.counter[0])|uint64(p.counter[1])<<32, n, 0)
	high := (uint64(p.counter[2]) | uint64(p.counter[3])<<32) + carry
	p.counter = [4]uint32{uint32(low), uint32(low >> 32), uint32(high), uint32(high >> 32)}
	return p
}

// fromSeed returns the generator of a seed of two numbers. The seed is mixed by the generator
// itself, so that any seed is a good one (core/kernels/stateless_random_ops.cc).
func fromSeed(seed [2]uint64) philox {
	mixed := philox{
		counter: [4]uint32{uint32(seed[0]), uint32(seed[0] >> 32), uint32(seed[1]), uint32(seed[1] >> 32)},
		key:     [2]uint32{0x3ec8f720, 0x02461e29},
	}.block()
	return philox{counter: [4]uint32{0, 0, mixed[2], mixed[3]}, key: [2]uint32{mixed[0], mixed[1]}}
}

// single draws one number after another.
type single struct {
	from  philox
	block [4]uint32
	left  int
}

func (s *single) next() uint32 {
	if s.left == 0 {
		s.block, s.left = s.from.block(), len(s.block)
		s.from = s.from.after(1)
	}
	s.left--
	return s.block[len(s.block)-1-s.left]
}
