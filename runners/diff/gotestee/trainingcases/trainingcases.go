// Package trainingcases answers the cases about the hooks, savers and configurations of the
// training side.
//
// Two things to use first:
//
//   - [Ops] are the operations by name, for package gotestee.
//   - caseworld.Call.Run does the steps of a sequence, by [caseworld.Do].
//
// Files are named after the modules of the reference. What sequences of steps share, and the
// time that only sleeps move, is in steps.go.
//
// Unstable: any commit may change it.
package trainingcases

import (
	"maps"

	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// Ops returns the operations on training code, by name.
func Ops() caseworld.Table {
	all := caseworld.Table{}
	for _, table := range []caseworld.Table{
		hookOps, barrierOps, controllerOps, saveOps, tideOps, clusterOps, fileOps, dataOps, tpuOps, waitingOps,
		flagOps, runnerOps, estimatorOps, distributedOps, exportOps, tfConfigOps, consulOps, runningOps, zkUtilsOps,
	} {
		maps.Copy(all, table)
	}
	return all
}
