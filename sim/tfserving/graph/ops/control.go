package ops

import (
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// controlOps holds the operations for control flow, such as calls of functions and conditions.
var controlOps = map[string]Kernel{
	"PartitionedCall": call, "StatefulPartitionedCall": call,
	"If": choose, "StatelessIf": choose, "Case": choose, "StatelessCase": choose,
	"While": loop, "StatelessWhile": loop, "Switch": switchTo, "RefSwitch": switchTo, "Merge": merge, "RefMerge": merge,
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
