package ops

import "github.com/monosim/monosim/engine/lists"

// feature describes one feature that an operation reads from examples.
type feature struct {
	key      string
	dtype    DType
	shape    []int // shape is the shape of a dense feature; nil for others
	open     bool  // open is set where the first dimension has no fixed size
	fallback Value // fallback replaces a feature that an example lacks; it has no elements if there is none
	splits   DType // splits is the dtype of the splits of a ragged feature
}

// rest returns the feature's dimensions, without the first one if that is open.
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
		sparse, dense := c.number("Nsparse"), c.number("Ndense")
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
			keys[i] = lists.Map(c.Attrs[attr].GetList().GetS(), func(b []byte) string { return string(b) })
		}
	}
	var w wanted
	for i, key := range keys[0] {
		w.sparse = append(w.sparse, feature{key: key, dtype: c.types("sparse_types")[i]})
	}
	for i, key := range keys[2] {
		w.ragged = append(w.ragged, feature{key: key, dtype: c.types("ragged_value_types")[i], splits: c.types("ragged_split_types")[i]})
	}
	for i, key := range keys[1] {
		shape, ok := sizesOf(c.Attrs["dense_shapes"].GetList().GetShape()[i])
		if !ok {
			return wanted{}, c.unsupported("a dense feature of any rank")
		}
		f := feature{key: key, dtype: c.types("Tdense")[i], shape: shape, fallback: defaults[i]}
		f.open = len(shape) > 0 && shape[0] < 0
		if f.fallback.Rank() == 0 {
			f.fallback = f.fallback.Reshape([]int{1})
		}
		w.dense = append(w.dense, f)
	}
	return w, nil
}
