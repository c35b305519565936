package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/vectors/golden"
)

// newVectorsLintCommand makes `monosim vectors lint`.
func newVectorsLintCommand() *cobra.Command {
	var flags vectorFlags
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
			fsys, err := flags.fs()
			if err != nil {
				return badInput(err)
			}
			findings, err := golden.Lint(fsys)
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
	cmd.Flags().StringVar(&flags.dir, "dir", "", "directory with the suites (default: those of this binary)")
	return cmd
}
