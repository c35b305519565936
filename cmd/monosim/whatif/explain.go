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
	cmd := &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON schema of plans, for editors",
		Example: "  monosim whatif schema > capacity.schema.json",
		Args:    command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(plan.Schema())
			return err
		},
	}
	cmd.Flags().Bool("json", true, "it is JSON in any case")
	return cmd
}

func newExplain() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain METRIC",
		Short: "Say what a metric of an objective is",
		Example: `  monosim whatif explain p99
  monosim whatif explain 'util(ps)' --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.BadInput(fmt.Errorf("found %d arguments, want one of %s", len(args), strings.Join(append(plan.MetricNames(), "recovery(EVENT)"), ", ")))
			}
			name, scope, scoped := strings.Cut(strings.TrimSuffix(args[0], ")"), "(")
			i := slices.IndexFunc(plan.Metrics, func(m plan.Metric) bool {
				return m.Name == name && (!scoped || slices.Contains(m.Scopes, scope) || slices.Contains(m.Scopes, "*"))
			})
			if i < 0 {
				return command.BadInput(fmt.Errorf("found the unknown metric %q%s", args[0], plan.Nearest(args[0], plan.MetricNames())))
			}
			if asJSON {
				return command.PrintJSON(cmd, forPrograms(plan.Metrics[i]))
			}
			explain(cmd.OutOrStdout(), plan.Metrics[i])
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// forPrograms returns what explain prints with --json.
func forPrograms(m plan.Metric) any {
	return struct {
		Metric  string   `json:"metric"`
		Text    string   `json:"text"`
		Unit    string   `json:"unit"`
		Example string   `json:"example"`
		Scopes  []string `json:"scopes,omitempty"`
		Higher  bool     `json:"more_is_better"`
	}{m.Name, m.Doc, m.Unit, m.Kind.Example(), m.Scopes, m.Higher}
}

func explain(w io.Writer, m plan.Metric) {
	fmt.Fprintf(w, "%s: %s\n", m.Name, m.Doc)
	fmt.Fprintf(w, "unit %s, as %s\n", m.Unit, m.Kind.Example())
	if len(m.Scopes) > 0 {
		fmt.Fprintf(w, "of %s\n", strings.Join(m.Scopes, ", "))
	}
}
