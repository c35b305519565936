// Package trainingcases answers the cases about the hooks, savers and configurations of the
// training side.
//
// Two things to use first:
//
//   - [Ops] are the operations by name, for package gotestee.
//   - [Operation] is what answers one.
//
// Files are named after the modules of the reference. What sequences of steps share, and the
// time that only sleeps move, is in steps.go.
package trainingcases

import (
	"maps"

	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// Operation answers a case: a value that caseworld.Encode takes, or an error as the port
// gives it.
type Operation func(c *caseworld.Call) (any, error)

// Ops are the operations by name.
func Ops() map[string]Operation {
	all := map[string]Operation{}
	for _, table := range []map[string]Operation{
		hookOps, barrierOps, controllerOps, saveOps, tideOps, clusterOps, fileOps, dataOps, tpuOps, waitingOps,
		flagOps, runnerOps, estimatorOps, distributedOps, exportOps, tfConfigOps, consulOps, zkUtilsOps,
	} {
		maps.Copy(all, table)
	}
	return all
}
