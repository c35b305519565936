package ops

import (
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// tableOps holds the operations on look-up tables.
var tableOps = map[string]Kernel{
	"HashTable": tableHandle, "HashTableV2": tableHandle, "MutableHashTable": tableHandle, "MutableHashTableV2": tableHandle,
	"InitializeTable": initializeTable, "InitializeTableV2": initializeTable, "LookupTableImportV2": importTable, "LookupTableInsertV2": importTable,
	"InitializeTableFromTextFile": initializeFromFile, "InitializeTableFromTextFileV2": initializeFromFile,
	"LookupTableFind": findInTable, "LookupTableFindV2": findInTable, "LookupTableSize": tableSize, "LookupTableSizeV2": tableSize,
	"LookupTableExportV2": exportTable, "LookupTableRemoveV2": removeFromTable,
}

// table maps keys to values. rows holds the position in values for each key. A cell has a table
// only after its initialization.
type table struct {
	keys, values Value
	rows         map[any]int
}

func tableHandle(c *Call) ([]Value, error) {
	found := c.Env.State().find(c.sharedName(), cell{keyType: c.typeOf("key_dtype"), valueType: c.typeOf("value_dtype")})
	if !strings.HasPrefix(c.Op, "Mutable") {
		return handle(found)
	}
	keys, ok := value.Zeros(c.typeOf("key_dtype"), []int{0})
	values, okToo := value.Zeros(c.typeOf("value_dtype"), []int{0})
	if !ok || !okToo {
		return nil, c.unsupported("%s", tensor.DTypeName(c.typeOf("key_dtype")))
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
			return nil, statusf(rpcerrors.InvalidArgument, "HashTable has different value for same key. Key %s has %s and trying to add value %s",
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
		return nil, invalidf("Keys and values must have the same shape, got %s vs. %s", value.ShapeText(c.In[1].Shape()), value.ShapeText(c.In[2].Shape()))
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
	if want, got := value.ShapeText(keys.Shape()), value.ShapeText(values.Shape()); got != want {
		return nil, invalidf("Expected shape %s for value, got %s", want, got)
	}
	found.state.lock.Lock()
	defer found.state.lock.Unlock()
	if old := found.table; c.Op == "LookupTableInsertV2" && old != nil {
		keys, values = value.Join(old.keys, keys), value.Join(old.values, values)
	}
	found.table = lastOf(keys, values)
	return nil, nil
}

// lastOf returns a table in which each key occurs once, with its last value. The keys are in the
// order of their first occurrence.
func lastOf(keys, values Value) *table {
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
	shape := []int{len(places)}
	return &table{keys.Pick(shape, places), values.Pick(shape, places), rows}
}

// removeFromTable removes keys from a mutable table. It ignores keys that the table lacks.
func removeFromTable(c *Call) ([]Value, error) {
	found, err := c.cellOf(0)
	if err != nil {
		return nil, err
	}
	found.state.lock.Lock()
	defer found.state.lock.Unlock()
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
	shape := []int{len(places)}
	found.table = lastOf(old.keys.Pick(shape, places), old.values.Pick(shape, places))
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
	skip := min(c.number("offset"), len(lines))
	lines = lines[skip:]
	if size := c.number("vocab_size"); size >= 0 {
		if size > len(lines) {
			return nil, invalidf("Invalid vocab_size in %s: expected %d but got %d", path, size, len(lines))
		}
		lines = lines[:size]
	}
	keys, err := c.column(lines, c.number("key_index"), path, found.keyType)
	if err != nil {
		return nil, err
	}
	values, err := c.column(lines, c.number("value_index"), path, found.valueType)
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
		columns := strings.Split(line, c.text("delimiter"))
		if index >= len(columns) {
			return Value{}, invalidf("Invalid number of columns in %s line %d (%s) : expected %d got %d", path, i, line, index+1, len(columns))
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
			return Value{}, invalidf("Field %s in line %d is not a valid %s.", s, i, tensor.DTypeName(dtype))
		}
	}
	if value.IsInt(dtype) {
		return value.Ints(dtype, v.Shape(), ints), nil
	}
	return value.Floats(dtype, v.Shape(), list), nil
}

func findInTable(c *Call) ([]Value, error) {
	_, t, err := c.tableOf()
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, statusf(rpcerrors.FailedPrecondition, "Table not initialized.")
	}
	keys, fallback := c.In[1], c.In[2]
	if fallback.Len() != 1 || t.values.Rank() > 1 {
		return nil, c.unsupported("values that are no scalars")
	}
	n, err := c.room(fallback.DType(), keys.Shape())
	if err != nil {
		return nil, err
	}
	places := make([]int, n)
	for i := range places {
		row, ok := t.rows[keyAt(keys, i)]
		if !ok {
			row = t.values.Len()
		}
		places[i] = row
	}
	return one(value.Join(t.values, fallback).Pick(keys.Shape(), places))
}

func tableSize(c *Call) ([]Value, error) {
	_, t, err := c.tableOf()
	if err != nil {
		return nil, err
	}
	n := 0
	if t != nil {
		n = len(t.rows)
	}
	return one(value.Ints(value.Int64, nil, []int64{int64(n)}))
}

func exportTable(c *Call) ([]Value, error) {
	_, t, err := c.tableOf()
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, statusf(rpcerrors.FailedPrecondition, "Table not initialized.")
	}
	return []Value{t.keys, t.values}, nil
}
