package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the release that the next tag will be.
const version = "0.1.0-dev"

// reference is the state of the reference that the port follows.
const reference = "bytedance/monolith 135c491 (2023-11-08)"

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and what it is held to",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "monosim %s%s\n", version, commit())
			fmt.Fprintf(out, "reference    %s\n", reference)
			fmt.Fprintln(out, "zookeeper    zookeeper-3.8 (default), zookeeper-3.9, kazoo-fake")
			fmt.Fprintln(out, "tf serving   tfs-2.4 (default), tfs-head, python-fake")
			return nil
		},
	}
}

func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return " (" + s.Value[:12] + ")"
		}
	}
	return ""
}

// noArguments refuses arguments as bad input.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return badInput(fmt.Errorf("found argument %q, want none; see %s --help", args[0], cmd.CommandPath()))
	}
	return nil
}
