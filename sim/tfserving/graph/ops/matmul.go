package ops

import (
	"math/cmplx"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// matmulOps holds the operations that multiply matrices.
var matmulOps = map[string]Kernel{
	"MatMul": matmul, "BatchMatMul": batchMatmulV1, "BatchMatMulV2": batchMatmul, "BatchMatMulV3": batchMatmul, "Einsum": einsum,
}

func matmul(c *Call) ([]Value, error) {
	a, b := c.In[0], c.In[1]
	if a.Rank() != b.Rank() {
		return nil, Invalidf("In[0] and In[1] has different ndims: %s vs. %s", value.ShapeText(a.Shape()), value.ShapeText(b.Shape()))
	}
	if a.Rank() != 2 {
		return nil, Invalidf("In[0] and In[1] ndims must be == 2: %d", a.Rank())
	}
	return c.product(c.Flag("transpose_a"), c.Flag("transpose_b"))
}

// batchMatmulV1 multiplies matrices whose outer dimensions are equal.
func batchMatmulV1(c *Call) ([]Value, error) {
	a, b := c.In[0].Shape(), c.In[1].Shape()
	if len(a) != len(b) {
		return nil, Invalidf("In[0] and In[1] has different ndims: %s vs. %s", value.ShapeText(a), value.ShapeText(b))
	}
	if len(a) < 2 {
		return nil, Invalidf("In[0] and In[1] ndims must be >= 2: %d", len(a))
	}
	for d := range a[:len(a)-2] {
		if a[d] != b[d] {
			return nil, Invalidf("In[0].dim(%d) and In[1].dim(%d) must be the same: %s vs %s", d, d, value.ShapeText(a), value.ShapeText(b))
		}
	}
	return batchMatmul(c)
}

func batchMatmul(c *Call) ([]Value, error) {
	for i, v := range c.In {
		if v.Rank() < 2 {
			return nil, Invalidf("In[%d] ndims must be >= 2: %d", i, v.Rank())
		}
	}
	return c.product(c.Flag("adj_x"), c.Flag("adj_y"))
}

// product multiplies the innermost matrices and broadcasts the outer dimensions. turnA and turnB
// say whether to transpose the first and the second input.
func (c *Call) product(turnA, turnB bool) ([]Value, error) {
	a, b := c.In[0], c.In[1]
	outerA, outerB := a.Shape()[:a.Rank()-2], b.Shape()[:b.Rank()-2]
	outer, ok := value.Broadcast(outerA, outerB)
	if !ok {
		return nil, Invalidf("In[0] and In[1] must have compatible batch dimensions: %s vs. %s", value.ShapeText(a.Shape()), value.ShapeText(b.Shape()))
	}
	left, right := matrixOf(a, turnA), matrixOf(b, turnB)
	if left.columns != right.rows {
		return nil, Invalidf("Matrix size-incompatible: In[0]: %s, In[1]: %s", value.ShapeText(a.Shape()), value.ShapeText(b.Shape()))
	}
	shape := slices.Concat(outer, []int{left.rows, right.columns})
	n, err := c.Room(a.DType(), shape)
	if err != nil {
		return nil, err
	}
	if left.columns > 0 && n > maxWork/left.columns {
		return nil, OutOfMemory(a.DType(), shape)
	}
	if err := c.Work(n*left.columns, a.DType(), shape); err != nil {
		return nil, err
	}
	batches, _ := value.Count(outer)
	atA, atB := value.BroadcastIndex(outerA, outer), value.BroadcastIndex(outerB, outer)
	switch {
	case a.F() != nil:
		return One(value.Floats(a.DType(), shape, multiply(a.F(), b.F(), left, right, batches, atA, atB)))
	case a.I() != nil:
		return One(value.Ints(a.DType(), shape, multiply(a.I(), b.I(), left, right, batches, atA, atB)))
	case a.C() != nil && (!turnA && !turnB || c.Op != "MatMul"):
		return One(value.Complexes(a.DType(), shape, multiply(conjugated(a, turnA), conjugated(b, turnB), left, right, batches, atA, atB)))
	}
	return nil, c.Unsupported("%s", tensor.DTypeName(a.DType()))
}

// conjugated returns the elements of a complex matrix; their conjugates if it is turned into its adjoint.
func conjugated(v Value, turned bool) []complex128 {
	if !turned {
		return v.C()
	}
	return lists.Map(v.C(), cmplx.Conj)
}

// maxWork limits the multiplications of one operation.
const maxWork = 1 << 36

// matrix describes the layout of an innermost matrix in its tensor. The steps are in elements.
type matrix struct{ rows, columns, rowStep, columnStep int }

func matrixOf(v Value, turned bool) matrix {
	shape := v.Shape()[v.Rank()-2:]
	m := matrix{shape[0], shape[1], shape[1], 1}
	if turned {
		m = matrix{m.columns, m.rows, m.columnStep, m.rowStep}
	}
	return m
}

func multiply[T float64 | int64 | complex128](a, b []T, left, right matrix, batches int, atA, atB value.Index) []T {
	size := left.rows * right.columns
	out := make([]T, batches*size)
	for batch := range batches {
		x, y := a[atA.At(batch)*left.rows*left.columns:], b[atB.At(batch)*right.rows*right.columns:]
		for i := range left.rows {
			row := out[batch*size+i*right.columns:][:right.columns]
			for k := range left.columns {
				factor := x[i*left.rowStep+k*left.columnStep]
				for j := range row {
					row[j] += factor * y[k*right.rowStep+j*right.columnStep]
				}
			}
		}
	}
	return out
}

// einsum computes a sum of products given by an equation such as abc,cd->abd.
func einsum(c *Call) ([]Value, error) {
	terms, output, err := c.equation()
	if err != nil {
		return nil, err
	}
	inputs, equation := strings.Join(terms, ","), c.Text("equation")
	sizes := map[rune]int{}
	for i, term := range terms {
		if len(term) != c.In[i].Rank() {
			return nil, Invalidf("Expected input %d to have rank %d but got: %d", i, len(term), c.In[i].Rank())
		}
		for d, label := range term {
			size := c.In[i].Shape()[d]
			if known := sizes[label]; known != 0 && known != size { // the kernel takes 0 for a size that is not known yet
				return nil, Invalidf("Expected dimension %d at axis %d of the input shaped %s but got dimension %d",
					known, d, value.ShapeText(c.In[i].Shape()), size)
			}
			sizes[label] = size
		}
	}
	labels := output
	for _, label := range inputs {
		if label != ',' && !strings.ContainsRune(labels, label) {
			labels += string(label)
		}
	}
	all := make([]int, len(labels))
	for i, label := range labels {
		all[i] = sizes[label]
	}
	shape := all[:len(output):len(output)]
	n, err := c.Room(c.In[0].DType(), shape)
	if err != nil {
		return nil, err
	}
	inner, ok := value.Count(all[len(output):])
	if !ok || inner > 0 && n > MaxElements/inner {
		return nil, c.Unsupported("%s of %s", equation, tensor.DTypeName(c.In[0].DType()))
	}
	if err := c.Work(n*inner, c.In[0].DType(), shape); err != nil {
		return nil, err
	}
	places := lists.Map(terms, func(term string) []int { return value.Walk(all, termSteps(term, labels, sizes), 0) })
	switch first := c.In[0]; {
	case first.F() != nil:
		return One(value.Floats(first.DType(), shape, sumProducts(lists.Map(c.In, Value.F), places, n, inner)))
	case first.I() != nil:
		return One(value.Ints(first.DType(), shape, sumProducts(lists.Map(c.In, Value.I), places, n, inner)))
	case first.C() != nil:
		return One(value.Complexes(first.DType(), shape, sumProducts(lists.Map(c.In, Value.C), places, n, inner)))
	}
	return nil, c.Unsupported("%s of %s", equation, tensor.DTypeName(c.In[0].DType()))
}

// sumProducts returns n sums of inner products each. places has for each input where its factors are.
func sumProducts[T float64 | int64 | complex128](inputs [][]T, places [][]int, n, inner int) []T {
	out := make([]T, n)
	for i := range n * inner {
		product := T(1)
		for t, list := range inputs {
			product *= list[places[t][i]]
		}
		out[i/inner] += product
	}
	return out
}

// equation returns the labels of the inputs and of the output.
func (c *Call) equation() (terms []string, output string, err error) {
	equation := strings.ReplaceAll(c.Text("equation"), " ", "")
	inputs, output, ok := strings.Cut(equation, "->")
	terms = strings.Split(inputs, ",")
	if !ok || len(terms) != len(c.In) || len(terms) > 2 {
		return nil, "", c.Unsupported("equation %s", equation)
	}
	for i, term := range terms {
		if least := len(term) - len(ellipsis); strings.Contains(term, ellipsis) && c.In[i].Rank() < least {
			return nil, "", Invalidf("Expected input %d to have rank at least %d but got: %d", i, least, c.In[i].Rank())
		}
	}
	if strings.Contains(equation, ellipsis) {
		if terms, output, ok = c.spellEllipses(terms, output); !ok {
			return nil, "", c.Unsupported("equation %s", equation)
		}
	}
	return terms, output, nil
}

const ellipsis = "..."

// spellEllipses replaces each ellipsis by labels. It returns false if dimensions would have to be
// broadcast to each other.
func (c *Call) spellEllipses(terms []string, output string) ([]string, string, bool) {
	most, sizes := "", map[byte]int{}
	terms = slices.Clone(terms)
	for i, term := range terms {
		if !strings.Contains(term, ellipsis) {
			continue
		}
		n, before := c.In[i].Rank()-len(term)+len(ellipsis), strings.Index(term, ellipsis)
		if n > 10 {
			return nil, "", false
		}
		labels := "0123456789"[10-n:] // labels of the ellipsis's n dimensions; the last one always has the label 9
		for k := range n {
			size := c.In[i].Shape()[before+k]
			if known, ok := sizes[labels[k]]; ok && known != size {
				return nil, "", false
			}
			sizes[labels[k]] = size
		}
		if len(labels) > len(most) {
			most = labels
		}
		terms[i] = strings.Replace(term, ellipsis, labels, 1)
	}
	return terms, strings.Replace(output, ellipsis, most, 1), true
}

// termSteps returns for each label the step in elements in an input. The steps of a repeated label
// add up, which selects a diagonal.
func termSteps(term, labels string, sizes map[rune]int) []int {
	steps := make([]int, len(labels))
	step := 1
	for d := len(term) - 1; d >= 0; d-- {
		steps[strings.IndexByte(labels, term[d])] += step
		step *= sizes[rune(term[d])]
	}
	return steps
}
