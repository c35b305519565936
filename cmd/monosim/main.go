// Command monosim simulates the serving control plane of bytedance/monolith (agents,
// ZooKeeper and TensorFlow Serving) in virtual time.
//
// Two things to use first: `monosim test` runs scenarios, and `monosim sim` runs a cluster
// from your own agent.conf and exported models. Exit codes are 0 for good, 1 for a failed
// check, 2 for usage or input that makes no sense.
//
// To change
//
//   - a command: the file of its name, or packages programs, model and whatif
//   - the list of commands: root.go
//   - exit codes, signals, progress: package command
package main

import (
	"fmt"
	"os"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/cmd/monosim/programs"
)

func main() {
	command.CollectLess()
	err := run()
	if err != nil && err.Error() != "" {
		fmt.Fprintln(os.Stderr, "monosim: "+err.Error())
	}
	os.Exit(command.ExitCode(err))
}

// run runs monosim. If the program was called by the name of the model server or of one of the
// reference's programs, it runs that instead.
func run() error {
	if isModelServer(os.Args[0]) {
		return runModelServer(os.Args[0], os.Args[1:], os.Stdout, os.Stderr)
	}
	if name, is := programs.IsProgram(os.Args[0]); is {
		return programs.RunAs(name, os.Args[0], os.Args[1:])
	}
	root, out := newRootCommand(), &checkedOutput{Writer: os.Stdout}
	root.SetOut(out)
	return out.end(root.Execute())
}
