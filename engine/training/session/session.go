package session

import (
	"fmt"
	"maps"
	"slices"
)

// Session runs operations on variables, wherever they live. Several processes of a job
// have sessions over the same variables.
type Session interface {
	// Run does the operations in order, with nothing in between, and returns one value for each:
	// what a read found, nil for an assignment. It may wait for other processes. An error has one
	// of TensorFlow's classes ([IsOpError]); some assignments may have been made then.
	Run(ops ...Op) ([]any, error)
}

// Variable is a variable of the graph. Two values with one name mean the same variable.
type Variable struct {
	Name string
	// Device is the variable's place, as "/job:ps/task:0"; empty lets the session choose.
	Device string
	// First is the initial value: a bool, an int64, []byte, or []bool.
	First any
}

// whole is the index of an operation on a whole variable.
const whole = -1

// Op reads or assigns a variable, or one element of it.
type Op struct {
	Variable *Variable
	// Index is the element to use; a negative one means the whole variable.
	Index int
	// Assign is the new value; nil makes the operation a read.
	Assign any
	// Add is added to an int64 variable, and the operation's value is the sum; 0 adds nothing.
	Add int64
}

// Read returns an operation that reads a variable. The caller owns a list that it returns.
func Read(v *Variable) Op { return Op{Variable: v, Index: whole} }

// ReadAt returns an operation that reads element i.
func ReadAt(v *Variable, i int) Op { return Op{Variable: v, Index: i} }

// Assign returns an operation that assigns a whole variable.
func Assign(v *Variable, value any) Op { return Op{Variable: v, Index: whole, Assign: value} }

// AssignAdd returns an operation that adds n to an int64 and reads the sum
// (tf.compat.v1.assign_add).
func AssignAdd(v *Variable, n int64) Op { return Op{Variable: v, Index: whole, Add: n} }

// AssignAt returns an operation that assigns element i.
func AssignAt(v *Variable, i int, value any) Op { return Op{Variable: v, Index: i, Assign: value} }

// Get runs one read and returns its value as a T.
func Get[T any](s Session, op Op) (T, error) {
	values, err := s.Run(op)
	if err != nil {
		var none T
		return none, err
	}
	value, ok := values[0].(T)
	if !ok {
		return value, fmt.Errorf("variable %s: found a %T, want a %T", op.Variable.Name, values[0], value)
	}
	return value, nil
}

// Do runs operations and drops their values.
func Do(s Session, ops ...Op) error {
	_, err := s.Run(ops...)
	return err
}

// Memory is a session whose variables are in this process, or in several that share it. An
// operation takes no time. The zero value is empty; a variable appears with its first value
// when it is first used.
type Memory struct {
	values map[string]any
	// Before, if not nil, is called before each Run; its error becomes Run's.
	Before func(ops []Op) error

	// coasts holds the coasts whose steps count in the variable named counter. readers
	// holds the subscriptions to changes of other variables.
	counter string
	coasts  []*coast
	readers []*reader
}

// reader is a subscription: changes is called before the named variable, or its one
// element, changes.
type reader struct {
	name    string
	index   int // negative for the whole variable
	changes func()
}

// Tell calls changes before each assignment of a variable, until cancel. Additions are not
// reported.
func (m *Memory) Tell(v *Variable, changes func()) (cancel func()) {
	r := m.tell(v.Name, whole, changes)
	return func() { m.readers = without(m.readers, r) }
}

func (m *Memory) tell(name string, index int, changes func()) *reader {
	r := &reader{name, index, changes}
	m.readers = append(m.readers, r)
	return r
}

// without removes the first v from a list in place, and returns the list.
func without[T comparable](list []T, v T) []T {
	if i := slices.Index(list, v); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	return list
}

// assigns calls the subscribers of a variable before it, or its element index, is assigned.
func (m *Memory) assigns(v *Variable, index int) {
	for _, r := range m.readers {
		if r.name == v.Name && (index < 0 || r.index < 0 || r.index == index) {
			r.changes()
		}
	}
}

// NewMemory makes a session in memory.
func NewMemory() *Memory { return &Memory{} }

// Run does the operations in order ([Session.Run]), which takes no time.
func (m *Memory) Run(ops ...Op) ([]any, error) {
	if m.Before != nil {
		if err := m.Before(ops); err != nil {
			return nil, err
		}
	}
	found := make([]any, len(ops))
	for i, op := range ops {
		v, err := m.run(op)
		if err != nil {
			return nil, err
		}
		found[i] = v
	}
	return found, nil
}

func (m *Memory) run(op Op) (any, error) {
	if m.values == nil {
		m.values = map[string]any{}
	}
	value := m.value(op.Variable)
	if op.Add != 0 {
		return m.add(op.Variable, op.Add)
	}
	if op.Assign != nil {
		m.assigns(op.Variable, op.Index)
	}
	if op.Index < 0 {
		if op.Assign == nil {
			return owned(value), nil
		}
		m.values[op.Variable.Name] = owned(op.Assign)
		return nil, nil
	}
	list, ok := value.([]bool)
	if !ok || op.Index >= len(list) {
		return nil, Raise("InvalidArgumentError", "slice index %d of dimension 0 out of bounds.", op.Index)
	}
	if op.Assign == nil {
		return list[op.Index], nil
	}
	list[op.Index] = op.Assign.(bool)
	return nil, nil
}

// add adds n to an int64 variable and returns the sum.
func (m *Memory) add(v *Variable, n int64) (int64, error) {
	m.settle(v.Name)
	return m.addTo(v, n)
}

// addTo adds n to the stored value without looking for pending steps of coasts.
func (m *Memory) addTo(v *Variable, n int64) (int64, error) {
	if m.values == nil {
		m.values = map[string]any{}
	}
	switch value := m.kept(v).(type) {
	case *int64:
		*value += n
		return *value, nil
	case int64:
		sum := value + n
		m.values[v.Name] = &sum
		return sum, nil
	default:
		return 0, Raise("InvalidArgumentError", "variable %s: found a %T, want an int64 to add to", v.Name, value)
	}
}

// value returns a variable's current value, with the pending steps of coasts added.
func (m *Memory) value(v *Variable) any {
	m.settle(v.Name)
	return m.kept(v)
}

// kept returns the stored value, without the pending steps of coasts.
func (m *Memory) kept(v *Variable) any {
	value, ok := m.values[v.Name]
	if !ok {
		value = owned(v.First)
		m.values[v.Name] = value
	}
	return value
}

// keep drops all variables except those whose names the filter accepts.
func (m *Memory) keep(wanted func(name string) bool) {
	m.settle(m.counter)
	for _, r := range m.readers {
		r.changes()
	}
	maps.DeleteFunc(m.values, func(name string, _ any) bool { return !wanted(name) })
}

// owned returns a copy of a list, so that its caller may change it, and any other value itself.
func owned(v any) any {
	switch v := v.(type) {
	case []bool:
		return slices.Clone(v)
	case []byte:
		return slices.Clone(v)
	case *int64:
		return *v
	}
	return v
}

// GlobalStep returns the variable that counts the steps of a job.
func GlobalStep() *Variable { return &Variable{Name: "global_step", First: int64(0)} }
