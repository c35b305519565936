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

// Explain prints what codes and words of reports mean. It is that of monosim explain.
type Explain func(w io.Writer, codes []string, asJSON bool) error

func newExplain(others Explain) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain METRIC|CODE|WORD",
		Short: "Say what a metric of an objective is, or a code or a word of a report",
		Example: `  monosim whatif explain p99
  monosim whatif explain 'util(ps)' --json
  monosim whatif explain METASTABLE CAP-E12 n_eff`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.BadInput(fmt.Errorf("found no argument, want a code or a word of a report, or one of %s", strings.Join(append(plan.MetricNames(), "recovery(EVENT)"), ", ")))
			}
			m, err := metricNamed(args[0])
			switch {
			case err != nil && others == nil:
				return command.BadInput(err)
			case err != nil || len(args) > 1:
				return others(cmd.OutOrStdout(), args, asJSON)
			}
			if asJSON {
				return command.PrintJSON(cmd, forPrograms(m))
			}
			_, err = io.WriteString(cmd.OutOrStdout(), textOf(m))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// metricNamed returns the metric that an objective writes so, with or without its scope.
func metricNamed(written string) (plan.Metric, error) {
	name, scope, scoped := strings.Cut(strings.TrimSuffix(written, ")"), "(")
	i := slices.IndexFunc(plan.Metrics, func(m plan.Metric) bool {
		return m.Name == name && (!scoped || slices.Contains(m.Scopes, scope) || slices.Contains(m.Scopes, "*"))
	})
	if i < 0 {
		return plan.Metric{}, fmt.Errorf("found the unknown metric %q%s", written, plan.Nearest(written, plan.MetricNames()))
	}
	return plan.Metrics[i], nil
}

// ExplainMetric says what a metric is.
func ExplainMetric(written string) (text string, err error) {
	m, err := metricNamed(written)
	if err != nil {
		return "", err
	}
	return textOf(m), nil
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

func textOf(m plan.Metric) string {
	text := fmt.Sprintf("%s: %s\nunit %s, as %s\n", m.Name, m.Doc, m.Unit, m.Kind.Example())
	if len(m.Scopes) > 0 {
		text += fmt.Sprintf("of %s\n", strings.Join(m.Scopes, ", "))
	}
	return text
}
