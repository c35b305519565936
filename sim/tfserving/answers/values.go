package answers

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"
	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/lists"
	tfexample "github.com/monosim/monosim/engine/proto/tensorflow/core/example"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// Values holds the elements of a tensor as the script gives them.
type Values struct {
	dtype  framework.DataType // dtype is DT_INVALID where the script leaves it to the signature
	shape  []int64
	leaves []leaf
}

// leaf is one element of a tensor: a text, a number or a boolean.
type leaf struct {
	kind   byte // kind is one of 's', 'i', 'f', 'b'
	text   string
	int    int64
	number float64
}

// readValues reads a value: nested lists of equal lengths, or a mapping with dtype, shape and values.
func readValues(n *yaml.Node) (Values, error) {
	var v Values
	if n.Kind != yaml.MappingNode || isBase64(n) {
		err := v.nest(n, 0)
		return v, err
	}
	var shape []int64
	err := fields(n, "a tensor", map[string]func(*yaml.Node) error{
		"dtype": func(n *yaml.Node) error {
			number, ok := framework.DataType_value[n.Value]
			if !ok || number == 0 || tensor.DTypeName(framework.DataType(number)) == "" {
				return wrong(n, "found dtype %s, want one as DT_FLOAT", kindName(n))
			}
			v.dtype = framework.DataType(number)
			return nil
		},
		"shape": func(n *yaml.Node) error {
			shape = []int64{}
			return list(n, "shape", func(n *yaml.Node) error {
				size := int64(0)
				err := scalar(n, &size, "a size", "a number that is not negative")
				if err == nil && size < 0 {
					err = wrong(n, "found size %d, want one that is not negative", size)
				}
				shape = append(shape, size)
				return err
			})
		},
		"values": func(n *yaml.Node) error { return v.nest(n, 0) },
	})
	if err != nil {
		return v, err
	}
	if shape != nil {
		if count, err := tensor.Count(shape); err != nil || count != int64(len(v.leaves)) {
			return v, wrong(n, "found %d values, want those of shape %v", len(v.leaves), shape)
		}
		v.shape = shape
	}
	if _, err := v.Tensor(v.dtype); err != nil {
		return v, wrong(n, "%v", err)
	}
	return v, nil
}

func isBase64(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == "b64"
}

// maxDepth limits the nesting of lists. It is upstream's limit of a tensor's rank.
const maxDepth = 254

// nest adds the elements of a nested list, or a single value, to v. depth is the nesting level.
func (v *Values) nest(n *yaml.Node, depth int) error {
	if n.Kind != yaml.SequenceNode {
		if depth < len(v.shape) {
			return wrong(n, "found %s, want a list as before it", kindName(n))
		}
		one, err := readLeaf(n)
		v.leaves = append(v.leaves, one)
		return err
	}
	size := int64(len(n.Content))
	switch {
	case depth > maxDepth:
		return wrong(n, "found more than %d lists within each other", maxDepth)
	case depth == len(v.shape) && len(v.leaves) == 0:
		v.shape = append(v.shape, size)
	case depth >= len(v.shape) || v.shape[depth] != size:
		return wrong(n, "found a list of %d, want as many as before it", size)
	}
	for _, item := range n.Content {
		if err := v.nest(item, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func readLeaf(n *yaml.Node) (leaf, error) {
	if isBase64(n) {
		data, err := base64.StdEncoding.DecodeString(n.Content[1].Value)
		if err != nil {
			return leaf{}, wrong(n.Content[1], "found %q, want base64", n.Content[1].Value)
		}
		return leaf{kind: 's', text: string(data)}, nil
	}
	if n.Kind != yaml.ScalarNode {
		return leaf{}, wrong(n, "found %s, want a value", kindName(n))
	}
	switch n.Tag {
	case "!!str":
		return leaf{kind: 's', text: n.Value}, nil
	case "!!bool":
		is := false
		err := scalar(n, &is, "a value", "true or false")
		return leaf{kind: 'b', int: map[bool]int64{true: 1}[is]}, err
	case "!!int":
		var signed int64
		if n.Decode(&signed) == nil {
			return leaf{kind: 'i', int: signed, number: float64(signed)}, nil
		}
		var unsigned uint64
		err := scalar(n, &unsigned, "a value", "a number of 64 bits")
		return leaf{kind: 'i', int: int64(unsigned), number: float64(unsigned)}, err
	case "!!float":
		one := leaf{kind: 'f'}
		err := scalar(n, &one.number, "a value", "a number")
		return one, err
	}
	return leaf{}, wrong(n, "found %s, want a text, a number or a boolean", kindName(n))
}

// Tensor makes a tensor of the given dtype. A dtype in the script takes precedence. If neither is
// set, the elements decide: DT_STRING, DT_BOOL or DT_FLOAT.
func (v Values) Tensor(dtype framework.DataType) (tensor.Tensor, error) {
	switch {
	case v.dtype != framework.DataType_DT_INVALID:
		dtype = v.dtype
	case dtype == framework.DataType_DT_INVALID:
		dtype = v.looks()
	}
	for _, one := range v.leaves {
		if (one.kind == 's') != (dtype == framework.DataType_DT_STRING) || (one.kind == 'b') != (dtype == framework.DataType_DT_BOOL) {
			return tensor.Tensor{}, fmt.Errorf("found %s, want an element of %s", one, dtype)
		}
	}
	switch dtype {
	case framework.DataType_DT_STRING:
		return tensor.FromStrings(v.shape, lists.Map(v.leaves, func(l leaf) string { return l.text }))
	case framework.DataType_DT_BOOL:
		return tensor.FromBools(v.shape, lists.Map(v.leaves, func(l leaf) bool { return l.int != 0 }))
	}
	if slices.ContainsFunc(v.leaves, func(l leaf) bool { return l.kind == 'f' }) {
		return tensor.FromFloats(dtype, v.shape, lists.Map(v.leaves, func(l leaf) float64 { return l.number }))
	}
	return tensor.FromInts(dtype, v.shape, lists.Map(v.leaves, func(l leaf) int64 { return l.int }))
}

func (v Values) looks() framework.DataType {
	for _, one := range v.leaves {
		switch one.kind {
		case 's':
			return framework.DataType_DT_STRING
		case 'b':
			return framework.DataType_DT_BOOL
		}
	}
	return framework.DataType_DT_FLOAT
}

func (l leaf) String() string {
	switch l.kind {
	case 's':
		return strconv.Quote(l.text)
	case 'b':
		return strconv.FormatBool(l.int != 0)
	}
	return strconv.FormatFloat(l.number, 'g', -1, 64)
}

// equal reports whether a tensor has the same shape and elements, after converting the script's
// elements to the tensor's dtype.
func (v Values) equal(got tensor.Tensor) bool {
	if !slices.Equal(v.shape, got.Shape()) {
		return false
	}
	want, err := v.Tensor(got.DType())
	if err != nil || want.DType() != got.DType() {
		return false
	}
	for i := range want.Len() {
		a, b := want.Complex(i), got.Complex(i)
		same := a == b || math.IsNaN(real(a)) && math.IsNaN(real(b))
		if !same || want.Int(i) != got.Int(i) || string(want.Bytes(i)) != string(got.Bytes(i)) {
			return false
		}
	}
	return true
}

// fitExamples reports whether an input consists of serialized examples that match want, one by one.
// Features that the script does not name are not checked.
func fitExamples(want []map[string]Values, inputs map[string]tensor.Tensor) bool {
	for _, input := range inputs { //lint:ordered a method with examples has one input
		if input.DType() != framework.DataType_DT_STRING || input.Len() != len(want) {
			continue
		}
		all := true
		for i, features := range want {
			all = all && fitExample(features, input.Bytes(i))
		}
		if all {
			return true
		}
	}
	return false
}

func fitExample(want map[string]Values, serialized []byte) bool {
	got := &tfexample.Example{}
	if proto.Unmarshal(serialized, got) != nil {
		return false
	}
	for name, v := range want { //lint:ordered all have to fit
		list, err := featureTensor(got.GetFeatures().GetFeature()[name])
		v.shape = []int64{int64(len(v.leaves))} // a single value equals a list that has only this value
		if err != nil || !v.equal(list) {
			return false
		}
	}
	return true
}

// featureTensor converts a tf.Example feature to a vector.
func featureTensor(f *tfexample.Feature) (tensor.Tensor, error) {
	switch kind := f.GetKind().(type) {
	case *tfexample.Feature_BytesList:
		list := kind.BytesList.GetValue()
		return tensor.FromStrings([]int64{int64(len(list))}, list)
	case *tfexample.Feature_Int64List:
		list := kind.Int64List.GetValue()
		return tensor.FromInts(framework.DataType_DT_INT64, []int64{int64(len(list))}, list)
	}
	list := f.GetFloatList().GetValue()
	wide := lists.Map(list, func(x float32) float64 { return float64(x) })
	return tensor.FromFloats(framework.DataType_DT_FLOAT, []int64{int64(len(list))}, wide)
}
