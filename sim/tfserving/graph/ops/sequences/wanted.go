package sequences

import (
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// feature is a feature that an operation asks for.
type feature struct {
	key      string
	dtype    ops.DType
	splits   ops.DType // of a ragged feature
	shape    []int     // of a dense feature, for each example or step
	fallback ops.Value // of a dense feature of the context
	optional bool      // optional is set for a list that may be missing
}

// size returns the number of values of a dense feature.
func (f feature) size() int {
	n, _ := value.Count(f.shape)
	return n
}

// wanted holds the features of the context, or the lists of features.
type wanted struct{ sparse, dense, ragged []feature }

// wantedFeatures returns the features that an operation asks for: the keys are inputs of V2, and
// attributes of the first version.
func wantedFeatures(c *ops.Call) (context, steps wanted, err error) {
	var keys [6][]string // sparse, dense, ragged of the context; then of lists
	defaults := c.In[2:]
	var optional func(list int) bool
	if c.Op == "ParseSequenceExampleV2" {
		for i := range keys {
			keys[i] = c.In[2+i].S()
		}
		defaults = c.In[9:]
		optional = func(i int) bool { flags := c.In[8].B(); return i < len(flags) && flags[i] }
	} else {
		keys = [6][]string{c.Texts("context_sparse_keys"), c.Texts("context_dense_keys"), nil, c.Texts("feature_list_sparse_keys"), c.Texts("feature_list_dense_keys"), nil}
		empty := c.Texts("feature_list_dense_missing_assumed_empty")
		optional = func(i int) bool { return slices.Contains(empty, keys[4][i]) }
	}
	context = wanted{
		featuresOf(keys[0], c.Types("context_sparse_types"), nil), featuresOf(keys[1], c.Types("Tcontext_dense"), nil),
		featuresOf(keys[2], c.Types("context_ragged_value_types"), c.Types("context_ragged_split_types"))}
	steps = wanted{
		featuresOf(keys[3], c.Types("feature_list_sparse_types"), nil), featuresOf(keys[4], c.Types("feature_list_dense_types"), nil),
		featuresOf(keys[5], c.Types("feature_list_ragged_value_types"), c.Types("feature_list_ragged_split_types"))}
	for i := range context.dense {
		context.dense[i].fallback = defaults[i]
	}
	for i := range steps.dense {
		steps.dense[i].optional = optional(i)
	}
	if err := shaped(c, context.dense, "context_dense_shapes"); err != nil {
		return context, steps, err
	}
	return context, steps, shaped(c, steps.dense, "feature_list_dense_shapes")
}

// shaped sets the shapes of dense features from an attribute.
func shaped(c *ops.Call, list []feature, attr string) error {
	for i := range list {
		shape, ok := c.ShapeAt(attr, i)
		if _, sized := value.Count(shape); !ok || !sized {
			return c.Unsupported("a dense feature of any rank or size")
		}
		list[i].shape = shape
	}
	return nil
}

func featuresOf(keys []string, types, splits []ops.DType) []feature {
	list := make([]feature, len(keys))
	for i, key := range keys {
		list[i] = feature{key: key, dtype: types[i]}
		if splits != nil {
			list[i].splits = splits[i]
		}
	}
	return list
}
