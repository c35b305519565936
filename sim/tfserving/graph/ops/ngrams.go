package ops

import (
	wire "encoding/binary"
	"math/bits"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// ngramOps holds operations of text layers: n-grams, and the keyed hash that a salted Hashing layer
// uses.
var ngramOps = map[string]Kernel{
	"StringNGrams": Of(ints(1), stringNGrams), "StringToHashBucketStrong": hashBucketStrong,
}

// ngrams makes the n-grams of a row of words (core/kernels/string_ngrams_op.cc).
type ngrams struct {
	separator, left, right string
	widths                 []int
	pad                    int // pad is the greatest padding on each side; a negative value means the width minus 1
	keepsShort             bool
}

func stringNGrams(c *Call, splits []int) ([]Value, error) {
	words := c.In[0].S()
	if err := splitsError(splits, len(words)); err != nil {
		return nil, err
	}
	g := ngrams{c.Text("separator"), c.Text("left_pad"), c.Text("right_pad"), c.Numbers("ngram_widths"), c.Number("pad_width"), c.Flag("preserve_short_sequences")}
	ends := make([]int64, len(splits))
	if len(words) == 0 || len(splits) == 0 {
		// the strings stay empty, because TensorFlow does not write this output
		blank := value.Strings(c.In[0].Shape(), make([]string, len(words)))
		return []Value{blank, value.Ints(c.In[1].DType(), c.In[1].Shape(), ends)}, nil
	}
	var list []string
	for i := range len(splits) - 1 {
		row, err := g.of(words[splits[i]:splits[i+1]])
		if err != nil {
			return nil, err
		}
		list = append(list, row...)
		ends[i+1] = int64(len(list))
	}
	made, err := c.strings([]int{len(list)}, list)
	if err != nil {
		return nil, err
	}
	return append(made, value.Ints(c.In[1].DType(), c.In[1].Shape(), ends)), nil
}

func splitsError(splits []int, size int) error {
	if len(splits) == 0 {
		return nil
	}
	if splits[0] != 0 {
		return Invalidf("First split value must be 0, got %d", splits[0])
	}
	for i := 1; i < len(splits); i++ {
		if splits[i] < splits[i-1] || splits[i] > size {
			return Invalidf("Invalid split value %d, must be in [%d, %d]", splits[i], splits[i-1], size)
		}
	}
	if last := splits[len(splits)-1]; last != size {
		return Invalidf("Last split value must be data size. Expected %d, got %d", size, last)
	}
	return nil
}

func (g ngrams) of(words []string) (list []string, err error) {
	for _, width := range g.widths {
		list = append(list, g.wide(words, width)...)
	}
	if !g.keepsShort || len(list) > 0 || len(words) == 0 {
		return list, nil
	}
	if g.pad < 0 {
		return nil, Invalidf("Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not provided, got %d", g.pad)
	}
	return g.wide(words, len(words)+2*g.pad)[:1], nil
}

// wide returns the n-grams of one width: windows over the row with its padding.
func (g ngrams) wide(words []string, width int) (list []string) {
	pad := width - 1
	if g.pad >= 0 {
		pad = min(g.pad, pad)
	}
	row := append(append(repeated(g.left, pad), words...), repeated(g.right, pad)...)
	for i := 0; i+width <= len(row); i++ {
		list = append(list, strings.Join(row[i:i+width], g.separator))
	}
	return list
}

func repeated(s string, n int) []string {
	list := make([]string, max(n, 0))
	for i := range list {
		list[i] = s
	}
	return list
}

func hashBucketStrong(c *Call) ([]Value, error) {
	buckets, key := uint64(max(c.Number("num_buckets"), 1)), c.Numbers("key")
	if len(key) != 2 {
		return nil, c.Unsupported("a key of %d numbers", len(key))
	}
	return One(value.Ints(value.Int64, c.In[0].Shape(), lists.Map(c.In[0].S(), func(s string) int64 {
		return int64(sipHash(uint64(key[0]), uint64(key[1]), s) % buckets)
	})))
}

// hashBucket hashes strings as tables of old releases did (core/platform/hash.cc, Hash64).
func hashBucket(c *Call) ([]Value, error) {
	buckets := uint64(max(c.Number("num_buckets"), 1))
	return One(value.Ints(value.Int64, c.In[0].Shape(), lists.Map(c.In[0].S(), func(s string) int64 { return int64(murmurHash(hashSeed, s) % buckets) })))
}

// hashSeed is the seed of Hash64.
const hashSeed = 0xDECAFCAFFE

// murmurHash is MurmurHash64A.
func murmurHash(seed uint64, s string) uint64 {
	const mul = 0xc6a4a7935bd1e995
	hash := seed ^ uint64(len(s))*mul
	for ; len(s) >= 8; s = s[8:] {
		word := wire.LittleEndian.Uint64([]byte(s[:8])) * mul
		hash = (hash ^ (word^word>>47)*mul) * mul
	}
	if s != "" {
		var last [8]byte
		copy(last[:], s)
		hash = (hash ^ wire.LittleEndian.Uint64(last[:])) * mul
	}
	hash = (hash ^ hash>>47) * mul
	return hash ^ hash>>47
}

// sipHash is SipHash-2-4.
func sipHash(k0, k1 uint64, s string) uint64 {
	v := [4]uint64{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573}
	size := uint64(len(s))
	for ; len(s) >= 8; s = s[8:] {
		sipWord(&v, wire.LittleEndian.Uint64([]byte(s[:8])))
	}
	var last [8]byte
	copy(last[:], s)
	sipWord(&v, wire.LittleEndian.Uint64(last[:])|size<<56)
	v[2] ^= 0xff
	for range 4 {
		sipRound(&v)
	}
	return v[0] ^ v[1] ^ v[2] ^ v[3]
}

func sipWord(v *[4]uint64, word uint64) {
	v[3] ^= word
	sipRound(v)
	sipRound(v)
	v[0] ^= word
}

func sipRound(v *[4]uint64) {
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
}
