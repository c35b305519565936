package ops

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/lists"
	tfexample "github.com/monosim/monosim/engine/proto/tensorflow/core/example"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// exampleOps holds the operations that parse serialized tf.Examples
// (core/util/example_proto_fast_parsing.cc).
var exampleOps = map[string]Kernel{"ParseExample": parseExample, "ParseExampleV2": parseExample, "ParseSingleExample": parseExample}

// examples is one execution of an operation that parses tf.Examples.
type examples struct {
	*Call
	features []map[string]*tfexample.Feature
	names    []string
	single   bool // single is set for a single example; its outputs have no dimension for examples
}

func parseExample(c *Call) ([]Value, error) {
	wanted, err := c.wantedFeatures()
	if err != nil {
		return nil, err
	}
	serialized := c.In[0]
	if serialized.Rank() > 1 {
		return nil, Invalidf("Expected serialized to be a scalar or vector, got shape: %s", value.ShapeText(serialized.Shape()))
	}
	e := &examples{Call: c, single: serialized.Rank() == 0}
	if c.Op != "ParseSingleExample" {
		names := c.In[1]
		if e.names = names.S(); len(e.names) > 0 && !slices.Equal(names.Shape(), serialized.Shape()) {
			return nil, Invalidf("Expected names have the same shape as serialized: name.shape=%s, serialized.shape=%s",
				value.ShapeText(names.Shape()), value.ShapeText(serialized.Shape()))
		}
	}
	for row, s := range serialized.S() {
		features, ok := Features([]byte(s))
		if !ok {
			return nil, Invalidf("Could not parse example input, value: '%s'", s)
		}
		e.features = append(e.features, features)
		if err := e.check(row, wanted); err != nil {
			return nil, err
		}
	}
	return e.outputs(wanted)
}

// Features reads the features of a serialized example. It skips other fields.
func Features(data []byte) (map[string]*tfexample.Feature, bool) {
	all := &tfexample.Features{}
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return nil, false
		}
		data = data[n:]
		if number == 1 && kind == protowire.BytesType {
			part, n := protowire.ConsumeBytes(data)
			if n < 0 || (proto.UnmarshalOptions{Merge: true}).Unmarshal(part, all) != nil {
				return nil, false
			}
			data = data[n:]
			continue
		}
		var ok bool
		if data, ok = Skipped(data, number, kind); !ok {
			return nil, false
		}
	}
	return all.GetFeature(), true
}

// Skipped returns what is behind a field of which the tag has been read. It does not check that all
// bytes of the field are there, as the fast parser does not.
func Skipped(data []byte, number protowire.Number, kind protowire.Type) ([]byte, bool) {
	if kind == protowire.BytesType {
		length, n := protowire.ConsumeVarint(data)
		if n < 0 {
			return nil, false
		}
		return data[n+int(min(length, uint64(len(data)-n))):], true
	}
	n := protowire.ConsumeFieldValue(number, kind, data)
	if n < 0 || kind == protowire.StartGroupType || kind == protowire.EndGroupType {
		return nil, false
	}
	return data[n:], true
}

// check returns the first error of an example. It looks at the features that the example has, in
// descending order of their keys, and then at those that it lacks.
func (e *examples) check(row int, w wanted) error {
	own := e.features[row]
	keys := slices.Sorted(maps.Keys(own))
	slices.Reverse(keys)
	for _, key := range keys {
		for _, list := range [][]feature{w.dense, w.sparse, w.ragged} {
			for _, f := range list {
				if f.key != key {
					continue
				}
				v, ok, err := e.list(row, f)
				if err == nil && ok && f.shape != nil {
					err = e.fits(row, f, v)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	for _, f := range w.dense {
		if _, ok, _ := e.list(row, f); !ok && !f.open && f.fallback.Len() == 0 {
			return e.missing(row, f)
		}
	}
	return nil
}

// fits returns the error for a dense feature whose number of values does not match its shape.
func (e *examples) fits(row int, f feature, v Value) error {
	want, _ := value.Count(f.shape)
	each, _ := value.Count(f.rest())
	switch {
	case f.open && each > 0 && v.Len()%each != 0 && e.single:
		return Invalidf("Error while parsing feature with key %s: number of elements should be divisible by %d, found %d instead", f.key, each, v.Len())
	case f.open && each > 0 && v.Len()%each != 0:
		return e.wrong(row, f, "Number of %s values is not a multiple of stride length. Saw %d values but output shape is: %s",
			tensor.DTypeName(f.dtype), v.Len(), value.ShapeText(f.shape))
	case !f.open && v.Len() != want && e.single:
		return e.wrong(row, f, "Can't parse serialized Example.")
	case !f.open && v.Len() != want:
		return e.wrong(row, f, "Number of %s values != expected.  Values size: %d but output shape: %s",
			tensor.DTypeName(f.dtype), v.Len(), value.ShapeText(f.shape))
	}
	return nil
}

func (e *examples) outputs(w wanted) ([]Value, error) {
	var dense []Value
	for _, f := range w.dense {
		v, err := e.dense(f)
		if err != nil {
			return nil, err
		}
		dense = append(dense, v)
	}
	// the outputs for sparse features are indices, values and shapes; those for ragged features are
	// values and splits
	var lists [5][]Value
	for _, f := range w.sparse {
		flat, counts, err := e.flat(f)
		if err != nil {
			return nil, err
		}
		indices, shape := e.places(counts)
		lists[0], lists[1], lists[2] = append(lists[0], indices), append(lists[1], flat), append(lists[2], shape)
	}
	for _, f := range w.ragged {
		flat, counts, err := e.flat(f)
		if err != nil {
			return nil, err
		}
		splits := []int{0}
		for i, n := range counts {
			splits = append(splits, splits[i]+n)
		}
		lists[3], lists[4] = append(lists[3], flat), append(lists[4], value.Sizes(f.splits, splits))
	}
	return slices.Concat(lists[0], lists[1], lists[2], dense, lists[3], lists[4]), nil
}

// list returns the values of a feature in one example as a vector. It returns false if the example
// lacks the feature.
func (e *examples) list(row int, f feature) (Value, bool, error) {
	v, ok := FeatureValue(e.features[row][f.key])
	if !ok {
		return Value{}, false, nil
	}
	if v.DType() != f.dtype {
		if f.shape == nil {
			return Value{}, false, e.wrong(row, f, "Data types don't match. Expected type: %s, Actual type: %s",
				tensor.DTypeName(f.dtype), tensor.DTypeName(v.DType()))
		}
		return Value{}, false, e.wrong(row, f, "Data types don't match. Data type: %s but expected type: %s",
			tensor.DTypeName(v.DType()), tensor.DTypeName(f.dtype))
	}
	return v, true, nil
}

// FeatureValue returns the values of a feature as a vector; false if the feature is of no kind.
func FeatureValue(own *tfexample.Feature) (Value, bool) {
	switch kind := own.GetKind().(type) {
	case *tfexample.Feature_FloatList:
		list := lists.Map(kind.FloatList.GetValue(), func(x float32) float64 { return float64(x) })
		return value.Floats(value.Float32, []int{len(list)}, list), true
	case *tfexample.Feature_Int64List:
		return value.Ints(value.Int64, []int{len(kind.Int64List.GetValue())}, slices.Clone(kind.Int64List.GetValue())), true
	case *tfexample.Feature_BytesList:
		list := lists.Map(kind.BytesList.GetValue(), func(b []byte) string { return string(b) })
		return value.Strings([]int{len(list)}, list), true
	}
	return Value{}, false
}

// wrong returns the error for an invalid feature f in the example at index row.
func (e *examples) wrong(row int, f feature, format string, args ...any) error {
	if e.single {
		return Invalidf("Key: %s.  "+format, slices.Concat([]any{f.key}, args)...)
	}
	return Invalidf("Name: %s, Key: %s, Index: %d.  "+format, slices.Concat([]any{e.name(row), f.key, row}, args)...)
}

func (e *examples) name(row int) string {
	if row < len(e.names) {
		return e.names[row]
	}
	return "<unknown>"
}

// dense makes a dense tensor of a feature over all examples. The feature has a fixed shape, or is
// padded to the longest example.
func (e *examples) dense(f feature) (Value, error) {
	rows := make([]Value, len(e.features))
	longest := 0
	for row := range rows {
		v, ok, err := e.list(row, f)
		if err != nil {
			return Value{}, err
		}
		switch {
		case f.open && !ok:
			v = f.fallback.Rows(0, 0)
		case !ok:
			v = f.fallback
		}
		if err := e.fits(row, f, v); err != nil { // of a default
			return Value{}, err
		}
		rows[row], longest = v, max(longest, v.Len())
	}
	return e.stack(f, rows, longest)
}

func (e *examples) missing(row int, f feature) error {
	if e.single {
		return Invalidf("Feature: %s (data type: %s) is required but could not be found.", f.key, tensor.DTypeName(f.dtype))
	}
	return Invalidf("Name: %s, Feature: %s (data type: %s) is required but could not be found.", e.name(row), f.key, tensor.DTypeName(f.dtype))
}

// stack joins the rows of a dense feature into one tensor. Shorter rows are padded with the
// feature's default.
func (e *examples) stack(f feature, rows []Value, longest int) (Value, error) {
	shape := slices.Clone(f.shape)
	if each, _ := value.Count(f.rest()); f.open {
		shape[0] = longest / max(each, 1)
	}
	size, _ := value.Count(shape)
	if !e.single {
		shape = slices.Insert(shape, 0, len(rows))
	}
	if _, err := e.Room(f.dtype, shape); err != nil {
		return Value{}, err
	}
	all := value.Join(append(rows, f.fallback.Reshape([]int{f.fallback.Len()}))...)
	if len(rows) == 0 {
		v, _ := value.Zeros(f.dtype, shape)
		return v, nil
	}
	padding := all.Len() - f.fallback.Len()
	if f.fallback.Len() == 0 {
		padding = -1
	}
	places, start := []int{}, 0
	for _, row := range rows {
		for i := range size {
			if i < row.Len() {
				places = append(places, start+i)
			} else {
				places = append(places, padding)
			}
		}
		start += row.Len()
	}
	return all.Pick(shape, places), nil
}

// flat concatenates the values of a feature over all examples. It also returns the number of values
// of each example.
func (e *examples) flat(f feature) (Value, []int, error) {
	empty, _ := value.Zeros(f.dtype, []int{0})
	rows, counts := []Value{empty}, make([]int, len(e.features))
	for row := range counts {
		v, ok, err := e.list(row, f)
		if err != nil {
			return Value{}, nil, err
		}
		if ok {
			rows, counts[row] = append(rows, v), v.Len()
		}
	}
	return value.Join(rows...), counts, nil
}

// places returns the indices and the shape of a sparse feature. counts is the number of values of
// each example.
func (e *examples) places(counts []int) (indices, shape Value) {
	list, widest, n := []int64{}, 0, 0
	for row, count := range counts {
		for i := range count {
			if !e.single {
				list = append(list, int64(row))
			}
			list = append(list, int64(i))
		}
		widest, n = max(widest, count), n+count
	}
	if e.single {
		return value.Ints(value.Int64, []int{n, 1}, list), value.Sizes(value.Int64, []int{widest})
	}
	return value.Ints(value.Int64, []int{n, 2}, list), value.Sizes(value.Int64, []int{len(counts), widest})
}

// feature describes one feature that an operation reads from examples.
type feature struct {
	key      string
	dtype    DType
	shape    []int // shape is the shape of a dense feature; nil for others
	open     bool  // open is set where the first dimension has no fixed size
	fallback Value // fallback replaces a feature that an example lacks; it has no elements if there is none
	splits   DType // splits is the dtype of the splits of a ragged feature
}

// rest returns the feature's dimensions, without the first one if the size of the first one is not
// fixed.
func (f feature) rest() []int {
	if f.open {
		return f.shape[1:]
	}
	return f.shape
}

type wanted struct{ sparse, dense, ragged []feature }

// wantedFeatures returns the features that an operation asks for. Depending on the operation, the
// keys are in one input each, in one input for all keys of a kind, or in attributes.
func (c *Call) wantedFeatures() (wanted, error) {
	var keys [3][]string // sparse, dense, ragged
	defaults := c.In[1:]
	switch c.Op {
	case "ParseExample":
		sparse, dense := c.Number("Nsparse"), c.Number("Ndense")
		for _, v := range c.In[2 : 2+sparse] {
			keys[0] = append(keys[0], v.S()...)
		}
		for _, v := range c.In[2+sparse : 2+sparse+dense] {
			keys[1] = append(keys[1], v.S()...)
		}
		defaults = c.In[2+sparse+dense:]
	case "ParseExampleV2":
		keys[0], keys[1], keys[2] = c.In[2].S(), c.In[3].S(), c.In[4].S()
		defaults = c.In[5:]
	default:
		for i, attr := range []string{"sparse_keys", "dense_keys"} {
			keys[i] = c.Texts(attr)
		}
	}
	var w wanted
	for i, key := range keys[0] {
		w.sparse = append(w.sparse, feature{key: key, dtype: c.Types("sparse_types")[i]})
	}
	for i, key := range keys[2] {
		w.ragged = append(w.ragged, feature{key: key, dtype: c.Types("ragged_value_types")[i], splits: c.Types("ragged_split_types")[i]})
	}
	for i, key := range keys[1] {
		shape, ok := c.ShapeAt("dense_shapes", i)
		if !ok {
			return wanted{}, c.Unsupported("a dense feature of any rank")
		}
		f := feature{key: key, dtype: c.Types("Tdense")[i], shape: shape, fallback: defaults[i]}
		f.open = len(shape) > 0 && shape[0] < 0
		if f.fallback.Rank() == 0 {
			f.fallback = f.fallback.Reshape([]int{1})
		}
		w.dense = append(w.dense, f)
	}
	return w, nil
}
