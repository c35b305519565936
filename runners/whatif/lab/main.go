// Command monosim-lab checks the capacity model against reality. It runs a plan's fleet as
// real processes under load, fits service times to the measurements, and prints the
// simulation of the same load beside them. `make lab` builds it, beside monosim, which it
// starts. It is a module of its own, because capacity questions need none of it.
//
// Two packages to read first:
//
//   - observe runs a plan as processes and records every request.
//   - calibrate fits a profile to an observation, and compares.
//
// To change:
//
//   - commands and flags: commands.go
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
)

func main() {
	command.CollectLess()
	err := newRoot().Execute()
	if err != nil && err.Error() != "" {
		fmt.Fprintln(os.Stderr, "monosim-lab: "+err.Error())
	}
	os.Exit(command.ExitCode(err))
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "monosim-lab",
		Short:         "Hold the capacity model of monosim whatif to real processes",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(command.FlagError)
	root.AddCommand(newObserve(), newCalibrate(), newReplay(), newBench())
	return root
}
