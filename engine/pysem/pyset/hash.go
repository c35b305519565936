package pyset

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/env"
)

// Hashing says how a Python process hashes strings. The zero Hashing does not hash; with it sets
// iterate in sorted order.
type Hashing struct {
	seeded         bool
	k0, k1         uint64
	rounds, finish int
}

// HashingOf returns the hashing of a process with the given Python version and PYTHONHASHSEED. For
// seed 0 it returns the zero Hashing.
func HashingOf(p env.Python) Hashing {
	if p.HashSeed == 0 {
		return Hashing{}
	}
	// This fills secret as lcg_urandom of Python/bootstrap_hash.c does.
	var secret [16]byte
	x := p.HashSeed
	for i := range secret {
		x = x*214013 + 2531011
		secret[i] = byte(x >> 16)
	}
	h := Hashing{seeded: true, k0: binary.LittleEndian.Uint64(secret[:]), k1: binary.LittleEndian.Uint64(secret[8:]), rounds: 1, finish: 3}
	if p.Before(11) { // Python 3.10 and older use SipHash-2-4 instead of SipHash-1-3
		h.rounds, h.finish = 2, 4
	}
	return h
}

// String returns Python's hash(text). It hashes the bytes that CPython has for the string in
// memory.
func (h Hashing) String(text string) int64 {
	if text == "" {
		return 0
	}
	n := int64(h.sip(pythonBytes(text)))
	if n == -1 {
		return -2
	}
	return n
}

// Tuple returns Python's hash of a tuple from the hashes of its items.
func Tuple(hashes ...int64) int64 {
	const prime1, prime2, prime5 = 11400714785074694791, 14029467366897019727, 2870177450012600261
	acc := uint64(prime5)
	for _, h := range hashes {
		acc += uint64(h) * prime2
		acc = bits.RotateLeft64(acc, 31) * prime1
	}
	acc += uint64(len(hashes)) ^ (prime5 ^ 3527539)
	if acc == math.MaxUint64 {
		return 1546275796
	}
	return int64(acc)
}

// pythonBytes returns the bytes of a string in CPython's memory. Each character takes one, two or
// four bytes, as many as the widest character needs.
func pythonBytes(text string) []byte {
	widest := rune(0)
	for _, r := range text {
		widest = max(widest, r)
	}
	if widest < utf8.RuneSelf {
		return []byte(text)
	}
	var data []byte
	for _, r := range text {
		switch {
		case widest < 1<<8:
			data = append(data, byte(r))
		case widest < 1<<16:
			data = binary.LittleEndian.AppendUint16(data, uint16(r))
		default:
			data = binary.LittleEndian.AppendUint32(data, uint32(r))
		}
	}
	return data
}

// sip returns the SipHash of data, as Python/pyhash.c computes it.
func (h Hashing) sip(data []byte) uint64 {
	v := [4]uint64{h.k0 ^ 0x736f6d6570736575, h.k1 ^ 0x646f72616e646f6d, h.k0 ^ 0x6c7967656e657261, h.k1 ^ 0x7465646279746573}
	last := uint64(len(data)) << 56
	for ; len(data) >= 8; data = data[8:] {
		v = absorb(v, binary.LittleEndian.Uint64(data), h.rounds)
	}
	for i, b := range data {
		last |= uint64(b) << (8 * i)
	}
	v = absorb(v, last, h.rounds)
	v[2] ^= 0xff
	for range h.finish {
		v = sipRound(v)
	}
	return v[0] ^ v[1] ^ v[2] ^ v[3]
}

func absorb(v [4]uint64, m uint64, rounds int) [4]uint64 {
	v[3] ^= m
	for range rounds {
		v = sipRound(v)
	}
	v[0] ^= m
	return v
}

func sipRound(v [4]uint64) [4]uint64 {
	v[0] += v[1]
	v[2] += v[3]
	v[1] = bits.RotateLeft64(v[1], 13) ^ v[0]
	v[3] = bits.RotateLeft64(v[3], 16) ^ v[2]
	v[0] = bits.RotateLeft64(v[0], 32)
	v[2] += v[1]
	v[0] += v[3]
	v[1] = bits.RotateLeft64(v[1], 17) ^ v[2]
	v[3] = bits.RotateLeft64(v[3], 21) ^ v[0]
	v[2] = bits.RotateLeft64(v[2], 32)
	return v
}
