package whatif

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/plan"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of plans, for editors",
		Args:  command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(plan.Schema())
			return err
		},
	}
}

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain METRIC",
		Short: "Say what a metric of an objective is",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.BadInput(fmt.Errorf("found %d arguments, want one of %s", len(args), strings.Join(plan.MetricNames(), ", ")))
			}
			name, _, _ := strings.Cut(strings.TrimSuffix(args[0], ")"), "(")
			i := slices.IndexFunc(plan.Metrics, func(m plan.Metric) bool { return m.Name == name })
			if i < 0 {
				return command.BadInput(fmt.Errorf("found the unknown metric %q%s", args[0], plan.Nearest(args[0], plan.MetricNames())))
			}
			explain(cmd.OutOrStdout(), plan.Metrics[i])
			return nil
		},
	}
}

func explain(w io.Writer, m plan.Metric) {
	fmt.Fprintf(w, "%s: %s\n", m.Name, m.Doc)
	fmt.Fprintf(w, "unit %s, as %s\n", m.Unit, m.Kind.Example())
	if len(m.Scopes) > 0 {
		fmt.Fprintf(w, "of %s\n", strings.Join(m.Scopes, ", "))
	}
}
