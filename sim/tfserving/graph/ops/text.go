package ops

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// strings makes a DT_STRING tensor and accounts for its memory.
func (c *Call) strings(shape []int, list []string) ([]Value, error) {
	v := value.Strings(shape, list)
	if v.Len() > MaxElements || !c.Env.Take(v.Bytes(), v.Len()) {
		return nil, OutOfMemory(value.String, shape)
	}
	return One(v)
}

// stringFormat replaces each placeholder of a template by the text of a tensor.
func stringFormat(c *Call) ([]Value, error) {
	parts := strings.Split(c.Text("template"), c.Text("placeholder"))
	var out strings.Builder
	out.WriteString(parts[0])
	for i, v := range c.In {
		most := c.Number("summarize")
		if n := v.Len(); most < 0 || most > n {
			most = n
		}
		if v.B() == nil || v.Len() > 0 { // an empty tensor of bools has no data and prints as nothing
			nested{v, most, &out}.dim(0, 0)
		}
		out.WriteString(parts[i+1])
	}
	return c.strings(nil, []string{out.String()})
}

// nested prints a tensor with a bracket for each dimension, and only the first and the last elements of
// long ones (core/framework/tensor.cc, PrintOneDimV2).
type nested struct {
	v    Value
	ends int // ends is the number of elements at either end
	out  *strings.Builder
}

func (p nested) dim(d, at int) {
	shape := p.v.Shape()
	if d == len(shape) {
		text := elementText(p.v, at)
		if p.v.S() != nil {
			text = `"` + escaped(text) + `"`
		}
		p.out.WriteString(text)
		return
	}
	between := " "
	if inner := len(shape) - d - 1; inner > 0 {
		between = strings.Repeat("\n", inner) + strings.Repeat(" ", d+1)
	}
	each, _ := value.Count(shape[d+1:])
	p.out.WriteByte('[')
	for i := range shape[d] {
		hidden := i >= p.ends && i < shape[d]-p.ends
		if hidden && i > p.ends {
			continue
		}
		if i > 0 || hidden {
			p.out.WriteString(between)
		}
		if hidden {
			p.out.WriteString("...")
		} else {
			p.dim(d+1, at+i*each)
		}
	}
	p.out.WriteByte(']')
}

// elementText formats an element as TensorFlow's messages print it.
func elementText(v Value, i int) string {
	switch {
	case v.F() != nil:
		return floatText(v.DType(), v.F()[i])
	case v.DType() == value.UInt64:
		return strconv.FormatUint(uint64(v.I()[i]), 10)
	case v.I() != nil:
		return strconv.FormatInt(v.I()[i], 10)
	case v.S() != nil:
		return v.S()[i]
	case v.B() != nil && v.B()[i]:
		return "1"
	case v.B() != nil:
		return "0"
	}
	return "?"
}

func numberText(dtype DType, x float64) string {
	if value.IsInt(dtype) {
		return strconv.FormatInt(int64(x), 10)
	}
	return floatText(dtype, x)
}

// floatText formats a number with the fewest digits that parse to the same number: 6 or 9 for
// float, 15 or 17 for double (lib/strings/numbers.cc).
func floatText(dtype DType, x float64) string {
	few, many, bits := 6, 9, 32
	if dtype == framework.DataType_DT_DOUBLE {
		few, many, bits = 15, 17, 64
	}
	short := printed(x, 'g', few)
	if y, err := strconv.ParseFloat(short, bits); err == nil && y == x {
		return short
	}
	return printed(x, 'g', many)
}

// printed formats a number as C's printf does with %e, %f or %g.
func printed(x float64, verb byte, precision int) string {
	if word, ok := notFinite(x); ok {
		return word
	}
	text := fmt.Sprintf("%.*"+string(verb), precision, x)
	if verb == 'g' && !strings.Contains(text, "e") && strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

func notFinite(x float64) (string, bool) {
	switch {
	case math.IsNaN(x):
		return "nan", true
	case math.IsInf(x, 1):
		return "inf", true
	case math.IsInf(x, -1):
		return "-inf", true
	}
	return "", false
}
