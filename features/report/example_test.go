package report_test

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/monosim/monosim/features/report"
	"github.com/monosim/monosim/features/steps"
)

// A run of one scenario, for a terminal and for a CI server. A report comes from
// steps.Suite.Run; this one is made by hand.
func Example() {
	r := &steps.Report{Failed: 1, Steps: 2, Results: []steps.Result{{
		Feature: "Pods", Name: "A pod ends", Path: "pods.feature", Line: 2, Seed: 7, Status: steps.Failed,
		Replay: "monosim test pods.feature:2 --seed 7",
		Steps: []steps.Step{
			{Keyword: "When", Text: "10s pass", Line: 4, Took: 10 * time.Second},
			{Keyword: "Then", Text: "shard0-replica0 has ended", Line: 5, Status: steps.Failed,
				Err: errors.New("t+10.000s: agent of shard0-replica0, want ended, got running")},
		},
	}}}
	if err := errors.Join(report.WriteProgress(os.Stdout, r), report.WriteJUnit(os.Stdout, r)); err != nil {
		fmt.Println(err)
	}

	// Output:
	// F 1
	//
	// FAILED pods.feature:2: A pod ends
	//   pods.feature:5: Then shard0-replica0 has ended
	//     t+10.000s: agent of shard0-replica0, want ended, got running
	//   seed 7, replay with: monosim test pods.feature:2 --seed 7
	// <?xml version="1.0" encoding="UTF-8"?>
	// <testsuites name="monosim" tests="1" failures="1" skipped="0">
	//   <testsuite name="Pods" file="pods.feature" tests="1" failures="1" skipped="0">
	//     <testcase classname="pods.feature" name="A pod ends (line 2, seed 7)" time="0.000">
	//       <failure message="t+10.000s: agent of shard0-replica0, want ended, got running">t+10.000s: agent of shard0-replica0, want ended, got running&#xA;replay with: monosim test pods.feature:2 --seed 7</failure>
	//     </testcase>
	//   </testsuite>
	// </testsuites>
}
