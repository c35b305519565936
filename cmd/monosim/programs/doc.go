// Package programs are the commands of monosim that stand for the reference's programs,
// with its flags and output: the flags are read here, and package runners/serve/programs does
// the work.
//
// Two things to use first:
//
//   - [Commands] makes all of them, for the root command.
//   - [IsProgram] knows the names that the reference gives them.
//
// The agent is in agent.go, a process of a training job in trainer.go, the programs that ask
// and order in clients.go; they are also run by those names. What a program is told of the
// process that it is stands in surroundings.go.
package programs

import "github.com/spf13/cobra"

// Commands makes the commands.
func Commands() []*cobra.Command {
	return append(clientCommands(), newAgentCommand(), newTrainerCommand())
}
