package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/diff/parity"
)

// version is the version of the next release.
const version = "0.1.0-dev"

// newVersionCommand makes `monosim version`.
func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and what it is held to",
		Long: `Print the version, the commit of the reference that it is held to, and the profiles
of ZooKeeper and of TensorFlow Serving that it simulates.`,
		Example: "  monosim version",
		Args:    command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), versionText())
			return err
		},
	}
}

// versionText returns what the command and --version print.
func versionText() string {
	return fmt.Sprintf(`monosim %s%s
reference    %s
zookeeper    zookeeper-3.8 (default), zookeeper-3.9, kazoo-fake
tf serving   tfs-2.4 (default), tfs-head, python-fake
`, version, commit(), parity.Reference)
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
