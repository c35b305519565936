package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/simrun"
)

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "monosim",
		Short: "Simulate monolith's agents, ZooKeeper and TF Serving in virtual time",
		Long: `monosim runs the serving control plane of bytedance/monolith in virtual time:
hours of a cluster in milliseconds, every run reproducible from its seed.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return badInput(fmt.Errorf("unknown command %q; monosim --help lists them", args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return badInput(fmt.Errorf("%w; see %s --help", err, cmd.CommandPath()))
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newTestCommand(newSimulation), newSimCommand(), newVersionCommand(), newParityCommand(),
		newTesteeCommand(), newVectorsCommand(), newDiffCommand(), newZooKeeperCommand(), newTFServingCommand())
	return root
}

func newSimulation() runners.Runner { return &simrun.Runner{} }
