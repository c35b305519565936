package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/module"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/diff/parity"
)

// release is the version of a build by `make release`, whose linker sets it to the git tag. Other
// builds leave it empty.
var release string

// untagged is the version of a build from a commit without a git tag.
const untagged = "0.1.0-dev"

// versionShown has what `monosim version` prints.
type versionShown struct {
	Version string `json:"version"`
	// Commit is the git commit, or "" if the go command did not record it in the build.
	Commit    string `json:"commit"`
	Reference string `json:"reference"`
	// ZooKeeper and TFServing list the profiles of the simulated servers, the default first.
	ZooKeeper []string `json:"zookeeper"`
	TFServing []string `json:"tf_serving"`
}

// newVersionCommand makes `monosim version`.
func newVersionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version and what it is held to",
		Long: `Print the version, the commit of the reference that it is held to, and the profiles
of ZooKeeper and of TensorFlow Serving that it simulates. The version is that of the git tag
that the program was built from, or one that ends with -dev.`,
		Example: `  monosim version
  monosim version --json`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return command.PrintJSON(cmd, thisVersion())
			}
			return printVersion(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text")
	return cmd
}

// addVersionFlag adds --version to the root command. Cobra's own flag would link text/template,
// which makes the linker keep every method of every type.
func addVersionFlag(root *cobra.Command) {
	var asked bool
	root.Flags().BoolVarP(&asked, "version", "v", false, "print the version, as monosim version does")
	otherwise := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if asked {
			return printVersion(cmd.OutOrStdout())
		}
		return otherwise(cmd, args)
	}
}

func printVersion(w io.Writer) error {
	v := thisVersion()
	commit := ""
	if len(v.Commit) >= 12 {
		commit = " (" + v.Commit[:12] + ")"
	}
	_, err := fmt.Fprintf(w, `monosim %s%s
reference    %s
zookeeper    %s
tf serving   %s
`, v.Version, commit, v.Reference, firstIsDefault(v.ZooKeeper), firstIsDefault(v.TFServing))
	return err
}

func firstIsDefault(list []string) string {
	return list[0] + " (default), " + strings.Join(list[1:], ", ")
}

func thisVersion() versionShown {
	v := versionShown{
		Version: untagged, Reference: parity.Reference,
		ZooKeeper: []string{"zookeeper-3.8", "zookeeper-3.9", "kazoo-fake"},
		TFServing: []string{"tfs-2.4", "tfs-head", "python-fake"},
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Version = versionOf(release, info.Main.Version)
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Commit = s.Value
			}
		}
	}
	return v
}

// versionOf returns the version of a build: the linker's, or else the module's if a git tag names
// it. Pseudo-versions, which the go command makes for commits between tags, do not count.
func versionOf(told, ofModule string) string {
	switch {
	case told != "":
		return strings.TrimPrefix(told, "v")
	case strings.HasPrefix(ofModule, "v") && !module.IsPseudoVersion(strings.TrimSuffix(ofModule, "+dirty")):
		return strings.TrimPrefix(ofModule, "v")
	}
	return untagged
}
