package whatif

import (
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/report"
	"github.com/monosim/monosim/runners/whatif/result"
)

func newDiff() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff A.json B.json",
		Short: "Compare two results that were printed with --json, with intervals of the differences",
		Example: `  monosim whatif run today.yaml --json > a.json
  monosim whatif run tomorrow.yaml --json > b.json
  monosim whatif diff a.json b.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return command.BadInput(fmt.Errorf("found %d arguments, want two files of monosim whatif run --json", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runDiff(cmd, args[0], args[1], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text")
	return cmd
}

func runDiff(cmd *cobra.Command, a, b string, asJSON bool) error {
	var results [2]*result.Result
	for i, name := range []string{a, b} {
		file, err := os.Open(name)
		if err != nil {
			return command.BadInput(err)
		}
		results[i], err = result.Read(file)
		file.Close()
		if err != nil {
			return command.BadInput(fmt.Errorf("%s: %w", name, err))
		}
	}
	list, err := result.Diff(results[0], results[1])
	if err != nil {
		return command.BadInput(err)
	}
	if asJSON {
		return command.PrintJSON(cmd, list)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "metric\tscope\ta\tb\tb - a\t")
	for _, d := range list {
		fmt.Fprintln(w, report.Difference(d))
	}
	return w.Flush()
}
