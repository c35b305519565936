package whatif

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/goals"
)

// newBench makes `monosim whatif bench`.
func newBench() *cobra.Command {
	var only []string
	var f fidelityFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure what the capacity simulation aims at, and say which aims are reached",
		Long: `Measure what the capacity simulation aims at, and say which aims are reached.

With --real it is goal G9: fourteen clusters of processes are observed under load, a profile is
fitted to three of them, and the simulation is held to the others; then agents roll out
versions. That takes the machine for a quarter of an hour; what others do on it meanwhile is in the
figures, and whether it was: on a machine that others use, give it priority (chrt -r 10).`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.real {
				return runFidelity(cmd, &f)
			}
			return runBench(cmd, only)
		},
	}
	cmd.Flags().StringSliceVar(&only, "only", nil, "goals, as G5,G8 (default all)")
	f.add(cmd)
	return cmd
}

func runBench(cmd *cobra.Command, only []string) error {
	out := cmd.OutOrStdout()
	wanted := map[string]bool{}
	for _, id := range only {
		wanted[id] = true
	}
	missed := 0
	for _, g := range goals.All() {
		if len(only) > 0 && !wanted[g.ID] {
			continue
		}
		f, err := g.Measure()
		if err != nil {
			return fmt.Errorf("%s: %w", g.ID, err)
		}
		word := "reached"
		if !f.Reached {
			word = "MISSED"
			missed++
		}
		fmt.Fprintf(out, "%-4s %-8s %s\n     wanted: %s\n", g.ID, word, f.Text, g.Wants)
	}
	if missed > 0 {
		return &command.ExitError{Code: command.ExitFailed, Err: fmt.Errorf("%d goals missed", missed)}
	}
	return nil
}
