package ops

import (
	"fmt"
	"slices"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// controlOps holds the operations for control flow, such as calls of functions and conditions.
var controlOps = map[string]Kernel{
	"PartitionedCall": call, "StatefulPartitionedCall": call,
	"If": choose, "StatelessIf": choose, "Case": choose, "StatelessCase": choose,
	"While": loop, "StatelessWhile": loop, "Switch": switchTo, "RefSwitch": switchTo, "Merge": merge, "RefMerge": merge,
	"BatchFunction": batchFunction,
}

// Merges reports whether an operation runs although some of its inputs are dead. An input is dead
// if a Switch did not take its branch.
func Merges(op string) bool { return op == "Merge" || op == "RefMerge" }

// switchTo passes its input to one of two outputs. The other output is dead.
func switchTo(c *Call) ([]Value, error) {
	out := make([]Value, 2)
	which := 0
	if Truth(c.In[1]) {
		which = 1
	}
	out[which] = c.In[0]
	return out, nil
}

// merge passes on the first input that is not dead, and its index.
func merge(c *Call) ([]Value, error) {
	for i, v := range c.In {
		if v.DType() != 0 {
			return []Value{v, value.Scalar32(i)}, nil
		}
	}
	return nil, c.Unsupported("no input that is alive")
}

// Functions returns the functions that a node may call.
func (n *Node) Functions() (all []*framework.NameAttrList) {
	for _, name := range []string{"f", "then_branch", "else_branch", "cond", "body"} {
		if f := n.function(name); f != nil {
			all = append(all, f)
		}
	}
	return append(all, n.Attrs["branches"].GetList().GetFunc()...)
}

func call(c *Call) ([]Value, error) { return c.Env.Call(c.function("f"), c.In) }

// batchFunction runs a function with rows that wait until there are enough of them for a batch; here
// they are those of one request. It is not filled up to a size that is allowed, as the runtime's is not
// (core/kernels/batch_kernels.cc).
func batchFunction(c *Call) ([]Value, error) {
	inputs := c.In[:len(c.Types("Tin"))]
	if err := c.batchError(inputs); err != nil {
		return nil, err
	}
	rows := inputs[0].Shape()[0]
	if rows == 0 {
		return c.emptyBatch()
	}
	if sizes := c.Numbers("allowed_batch_sizes"); len(sizes) > 0 && rows > slices.Max(sizes) {
		return nil, c.Unsupported("%d rows, which are split", rows)
	}
	out, err := c.Env.Call(c.function("f"), c.In)
	if err != nil {
		return nil, err
	}
	for _, v := range out {
		if v.Rank() == 0 {
			return nil, Statusf(rpcerrors.FailedPrecondition, "Batched output tensor has 0 dimensions")
		}
		if v.Shape()[0] != rows {
			return nil, Statusf(rpcerrors.FailedPrecondition, "Batched output tensor's 0th dimension does not equal the sum of the 0th dimension sizes of the input tensors")
		}
	}
	return out, nil
}

// batchError returns the error for inputs that make no batch together, or one that is too large.
func (c *Call) batchError(inputs []Value) error {
	below := "\nBelow are the input tensors: \n"
	for i, v := range inputs {
		below += fmt.Sprintf(" - %s has shape %s\n", c.Inputs[i], value.ShapeText(v.Shape()))
	}
	for _, v := range inputs {
		if v.Rank() == 0 {
			return Invalidf("Batching input tensors must have at least one dimension.%s", below)
		}
		if v.Shape()[0] != inputs[0].Shape()[0] {
			return Invalidf("Batching input tensors supplied in a given op invocation must have equal 0th-dimension size.%s", below)
		}
	}
	if len(inputs) == 0 {
		return c.Unsupported("no inputs")
	}
	if rows, most := inputs[0].Shape()[0], c.Number("max_batch_size"); rows > most {
		return Invalidf("Task size %d is larger than maximum input batch size %d", rows, most)
	}
	return nil
}

// emptyBatch returns the outputs of a request without rows, for which the function is not run.
func (c *Call) emptyBatch() (out []Value, err error) {
	for _, dtype := range c.Types("Tout") {
		v, ok := value.Zeros(dtype, []int{0})
		if !ok {
			return nil, c.Unsupported("%s", tensor.DTypeName(dtype))
		}
		out = append(out, v)
	}
	return out, nil
}

func choose(c *Call) ([]Value, error) {
	if branches := c.Attrs["branches"].GetList().GetFunc(); len(branches) > 0 {
		if err := c.takenApart(c.In[0]); err != nil {
			return nil, err
		}
		at, err := c.Int(0)
		if err != nil {
			return nil, err
		}
		if at < 0 || at >= len(branches) {
			at = len(branches) - 1
		}
		return c.Env.Call(branches[at], c.In[1:])
	}
	if err := c.takenApart(c.In[0]); err != nil {
		return nil, err
	}
	branch := "else_branch"
	if Truth(c.In[0]) {
		branch = "then_branch"
	}
	return c.Env.Call(c.function(branch), c.In[1:])
}

// Truth evaluates a condition (core/kernels/functional_ops.cc, ToBool). A tensor that is no scalar
// is true if it has any elements.
func Truth(v Value) bool {
	switch {
	case v.Rank() > 0:
		return v.Len() > 0
	case v.S() != nil:
		return v.S()[0] != ""
	}
	is, ok := v.Cast(value.Bool)
	return ok && is.B()[0]
}

// takenApart returns the error for a condition that is no scalar, if the node is one of those that
// the runtime replaces by a Switch for each input (core/common_runtime/lower_functional_ops.cc).
func (c *Call) takenApart(condition Value) error {
	if !c.Flag("_lower_using_switch_merge") || condition.Rank() == 0 {
		return nil
	}
	return Invalidf("The second input must be a scalar, but it has shape %s", value.ShapeText(condition.Shape()))
}

func loop(c *Call) ([]Value, error) {
	state := c.In
	for {
		goesOn, err := c.Env.Call(c.function("cond"), state)
		if err != nil {
			return nil, err
		}
		if len(goesOn) == 1 {
			if err := c.takenApart(goesOn[0]); err != nil {
				return nil, err
			}
		}
		if len(goesOn) != 1 || !Truth(goesOn[0]) {
			return state, nil
		}
		if state, err = c.Env.Call(c.function("body"), state); err != nil {
			return nil, err
		}
	}
}
