package train_test

import (
	"context"
	"fmt"

	"github.com/monosim/monosim/runners/train"
)

// The example plans a job that ends with its last step.
func ExampleRead() {
	plan, err := train.Read("plan.yaml", []byte(`
for: 5m
job:
  ps: 1
  max_steps: 60
`))
	if err != nil {
		panic(err)
	}
	report, err := plan.Run(context.Background(), nil)
	fmt.Println(err, len(report.Running), "processes run;", report.Deeds["saved"], "checkpoint was saved")

	// Output:
	// <nil> 0 processes run; 1 checkpoint was saved
}
