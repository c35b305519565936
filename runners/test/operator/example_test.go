package operator_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
)

func ExampleEndings() {
	var endings operator.Endings
	endings.Add(runners.Fault{Kind: "agent.stopped", Pod: "shard0-replica0"}, time.Minute)
	fmt.Println(endings.Until(time.Hour))
	err := endings.EndDue(time.Minute, func(f runners.Fault) error {
		fmt.Println("end", f.Kind, "of", operator.Hit(f))
		return nil
	})
	fmt.Println(err, endings.Until(time.Hour))
	// Output:
	// 1m0s
	// end agent.stopped of shard0-replica0
	// <nil> 1h0m0s
}
