package summaries_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/training/summaries"
)

// printed is a writer that prints summaries. A program would use a [summaries.FileWriter].
type printed struct{}

func (printed) AddSummary(summary *framework.Summary, step int64) error {
	for _, v := range summary.Value {
		fmt.Println(step, v.Tag, v.GetSimpleValue())
	}
	return nil
}

// WriteSummary turns the logs of a step into one summary.
func Example() {
	fmt.Println(summaries.BaseRunner{}.WriteSummary([]summaries.Log{{Tag: "loss", Value: 0.5}, {Tag: "auc", Value: 0.75}}, printed{}, 100))
	// Output:
	// 100 loss 0.5
	// 100 auc 0.75
	// <nil>
}
