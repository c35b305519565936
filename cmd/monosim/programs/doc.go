// Package programs has the commands of monosim that stand in for the reference's programs, with
// its flags and output. Flags are read here; package runners/serve/programs does the work.
//
// Two things to use first:
//
//   - [Commands] makes all of them, for the root command.
//   - [IsProgram] knows the names that the reference gives them.
//
// To change
//
//   - the agent: agent.go
//   - a process of a training job: trainer.go
//   - the programs that query and control, which also run under the reference's names: clients.go
//   - what a program is told about its own process: surroundings.go
//
// Unstable: any commit may change it.
package programs

import "github.com/spf13/cobra"

// Commands makes the commands.
func Commands() []*cobra.Command {
	return append(clientCommands(), newAgentCommand(), newTrainerCommand())
}
