package infer

import (
	"encoding/binary"
	"hash/crc64"

	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// digest is a number that depends on all that was put into it, in order.
type digest uint64

var digestTable = crc64.MakeTable(crc64.ECMA)

func newDigest() digest { return 1 }

func (d digest) bytes(b []byte) digest {
	return digest(crc64.Update(uint64(d), digestTable, b))
}

func (d digest) number(n uint64) digest {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	return d.bytes(b[:])
}

func (d digest) text(s string) digest { return d.number(uint64(len(s))).bytes([]byte(s)) }

// rows puts elements [from, to) of a tensor in; what they were encoded as does
// not matter.
func (d digest) elements(t tensor.Tensor, from, to int) digest {
	if raw := t.Raw(); raw != nil {
		size := tensor.Size(t.DType())
		return d.bytes(raw[from*size : to*size])
	}
	for i := from; i < to; i++ {
		d = d.number(uint64(len(t.Bytes(i)))).bytes(t.Bytes(i))
	}
	return d
}

// sum spreads the digest over all bits: a CRC alone is linear.
func (d digest) sum() uint64 {
	s := stream(d)
	return s.next()
}

// stream is a sequence of numbers that begins anywhere (splitmix64).
type stream uint64

func (s *stream) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
