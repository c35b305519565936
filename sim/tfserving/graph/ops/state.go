package ops

import (
	"cmp"
	"strings"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// stateOps holds the operations on variables. Variables of TensorFlow 1 are references: [Deref]
// replaces a reference by the variable's value before an operation reads it.
var stateOps = map[string]Kernel{
	"VarHandleOp": varHandle, "ReadVariableOp": of((*Call).variable, readVariable), "VarIsInitializedOp": isInitialized,
	"VariableShape":    of((*Call).variable, variableShape),
	"AssignVariableOp": assignVariable, "AssignAddVariableOp": assignVariable, "AssignSubVariableOp": assignVariable,
	"ResourceGather": of((*Call).variable, resourceGather), "ResourceGatherNd": of((*Call).variable, resourceGather), "DestroyResourceOp": nothing,
	"Variable": varReference, "VariableV2": varReference, "Assign": assignReference, "AssignAdd": assignReference, "AssignSub": assignReference,
	"IsVariableInitialized": isInitialized, "RestoreV2": restore,
}

// takesReferences lists the operations that need the reference to a TensorFlow 1 variable itself,
// not its value.
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

	keyType, valueType DType // keyType and valueType are the dtypes of a table
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

func handle(x *cell) ([]Value, error) { return one(value.Handles(value.Resource, nil, []any{x})) }

// cellOf returns the variable or table whose handle is the given input.
func (c *Call) cellOf(input int) (*cell, error) {
	if list := c.In[input].H(); len(list) == 1 {
		if found, ok := list[0].(*cell); ok {
			return found, nil
		}
	}
	return nil, c.unsupported("a handle of another kind")
}

// sharedName returns the name under which nodes of the graph share a variable or table.
func (c *Call) sharedName() string {
	return c.text("container") + "/" + cmp.Or(c.text("shared_name"), c.Name)
}

func varHandle(c *Call) ([]Value, error) { return handle(c.Env.State().find(c.sharedName(), cell{})) }

func varReference(c *Call) ([]Value, error) {
	return handle(c.Env.State().find(c.sharedName(), cell{reference: true}))
}

// Deref returns the value of a variable if v is a reference to a TensorFlow 1 variable. It returns
// other values unchanged, and also a reference that the operation needs itself.
func Deref(op string, v Value) (Value, error) {
	list := v.H()
	if len(list) != 1 || takesReferences[op] {
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
	if want := c.typeOf("dtype"); want != v.DType() {
		return nil, invalidf("Trying to read variable with wrong dtype. Expected %s got %s", tensor.DTypeName(want), tensor.DTypeName(v.DType()))
	}
	return one(v)
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
	return one(value.Sizes(c.outType(), v.Shape()))
}

func isInitialized(c *Call) ([]Value, error) {
	found, err := c.cellOf(0)
	if err != nil {
		return nil, err
	}
	_, set := found.read()
	return one(value.Bools(nil, []bool{set}))
}

func resourceGather(c *Call, v Value) ([]Value, error) {
	use := &Call{Node: c.Node, In: []Value{v, c.In[1]}, Env: c.Env}
	if c.Op == "ResourceGatherNd" {
		return of(ints(1), gatherNd)(use)
	}
	return use.gatherOn(v, c.number("batch_dims"), c.number("batch_dims"))
}

// restore returns variables from the model's files. Slices of partitioned variables are not
// supported.
func restore(c *Call) ([]Value, error) {
	var out []Value
	for i, name := range c.In[1].S() {
		if c.In[2].S()[i] != "" {
			return nil, c.unsupported("slice %s", c.In[2].S()[i])
		}
		v, err := c.Env.Restore(c.In[0].S()[0], name)
		if err != nil {
			return nil, err
		}
		if want := c.types("dtypes")[i]; v.DType() != want {
			return nil, invalidf("tensor_name = %s; expected dtype %s does not equal original dtype %s", name, tensor.DTypeName(want), tensor.DTypeName(v.DType()))
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
			return Value{}, statusf(rpcerrors.FailedPrecondition, "Attempting to use uninitialized value %s", c.Name)
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
