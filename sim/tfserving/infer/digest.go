package infer

import (
	"encoding/binary"
	"math/bits"

	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// digest is a hash of everything that was added to it, in order. It is fast, because it takes eight
// bytes at a time. It is not secure against constructed collisions.
type digest uint64

func newDigest() digest { return 1 }

// number adds n to the hash by XORing the two halves of a product, as wyhash does.
func (d digest) number(n uint64) digest {
	high, low := bits.Mul64(n^0xa0761d6478bd642f, uint64(d)^0xe7037ed1a0b428db)
	return digest(high ^ low)
}

func (d digest) bytes(b []byte) digest {
	d = d.number(uint64(len(b)))
	for ; len(b) >= 8; b = b[8:] {
		d = d.number(binary.LittleEndian.Uint64(b))
	}
	if len(b) == 0 {
		return d
	}
	var rest [8]byte
	copy(rest[:], b)
	return d.number(binary.LittleEndian.Uint64(rest[:]))
}

func (d digest) text(s string) digest { return d.bytes([]byte(s)) }

// elements adds elements [from, to) of a tensor. Equal elements give equal digests, whatever the
// tensor's encoding.
func (d digest) elements(t tensor.Tensor, from, to int) digest {
	if raw := t.Raw(); raw != nil {
		size := tensor.Size(t.DType())
		return d.bytes(raw[from*size : to*size])
	}
	for i := from; i < to; i++ {
		d = d.bytes(t.Bytes(i))
	}
	return d
}

// sum returns the final hash, with its entropy spread over all 64 bits.
func (d digest) sum() uint64 {
	s := stream(d)
	return s.next()
}

// stream is a generator of pseudo-random numbers (splitmix64). Any value is a valid seed.
type stream uint64

func (s *stream) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
