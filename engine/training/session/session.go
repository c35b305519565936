package session

import (
	"fmt"
	"maps"
	"slices"
)

// Session runs operations on variables, wherever they live. Several processes of a job
// have sessions over the same variables.
type Session interface {
	// Run does the operations, in order and with nothing in between, and answers the value
	// of each: what a read found, and nil for an assignment. It may wait for other
	// processes. An error is one of TensorFlow's, by its class ([IsOpError]); then nothing
	// is known of what was assigned.
	Run(ops ...Op) ([]any, error)
}

// Variable is a variable of the graph. Variables of one name are one variable.
type Variable struct {
	Name string
	// Device is where it lives, as "/job:ps/task:0"; empty where the session likes.
	Device string
	// First is the value that it begins with: a bool, an int64, []byte, or []bool.
	First any
}

// whole is the index of an operation on all of a variable.
const whole = -1

// Op reads or assigns a variable, or one element of it.
type Op struct {
	Variable *Variable
	// Index is the element, or negative for the whole.
	Index int
	// Assign is the new value; nil reads.
	Assign any
	// Add is added to an int64, and the sum is the operation's value; 0 adds nothing.
	Add int64
}

// Read returns the reading of a variable. Lists that it answers belong to the caller.
func Read(v *Variable) Op { return Op{Variable: v, Index: whole} }

// ReadAt returns the reading of one element.
func ReadAt(v *Variable, i int) Op { return Op{Variable: v, Index: i} }

// Assign returns the assignment of a variable.
func Assign(v *Variable, value any) Op { return Op{Variable: v, Index: whole, Assign: value} }

// AssignAdd adds to an int64 and reads the sum (tf.compat.v1.assign_add).
func AssignAdd(v *Variable, n int64) Op { return Op{Variable: v, Index: whole, Add: n} }

// AssignAt returns the assignment of one element.
func AssignAt(v *Variable, i int, value any) Op { return Op{Variable: v, Index: i, Assign: value} }

// Get runs one reading, whose value is a T.
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

// Do runs operations whose values do not matter.
func Do(s Session, ops ...Op) error {
	_, err := s.Run(ops...)
	return err
}

// Memory is a session whose variables are in this process, or in several that share it. An
// operation takes no time. The zero value has no variables yet; they come with their first
// values when they are first used.
type Memory struct {
	values map[string]any
	// Before, where it is set, is asked before each Run, and its error is the answer.
	Before func(ops []Op) error

	// coasts are steps that count in the variable counter, and readers who is told of others.
	counter string
	coasts  []*coast
	readers []*reader
}

// reader is told before a variable changes, or the one element that it reads.
type reader struct {
	name    string
	index   int // negative for all
	changes func()
}

// Tell has changes called before a variable changes by anything but an addition, until
// cancel.
func (m *Memory) Tell(v *Variable, changes func()) (cancel func()) {
	r := m.tell(v.Name, whole, changes)
	return func() { m.readers = without(m.readers, r) }
}

func (m *Memory) tell(name string, index int, changes func()) *reader {
	r := &reader{name, index, changes}
	m.readers = append(m.readers, r)
	return r
}

// without returns a list without one of its elements.
func without[T comparable](list []T, v T) []T {
	if i := slices.Index(list, v); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	return list
}

// assigns is called before a variable is assigned, or an element.
func (m *Memory) assigns(v *Variable, index int) {
	for _, r := range m.readers {
		if r.name == v.Name && (index < 0 || r.index < 0 || r.index == index) {
			r.changes()
		}
	}
}

// NewMemory makes a session in memory.
func NewMemory() *Memory { return &Memory{} }

// Run does the operations.
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

// add adds to an int64 and answers the sum.
func (m *Memory) add(v *Variable, n int64) (int64, error) {
	m.settle(v.Name)
	return m.addTo(v, n)
}

// addTo returns add to what is kept of a variable.
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

// value returns what is kept of a variable: its value, of an int64 that was added to its place.
func (m *Memory) value(v *Variable) any {
	m.settle(v.Name)
	return m.kept(v)
}

// kept returns value as of the last look at the steps that count in it.
func (m *Memory) kept(v *Variable) any {
	value, ok := m.values[v.Name]
	if !ok {
		value = owned(v.First)
		m.values[v.Name] = value
	}
	return value
}

// keep forgets all variables but those that the filter wants.
func (m *Memory) keep(wanted func(name string) bool) {
	m.settle(m.counter)
	for _, r := range m.readers {
		r.changes()
	}
	maps.DeleteFunc(m.values, func(name string, _ any) bool { return !wanted(name) })
}

// owned returns the value without what others may change.
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
