package whatif

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/goals"
)

// newBench makes `monosim whatif bench`.
func newBench() *cobra.Command {
	var only []string
	var real, asJSON bool
	var load loadFlags
	var horizon time.Duration
	var keep string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure what the capacity simulation aims at, and say which aims are reached",
		Long: `Measure what the capacity simulation aims at, and say which aims are reached.

With --real it is goal G9: nine clusters of processes are observed under load, a profile is
fitted to three of them, and the simulation is held to the other six. That takes the machine
for some minutes; what others do on it meanwhile is in the figures.`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if real {
				return runFidelity(cmd, &load, horizon, keep, asJSON)
			}
			return runBench(cmd, only)
		},
	}
	cmd.Flags().StringSliceVar(&only, "only", nil, "goals, as G5,G8 (default all)")
	cmd.Flags().BoolVar(&real, "real", false, "hold the simulation to real processes (G9)")
	cmd.Flags().DurationVar(&horizon, "horizon", 30*time.Second, "with --real: how long each load is")
	cmd.Flags().StringVar(&keep, "keep", "", "with --real: folder in which observations and profile stay")
	cmd.Flags().BoolVar(&asJSON, "json", false, "with --real: print JSON instead of text")
	load.add(cmd)
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
