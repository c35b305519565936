package report_test

import (
	"context"
	"fmt"
	"os"
	"testing/fstest"

	"github.com/monosim/monosim/features/report"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/simrun"
)

var pods = fstest.MapFS{"pods.feature": {Data: []byte(`Feature: Pods
  Scenario: A pod ends
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    And 10s pass
    Then shard0-replica0 has ended
`)}}

// This runs one scenario with two seeds, and writes reports for a terminal and for a CI server.
func Example() {
	for _, form := range []steps.Listener{report.NewProgress(os.Stdout), report.NewJUnit(os.Stdout)} {
		suite := &steps.Suite{Runner: &simrun.Runner{}, FS: pods, Paths: []string{"."}, Seed: 7, Seeds: 2, Explain: -1}
		if _, err := suite.Stream(context.Background(), form); err != nil {
			fmt.Println(err)
		}
	}

	// Output:
	// FF 2
	//
	// FAILED pods.feature:2: A pod ends
	//   pods.feature:6: Then shard0-replica0 has ended
	//     t+10.000s: agent of shard0-replica0, want ended, got running
	//   so did 2 of 2 seeds: 7, 8
	//   seed 7, replay with: monosim test pods.feature:2 --seed 7
	// <?xml version="1.0" encoding="UTF-8"?>
	// <testsuites name="monosim" tests="1" failures="1" errors="0" skipped="0">
	//   <testsuite name="Pods" file="pods.feature" tests="1" failures="1" errors="0" skipped="0">
	//     <testcase classname="pods.feature" name="A pod ends" time="0.000">
	//       <properties>
	//         <property name="seeds" value="2"></property>
	//         <property name="virtual_seconds" value="20.000"></property>
	//       </properties>
	//       <failure message="t+10.000s: agent of shard0-replica0, want ended, got running">failed with 2 of 2 seeds&#xA;&#xA;seed 7: t+10.000s: agent of shard0-replica0, want ended, got running&#xA;replay with: monosim test pods.feature:2 --seed 7&#xA;&#xA;seed 8: t+10.000s: agent of shard0-replica0, want ended, got running&#xA;replay with: monosim test pods.feature:2 --seed 8</failure>
	//     </testcase>
	//   </testsuite>
	// </testsuites>
}
