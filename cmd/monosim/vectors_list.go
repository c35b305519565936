package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/vectors/golden"
)

// newListCommand makes `monosim vectors list`.
func newListCommand() *cobra.Command {
	var flags vectorFlags
	var ops bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the ids of the golden cases, or their operations",
		Long: `List the ids of the golden cases, each with its flags: the quirks that it shows, and
drawn when its input was drawn at random. With --ops list the operations instead,
each with the number of its cases.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ops {
				return flags.listOps(cmd.OutOrStdout())
			}
			return flags.each(func(_ *golden.Suite, c *golden.Case) error {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\n", c.ID, strings.Join(c.Flags, " "))
				return err
			})
		},
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&ops, "ops", false, "list the operations, each with the number of its cases")
	return cmd
}

// listOps writes the selected operations in the order of their first case.
func (f *vectorFlags) listOps(w io.Writer) error {
	var ops []string
	count := map[string]int{}
	err := f.each(func(_ *golden.Suite, c *golden.Case) error {
		if count[c.Op] == 0 {
			ops = append(ops, c.Op)
		}
		count[c.Op]++
		return nil
	})
	for _, op := range ops {
		fmt.Fprintf(w, "%s\t%d\n", op, count[op])
	}
	return err
}
