package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/vectors/golden"
)

// newVectorsLintCommand makes `monosim vectors lint`.
func newVectorsLintCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Check ids, flags, hashes and inputs of the golden cases",
		Long: `Check the golden cases: that ids are unique, that flags are quirks of the register,
that the hashes of the manifest are those of the suites, and that each case has an
input of the case files.

The exit code is 0 when nothing is wrong, 1 when something is, and 2 when the suites
cannot be read.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := os.Stat(dir); err != nil {
				return badInput(fmt.Errorf("--dir: %w", err))
			}
			findings, err := golden.Lint(os.DirFS(dir))
			if err != nil {
				return badInput(err)
			}
			for _, f := range findings {
				fmt.Fprintln(cmd.OutOrStdout(), f)
			}
			if len(findings) > 0 {
				return &exitError{code: exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "vectors/golden", "directory with the suites and cases/*.jsonl, from which they are recorded")
	return cmd
}
