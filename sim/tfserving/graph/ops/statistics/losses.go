package statistics

import (
	"math"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// crossEntropy returns the loss of each row of logits against the probabilities of its labels, and
// the gradient (core/kernels/xent_op.cc).
func crossEntropy(c *ops.Call) ([]ops.Value, error) {
	logits, labels := c.In[0], c.In[1]
	shape, ok := value.Broadcast(logits.Shape(), labels.Shape())
	switch {
	case !ok:
		return nil, ops.Invalidf("logits and labels must be broadcastable: logits_size=%s labels_size=%s", value.ShapeText(logits.Shape()), value.ShapeText(labels.Shape()))
	case len(shape) != 2:
		return nil, ops.Invalidf("logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional")
	}
	from := value.BroadcastIndex(labels.Shape(), shape)
	return lossOf(c, shape, value.BroadcastIndex(logits.Shape(), shape), func(row, column int) float64 {
		return labels.F()[from.At(row*shape[1]+column)]
	})
}

// sparseCrossEntropy returns the loss of each row of logits against its label, and the gradient
// (core/kernels/sparse_xent_op.cc).
func sparseCrossEntropy(c *ops.Call) ([]ops.Value, error) {
	logits, labels := c.In[0], c.In[1]
	shape := logits.Shape()
	switch {
	case len(shape) != 2:
		return nil, ops.Invalidf("logits must be 2-D, but got shape %s", value.ShapeText(shape))
	case labels.Rank() != 1:
		return nil, ops.Invalidf("labels must be 1-D, but got shape %s", value.ShapeText(labels.Shape()))
	case shape[0] != labels.Len():
		return nil, ops.Invalidf("logits and labels must have the same first dimension, got logits shape %s and labels shape %s", value.ShapeText(shape), value.ShapeText(labels.Shape()))
	case shape[1] <= 0:
		return nil, ops.Invalidf("Must have at least one class, but got logits shape %s", value.ShapeText(shape))
	}
	numbers, err := c.Ints(1)
	if err != nil {
		return nil, err
	}
	for _, label := range numbers {
		if label < 0 || label >= shape[1] {
			return nil, ops.Invalidf("Received a label value of %d which is outside the valid range of [0, %d).  Label values: %s", label, shape[1], ops.JoinInts(numbers, " "))
		}
	}
	return lossOf(c, shape, value.BroadcastIndex(shape, shape), func(row, column int) float64 {
		if numbers[row] == column {
			return 1
		}
		return 0
	})
}

// lossOf returns the loss and the gradient of rows of logits. at finds an element of shape in the
// logits; wanted is the probability of a label.
func lossOf(c *ops.Call, shape []int, at value.Index, wanted func(row, column int) float64) ([]ops.Value, error) {
	logits, rows, columns := c.In[0], shape[0], shape[1]
	if logits.F() == nil {
		return nil, c.Unsupported("%s", tensor.DTypeName(logits.DType()))
	}
	n, err := c.Room(logits.DType(), shape)
	if err != nil {
		return nil, err
	}
	loss, gradient := make([]float64, rows), make([]float64, n)
	for row := range rows {
		highest, sum := math.Inf(-1), 0.0
		for column := range columns {
			highest = max(highest, logits.F()[at.At(row*columns+column)])
		}
		for column := range columns {
			sum += math.Exp(logits.F()[at.At(row*columns+column)] - highest)
		}
		logSum := math.Log(sum)
		for column := range columns {
			log := logits.F()[at.At(row*columns+column)] - highest - logSum
			label := wanted(row, column)
			gradient[row*columns+column] = math.Exp(log) - label
			if label != 0 {
				loss[row] -= label * log
			}
		}
	}
	return []ops.Value{value.Floats(logits.DType(), []int{rows}, loss), value.Floats(logits.DType(), shape, gradient)}, nil
}
