package summaries

import (
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/pysem"
)

// BaseRunner is what runs a job (base_runner.py:24). Those that do something embed it.
type BaseRunner struct{}

// Run is a NotImplementedError (base_runner.py:35).
func (BaseRunner) Run() error { return &pysem.Error{Type: "NotImplementedError"} }

// Log is one named value of a step, such as a loss: an int, a bool, a float64, or nil for a name
// without a value.
type Log struct {
	Tag   string
	Value any
}

// Writer takes the summaries of steps.
type Writer interface {
	AddSummary(summary *framework.Summary, step int64) error
}

// WriteSummary writes the logs of a step, in their order (base_runner.py:38). A value that is no
// number is a TypeError.
func (BaseRunner) WriteSummary(logs []Log, writer Writer, step int64) error {
	summary := &framework.Summary{}
	for _, log := range logs {
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

// single returns a number as a message's float has it; one that is too large is infinite.
func single(v any) (float32, error) {
	if _, isText := v.(string); isText {
		return 0, pysem.Raise("TypeError", "%s has type str, but expected one of: int, long, float", pysem.Repr(v))
	}
	number, err := pysem.ToFloat(v)
	return float32(number), err
}
