package formats

import (
	"bytes"
	"encoding/json"
	"math"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"

	tfexample "github.com/monosim/monosim/engine/proto/tensorflow/core/example"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// decodeJSON converts Examples from JSON to what parse_example reads (core/kernels/example_parsing_ops.cc).
// TensorFlow's errors have the words of protobuf's parser of JSON, which are not known here, so broken JSON is
// not supported.
func decodeJSON(c *ops.Call) ([]ops.Value, error) {
	list := make([]string, c.In[0].Len())
	for i, text := range c.In[0].S() {
		example := &tfexample.Example{}
		if err := protojson.Unmarshal([]byte(text), example); err != nil {
			return nil, c.Unsupported("this JSON: %v", err)
		}
		serialized := serializedExample(example, featureNames([]byte(text)))
		if !c.Env.Take(len(serialized), len(text)) {
			return nil, c.Unsupported("a text of %d bytes", len(text))
		}
		list[i] = string(serialized)
	}
	return ops.One(value.Strings(c.In[0].Shape(), list))
}

// serializedExample serializes an Example as protobuf's converter does: features in the order of
// the JSON, and lists of numbers that are not packed.
func serializedExample(example *tfexample.Example, names []string) (out []byte) {
	if example.Features == nil {
		return nil
	}
	var features []byte
	for _, name := range names {
		entry := field(nil, 1, []byte(name))
		features = field(features, 1, field(entry, 2, serializedFeature(example.GetFeatures().GetFeature()[name])))
	}
	return field(nil, 1, features)
}

func serializedFeature(f *tfexample.Feature) []byte {
	var list []byte
	switch kind := f.GetKind().(type) {
	case *tfexample.Feature_BytesList:
		for _, b := range kind.BytesList.GetValue() {
			list = field(list, 1, b)
		}
		return field(nil, 1, list)
	case *tfexample.Feature_FloatList:
		for _, x := range kind.FloatList.GetValue() {
			list = protowire.AppendFixed32(protowire.AppendTag(list, 1, protowire.Fixed32Type), math.Float32bits(x))
		}
		return field(nil, 2, list)
	case *tfexample.Feature_Int64List:
		for _, n := range kind.Int64List.GetValue() {
			list = protowire.AppendVarint(protowire.AppendTag(list, 1, protowire.VarintType), uint64(n))
		}
		return field(nil, 3, list)
	}
	return nil
}

func field(to []byte, number protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, number, protowire.BytesType), content)
}

// featureNames returns the keys of the features of an Example in JSON, in their order.
func featureNames(text []byte) (names []string) {
	for _, m := range members(text) {
		if m.name != "features" {
			continue
		}
		for _, m := range members(m.value) {
			if m.name != "feature" {
				continue
			}
			for _, m := range members(m.value) {
				names = append(names, m.name)
			}
		}
	}
	return names
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of a valid JSON object in their order; none of another value.
func members(text []byte) (list []member) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return list
		}
		m := member{}
		m.name, _ = name.(string)
		if d.Decode(&m.value) != nil {
			return list
		}
		list = append(list, m)
	}
	return list
}
