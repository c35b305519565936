package clients

import (
	"math/big"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	matrix "github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	example "github.com/monosim/monosim/engine/proto/monolith/io/proto"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyos"
)

// randomVocabSizes holds the number of ids in random instances (tfs_client.py:50), for slots 1 to
// 6.
var randomVocabSizes = []int{5, 5, 5, 5, 5, 5}

// The random draws of this file have these names among the choices of the simulation.
const (
	siteRandomInstance = "tfs_client.random_instance"
	siteRandomBatch    = "tfs_client.random_example_batch"
)

// between draws a number from least to most inclusive, as random.randint does.
func (c TFSClient) between(site string, least, most int) int {
	return least + c.Env.Random.Intn(site, most-least+1)
}

// fidOf returns a feature id with the slot in the bits above shift. It can exceed 64 bits.
func fidOf(slot, shift, value int) *big.Int {
	fid := new(big.Int).Lsh(big.NewInt(int64(slot)), uint(shift))
	return fid.Or(fid, big.NewInt(int64(value)))
}

// asFids converts ids to the 64-bit type that messages hold. An id out of range is a ValueError.
func asFids(fids []*big.Int) ([]uint64, error) {
	var list []uint64
	for _, fid := range fids {
		if !fid.IsUint64() {
			return nil, pysem.Raise("ValueError", "Value out of range: %s", fid)
		}
		list = append(list, fid.Uint64())
	}
	return list, nil
}

// RandomInstance returns a serialized Instance of random feature ids, with vocabSizes[i] ids for
// the slot slots[i] (tfs_client.py:99). Nil means slots 1 to 6 with sizes of 5. More slots than
// sizes are an IndexError. An empty list of sizes is a ValueError.
func (c TFSClient) RandomInstance(slots, vocabSizes []int) ([]byte, error) {
	if vocabSizes == nil {
		vocabSizes = randomVocabSizes
	}
	if len(vocabSizes) == 0 {
		return nil, pysem.Raise("ValueError", "max() arg is an empty sequence")
	}
	if slots == nil {
		for i := range randomVocabSizes {
			slots = append(slots, i+1)
		}
	}
	largest := vocabSizes[0]
	for _, size := range vocabSizes {
		largest = max(largest, size)
	}
	var fids []*big.Int
	for i, slot := range slots {
		if i >= len(vocabSizes) {
			return nil, indexError()
		}
		for range vocabSizes[i] {
			word := i*largest + c.between(siteRandomInstance, 1, vocabSizes[i])
			fids = append(fids, fidOf(slot, slotShiftV1, word))
		}
	}
	list, err := asFids(fids)
	if err != nil {
		return nil, err
	}
	return serialize(&matrix.Instance{Fid: list}), nil
}

// Feature describes one column of an example batch (feature_list.py:72).
type Feature struct {
	FeatureName pysem.OptString
	Method      pysem.OptString
	Slot        pysem.OptInt
	Args        pysem.Opt[[]string]
}

// Name returns the column's name: the feature's name without prefixes, in lower case
// (feature_list.py:151). If the name begins with f_, each of its parts loses its first two letters.
// None is an AttributeError.
func (f Feature) Name() (string, error) {
	if !f.FeatureName.Set {
		return "", pysem.AttributeError(nil, "split")
	}
	parts := strings.Split(f.FeatureName.V, "-")
	for i, part := range parts {
		if rest, ok := strings.CutPrefix(part, "fc_"); ok {
			parts[i] = rest
		} else if strings.HasPrefix(f.FeatureName.V, "f_") {
			chars := pysem.Chars(part)
			parts[i] = strings.Join(chars[min(2, len(chars)):], "")
		}
	}
	return pysem.Lower(strings.Join(parts, "-")), nil
}

// skippedNames lists parts of names. Random batches leave out every column whose name contains one
// of these parts (tfs_client.py:64).
var skippedNames = []string{"-", "_lt_", "_st_", "_lt", "_st", "_cp_", "_recent_", "_cp", "_recent"}

// isRandomColumn reports whether random batches contain a column with the given name.
func isRandomColumn(name string) bool {
	for _, part := range skippedNames {
		if strings.Contains(name, part) {
			return false
		}
	}
	return strings.Contains(name, "_id") || strings.Contains(name, "_name")
}

// RandomExampleBatch returns a serialized ExampleBatch of random feature ids (tfs_client.py:117).
// It has a column for each feature whose name contains _id or _name, and a column of line ids. A
// batchSize beyond int32 is a ValueError.
func (c TFSClient) RandomExampleBatch(features []Feature, batchSize int) ([]byte, error) {
	if int(int32(batchSize)) != batchSize {
		return nil, pysem.Raise("ValueError", "Value out of range: %d", batchSize)
	}
	batch := &example.ExampleBatch{BatchSize: int32(batchSize)}
	for _, f := range features {
		name, err := f.Name()
		if err != nil {
			return nil, err
		}
		if !isRandomColumn(name) {
			continue
		}
		column := &example.NamedFeatureList{Name: name}
		for range batchSize {
			value, err := c.randomValue(f)
			if err != nil {
				return nil, err
			}
			column.Feature = append(column.Feature, value)
		}
		batch.NamedFeatureList = append(batch.NamedFeatureList, column)
	}
	lines := &example.NamedFeatureList{Name: "__LINE_ID__"}
	for range batchSize {
		lines.Feature = append(lines.Feature, c.randomLine())
	}
	batch.NamedFeatureList = append(batch.NamedFeatureList, lines)
	return serialize(batch), nil
}

// An id in a vector has 63 random bits, which overwrite its slot. A single id has only 48.
const (
	largestVectorID = 1<<63 - 2
	largestID       = 1<<slotShiftV2 - 1
)

// randomValue returns a single id, or a vector of ids. The feature's first argument is the largest
// number of ids in a vector. If that argument is not a number, there is no value (Q139).
func (c TFSClient) randomValue(f Feature) (*example.Feature, error) {
	if !f.Method.Set {
		return nil, pysem.AttributeError(nil, "lower")
	}
	count, largest := 1, largestID
	if f.Args.Set && strings.HasPrefix(pysem.Lower(f.Method.V), "vectortop") {
		if len(f.Args.V) == 0 || !pysem.IsNumeric(f.Args.V[0]) {
			return &example.Feature{}, nil
		}
		most, err := pysem.ParseInt(f.Args.V[0])
		if err != nil {
			return nil, err
		}
		count, largest = pysem.Saturate(pysem.Int(most)), largestVectorID
		if count > 0 {
			count = c.between(siteRandomBatch, 1, count)
		}
	}
	var fids []*big.Int
	for range count {
		if !f.Slot.Set {
			return nil, pysem.Raise("TypeError", "unsupported operand type(s) for <<: 'NoneType' and 'int'")
		}
		fids = append(fids, fidOf(f.Slot.V, slotShiftV2, c.between(siteRandomBatch, 1, largest)))
	}
	list, err := asFids(fids)
	if err != nil {
		return nil, err
	}
	return &example.Feature{Type: &example.Feature_FidV2List{FidV2List: &example.FidList{Value: list}}}, nil
}

// randomLine returns the LineId of a request at a random time within the last 1,000 s.
func (c TFSClient) randomLine() *example.Feature {
	line := &matrix.LineId{SampleRate: proto.Float32(0.001)}
	age := c.between(siteRandomBatch, 1, 1000)
	line.ReqTime = proto.Int64(int64(unixSeconds(c.Env.Clock) - float64(age)))
	line.Actions = []int32{int32(c.between(siteRandomBatch, 1, 3)), int32(c.between(siteRandomBatch, 3, 5))}
	return &example.Feature{Type: &example.Feature_BytesList{BytesList: &example.BytesList{Value: [][]byte{serialize(line)}}}}
}

// unixSeconds returns the time as Python's time.time() does. The float's precision is about 0.2 µs.
func unixSeconds(clock env.Clock) float64 { return float64(clock.Now().UnixNano()) / 1e9 }

// These are the kinds of random files.
const (
	variantExampleBatch = "example_batch"
	variantInstance     = "instance"
)

// RandomFile writes random instances, or one random batch, to a data file (tfs_client.py:199).
// Without slots, which nothing sets, it raises an AssertionError. With slots it raises an
// AttributeError, because a LineId has no stay_time (data_gen_utils.py:247). Only a file of no
// instances succeeds (Q135).
func (c TFSClient) RandomFile(file, variant string, batchSize int) error {
	if len(c.ValidSlots) == 0 {
		return &pysem.Error{Type: "AssertionError"}
	}
	c.Env.Log.Logf(env.Info, "cannot get feature_list, pls check!") // data_gen_utils.py:131
	if batchSize > 0 {
		return pysem.Raise("AttributeError", `Protocol message LineId has no "stay_time" field.`)
	}
	if variant != variantInstance {
		return &pysem.Error{Type: "AssertionError"}
	}
	if err := c.Env.Files.WriteFile(file, nil); err != nil {
		return pyos.Error(err, file)
	}
	return nil
}
