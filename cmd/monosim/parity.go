//go:build !release

package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/diff/parity"
)

// newParityCommand makes `monosim parity`. Released programs do not have this command: it works on
// the files of a clone, where `go run` is available, and it would add Go's parser to the program.
func newParityCommand() *cobra.Command {
	var output, root string
	var check, records bool
	cmd := &cobra.Command{
		Use:   "parity",
		Short: "Write PARITY.md: what of the reference is ported, and what shows it",
		Long: `Run the scenarios, read the registers in vectors, look through the sources for the
tests and recorded cases of every module and for the quirks that are named, and
write what of the reference is ported and what shows it. It needs the project's
sources. A state of the registers that nothing bears is an error: a row that is done
without its command, a module with names that are to come. With --check each line of
the file that claims something else than what was found is named, with --records also
the results of scenarios on other runners that were recorded of older code than there is,
but for those on TensorFlow, which take hours to record.

The exit code is 0 when the file is written or, with --check, as it would be, 1 when it
is not, and 2 when the sources cannot be read or the registers claim what is not so.`,
		Example: `  monosim parity
  monosim parity --check`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := os.Stat(root); err != nil {
				return command.BadInput(fmt.Errorf("--root: %w", err))
			}
			if _, err := os.Stat(output); check && err != nil {
				return command.BadInput(fmt.Errorf("--output: %w", err))
			}
			suite := steps.Suite{Runner: newSimulation(), FS: embeddedFS{}, Paths: []string{featureDir}, Seed: 1}
			report, err := suite.Run()
			if err != nil {
				return err
			}
			text, err := parity.Text(os.DirFS(root), report)
			if err != nil {
				return command.BadInput(err)
			}
			if check {
				err := sameFile(output, text)
				if records {
					err = errors.Join(err, parity.CheckRecords(os.DirFS(root), report))
				}
				return err
			}
			return command.BadInput(wholefile.Write(output, text))
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "PARITY.md", "file to write")
	cmd.Flags().StringVar(&root, "root", ".", "directory of the project's sources")
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; fail when the file would change")
	cmd.Flags().BoolVar(&records, "records", false, "with --check: fail, too, where results on runners other than tensorflow are older than the code")
	return cmd
}

// sameFile returns an error if the file does not hold exactly the text. The error names the lines
// that differ.
func sameFile(path string, text []byte) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return command.BadInput(err)
	}
	return parity.CheckPage(path, old, text)
}
