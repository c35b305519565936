package ops

import (
	"math"

	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// nnOps has the operations of layers that are no products.
var nnOps = map[string]Kernel{"BiasAdd": biasAdd, "BiasAddV1": biasAdd, "Softmax": softmax, "LogSoftmax": softmax}

func biasAdd(c *Call) ([]Value, error) {
	v, bias := c.In[0], c.In[1]
	if format := c.text("data_format"); format != "" && format != "NHWC" {
		return nil, c.unsupported("data_format %s", format)
	}
	if v.Rank() < 2 {
		return nil, invalidf("Input tensor must be at least 2D: %s", value.ShapeText(v.Shape()))
	}
	if bias.Rank() != 1 {
		return nil, invalidf("Biases must be 1D: %s", value.ShapeText(bias.Shape()))
	}
	if last := v.Shape()[v.Rank()-1]; last != bias.Len() {
		return nil, invalidf("Must provide as many biases as the last dimension of the input tensor: %s vs. %s",
			value.ShapeText(bias.Shape()), value.ShapeText(v.Shape()))
	}
	return binary(&Call{Node: &Node{Name: c.Name, Op: "AddV2"}, In: c.In, Env: c.Env})
}

func softmax(c *Call) ([]Value, error) {
	v := c.In[0]
	if v.Rank() < 1 {
		return nil, invalidf("logits must have >= 1 dimension, got %s", value.ShapeText(v.Shape()))
	}
	if _, err := c.room(v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	out, n := make([]float64, v.Len()), v.Shape()[v.Rank()-1]
	for start := 0; n > 0 && start < len(out); start += n {
		row, highest, sum := v.F()[start:start+n], math.Inf(-1), 0.0
		for _, x := range row {
			highest = max(highest, x)
		}
		for i, x := range row {
			out[start+i] = math.Exp(x - highest)
			sum += out[start+i]
		}
		for i, x := range row {
			if c.Op == "Softmax" {
				out[start+i] /= sum
			} else {
				out[start+i] = x - highest - math.Log(sum)
			}
		}
	}
	return one(value.Floats(v.DType(), v.Shape(), out))
}
