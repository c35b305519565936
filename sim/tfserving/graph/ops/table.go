package ops

import (
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// tableOps holds the operations on look-up tables.
var tableOps = map[string]Kernel{
	"HashTable": tableHandle, "HashTableV2": tableHandle, "MutableHashTable": tableHandle, "MutableHashTableV2": tableHandle,
	"MutableHashTableOfTensors": tableHandle, "MutableHashTableOfTensorsV2": tableHandle,
	"InitializeTable": initializeTable, "InitializeTableV2": initializeTable, "LookupTableImportV2": importTable, "LookupTableInsertV2": importTable,
	"InitializeTableFromTextFile": initializeFromFile, "InitializeTableFromTextFileV2": initializeFromFile,
	"LookupTableFind": findInTable, "LookupTableFindV2": findInTable, "LookupTableSize": tableSize, "LookupTableSizeV2": tableSize,
	"LookupTableExportV2": exportTable, "LookupTableRemoveV2": removeFromTable,
}

// table maps keys to values. rows holds the position in values for each key. A look-up table that
// is not initialized has none.
type table struct {
	keys, values Value
	rows         map[any]int
}

func tableHandle(c *Call) ([]Value, error) {
	shape, _ := c.Shape("value_shape")
	found := c.Env.State().find(c.sharedName(), cell{keyType: c.TypeOf("key_dtype"), valueType: c.TypeOf("value_dtype"), valueShape: shape, mutable: strings.HasPrefix(c.Op, "Mutable")})
	if !found.mutable {
		return handle(found)
	}
	keys, ok := value.Zeros(c.TypeOf("key_dtype"), []int{0})
	values, okToo := value.Zeros(c.TypeOf("value_dtype"), append([]int{0}, shape...))
	if !ok || !okToo {
		return nil, c.Unsupported("%s", tensor.DTypeName(c.TypeOf("key_dtype")))
	}
	found.state.lock.Lock()
	defer found.state.lock.Unlock()
	if found.table == nil {
		found.table = &table{keys, values, map[any]int{}}
	}
	return handle(found)
}

// keyAt returns the key at index i as a comparable Go value.
func keyAt(v Value, i int) any {
	switch {
	case v.S() != nil:
		return v.S()[i]
	case v.I() != nil:
		return v.I()[i]
	case v.F() != nil:
		return v.F()[i]
	case v.B() != nil:
		return v.B()[i]
	}
	return nil
}

// newTable makes a table. A key with two different values is an error, as for a HashTable.
func newTable(keys, values Value) (*table, error) {
	t := &table{keys: keys, values: values, rows: make(map[any]int, keys.Len())}
	for i := range keys.Len() {
		key := keyAt(keys, i)
		if old, ok := t.rows[key]; ok && keyAt(values, old) != keyAt(values, i) {
			return nil, Statusf(rpcerrors.InvalidArgument, "HashTable has different value for same key. Key %s has %s and trying to add value %s",
				elementText(keys, i), elementText(values, old), elementText(values, i))
		}
		t.rows[key] = i
	}
	return t, nil
}

// tableOf returns the table whose handle is input 0, with its cell. The table is nil before it is
// initialized.
func (c *Call) tableOf() (*cell, *table, error) {
	found, err := c.cellOf(0)
	if err != nil {
		return nil, nil, err
	}
	found.state.lock.Lock()
	defer found.state.lock.Unlock()
	return found, found.table, nil
}

// put sets the content of a table.
func (x *cell) put(t *table) {
	x.state.lock.Lock()
	defer x.state.lock.Unlock()
	x.table = t
}

func initializeTable(c *Call) ([]Value, error) {
	found, _, err := c.tableOf()
	if err != nil {
		return nil, err
	}
	if value.ShapeText(c.In[1].Shape()) != value.ShapeText(c.In[2].Shape()) {
		return nil, Invalidf("Keys and values must have the same shape, got %s vs. %s", value.ShapeText(c.In[1].Shape()), value.ShapeText(c.In[2].Shape()))
	}
	t, err := newTable(c.In[1], c.In[2])
	if err == nil {
		found.put(t)
	}
	return nil, err
}

// importTable replaces the content of a mutable table, or adds to it. For a repeated key the last
// value counts (core/kernels/lookup_table_op.cc: DoInsert).
func importTable(c *Call) ([]Value, error) {
	found, err := c.cellOf(0)
	if err != nil {
		return nil, err
	}
	keys, values := c.In[1], c.In[2]
	inserts := c.Op == "LookupTableInsertV2"
	found.state.lock.Lock()
	defer found.state.lock.Unlock()
	if found.buckets != nil && !inserts {
		return nil, found.buckets.restore(keys, values)
	}
	want := slices.Concat(keys.Shape(), found.valueShape)
	if !slices.Equal(want, values.Shape()) {
		return nil, Invalidf("Expected shape %s for value, got %s", value.ShapeText(want), value.ShapeText(values.Shape()))
	}
	if found.buckets != nil {
		return nil, found.buckets.insert(keys, values)
	}
	if old := found.table; inserts && old != nil {
		keys, values = value.Join(old.keys, keys), value.Join(old.values, values)
	}
	found.table = lastOf(keys, values, found.valueShape)
	return nil, nil
}

// lastOf returns a table in which each key occurs once, with its last value. The keys are in the
// order of their first occurrence. shape is the shape of a value.
func lastOf(keys, values Value, shape []int) *table {
	rows := make(map[any]int, keys.Len())
	var places []int
	for i := range keys.Len() {
		key := keyAt(keys, i)
		row, known := rows[key]
		if !known {
			row = len(places)
			rows[key], places = row, append(places, i)
		}
		places[row] = i
	}
	return &table{keys.Pick([]int{len(places)}, places), rowsAt(values, shape, places), rows}
}

// rowsAt returns rows of a tensor, which is taken as a list of rows of the given shape.
func rowsAt(v Value, shape, rows []int) Value {
	each, _ := value.Count(shape)
	places := make([]int, 0, len(rows)*each)
	for _, row := range rows {
		for k := range each {
			places = append(places, row*each+k)
		}
	}
	return v.Pick(append([]int{len(rows)}, shape...), places)
}

// removeFromTable removes keys from a mutable table. It ignores keys that the table lacks.
func removeFromTable(c *Call) ([]Value, error) {
	found, err := c.cellOf(0)
	if err != nil {
		return nil, err
	}
	found.state.lock.Lock()
	defer found.state.lock.Unlock()
	if found.buckets != nil {
		return nil, found.buckets.remove(c.In[1])
	}
	old := found.table
	if old == nil {
		return nil, nil
	}
	gone := map[any]bool{}
	for i := range c.In[1].Len() {
		gone[keyAt(c.In[1], i)] = true
	}
	var places []int
	for i := range old.keys.Len() {
		if !gone[keyAt(old.keys, i)] {
			places = append(places, i)
		}
	}
	found.table = lastOf(old.keys.Pick([]int{len(places)}, places), rowsAt(old.values, found.valueShape, places), found.valueShape)
	return nil, nil
}

// initializeFromFile reads a table from the lines of a file (core/kernels/lookup_util.cc).
func initializeFromFile(c *Call) ([]Value, error) {
	found, _, err := c.tableOf()
	if err != nil {
		return nil, err
	}
	path := c.In[1].S()[0]
	data, err := c.Env.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(data) == 0 {
		lines = nil
	}
	skip := min(c.Number("offset"), len(lines))
	lines = lines[skip:]
	if size := c.Number("vocab_size"); size >= 0 {
		if size > len(lines) {
			return nil, Invalidf("Invalid vocab_size in %s: expected %d but got %d", path, size, len(lines))
		}
		lines = lines[:size]
	}
	keys, err := c.column(lines, c.Number("key_index"), path, found.keyType)
	if err != nil {
		return nil, err
	}
	values, err := c.column(lines, c.Number("value_index"), path, found.valueType)
	if err != nil {
		return nil, err
	}
	t, err := newTable(keys, values)
	if err == nil {
		found.put(t)
	}
	return nil, err
}

// These column indices stand for the line number and for the whole line.
const (
	lineNumber = -1
	wholeLine  = -2
)

// column reads one column of the lines of a file as a tensor of the given dtype.
func (c *Call) column(lines []string, index int, path string, dtype DType) (Value, error) {
	if index == lineNumber {
		numbers := make([]int64, len(lines))
		for i := range numbers {
			numbers[i] = int64(i)
		}
		return value.Ints(dtype, []int{len(lines)}, numbers), nil
	}
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = strings.TrimSuffix(line, "\r")
		if index == wholeLine {
			continue
		}
		columns := strings.Split(line, c.Text("delimiter"))
		if index >= len(columns) {
			return Value{}, Invalidf("Invalid number of columns in %s line %d (%s) : expected %d got %d", path, i, line, index+1, len(columns))
		}
		texts[i] = columns[index]
	}
	return typed(value.Strings([]int{len(lines)}, texts), dtype)
}

// typed converts texts to elements of a dtype.
func typed(v Value, dtype DType) (Value, error) {
	if dtype == value.String {
		return v, nil
	}
	list := make([]float64, v.Len())
	ints := make([]int64, v.Len())
	for i, s := range v.S() {
		var err error
		if value.IsInt(dtype) {
			ints[i], err = strconv.ParseInt(s, 10, 64)
		} else {
			list[i], err = strconv.ParseFloat(s, 64)
		}
		if err != nil {
			return Value{}, Invalidf("Field %s in line %d is not a valid %s.", s, i, tensor.DTypeName(dtype))
		}
	}
	if value.IsInt(dtype) {
		return value.Ints(dtype, v.Shape(), ints), nil
	}
	return value.Floats(dtype, v.Shape(), list), nil
}

func findInTable(c *Call) ([]Value, error) {
	found, t, err := c.tableOf()
	if err != nil {
		return nil, err
	}
	if t == nil && found.buckets == nil {
		return nil, Statusf(rpcerrors.FailedPrecondition, "Table not initialized.")
	}
	keys, fallback := c.In[1], c.In[2]
	shape := slices.Concat(keys.Shape(), found.valueShape)
	whole := slices.Equal(fallback.Shape(), shape) // whole is set if each key has a fallback of its own
	if !whole && !slices.Equal(fallback.Shape(), found.valueShape) {
		return nil, Invalidf("Expected shape %s or %s for default value, got %s", value.ShapeText(found.valueShape), value.ShapeText(shape), value.ShapeText(fallback.Shape()))
	}
	if _, err := c.Room(fallback.DType(), shape); err != nil {
		return nil, err
	}
	if found.buckets != nil {
		found.state.lock.Lock()
		defer found.state.lock.Unlock()
		v, err := found.buckets.find(keys, fallback)
		return []Value{v}, err
	}
	places := make([]int, keys.Len())
	for i := range places {
		row, ok := t.rows[keyAt(keys, i)]
		if !ok {
			row = t.keys.Len()
			if whole && found.mutable {
				row += i
			}
		}
		places[i] = row
	}
	return One(rowsAt(value.Join(t.values, fallback), found.valueShape, places).Reshape(shape))
}

func tableSize(c *Call) ([]Value, error) {
	found, t, err := c.tableOf()
	if err != nil {
		return nil, err
	}
	n := 0
	if t != nil {
		n = len(t.rows)
	}
	if found.buckets != nil {
		found.state.lock.Lock()
		defer found.state.lock.Unlock()
		n = found.buckets.entries
	}
	return One(value.Ints(value.Int64, nil, []int64{int64(n)}))
}

func exportTable(c *Call) ([]Value, error) {
	found, t, err := c.tableOf()
	if err != nil {
		return nil, err
	}
	if t == nil && found.buckets == nil {
		return nil, Statusf(rpcerrors.FailedPrecondition, "Table not initialized.")
	}
	if found.buckets != nil {
		found.state.lock.Lock()
		defer found.state.lock.Unlock()
		keys, values := found.buckets.all()
		return []Value{keys, values}, nil
	}
	return []Value{t.keys, t.values}, nil
}
