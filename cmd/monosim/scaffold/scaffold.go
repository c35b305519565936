// Package scaffold has `monosim init`, which writes a folder that works.
//
// Two things to use first:
//
//   - [NewCommand] makes the command.
//   - [Write] writes files into a folder that has none of them.
//
// To change
//
//   - what a folder has: the files of project, as they are written
//   - what a Go module has: the files of module, and module.go for its go.mod
//
// Unstable: any commit may change it.
package scaffold

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// The prefix all: takes the files whose names begin with a dot, too.
//
//go:embed all:project
var project embed.FS

const (
	projectRoot  = "project"
	firstFeature = "features/first.feature"
	glueFile     = "features/steps.ts"
)

// NewCommand makes `monosim init`. The function glue writes step definitions for editors.
func NewCommand(glue func(io.Writer) error) *cobra.Command {
	var (
		asModule bool
		source   string
	)
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a folder with a scenario, and files for CI, editors and pytest",
		Long: `Write into DIR, by default the one where you are, what a project of scenarios has:
a scenario that passes, monosim.yaml, a job for GitHub Actions and for GitLab CI,
settings and step definitions for the Cucumber extension of VS Code, and two tests for pytest with the fixtures
of monosim-fixtures. With --go write a Go module instead, whose
tests start a cluster and run scenarios; it takes monosim from a clone, that of --source.

A file that is there already is never replaced: then nothing is written at all, and the
exit code is 2.`,
		Example: `  monosim init
  monosim init specs
  monosim init --go --source ../monosim clustertest`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return command.BadInput(fmt.Errorf("found argument %q, want one directory; see %s --help", args[1], cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := filepath.Join(append(args, ".")...)
			files, next := func() ([]File, error) { return projectFiles(glue) }, "monosim test"
			if asModule {
				files, next = func() ([]File, error) { return moduleFiles(dir, source) }, "go test ./..."
			} else if source != "" {
				return command.BadInput(fmt.Errorf("found --source without --go; see %s --help", cmd.CommandPath()))
			}
			list, err := files()
			if err == nil {
				err = Write(dir, list)
			}
			if err != nil {
				return command.BadInput(err)
			}
			return say(cmd, dir, list, next)
		},
	}
	cmd.Flags().BoolVar(&asModule, "go", false, "write a Go module whose tests use monosim")
	cmd.Flags().StringVar(&source, "source", "", "with --go: clone of monosim that the module takes (default: the one that this program was built in)")
	return cmd
}

// say prints which files were written, and what the user can do next.
func say(cmd *cobra.Command, dir string, list []File, next string) error {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "wrote %s\n", filepath.Join(dir, f.Name))
	}
	if dir != "." {
		next = "cd " + command.Quoted([]string{dir})[0] + " && " + next
	}
	fmt.Fprintf(&b, "next: %s\n", next)
	_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
	return err
}

// projectFiles returns the files of a project of scenarios.
func projectFiles(glue func(io.Writer) error) (list []File, err error) {
	var definitions bytes.Buffer
	if err := glue(&definitions); err != nil {
		return nil, err
	}
	list = []File{{Name: glueFile, Text: definitions.Bytes()}}
	err = fs.WalkDir(project, projectRoot, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := project.ReadFile(path)
		list = append(list, File{Name: strings.TrimPrefix(path, projectRoot+"/"), Text: text})
		return err
	})
	return list, err
}
