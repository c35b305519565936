// Command monosim simulates the serving control plane of bytedance/monolith
// (agents, ZooKeeper and TensorFlow Serving) in virtual time. It runs feature
// specs (`monosim test`) and clusters that are built from a person's own
// agent.conf and exported models (`monosim sim`).
//
// Each command has a file or a package of its own (programs, whatif), and root.go puts
// them together; what they have in common is in package command. Exit codes
// are 0 for good, 1 for a failed check, 2 for usage or input that makes no sense.
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

// run is the command, or the model server or the reference's program that the program
// is called as.
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
