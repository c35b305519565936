// Package servers has the benches that start monosim as a server and send it requests over
// the loopback: its ZooKeeper, its model server and its agent.
//
// Two things to use first:
//
//   - [NewZooKeeper], [NewTFServing] and [NewAgent] make the commands.
//   - programs returns what they start: monosim, and this program as a server that only answers.
//
// To change
//
//   - the flags of a bench: the file of its name
//   - what is measured, and the goals: packages runners/zookeeper/bench, runners/tfserving/bench
//     and runners/serve/programs/bench
//
// Unstable: any commit may change it.
package servers

import (
	"fmt"
	"io"
	"os"

	"github.com/monosim/monosim/cmd/bench/program"
	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/tfserving/bench"
)

// bareFlag is a hidden flag that turns a command into a server that only answers. Such a bare
// server is measured for comparison.
const bareFlag = "bare-server"

// programs builds monosim, and returns its path and the path of the running program. remove
// deletes the built program.
func programs() (monosim, self string, remove func(), err error) {
	if self, err = os.Executable(); err != nil {
		return "", "", nil, err
	}
	monosim, remove, err = program.Build()
	return monosim, self, remove, err
}

// printReport prints the results as a table or as JSON. If check is set, it returns an error for
// a missed goal.
func printReport(out io.Writer, report *bench.Report, asJSON, check bool) error {
	write := report.Write
	if asJSON {
		write = report.WriteJSON
	}
	if err := write(out); err != nil {
		return err
	}
	if missed := report.Missed(); check && len(missed) > 0 {
		return &command.ExitError{Code: command.ExitFailed, Err: fmt.Errorf("%d of the aims were missed, the first: %s", len(missed), missed[0].What)}
	}
	return nil
}
