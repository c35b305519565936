package summaries

import (
	"math"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/message"
)

// BaseRunner is the base class of programs that run a job (base_runner.py:24). Runners embed it and
// replace Run.
type BaseRunner struct{}

// Run returns a NotImplementedError, because each runner has to replace it (base_runner.py:35).
func (BaseRunner) Run() error { return &pysem.Error{Type: "NotImplementedError"} }

// Log is one named value of a step, such as a loss. The value is an int, a bool, a float64, or nil
// if only the name is logged.
type Log struct {
	Tag   string
	Value any
}

// Writer receives the summaries of steps.
type Writer interface {
	AddSummary(summary *framework.Summary, step int64) error
}

// WriteSummary writes the logs of a step, in order (base_runner.py:38). A value that is no number
// is a TypeError.
//
// Cost: a summary grows with the logs of the step, and the event file with the steps that are written.
func (BaseRunner) WriteSummary(logs []Log, writer Writer, step int64) error {
	summary := &framework.Summary{}
	for _, log := range logs {
		if err := message.Encodable(log.Tag); err != nil {
			return err
		}
		value := &framework.Summary_Value{Tag: log.Tag}
		if log.Value != nil {
			number, err := single(log.Value)
			if err != nil {
				return err
			}
			value.Value = &framework.Summary_Value_SimpleValue{SimpleValue: number}
		}
		summary.Value = append(summary.Value, value)
	}
	return writer.AddSummary(summary, step)
}

// largestRounded is half-way between the largest float32 and the next larger value. It is the
// largest number that protobuf converts to the largest float32, although rounding would make it
// infinite (SafeDoubleToFloat).
const largestRounded = 3.4028235677973366e+38

// single converts a number to float32, the type in the message. A number that is too large becomes
// infinite.
func single(v any) (float32, error) {
	number, err := pysem.ToFloat(v)
	if _, isText := v.(string); isText || err != nil { // an int beyond a float is refused, too
		return 0, pysem.Raise("TypeError", "%s has type %s, but expected one of: int, long, float", pysem.Repr(v), pysem.TypeName(v))
	}
	if math.Abs(number) == largestRounded {
		number = math.Copysign(math.MaxFloat32, number)
	}
	return float32(number), nil
}
