package formats

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// csv is one execution of DecodeCSV (core/kernels/decode_csv_op.cc).
type csv struct {
	*ops.Call
	delimiter byte
	quotes    bool  // whether a field may stand in quotes
	selected  []int // indices of the fields that are wanted, ascending; none for all
	types     []ops.DType
	defaults  []ops.Value
}

func decodeCSV(c *ops.Call) ([]ops.Value, error) {
	x := csv{Call: c, quotes: c.Flag("use_quote_delim"), selected: c.Numbers("select_cols"), types: c.Types("OUT_TYPE"), defaults: c.In[1:]}
	if err := x.configure(); err != nil {
		return nil, err
	}
	records := c.In[0]
	columns := make([]column, len(x.types))
	for _, dtype := range x.types {
		if _, err := c.Room(dtype, records.Shape()); err != nil {
			return nil, err
		}
	}
	for i, record := range records.S() {
		fields, err := x.fields(record)
		switch {
		case err != nil:
			return nil, err
		case len(fields) != len(x.types):
			return nil, ops.Invalidf("Expect %d fields but have %d in record %d", len(x.types), len(fields), i)
		}
		for f, field := range fields {
			if err := x.take(&columns[f], f, i, field); err != nil {
				return nil, err
			}
		}
	}
	outputs := make([]ops.Value, len(columns))
	for f := range columns {
		outputs[f] = columns[f].tensor(x.types[f], records.Shape())
	}
	return outputs, nil
}

// configure reads and checks the attributes and the defaults.
func (x *csv) configure() error {
	delimiter := x.Text("field_delim")
	switch {
	case len(delimiter) != 1:
		return ops.Invalidf("field_delim should be only 1 char")
	case len(x.selected) > 0 && len(x.selected) != len(x.types):
		return ops.Invalidf("select_cols should match output size")
	case slices.ContainsFunc(x.selected, func(n int) bool { return n < 0 }):
		return ops.Invalidf("select_cols should be non-negative indices")
	}
	for i := 1; i < len(x.selected); i++ {
		if x.selected[i] <= x.selected[i-1] {
			return ops.Invalidf("select_cols should be strictly increasing indices")
		}
	}
	x.delimiter = delimiter[0]
	for f, d := range x.defaults {
		if d.Rank() > 1 {
			return ops.Invalidf("Each record default should be at most rank 1")
		}
		if d.Len() > 1 {
			return ops.Invalidf("There should only be 1 default per field but field %d has %d", f, d.Len())
		}
	}
	return nil
}

// fields splits a record into its fields, and returns those that are wanted.
func (x *csv) fields(record string) (fields []string, err error) {
	for at, n := 0, 0; at < len(record); n++ {
		if record[at] == '\n' || record[at] == '\r' { // between fields, line ends do not count
			at++
			n--
			continue
		}
		var field string
		if x.quotes && record[at] == '"' {
			field, at, err = x.quoted(record, at+1)
		} else {
			field, at, err = x.bare(record, at)
		}
		if err != nil {
			return nil, err
		}
		if x.wants(n, len(fields)) {
			if fields = append(fields, field); len(fields) == len(x.selected) {
				return fields, nil
			}
		}
		if at >= len(record) && record[len(record)-1] == x.delimiter && x.wants(n+1, len(fields)) {
			fields = append(fields, "")
		}
	}
	return fields, nil
}

// wants reports whether field n of a record is wanted, if as many before it were.
func (x *csv) wants(n, before int) bool { return len(x.selected) == 0 || x.selected[before] == n }

// bare reads a field without quotes, and returns where the next one begins.
func (x *csv) bare(record string, at int) (field string, next int, err error) {
	end := strings.IndexByte(record[at:], x.delimiter)
	if end < 0 {
		end = len(record) - at
	}
	field = record[at : at+end]
	forbidden := "\n\r"
	if x.quotes {
		forbidden = "\"\n\r"
	}
	if strings.ContainsAny(field, forbidden) {
		return "", 0, ops.Invalidf("Unquoted fields cannot have quotes/CRLFs inside")
	}
	return field, at + end + 1, nil
}

// quoted reads a field whose first quote is behind it, and returns where the next one begins.
func (x *csv) quoted(record string, at int) (field string, next int, err error) {
	var text strings.Builder
	for at < len(record)-1 && (record[at] != '"' || record[at+1] != x.delimiter) {
		if record[at] != '"' {
			text.WriteByte(record[at])
			at++
			continue
		}
		if record[at+1] != '"' {
			return "", 0, ops.Invalidf("Quote inside a string has to be escaped by another quote")
		}
		text.WriteByte('"')
		at += len(`""`)
	}
	if at >= len(record) || record[at] != '"' || at != len(record)-1 && record[at+1] != x.delimiter {
		return "", 0, ops.Invalidf("Quoted field has to end with quote followed by delim or end")
	}
	return text.String(), at + len(`",`), nil
}

// column collects the values of a field.
type column struct {
	floats []float64
	ints   []int64
	texts  []string
}

// take adds field f of record i to its column.
func (x *csv) take(to *column, f, i int, field string) error {
	dtype := x.types[f]
	if field == "" || field == x.Text("na_value") {
		if x.defaults[f].Len() != 1 {
			return ops.Invalidf("Field %d is required but missing in record %d!", f, i)
		}
		to.floats, to.ints, to.texts = append(to.floats, x.defaults[f].F()...), append(to.ints, x.defaults[f].I()...), append(to.texts, x.defaults[f].S()...)
		return nil
	}
	ok := true
	switch dtype {
	case value.Int32, value.Int64:
		var n int64
		n, ok = ops.ParseInt(field, 8*tensor.Size(dtype))
		to.ints = append(to.ints, n)
	case value.Float32, value.Float64:
		var number float64
		number, ok = ops.ParseFloat(field, 8*tensor.Size(dtype))
		to.floats = append(to.floats, number)
	default:
		to.texts = append(to.texts, field)
	}
	if !ok {
		return ops.Invalidf("Field %d in record %d is not a valid %s: %s", f, i, tensor.DTypeName(dtype), field)
	}
	return nil
}

func (c column) tensor(dtype ops.DType, shape []int) ops.Value {
	switch {
	case value.IsInt(dtype):
		return value.Ints(dtype, shape, c.ints)
	case dtype == value.String:
		return value.Strings(shape, c.texts)
	}
	return value.Floats(dtype, shape, c.floats)
}
