// Command monosim-lab finds out whether the capacity model is true: it runs a plan's fleet as
// real processes under load, fits service times to what was measured, and prints the simulation
// of the same load beside the measurement. `make lab` builds it, beside monosim, which it starts.
//
// It is a module of its own because whoever asks capacity questions needs none of it. Its flags
// and commands are in commands.go. Two packages to read first:
//
//   - observe runs a plan as processes and writes down every request.
//   - calibrate fits a profile to that, and compares.
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
