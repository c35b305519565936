package sequences

import (
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	tfexample "github.com/monosim/monosim/engine/proto/tensorflow/core/example"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// parseSingle parses one sequence example. Its keys are inputs, and its errors are others than those of
// parse (core/kernels/example_parsing_ops.cc, ParseSingleSequenceExampleOp).
func parseSingle(c *ops.Call) ([]ops.Value, error) {
	in := singleInputs(c)
	if names := in.name; names.Len() > 0 && names.Rank() != 0 {
		return nil, ops.Invalidf("Expected debug_name to be a scalar, got shape: %s", value.ShapeText(names.Shape()))
	}
	serialized := c.In[0]
	if serialized.Rank() != 0 {
		return nil, ops.Invalidf("Expected serialized to be a scalar, got shape: %s", value.ShapeText(serialized.Shape()))
	}
	context, steps, err := in.wanted(c)
	if err != nil {
		return nil, err
	}
	text := serialized.S()[0]
	s, ok := readWhole([]byte(text))
	if !ok {
		return nil, ops.Invalidf("Could not parse example input, value: '%s'", text)
	}
	b := &batch{Call: c, list: []sequence{s}, names: in.name.S(), single: true}
	first, err := b.singleContext(context)
	if err != nil {
		return nil, err
	}
	rest, err := b.singleSteps(steps)
	return append(first, rest...), err
}

// single holds the inputs of a ParseSingleSequenceExample behind the example.
type single struct {
	optional []string
	keys     [4][]ops.Value // sparse and dense of the context, then of lists
	defaults []ops.Value
	name     ops.Value
}

func singleInputs(c *ops.Call) single {
	in := single{optional: c.In[1].S()}
	rest := c.In[2:]
	for i, types := range []string{"context_sparse_types", "Tcontext_dense", "feature_list_sparse_types", "feature_list_dense_types"} {
		n := len(c.Types(types))
		in.keys[i], rest = rest[:n], rest[n:]
	}
	n := len(in.keys[1])
	in.defaults, in.name = rest[:n], rest[n]
	return in
}

// wanted returns the features that the operation asks for.
func (in single) wanted(c *ops.Call) (context, steps wanted, err error) {
	var keys [4][]string
	for i, list := range in.keys {
		for _, key := range list {
			if key.Rank() != 0 {
				return context, steps, c.Unsupported("a key that is no scalar")
			}
			keys[i] = append(keys[i], key.S()[0])
		}
	}
	context = wanted{sparse: featuresOf(keys[0], c.Types("context_sparse_types"), nil), dense: featuresOf(keys[1], c.Types("Tcontext_dense"), nil)}
	steps = wanted{sparse: featuresOf(keys[2], c.Types("feature_list_sparse_types"), nil), dense: featuresOf(keys[3], c.Types("feature_list_dense_types"), nil)}
	if err := shaped(c, context.dense, "context_dense_shapes"); err != nil {
		return context, steps, err
	}
	for i := range context.dense {
		f := &context.dense[i]
		f.fallback = in.defaults[i]
		if own := f.fallback.Shape(); f.fallback.Len() > 0 && !slices.Equal(own, f.shape) {
			return context, steps, ops.Invalidf("def_value[%d].shape() == %s != context_dense_shapes_[%d] == %s", i, value.ShapeText(own), i, value.ShapeText(f.shape))
		}
	}
	for i := range steps.dense {
		steps.dense[i].optional = slices.Contains(in.optional, keys[3][i])
	}
	return context, steps, shaped(c, steps.dense, "feature_list_dense_shapes")
}

// readWhole reads an example, every byte of which must be sound.
func readWhole(data []byte) (sequence, bool) {
	for rest := data; len(rest) > 0; {
		_, _, n := protowire.ConsumeField(rest)
		if n < 0 {
			return sequence{}, false
		}
		rest = rest[n:]
	}
	s, ok := read(data)
	for key := range s.lists { //lint:ordered whether any key is unsound
		ok = ok && utf8.ValidString(key)
	}
	return s, ok
}

// singleContext returns the indices, values and shapes of the sparse features of the context, and
// then its dense features.
func (b *batch) singleContext(w wanted) ([]ops.Value, error) {
	own := b.list[0].context
	var out [4][]ops.Value
	for _, f := range w.dense {
		found, present := own[f.key]
		v := f.fallback
		if !present && v.Len() == 0 {
			return nil, ops.Invalidf("Name: %s, Context feature '%s' is required but could not be found.", b.name(0), f.key)
		}
		if present {
			var err error
			if v, err = b.denseValues(f, found, 0, "Context feature: "+f.key); err != nil {
				return nil, err
			}
		}
		out[3] = append(out[3], v.Reshape(f.shape))
	}
	for _, f := range w.sparse {
		if _, err := b.typed(f, own[f.key], "Context feature: "+f.key); own[f.key].GetKind() != nil && err != nil {
			return nil, err
		}
		flat, counts := b.flat(f)
		indices, shape := b.places(counts)
		out[0], out[1], out[2] = append(out[0], indices), append(out[1], flat), append(out[2], shape)
	}
	return slices.Concat(out[:]...), nil
}

// singleSteps returns the indices, values and shapes of the sparse lists, and then the dense lists.
func (b *batch) singleSteps(w wanted) ([]ops.Value, error) {
	lists := b.list[0].lists
	var out [4][]ops.Value
	for _, f := range w.dense {
		v, err := b.singleList(f)
		if err != nil {
			return nil, err
		}
		out[3] = append(out[3], v)
	}
	for _, f := range w.sparse {
		for step, own := range lists[f.key] {
			if _, err := b.typed(f, own, stepText("Feature List", f, step)); own.GetKind() != nil && err != nil {
				return nil, err
			}
		}
		flat, counts := b.flatList(f)
		indices, shape := b.placesInSteps(counts)
		out[0], out[1], out[2] = append(out[0], indices), append(out[1], flat), append(out[2], shape)
	}
	return slices.Concat(out[:]...), nil
}

func (b *batch) singleList(f feature) (ops.Value, error) {
	list, present := b.list[0].lists[f.key]
	if !present && !f.optional {
		return ops.Value{}, b.missingList(f, 0)
	}
	shape := slices.Insert(slices.Clone(f.shape), 0, len(list))
	if _, err := b.Room(f.dtype, shape); err != nil {
		return ops.Value{}, err
	}
	empty, _ := value.Zeros(f.dtype, []int{0})
	rows := []ops.Value{empty}
	for step, own := range list {
		v, err := b.denseValues(f, own, step, stepText("Feature list", f, step))
		if err != nil {
			return ops.Value{}, err
		}
		rows = append(rows, v)
	}
	return value.Join(rows...).Reshape(shape), nil
}

// denseValues returns the values of a dense feature, of which there must be as many as its shape has.
func (b *batch) denseValues(f feature, own *tfexample.Feature, step int, where string) (ops.Value, error) {
	v, err := b.typed(f, own, where)
	if err == nil && v.Len() != f.size() {
		err = ops.Invalidf("Name: %s, Key: %s, Index: %d.  Number of %s values != expected.  values size: %d but output shape: %s",
			b.name(0), f.key, step, tensor.DTypeName(f.dtype), v.Len(), value.ShapeText(f.shape))
	}
	return v, err
}

// typed returns the values of a feature, which must be of the dtype that is asked for.
func (b *batch) typed(f feature, own *tfexample.Feature, where string) (ops.Value, error) {
	v, ok := ops.FeatureValue(own)
	if !ok || v.DType() != f.dtype {
		text, _ := textpb.Marshal(own) // which cannot fail, because a feature holds no Any
		return v, ops.Invalidf("Name: %s, %s.  Data types don't match. Expected type: %s  Feature is: %s", b.name(0), where, tensor.DTypeName(f.dtype), text)
	}
	return v, nil
}
