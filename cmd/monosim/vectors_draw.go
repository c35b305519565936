package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/runners/testee/conformance"
)

// newDrawCommand makes `monosim vectors draw`.
func newDrawCommand() *cobra.Command {
	var suites []string
	var count int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "draw",
		Short: "Print invented inputs as lines for a case file",
		Long: `Print inputs that the generators of the operations invent, a line for each, as the
case files have them. The same seed gives the same inputs.`,
		Example: `  monosim vectors draw --suite utils.ZKPath --count 20 --seed 7 >> vectors/golden/cases/utils.jsonl`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ops, err := conformance.Selection{Suites: suites}.GeneratedOps()
			if err != nil {
				return badInput(err)
			}
			if len(ops) == 0 || count < 1 {
				return badInput(fmt.Errorf("found %d operations for %q and count %d, want one of each at least", len(ops), suites, count))
			}
			inputs, err := conformance.Draw(ops, count, seed)
			if err != nil {
				return badInput(err)
			}
			for _, in := range inputs {
				line, err := in.Line()
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), line)
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&suites, "suite", nil, suiteHelp)
	cmd.Flags().IntVar(&count, "count", 10, "how many inputs for each operation")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "what the invented inputs follow from")
	return cmd
}
