package whatif

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/show/jsonschema"
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

// Explain prints the meaning of codes and words of reports, as `monosim explain` does.
type Explain func(w io.Writer, codes []string, asJSON bool) error

func newExplain(others Explain) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain METRIC|KEY|CODE|WORD",
		Short: "Say what a metric of an objective, a key of a plan, or a code or a word of a report is",
		Example: `  monosim whatif explain p99
  monosim whatif explain client.hedge.after
  monosim whatif explain 'util(ps)' --json
  monosim whatif explain METASTABLE CAP-E12 n_eff`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.BadInput(fmt.Errorf("found no argument, want a key of a plan as client.hedge.after, a code or a word of a report, or one of %s", strings.Join(append(plan.MetricNames(), "recovery(EVENT)"), ", ")))
			}
			m, err := metricNamed(args[0])
			switch {
			case err != nil && others == nil:
				return command.BadInput(err)
			case err != nil && len(args) == 1 && !asJSON && strings.Contains(args[0], ".") && keyNamed(args[0]) != "":
				_, err = io.WriteString(cmd.OutOrStdout(), keyNamed(args[0]))
				return err
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

// metricNamed returns the metric for its name in an objective, such as p99 or p99(request).
func metricNamed(written string) (plan.Metric, error) {
	name, scope, scoped := strings.Cut(strings.TrimSuffix(written, ")"), "(")
	i := slices.IndexFunc(plan.Metrics, func(m plan.Metric) bool {
		return m.Name == name && (!scoped || m.Takes(scope))
	})
	if i < 0 {
		return plan.Metric{}, fmt.Errorf("found the unknown metric %q%s", written, plan.Nearest(written, plan.MetricNames()))
	}
	return plan.Metrics[i], nil
}

// ExplainMetric explains a metric of an objective, or else a key of a plan.
func ExplainMetric(written string) (text string, err error) {
	m, err := metricNamed(written)
	if err != nil {
		if text := keyNamed(written); text != "" {
			return text, nil
		}
		return "", err
	}
	return textOf(m), nil
}

// planSchema returns the JSON schema of plans, parsed once.
var planSchema = sync.OnceValue(func() *jsonschema.Schema {
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(plan.Schema(), s); err != nil {
		panic(err) // cannot happen: the schema is generated from the Go type of plans
	}
	return s
})

// property returns the schema of a key of an object, or nil. It also searches the items of a list,
// and each alternative where a value can have several forms.
func property(of *jsonschema.Schema, key string) *jsonschema.Schema {
	if s := of.Properties[key]; s != nil {
		return s
	}
	if of.Items != nil {
		return property(of.Items, key)
	}
	for _, form := range of.AnyOf {
		if s := property(form, key); s != nil {
			return s
		}
	}
	return nil
}

// keyNamed returns what the schema says about a key of a plan, or "". The path of the key has no
// indices of list items, as in events.publish.
func keyNamed(path string) string {
	at := planSchema()
	for key := range strings.SplitSeq(plan.RootPath(path), ".") {
		if at = property(at, key); at == nil {
			return ""
		}
	}
	text := path + ": " + at.Description + "\n"
	value := at
	if len(at.AnyOf) > 0 {
		value = at.AnyOf[0]
	}
	if len(value.Properties) > 0 {
		text += "keys " + strings.Join(slices.Sorted(maps.Keys(value.Properties)), ", ") + "\n"
	}
	if len(value.Examples) > 0 {
		text += "as " + strings.Join(value.Examples, ", ") + "\n"
	}
	if len(value.Enum) > 0 {
		text += "one of " + strings.Trim(fmt.Sprint(value.Enum), "[]") + "\n"
	}
	if at.Default != nil {
		text += fmt.Sprintf("default %v\n", at.Default)
	}
	return text
}

// forPrograms returns the value that explain prints for a metric with --json.
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
