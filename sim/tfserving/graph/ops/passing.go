package ops

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// passing holds the operations that return their input unchanged or do nothing. Some check the
// input.
var passing = map[string]Kernel{
	"Identity": same, "IdentityN": same, "StopGradient": same, "PreventGradient": same, "Snapshot": same, "GuaranteeConst": same, "DeepCopy": same,
	"PlaceholderWithDefault": same, "Const": constant, "NoOp": nothing, "ControlTrigger": nothing, "PrintV2": nothing,
	"Print": first, "EnsureShape": ensureShape, "Assert": assertTrue, "CheckNumerics": checkNumerics, "CheckNumericsV2": checkSigned, "Placeholder": placeholder,
}

func same(c *Call) ([]Value, error)     { return c.In, nil }
func first(c *Call) ([]Value, error)    { return c.In[:1], nil }
func nothing(*Call) ([]Value, error)    { return nil, nil }
func constant(c *Call) ([]Value, error) { return c.constant, c.broken }

// placeholder always fails, because a placeholder that has been fed is not executed
// (core/kernels/constant_op.cc).
func placeholder(c *Call) ([]Value, error) {
	text := "You must feed a value for placeholder tensor '%s' with dtype %s"
	if shape, ok := c.Shape("shape"); ok {
		return nil, Invalidf(text+" and shape %s", c.Name, tensor.DTypeName(c.TypeOf("dtype")), value.ShapeText(shape))
	}
	return nil, Invalidf(text, c.Name, tensor.DTypeName(c.TypeOf("dtype")))
}

func ensureShape(c *Call) ([]Value, error) {
	want, ok := c.Shape("shape")
	got := c.In[0].Shape()
	fits := !ok || len(got) == len(want)
	for i := 0; ok && fits && i < len(want); i++ {
		fits = want[i] < 0 || want[i] == got[i]
	}
	if !fits {
		return nil, Invalidf("Shape of tensor %s %s is not compatible with expected shape %s.",
			c.Inputs[0], value.ShapeText(got), value.ShapeText(want))
	}
	return One(c.In[0])
}

func assertTrue(c *Call) ([]Value, error) {
	if list := c.In[0].B(); len(list) > 0 && list[0] {
		return nil, nil
	}
	parts := lists.Map(c.In[1:], func(v Value) string { return "[" + summary(v, c.Number("summarize")) + "]" })
	return nil, Invalidf("assertion failed: %s", strings.Join(parts, " "))
}

func checkNumerics(c *Call) ([]Value, error) {
	nan, inf := false, false
	for _, x := range c.In[0].F() {
		nan, inf = nan || math.IsNaN(x), inf || math.IsInf(x, 0)
	}
	what := "NaN"
	switch {
	case nan && inf:
		what = "Inf and NaN"
	case inf:
		what = "Inf"
	case !nan:
		return One(c.In[0])
	}
	return nil, Invalidf("%s : Tensor had %s values", c.Text("message"), what)
}

// checkSigned tells infinities of either sign apart.
func checkSigned(c *Call) ([]Value, error) {
	var found []string
	for _, kind := range []struct {
		name string
		is   func(float64) bool
	}{
		{"-Inf", func(x float64) bool { return math.IsInf(x, -1) }}, {"+Inf", func(x float64) bool { return math.IsInf(x, 1) }}, {"NaN", math.IsNaN},
	} {
		if slices.ContainsFunc(c.In[0].F(), kind.is) {
			found = append(found, kind.name)
		}
	}
	switch len(found) {
	case 0:
		return One(c.In[0])
	case 3:
		found = []string{"-Inf, +Inf,", "NaN"}
	}
	return nil, Invalidf("%s : Tensor had %s values", c.Text("message"), strings.Join(found, " and "))
}

// summary prints the elements of a tensor as Tensor::SummarizeValue does. most is the greatest
// number of elements to print; a negative number means all.
func summary(v Value, most int) string {
	if n := v.Len(); most < 0 || most > n {
		most = n
	}
	s := summariser{v: v, left: most}
	if v.Rank() == 0 {
		s.row(most)
	} else {
		s.dim(0)
	}
	if v.Len() > most {
		s.out.WriteString("...")
	}
	return s.out.String()
}

// debugText describes a tensor as Tensor::DebugString does.
func debugText(v Value) string {
	return fmt.Sprintf("Tensor<type: %s shape: %s values: %s>", tensor.DTypeName(v.DType()), value.ShapeText(v.Shape()), summary(v, 3))
}

type summariser struct {
	v        Value
	at, left int
	out      strings.Builder
}

func (s *summariser) row(n int) {
	for i := range n {
		if i > 0 {
			s.out.WriteByte(' ')
		}
		text := elementText(s.v, s.at)
		if s.v.S() != nil {
			text = escaped(text)
		}
		s.out.WriteString(text)
		s.at, s.left = s.at+1, s.left-1
	}
}

// escaped escapes a string as absl::Utf8SafeCEscape does.
func escaped(s string) string {
	var out strings.Builder
	for _, b := range []byte(s) {
		switch at := strings.IndexByte("\n\r\t\"'\\", b); {
		case at >= 0:
			out.WriteString(`\` + `nrt"'\`[at:at+1])
		case b < ' ' || b == 0x7f:
			fmt.Fprintf(&out, `\%03o`, b)
		default:
			out.WriteByte(b)
		}
	}
	return out.String()
}

func (s *summariser) dim(d int) {
	size := s.v.Shape()[d]
	switch {
	case s.left == 0:
	case d == s.v.Rank()-1:
		s.row(min(size, s.left))
		if d > 0 && s.left == 0 && s.at%size != 0 {
			s.out.WriteString("...")
		}
	default:
		for i := 0; i < size && s.left > 0; i++ {
			s.out.WriteByte('[')
			s.dim(d + 1)
			s.out.WriteByte(']')
		}
	}
}
