package goals

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// New makes the command that measures the goals of the capacity simulation.
func New() *cobra.Command {
	var only []string
	cmd := &cobra.Command{
		Use:   "whatif",
		Short: "Measure what the capacity simulation aims at, and say which aims are reached",
		Long: `Measure what the capacity simulation aims at, and say which aims are reached. Goal G9,
which holds it to real processes, is monosim-lab bench.`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBench(cmd, only) },
	}
	cmd.Flags().StringSliceVar(&only, "only", nil, "goals, as G5,G8 (default all)")
	return cmd
}

func runBench(cmd *cobra.Command, only []string) error {
	out := cmd.OutOrStdout()
	missed := 0
	for _, g := range All() {
		if len(only) > 0 && !slices.Contains(only, g.ID) {
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
