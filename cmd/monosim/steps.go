package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
)

// newStepsCommand makes `monosim steps`, which lists the sentences of a runner.
func newStepsCommand(newRunner func() runners.Runner) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "steps [WORD...]",
		Short: "List the sentences that scenarios may say",
		Long: `List the sentences that scenarios may say, or those that have all of the words: in
their text, their example or what a placeholder accepts, whatever the case. Each has
where it belongs (Given, When, Then), what its placeholders accept, an example, and
when time passes while it is said. In a sentence {word} stands for a placeholder,
(text) may be left out, and of a/b one is said.`,
		Example: `  monosim steps
  monosim steps zookeeper down
  monosim steps --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSteps(cmd.OutOrStdout(), newRunner(), args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text")
	return cmd
}

func runSteps(w io.Writer, runner runners.Runner, asked []string, asJSON bool) error {
	found := []steps.Described{}
	for _, d := range steps.Describe(runner.Faults()) {
		if hasWords(d, asked) {
			found = append(found, d)
		}
	}
	if len(found) == 0 {
		return command.BadInput(fmt.Errorf("steps: found no sentence with %q, want words of one; monosim steps lists all", strings.Join(asked, " ")))
	}
	if asJSON {
		return writeJSON(w, found)
	}
	for _, d := range found {
		if _, err := io.WriteString(w, sentenceText(d)); err != nil {
			return err
		}
	}
	return nil
}

// hasWords reports whether a sentence has all of the words.
func hasWords(d steps.Described, asked []string) bool {
	text := strings.ToLower(d.Kind + " " + d.Sentence + " " + d.Example)
	for _, p := range d.Placeholders {
		text += " " + strings.ToLower(p.Accepts)
	}
	for _, word := range asked {
		if !strings.Contains(text, strings.ToLower(word)) {
			return false
		}
	}
	return true
}

// sentenceText describes a sentence for people.
func sentenceText(d steps.Described) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-5s %s\n", d.Kind, d.Sentence)
	for _, p := range d.Placeholders {
		fmt.Fprintf(&b, "        {%s}: %s\n", p.Name, p.Accepts)
	}
	fmt.Fprintf(&b, "        example: %s\n", d.Example)
	passes := d.Passes
	if passes == "" {
		passes = "never"
	}
	fmt.Fprintf(&b, "        time passes: %s\n", passes)
	return b.String()
}
