package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/cmd/monosim/explore"
	"github.com/monosim/monosim/cmd/monosim/model"
	"github.com/monosim/monosim/cmd/monosim/programs"
	"github.com/monosim/monosim/cmd/monosim/scaffold"
	"github.com/monosim/monosim/cmd/monosim/whatif"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/show/colour"
	"github.com/monosim/monosim/runners/test/simrun"
)

// later holds functions that add commands to the root command. Files with a build tag append to it.
var later []func(root *cobra.Command)

// newRootCommand makes `monosim` with all commands.
func newRootCommand() *cobra.Command {
	var colours string
	root := &cobra.Command{
		Use:   "monosim",
		Short: "Simulate monolith's agents, ZooKeeper and TF Serving in virtual time",
		Long: `monosim runs the serving control plane of bytedance/monolith in virtual time:
hours of a cluster in milliseconds, every run reproducible from its seed.

The exit code is 0 when all is good, 1 when a check failed or a run broke off, 2 when what was
asked for makes no sense or cannot be opened or written, and 3 when test or whatif cannot tell. That of
tfserving is upstream's, and so is that of the reference's programs where monosim is called by their names.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return command.BadInput(command.UnknownCommand(cmd, args[0]))
			}
			return nil
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return useColours(cmd, colours) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().StringVar(&colours, "color", "auto", "colours of what is printed: auto (on a terminal, unless NO_COLOR is set), always or never")
	root.SetFlagErrorFunc(command.FlagError)
	root.SetHelpCommand(newHelpCommand())
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Run and ask:", []*cobra.Command{scaffold.NewCommand(typescriptGlue), newTestCommand(newSimulation), newSimCommand(), newTrainCommand(), explore.New(exploring), whatif.New(explainAll)}},
		{"Hold implementations to the reference:", []*cobra.Command{newVectorsCommand(), newDiffCommand(), newTesteeCommand()}},
		{"Serve:", []*cobra.Command{newZooKeeperCommand(), newConsulCommand(), newTFServingCommand(), newServeCommand()}},
		{"The reference's programs:", programs.Commands()},
		{"The Rust port's commands:", model.Commands()},
		{"The project:", []*cobra.Command{newParityCommand(), newExplainCommand(), newQuirksCommand(), newStepsCommand(newSimulation), newVersionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			if c == nil { // this build does not have the command
				continue
			}
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID("The project:")
	root.SetCompletionCommandGroupID("The project:")
	addVersionFlag(root)
	for _, add := range later {
		add(root)
	}
	completeFlags(root, flagValues)
	if err := root.RegisterFlagCompletionFunc("color", completeWith(func() []string { return colour.When })); err != nil {
		panic(err) // two commands have the same name
	}
	return root
}

// typescriptGlue writes the step definitions that an editor needs to know the sentences.
func typescriptGlue(w io.Writer) error {
	return steps.WriteGlue(w, "typescript", newSimulation().Faults())
}

// newHelpCommand makes `monosim help`, which differs from cobra's only in its exit code.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Say how a command is used",
		Example: `  monosim help sim
  monosim help zookeeper check`,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return command.BadInput(command.UnknownCommand(found, strings.Join(rest, " ")))
			}
			return found.Help()
		},
	}
}

// newSimulation makes the runner that runs scenarios in virtual time. Its clusters keep only the
// first observation in their log. Code that reads a run's log sets Spec.Detail, with which a
// cluster keeps all observations.
func newSimulation() runners.Runner {
	return &simrun.Runner{Operations: gotestee.Recorded{}, Warm: &simrun.Warm{}, KeepLog: 1}
}
