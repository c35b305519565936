// Command bench measures monosim against its goals. It is a developer's tool, and runs in
// the root of the repository.
//
// Two things to use first: `go run ./cmd/bench` prints the tables of the engine and of
// growth, and `go run ./cmd/bench zookeeper` measures one part (also tfserving, agent,
// whatif and validate). To change
//
//   - the rows of the tables and how costs grow: package tables
//   - the benches of servers: package servers
//   - what they measure: runners/zookeeper/bench, runners/tfserving/bench and
//     runners/serve/programs/bench
//   - the goals of the capacity simulation: package goals
//   - the closed forms of that simulation: package validate
//   - the engine beside other engines: engines, a command of its own
package main

import (
	"fmt"
	"os"

	"github.com/monosim/monosim/cmd/bench/goals"
	"github.com/monosim/monosim/cmd/bench/servers"
	"github.com/monosim/monosim/cmd/bench/tables"
	"github.com/monosim/monosim/cmd/bench/validate"
	"github.com/monosim/monosim/cmd/monosim/command"
)

func main() {
	// monosim also collects garbage less often than Go does by default. CollectLess sets the same
	// here, so that code measured in this process runs as it does in monosim.
	command.CollectLess()
	root := tables.New()
	root.AddCommand(servers.NewZooKeeper(), servers.NewTFServing(), servers.NewAgent(), goals.New(), validate.New())
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(command.FlagError)
	err := root.Execute()
	if err != nil && err.Error() != "" {
		fmt.Fprintln(os.Stderr, "bench: "+err.Error())
	}
	os.Exit(command.ExitCode(err))
}
