package ops

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// stateOps holds the operations on variables. Variables of TensorFlow 1 are references: [Deref]
// replaces a reference by the variable's value before an operation reads it.
var stateOps = map[string]Kernel{
	"VarHandleOp": varHandle, "ReadVariableOp": Of((*Call).variable, readVariable), "VarIsInitializedOp": isInitialized,
	"VariableShape":    Of((*Call).variable, variableShape),
	"AssignVariableOp": assignVariable, "AssignAddVariableOp": assignVariable, "AssignSubVariableOp": assignVariable,
	"ResourceGather": Of((*Call).variable, resourceGather), "ResourceGatherNd": Of((*Call).variable, resourceGather), "DestroyResourceOp": nothing,
	"Variable": varReference, "VariableV2": varReference, "Assign": assignReference, "AssignAdd": assignReference, "AssignSub": assignReference,
	"IsVariableInitialized": isInitialized, "RestoreV2": restore, "ScatterNdNonAliasingAdd": Of(ints(1), addSlices),
}

// takesReferences lists the operations that need the reference to a TensorFlow 1 variable itself,
// not its value, besides those in updateOps.
var takesReferences = map[string]bool{"Assign": true, "AssignAdd": true, "AssignSub": true, "IsVariableInitialized": true}

// Locker has the methods of sync.Locker, which simulated code may not import.
type Locker interface {
	Lock()
	Unlock()
}

// State holds the variables and tables of a model.
type State struct {
	lock  Locker
	cells map[string]*cell
	// missing returns the error for a variable that was never given a value. resource is false for
	// a reference variable of TensorFlow 1.
	missing func(name string, resource bool) error
	number  int
}

// Number returns 0, 1 and so on, for names that must differ.
func (s *State) Number() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.number++
	return s.number - 1
}

// NewState returns a model's state without any variable. lock is held while a variable or table is
// looked up or changes.
func NewState(lock Locker, missing func(name string, resource bool) error) *State {
	return &State{lock: lock, cells: map[string]*cell{}, missing: missing}
}

// cell holds a variable or a look-up table.
type cell struct {
	name      string
	state     *State
	reference bool // reference is set for a variable of TensorFlow 1
	set       bool
	value     Value
	table     *table
	buckets   *buckets

	keyType, valueType DType // keyType and valueType are the dtypes of a table
	valueShape         []int // valueShape is the shape of a table's values
	mutable            bool  // mutable is set for a table that requests may change
}

// find returns the cell of a name. If there is none, it creates one as a copy of fresh. Fields set
// in fresh never change later, so other threads may read them without the lock.
func (s *State) find(name string, fresh cell) *cell {
	s.lock.Lock()
	defer s.lock.Unlock()
	found, ok := s.cells[name]
	if !ok {
		found = &fresh
		found.name, found.state = name, s
		s.cells[name] = found
	}
	return found
}

// read returns the value of a variable, and whether a value was ever set.
func (x *cell) read() (Value, bool) {
	x.state.lock.Lock()
	defer x.state.lock.Unlock()
	return x.value, x.set
}

// update replaces the value of a variable by the result of change, while holding the lock. An error
// leaves the value unchanged.
func (x *cell) update(change func(old Value, set bool) (Value, error)) (Value, error) {
	x.state.lock.Lock()
	defer x.state.lock.Unlock()
	fresh, err := change(x.value, x.set)
	if err == nil {
		x.value, x.set = fresh, true
	}
	return fresh, err
}

func handle(x *cell) ([]Value, error) { return One(value.Handles(value.Resource, nil, []any{x})) }

// cellOf returns the variable or table whose handle is the given input.
func (c *Call) cellOf(input int) (*cell, error) {
	if list := c.In[input].H(); len(list) == 1 {
		if found, ok := list[0].(*cell); ok {
			return found, nil
		}
	}
	return nil, c.Unsupported("a handle of another kind")
}

// sharedName returns the name under which nodes of the graph share a variable or table.
func (c *Call) sharedName() string {
	return c.Text("container") + "/" + cmp.Or(c.Text("shared_name"), c.Name)
}

func varHandle(c *Call) ([]Value, error) { return handle(c.Env.State().find(c.sharedName(), cell{})) }

func varReference(c *Call) ([]Value, error) {
	return handle(c.Env.State().find(c.sharedName(), cell{reference: true}))
}

// Deref returns the value of a variable if v is a reference to a TensorFlow 1 variable. It returns
// other values unchanged, and also a reference that the operation needs itself.
func Deref(op string, v Value) (Value, error) {
	list := v.H()
	if len(list) != 1 || takesReferences[op] || updateOps[op] != nil {
		return v, nil
	}
	found, ok := list[0].(*cell)
	if !ok || !found.reference {
		return v, nil
	}
	got, set := found.read()
	if !set {
		return v, found.missing()
	}
	return got, nil
}

func (x *cell) missing() error {
	return x.state.missing(x.name[strings.IndexByte(x.name, '/')+1:], !x.reference)
}

func readVariable(c *Call, v Value) ([]Value, error) {
	if want := c.TypeOf("dtype"); want != v.DType() {
		return nil, Invalidf("Trying to read variable with wrong dtype. Expected %s got %s", tensor.DTypeName(want), tensor.DTypeName(v.DType()))
	}
	return One(v)
}

// variable returns the value of the variable whose handle is input 0.
func (c *Call) variable() (Value, error) {
	found, err := c.cellOf(0)
	if err != nil {
		return Value{}, err
	}
	v, set := found.read()
	if !set {
		return Value{}, found.missing()
	}
	return v, nil
}

func variableShape(c *Call, v Value) ([]Value, error) {
	return One(value.Sizes(c.outType(), v.Shape()))
}

func isInitialized(c *Call) ([]Value, error) {
	found, err := c.cellOf(0)
	if err != nil {
		return nil, err
	}
	_, set := found.read()
	return One(value.Bools(nil, []bool{set}))
}

func resourceGather(c *Call, v Value) ([]Value, error) {
	use := &Call{Node: c.Node, In: []Value{v, c.In[1]}, Env: c.Env}
	if c.Op == "ResourceGatherNd" {
		return Of(ints(1), gatherNd)(use)
	}
	return use.gatherOn(v, c.Number("batch_dims"), c.Number("batch_dims"))
}

// restore returns variables from the model's files. Slices of partitioned variables are not
// supported.
func restore(c *Call) ([]Value, error) {
	var out []Value
	for i, name := range c.In[1].S() {
		if c.In[2].S()[i] != "" {
			return nil, c.Unsupported("slice %s", c.In[2].S()[i])
		}
		v, err := c.Env.Restore(c.In[0].S()[0], name)
		if err != nil {
			return nil, err
		}
		if want := c.Types("dtypes")[i]; v.DType() != want {
			return nil, Invalidf("tensor_name = %s; expected dtype %s does not equal original dtype %s", name, tensor.DTypeName(want), tensor.DTypeName(v.DType()))
		}
		out = append(out, v)
	}
	return out, nil
}

// change assigns a value to a variable, adds it to the variable or subtracts it.
func (c *Call) change() (Value, error) {
	found, err := c.cellOf(0)
	if err != nil {
		return Value{}, err
	}
	op := ""
	switch {
	case strings.HasPrefix(c.Op, "AssignAdd"):
		op = "AddV2"
	case strings.HasPrefix(c.Op, "AssignSub"):
		op = "Sub"
	}
	return found.update(func(old Value, set bool) (Value, error) {
		if op == "" {
			return c.In[1], nil
		}
		if !set {
			return Value{}, Statusf(rpcerrors.FailedPrecondition, "Attempting to use uninitialized value %s", c.Name)
		}
		out, err := binary(&Call{Node: &Node{Name: c.Name, Op: op}, In: []Value{old, c.In[1]}, Env: c.Env})
		if err != nil {
			return Value{}, err
		}
		return out[0], nil
	})
}

func assignVariable(c *Call) ([]Value, error) {
	_, err := c.change()
	return nil, err
}

func assignReference(c *Call) ([]Value, error) {
	_, err := c.change()
	return c.In[:1], err
}

// updateOps holds the operations that change a part of a variable. A reference variable of
// TensorFlow 1 is input 0 of the operations without Resource in their name, and also their output.
var updateOps = map[string]Kernel{
	"ResourceScatterUpdate": updateRows, "ResourceScatterAdd": updateRows, "ResourceScatterSub": updateRows, "ResourceScatterMul": updateRows,
	"ResourceScatterDiv": updateRows, "ResourceScatterMin": updateRows, "ResourceScatterMax": updateRows,
	"ScatterUpdate": updateRows, "ScatterAdd": updateRows, "ScatterSub": updateRows, "ScatterMul": updateRows,
	"ScatterDiv": updateRows, "ScatterMin": updateRows, "ScatterMax": updateRows,
	"ResourceScatterNdUpdate": updateSlices, "ResourceScatterNdAdd": updateSlices, "ResourceScatterNdSub": updateSlices,
	"ResourceScatterNdMin": updateSlices, "ResourceScatterNdMax": updateSlices,
	"ScatterNdUpdate": updateSlices, "ScatterNdAdd": updateSlices, "ScatterNdSub": updateSlices, "ScatterNdMin": updateSlices, "ScatterNdMax": updateSlices,
	"ResourceStridedSliceAssign": updateWindow, "StridedSliceAssign": updateWindow,
}

// updateName matches the names of operations such as ResourceScatterNdAdd. The first group says
// whether the variable is a resource, and the second group how an update is combined with the old
// element.
var updateName = regexp.MustCompile("^(Resource)?Scatter(?:Nd)?(.*)$")

// patch is a change of some slices of a variable: slice i of updates goes to the position
// starts[i]. bad is the error for an index that is out of range. It is returned after the slices
// with valid indices were changed.
type patch struct {
	starts  []int
	size    int
	updates Value
	bad     error
}

// updatePart changes a part of the variable that is input 0. find looks for the part, given the
// variable's old value.
func (c *Call) updatePart(how string, find func(old Value) (patch, error)) ([]Value, error) {
	found, err := c.cellOf(0)
	if err != nil {
		return nil, err
	}
	var bad error
	_, err = found.update(func(old Value, set bool) (Value, error) {
		if !set {
			return Value{}, found.missing()
		}
		p, err := find(old)
		if err != nil {
			return Value{}, err
		}
		bad = p.bad
		return c.write(old, p.updates, p.starts, p.size, how)
	})
	if err == nil {
		err = bad
	}
	if found.reference {
		return c.In[:1], err
	}
	return nil, err
}

// updateRows changes the rows at the indices in input 1 (core/kernels/resource_variable_ops.cc,
// scatter_op.cc).
func updateRows(c *Call) ([]Value, error) {
	name := updateName.FindStringSubmatch(c.Op)
	resource, how := name[1] != "", name[2]
	list, err := c.Ints(1)
	if err != nil {
		return nil, err
	}
	return c.updatePart(how, func(old Value) (patch, error) {
		at, updates := c.In[1].Shape(), c.In[2]
		if old.Rank() == 0 {
			return patch{}, c.Unsupported("a variable without rows")
		}
		row := old.Shape()[1:]
		got, want := updates.Shape(), slices.Concat(at, row)
		if updates.Rank() > 0 && (len(got) != len(want) || !resource && !slices.Equal(got, want)) {
			return patch{}, Invalidf("Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape %s, indices.shape %s, params.shape %s",
				value.ShapeText(got), value.ShapeText(at), value.ShapeText(old.Shape()))
		}
		if len(list) == 0 {
			return patch{updates: updates}, nil
		}
		if updates.Rank() > 0 && !slices.Equal(got[:len(at)], at) {
			return patch{}, Invalidf("The shape of indices (%s) must be a prefix of the shape of updates (%s)", value.ShapeText(at), value.ShapeText(got))
		}
		if updates.Rank() > 0 && !slices.Equal(got, want) {
			return patch{}, c.Unsupported("rows of another size, which the kernel writes beside the variable")
		}
		if how == "Div" && slices.Contains(updates.I(), 0) {
			return patch{}, Invalidf("updates must not contain 0")
		}
		p := patch{updates: updates}
		var bad int
		if p.starts, p.size, bad = slicesAt(list, 1, old.Shape()); bad >= 0 {
			p.bad = Invalidf("indices%s = %d is not in [0, %d)", placeText(bad, at), list[bad], old.Shape()[0])
		}
		if updates.Rank() == 0 {
			p.updates = updates.Pick([]int{len(p.starts) * p.size}, make([]int, len(p.starts)*p.size))
		}
		return p, nil
	})
}

// updateSlices changes the slices that each row of input 1 selects (core/kernels/scatter_nd_op.cc).
// A vector holds indices of rows.
func updateSlices(c *Call) ([]Value, error) {
	list, err := c.Ints(1)
	if err != nil {
		return nil, err
	}
	return c.updatePart(updateName.FindStringSubmatch(c.Op)[2], func(old Value) (patch, error) { return c.slicesPatch(old, list) })
}

// slicesPatch returns what changes in a tensor, or the error for indices or updates that do not fit it.
func (c *Call) slicesPatch(old Value, list []int) (patch, error) {
	at, updates := c.In[1].Shape(), c.In[2]
	got, shape := updates.Shape(), old.Shape()
	if len(at) == 0 || len(got) == 0 {
		return patch{}, c.Unsupported("a scalar, whose size the kernel reads from other memory")
	}
	if !scatters(old.Len(), c.In[1], updates) {
		return patch{}, Invalidf("Indices and updates specified for empty output.  indices shape: %s", value.ShapeText(at))
	}
	if at[0] != got[0] {
		return patch{}, Invalidf("Dimensions [0,1) of indices[shape=%s] = %d must match dimensions [0,1) of updates[shape=%s] = %d",
			value.ShapeText(at), at[0], value.ShapeText(got), got[0])
	}
	depth, rows := 1, at
	if len(at) > 1 {
		depth, rows = depthOf(c.In[1])
	}
	inner := Invalidf("Dimensions [%d,%d) of input[shape=%s] must match dimensions [%d,%d) of updates[shape=%s]",
		depth, len(shape), value.ShapeText(shape), depth, len(got), value.ShapeText(got))
	outer := Invalidf("Dimensions [0,%d) of indices[shape=%s] must match dimensions [0,%d) of updates[shape=%s]",
		len(rows), value.ShapeText(at), len(rows), value.ShapeText(got))
	switch {
	case len(got) < len(rows):
		return patch{}, outer
	case depth > len(shape) || len(got) != len(rows)+len(shape)-depth:
		return patch{}, inner
	case !slices.Equal(got[:len(rows)], rows):
		return patch{}, outer
	case !slices.Equal(got[len(rows):], shape[depth:]):
		return patch{}, inner
	}
	if len(at) == 1 { // the kernel takes a vector of several indices for one row of indices
		list = list[:min(1, len(list))]
	}
	return c.validSlices(old, list, depth, rows), nil
}

// addSlices adds to slices of a tensor (ScatterNdNonAliasingAdd).
func addSlices(c *Call, list []int) ([]Value, error) {
	if c.In[0].Rank() == 0 {
		return nil, Invalidf("Output must be at least 1-D, got shape: []")
	}
	p, err := c.slicesPatch(c.In[0], list)
	if err == nil {
		err = p.bad
	}
	if err != nil {
		return nil, err
	}
	v, err := c.write(c.In[0], p.updates, p.starts, p.size, "Add")
	return []Value{v}, err
}

// validSlices returns the change of the slices whose indices are in range. Its error is that of the
// last row of indices that is out of range.
func (c *Call) validSlices(old Value, indices []int, depth int, rows []int) patch {
	var p patch
	p.size, _ = value.Count(old.Shape()[depth:])
	var valid []int // the rows of the updates whose indices are in range
	for row := range len(indices) / max(depth, 1) {
		starts, _, bad := slicesAt(indices[row*depth:(row+1)*depth], depth, old.Shape())
		if bad >= 0 {
			p.bad = notInto(indices, depth, row, rows, old)
			continue
		}
		p.starts = append(p.starts, starts...)
		valid = append(valid, row)
	}
	p.updates = rowsAt(c.In[2], []int{p.size}, valid)
	return p
}

// updateWindow assigns to x[begin:end:stride] (core/kernels/strided_slice_op.cc). The positions of
// the window's elements are the strided slice of a tensor that holds the position of each element.
func updateWindow(c *Call) ([]Value, error) {
	return c.updatePart("Update", func(old Value) (patch, error) {
		positions := make([]int64, old.Len())
		for i := range positions {
			positions[i] = int64(i)
		}
		cut := &Call{Node: c.Node, In: slices.Concat([]Value{value.Ints(value.Int64, old.Shape(), positions)}, c.In[1:4]), Env: c.Env}
		window, err := stridedSlice(cut)
		if err != nil {
			return patch{}, err
		}
		shape, got := window[0].Shape(), c.In[4].Shape()
		all, ok := value.Broadcast(got, shape)
		if n, _ := value.Count(all); !ok || n != window[0].Len() {
			return patch{}, Invalidf("Cannot broadcast input shape %s into final shape %s", value.ShapeText(got), value.ShapeText(shape))
		}
		full, err := c.spread(c.In[4], all)
		if err != nil {
			return patch{}, err
		}
		return patch{starts: wholeInts(window[0].I()), size: 1, updates: full[0]}, nil
	})
}
