package session

import (
	"fmt"
	"maps"
	"slices"
)

// Session runs operations on variables, wherever they are. Several processes of a job can have
// sessions over the same variables.
type Session interface {
	// Run does the operations in order, and no other operation comes between them. It returns one
	// value for each: the value read, or nil for an assignment. It may wait for other processes. An
	// error has one of TensorFlow's classes ([IsOpError]), and some assignments may have been made
	// before it.
	Run(ops ...Op) ([]any, error)
}

// Variable is a variable of the graph. Two Variable values with the same name mean the same
// variable.
type Variable struct {
	Name string
	// Device is the variable's place, as "/job:ps/task:0"; empty lets the session choose.
	Device string
	// First is the initial value: a bool, an int64, []byte, or []bool.
	First any
}

// whole is the index of an operation that reads or assigns a whole variable.
const whole = -1

// Op reads or assigns a variable, or one element of it.
type Op struct {
	Variable *Variable
	// Index is the element to use; a negative one means the whole variable.
	Index int
	// Assign is the new value; nil makes the operation a read.
	Assign any
	// Add is added to an int64 variable, and Run then returns the sum. 0 means that nothing is
	// added.
	Add int64
}

// Read returns an operation that reads a variable. If the value is a list, Run returns a copy that
// the caller may change.
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

// Get runs one read and returns its value, which has to be of type T.
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

// Memory is a session whose variables are in the memory of this process. Its operations take no
// time. The zero value is ready to use, and a variable has its first value until it is assigned.
type Memory struct {
	values map[string]any
	// Before, if not nil, is called before each Run. If it returns an error, Run returns that
	// error.
	Before func(ops []Op) error

	// coasts holds the sessions that count steps by adding to the variable named counter. readers
	// holds subscriptions to changes of other variables.
	counter string
	coasts  []*coast
	readers []*reader
}

// reader is a subscription. changes is called before the named variable, or its element at index,
// is assigned.
type reader struct {
	name    string
	index   int // index of the element; negative for the whole variable
	changes func()
}

// Tell makes the session call changes before each assignment of a variable, until cancel is called.
// An operation with Add does not call it.
func (m *Memory) Tell(v *Variable, changes func()) (cancel func()) {
	r := m.tell(v.Name, whole, changes)
	return func() { m.readers = without(m.readers, r) }
}

func (m *Memory) tell(name string, index int, changes func()) *reader {
	r := &reader{name, index, changes}
	m.readers = append(m.readers, r)
	return r
}

// without removes the first v from a list, reusing the list's memory, and returns the list.
func without[T comparable](list []T, v T) []T {
	if i := slices.Index(list, v); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	return list
}

// assigns calls the subscribers of a variable, or of its element at index, before an assignment.
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

// addTo adds n to the stored value. Counted steps that have not been added yet (see [Remote.Coast])
// stay so.
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

// value returns a variable's current value. It first adds the counted steps, if the variable is
// their counter.
func (m *Memory) value(v *Variable) any {
	m.settle(v.Name)
	return m.kept(v)
}

// kept returns the stored value of a variable, without the counted steps that have not been added
// yet.
func (m *Memory) kept(v *Variable) any {
	value, ok := m.values[v.Name]
	if !ok {
		value = owned(v.First)
		m.values[v.Name] = value
	}
	return value
}

// keep drops all variables except those whose names the function wanted accepts.
func (m *Memory) keep(wanted func(name string) bool) {
	m.settle(m.counter)
	for _, r := range m.readers {
		r.changes()
	}
	maps.DeleteFunc(m.values, func(name string, _ any) bool { return !wanted(name) })
}

// owned returns a copy of a list, so that changing it leaves the original alone. Any other value is
// returned as it is.
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
