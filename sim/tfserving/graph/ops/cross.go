package ops

import (
	wire "encoding/binary"
	"math"
	"slices"
	"strings"

	farm "github.com/dgryski/go-farm"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// crossOps holds the operations that cross features: from several columns of features they make a
// new feature. For each row they return all combinations that take one value from each column.
var crossOps = map[string]Kernel{
	"SparseCross": sparseCross, "SparseCrossV2": sparseCross, "SparseCrossHashed": sparseCross, "RaggedCross": raggedCross,
}

// crossColumn is one of the inputs of an operation that crosses features. The values of row r begin
// at index starts[r], and there are counts[r] of them.
type crossColumn struct {
	values         Value
	starts, counts []int
	dense          bool
}

// crossing holds all columns that an operation crosses. Each has the same number of rows.
type crossing struct {
	columns []crossColumn
	rows    int
}

// count returns the number of combinations of a row; 0 if a column has no value there.
func (x crossing) count(row int) int {
	n := 1
	for _, column := range x.columns {
		n *= column.counts[row]
	}
	return n
}

// ends returns, for each row, how many combinations the rows before it have, and at the end how many
// all rows have.
func (x crossing) ends() []int {
	ends := []int{0}
	for row := range x.rows {
		ends = append(ends, ends[row]+x.count(row))
	}
	return ends
}

// places returns the values that form combination k of a row: for each column, an index into the
// column's values. Consecutive combinations differ first in the last column.
func (x crossing) places(row, k int) []int {
	places := make([]int, len(x.columns))
	for i, column := range slices.Backward(x.columns) {
		n := column.counts[row]
		places[i], k = column.starts[row]+k%n, k/n
	}
	return places
}

// denseColumn makes a column from a matrix. Each row of the column has the values of the same row
// of the matrix.
func denseColumn(v Value) crossColumn {
	column := crossColumn{values: v, dense: true}
	for row := range v.Shape()[0] {
		column.starts, column.counts = append(column.starts, row*v.Shape()[1]), append(column.counts, v.Shape()[1])
	}
	return column
}

// sparseColumn makes a column from a sparse matrix. If the row of a value is out of order, this
// value and all values after it belong to no row. If loose is true, a value whose row has already
// been read is added to the row that is being read.
func sparseColumn(indices []int64, values Value, rows int, loose bool) crossColumn {
	column, at := crossColumn{values: values}, 0
	for row := range int64(rows) {
		start := at
		for at < values.Len() && (indices[2*at] == row || loose && indices[2*at] < row) {
			at++
		}
		column.starts, column.counts = append(column.starts, start), append(column.counts, at-start)
	}
	return column
}

// crossParts are the inputs of an operation that crosses sparse and dense columns.
type crossParts struct{ indices, values, shapes, dense, rest []Value }

func (c *Call) crossParts() crossParts {
	n, kinds, dense := c.Number("N"), len(c.Types("sparse_types")), len(c.Types("dense_types"))
	in := c.In
	take := func(n int) []Value {
		part := in[:n]
		in = in[n:]
		return part
	}
	return crossParts{indices: take(n), values: take(kinds), shapes: take(n), dense: take(dense), rest: in}
}

// error returns the error for parts that do not fit each other (core/kernels/sparse_cross_op.cc,
// ValidateInput).
func (p crossParts) error(internal DType) error {
	text := value.ShapeText
	for i, v := range p.indices {
		switch {
		case v.Rank() != 2:
			return Invalidf("Input indices should be a matrix but received shape %s at position %d", text(v.Shape()), i)
		case v.Shape()[1] != 2:
			return Invalidf("Expected D2 of index to be 2 got %d at position %d", v.Shape()[1], i)
		}
	}
	if len(p.values) != len(p.indices) {
		return Invalidf("Expected %d input values, got %d", len(p.indices), len(p.values))
	}
	for i, v := range p.values {
		switch rows := p.indices[i].Shape()[0]; {
		case internal == value.String && v.DType() == value.Int64:
			return Invalidf("Input values should be of internal type string but received int64")
		case v.Rank() != 1:
			return Invalidf("Input values should be a vector but received shape %s at position %d", text(v.Shape()), i)
		case v.Len() != rows:
			return Invalidf("Expected size of values to be %d got %d at position %d", rows, v.Len(), i)
		}
	}
	for i, v := range p.shapes {
		switch {
		case v.Rank() != 1:
			return Invalidf("Input shapes should be a vector but received shape %s at position %d", text(v.Shape()), i)
		case v.Len() != 2:
			return Invalidf("shape should imply a 2D tensor, but got %s at position %d", text(v.Shape()), i)
		}
	}
	for i, v := range p.dense {
		switch {
		case internal == value.String && v.DType() == value.Int64:
			return Invalidf("Dense inputs should be of internal type string but received int64")
		case v.Rank() != 2:
			return Invalidf("Dense inputs should be a matrix but received shape %s at position %d", text(v.Shape()), i)
		}
	}
	return p.rowsError()
}

// rows returns the number of rows of the first column.
func (p crossParts) rows() int {
	switch {
	case len(p.shapes) > 0:
		return int(p.shapes[0].I()[0])
	case len(p.dense) > 0:
		return p.dense[0].Shape()[0]
	}
	return 0
}

func (p crossParts) rowsError() error {
	want := p.rows()
	for i, v := range p.shapes {
		if got := v.I()[0]; got != int64(want) {
			return Invalidf("Expected batch size %d got %d at position %d", want, got, i)
		}
	}
	for i, v := range p.dense {
		if got := v.Shape()[0]; got != want {
			return Invalidf("Expected batch size %d got %d at dense tensor %d", want, got, i)
		}
	}
	return nil
}

func sparseCross(c *Call) ([]Value, error) {
	parts := c.crossParts()
	if err := parts.error(c.TypeOf("internal_type")); err != nil {
		return nil, err
	}
	rows := parts.rows()
	if _, err := c.Room(value.Int64, []int{rows, len(parts.indices) + len(parts.dense)}); err != nil {
		return nil, err
	}
	x := crossing{rows: rows}
	for i, v := range parts.values {
		x.columns = append(x.columns, sparseColumn(parts.indices[i].I(), v, rows, false))
	}
	x.columns = append(x.columns, lists.Map(parts.dense, denseColumn)...)
	combine, err := c.combiner(parts.rest)
	if err != nil {
		return nil, err
	}
	widest, ends := 0, x.ends()
	for row := range rows {
		widest = max(widest, ends[row+1]-ends[row])
	}
	values, err := c.crossed(x, combine, ends)
	if err != nil {
		return nil, err
	}
	indices := make([]int64, 0, 2*ends[rows])
	for row := range rows {
		for k := range ends[row+1] - ends[row] {
			indices = append(indices, int64(row), int64(k))
		}
	}
	return []Value{value.Ints(value.Int64, []int{ends[rows], 2}, indices), values, value.Sizes(value.Int64, []int{rows, widest})}, nil
}

// combiner makes one element of the result from one value of each column. Only one of its two
// functions is set: text for results that are strings, hash for results that are numbers.
type combiner struct {
	text func(parts []string) string
	hash func(columns []crossColumn, places []int) int64
}

// combiner returns the combiner of an operation. rest holds the operation's inputs after the
// columns.
func (c *Call) combiner(rest []Value) (combiner, error) {
	switch {
	case c.Op == "SparseCrossV2":
		if rest[0].Rank() != 0 {
			return combiner{}, Invalidf("Input separator should be a scalar. Received: %s", debugText(rest[0]))
		}
		return joining(rest[0].S()[0]), nil
	case c.Op == "SparseCrossHashed":
		salt := rest[2]
		if salt.Len() != 2 {
			return combiner{}, Invalidf(`Input "salt" must have length 2 but has length %d`, salt.Len())
		}
		k := keyedHash{buckets: uint64(rest[0].I()[0]), strong: rest[1].B()[0], key: [2]uint64{uint64(salt.I()[0]), uint64(salt.I()[1])}}
		return combiner{hash: k.of}, nil
	case c.Flag("hashed_output"):
		k := plainHash{buckets: uint64(c.Number("num_buckets")), start: uint64(c.Number("hash_key"))}
		return combiner{hash: k.of}, nil
	}
	return joining("_X_"), nil
}

func joining(separator string) combiner {
	return combiner{text: func(parts []string) string { return strings.Join(parts, separator) }}
}

// crossed returns the combinations of all rows. ends[r] is the number of combinations in all rows
// before row r.
func (c *Call) crossed(x crossing, combine combiner, ends []int) (Value, error) {
	n := ends[x.rows]
	if _, err := c.Room(value.String, []int{n, len(x.columns)}); err != nil {
		return Value{}, err
	}
	texts, numbers := []string{}, []int64{}
	for row := range x.rows {
		for k := range ends[row+1] - ends[row] {
			places := x.places(row, k)
			if combine.hash != nil {
				numbers = append(numbers, combine.hash(x.columns, places))
				continue
			}
			parts := make([]string, len(places))
			for i, place := range places {
				parts[i] = elementText(x.columns[i].values, place)
			}
			texts = append(texts, combine.text(parts))
		}
	}
	if combine.hash != nil {
		return value.Ints(value.Int64, []int{n}, numbers), nil
	}
	made, err := c.strings([]int{n}, texts)
	if err != nil {
		return Value{}, err
	}
	return made[0], nil
}

// plainHash hashes the values of one combination one after the other, beginning with start.
type plainHash struct{ buckets, start uint64 }

func (h plainHash) of(columns []crossColumn, places []int) int64 {
	all := h.start
	for i, column := range columns {
		all = joinedPrints(all, print64(column.values, places[i]))
	}
	return bucketed(all, h.buckets)
}

// print64 returns the 64-bit fingerprint of element i if it is a text. A number is returned
// unchanged.
func print64(v Value, i int) uint64 {
	if v.S() != nil {
		return farm.Fingerprint64([]byte(v.S()[i]))
	}
	return uint64(v.I()[i])
}

// keyedHash hashes the values of one combination. Only the strong hash uses the key. Of a number
// only the low four bytes count, except in the weak hash of a dense column
// (core/kernels/sparse_cross_op.cc).
type keyedHash struct {
	buckets uint64
	strong  bool
	key     [2]uint64
}

func (h keyedHash) of(columns []crossColumn, places []int) int64 {
	all := h.print(columns[0], places[0])
	for i, column := range columns[1:] {
		all = joinedPrints(all, h.print(column, places[i+1]))
	}
	return bucketed(all, h.buckets)
}

func (h keyedHash) print(column crossColumn, i int) uint64 {
	text := ""
	if v := column.values; v.S() != nil {
		text = v.S()[i]
	} else {
		text = string(wire.LittleEndian.AppendUint32(nil, uint32(v.I()[i])))
	}
	switch {
	case h.strong:
		return sipHash(h.key[0], h.key[1], text)
	case column.dense:
		return print64(column.values, i)
	}
	return farm.Fingerprint64([]byte(text))
}

// bucketed returns the hash modulo the number of buckets. Without buckets it returns the hash
// modulo the largest int64, so that the result is not negative.
func bucketed(hash, buckets uint64) int64 {
	if int64(buckets) > 0 {
		return int64(hash % buckets)
	}
	return int64(hash % math.MaxInt64)
}

// joinedPrints joins two fingerprints to one (core/platform/fingerprint.h, FingerprintCat64).
func joinedPrints(a, b uint64) uint64 {
	const mul = 0xc6a4a7935bd1e995
	mix := func(x uint64) uint64 { return x ^ x>>47 }
	result := (a ^ mul ^ mix(b*mul)*mul) * mul
	return mix(mix(result) * mul)
}

// raggedCross crosses ragged, sparse and dense columns. The attribute input_order gives the order
// of the columns (core/kernels/ragged_cross_op.cc).
func raggedCross(c *Call) ([]Value, error) {
	ragged, sparse := len(c.Types("ragged_values_types")), c.Number("Nsparse")
	values, splits, rest := c.In[:ragged], c.In[ragged:2*ragged], c.In[2*ragged:]
	dense := rest[3*sparse:]
	if err := raggedCrossError(values, splits, rest[:3*sparse], dense); err != nil {
		return nil, err
	}
	x := crossing{rows: rowsOfCross(splits, rest[2*sparse:3*sparse], dense)}
	for _, kind := range c.Text("input_order") {
		switch kind {
		case 'R':
			x.columns, values, splits = append(x.columns, raggedColumn(splits[0].I(), values[0])), values[1:], splits[1:]
		case 'S':
			x.columns, rest = append(x.columns, sparseColumn(rest[0].I(), rest[sparse], x.rows, true)), rest[1:]
		case 'D':
			x.columns, dense = append(x.columns, denseColumn(dense[0])), dense[1:]
		default:
			return nil, Invalidf("Unexpected input_order value.")
		}
	}
	ends := x.ends()
	combine, err := c.combiner(nil)
	if err != nil {
		return nil, err
	}
	list, err := c.crossed(x, combine, ends)
	return []Value{list, value.Sizes(c.TypeOf("out_row_splits_type"), ends)}, err
}

func raggedColumn(splits []int64, values Value) crossColumn {
	column := crossColumn{values: values}
	for row := range splits[1:] {
		column.starts = append(column.starts, int(splits[row]))
		column.counts = append(column.counts, int(splits[row+1]-splits[row]))
	}
	return column
}

func rowsOfCross(splits, shapes, dense []Value) int {
	switch {
	case len(splits) > 0:
		return splits[0].Len() - 1
	case len(dense) > 0:
		return dense[0].Shape()[0]
	case len(shapes) > 0:
		return int(shapes[0].I()[0])
	}
	return 0
}

func raggedCrossError(values, splits, sparse, dense []Value) error {
	flat := Invalidf("tf.ragged.cross only supports inputs with rank=2.")
	for i, v := range values {
		if v.Rank() != 1 || splits[i].Rank() != 1 {
			return flat
		}
		if err := verifySplits(splits[i].I(), v.Len()); err != nil {
			return err
		}
	}
	n := len(sparse) / 3
	for i := range n {
		if sparse[i].Rank() != 2 || sparse[n+i].Rank() != 1 || sparse[2*n+i].Rank() != 1 {
			return Invalidf("Invalid SparseTensor %d", i)
		}
		if sparse[2*n+i].Len() != 2 {
			return flat
		}
	}
	for _, v := range dense {
		if v.Rank() != 2 {
			return flat
		}
	}
	rows := rowsOfCross(splits, sparse[2*n:], dense)
	differs := slices.ContainsFunc(splits, func(v Value) bool { return v.Len()-1 != rows }) ||
		slices.ContainsFunc(sparse[2*n:], func(v Value) bool { return v.I()[0] != int64(rows) }) ||
		slices.ContainsFunc(dense, func(v Value) bool { return v.Shape()[0] != rows })
	if differs {
		return Invalidf("inputs must all have the same batch dimension size.")
	}
	return nil
}

// verifySplits returns the error for splits that do not fit n values (core/kernels/ragged_utils.h).
func verifySplits(splits []int64, n int) error {
	const text = "Invalid ragged splits: "
	if len(splits) == 0 {
		return Invalidf(text + "ragged splits must have at least one splits, but is empty")
	}
	if splits[0] != 0 {
		return Invalidf(text+"first element of ragged splits  must be 0 but is %d", splits[0])
	}
	for i := range splits[1:] {
		if splits[i+1] < splits[i] {
			return Invalidf(text+"ragged splits must be monotonically increasing, but ragged_splits[%d]=%d is smaller than row_splits[%d]=%d", i+1, splits[i+1], i, splits[i])
		}
	}
	if last := splits[len(splits)-1]; last != int64(n) {
		return Invalidf(text+"last element of ragged splits must be the number of ragged values(%d) but is %d", n, last)
	}
	return nil
}
