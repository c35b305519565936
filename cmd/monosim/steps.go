package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/features/steps/meaning"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/settings"
)

// newStepsCommand makes `monosim steps`, which lists the sentences of a runner.
func newStepsCommand(newRunner func() runners.Runner) *cobra.Command {
	var asJSON bool
	var glue string
	cmd := &cobra.Command{
		Use:   "steps [WORD...]",
		Short: "List the sentences that scenarios may say",
		Long: `List the sentences that scenarios may say, or those that have all of the words: in
their text, what they do, their example or what a placeholder accepts, whatever the
case. Words that people search by find sentences about them, too: crash, latency,
partition, rollback, traffic. Each has where it belongs (Given, When, Then), what it
does, what its placeholders accept, an example from a shipped scenario, and when time
passes while it is said. In a sentence {word} stands for a placeholder, (text) may be
left out, and of a/b one is said.

"monosim steps settings [WORD...]" lists what may be set: settings of agents and jobs,
with type, default and meaning, version policies, and error codes.

--glue writes step definitions for an editor: with them the Cucumber extensions of
VS Code, Neovim and JetBrains complete and underline steps. "typescript" goes into
features/steps.ts, "go" into features/steps.go.`,
		Example: `  monosim steps
  monosim steps zookeeper down
  monosim steps crash
  monosim steps settings layout
  monosim steps --json
  monosim steps --glue typescript > features/steps.ts`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case glue != "":
				return command.BadInput(steps.WriteGlue(cmd.OutOrStdout(), glue, newRunner().Faults()))
			case len(args) > 0 && args[0] == "settings":
				return runSettings(cmd.OutOrStdout(), args[1:], asJSON)
			}
			return runSteps(cmd.OutOrStdout(), newRunner(), args, asJSON)
		},
	}
	cmd.Flags().StringVar(&glue, "glue", "", "write step definitions for an editor: go or typescript")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text")
	return cmd
}

func runSteps(w io.Writer, runner runners.Runner, asked []string, asJSON bool) error {
	all := steps.Describe(runner.Faults())
	found := append([]steps.Described{}, lists.Filter(all, func(d steps.Described) bool { return hasWords(d, asked) })...)
	if len(found) == 0 {
		return command.BadInput(fmt.Errorf("steps: found no sentence with %q, %s", strings.Join(asked, " "), suggest(all, asked)))
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

// textOf returns all text of a sentence that a search looks through.
func textOf(d steps.Described) string {
	text := d.Kind + " " + d.Sentence + " " + d.Does + " " + d.Example
	for _, p := range d.Placeholders {
		text += " " + p.Accepts
	}
	return strings.ToLower(text)
}

// hasWords reports whether a sentence matches each of the words, literally or by a synonym.
func hasWords(d steps.Described, asked []string) bool {
	text := textOf(d)
	return !slices.ContainsFunc(asked, func(word string) bool {
		return !strings.Contains(text, strings.ToLower(word)) && !isAbout(d, word)
	})
}

// isAbout reports whether a sentence contains a synonym of the word.
func isAbout(d steps.Described, word string) bool {
	sentence := strings.ToLower(d.Sentence)
	return slices.ContainsFunc(meaning.Synonyms[strings.ToLower(word)], func(other string) bool {
		return strings.Contains(sentence, strings.ToLower(other))
	})
}

// suggest proposes similar words when a search for the given words finds nothing.
func suggest(all []steps.Described, asked []string) string {
	known := map[string]bool{}
	for word := range meaning.Synonyms {
		known[word] = true
	}
	for _, d := range all {
		for _, word := range strings.FieldsFunc(strings.ToLower(d.Sentence), func(r rune) bool { return !unicode.IsLetter(r) }) {
			known[word] = len(word) > 2
		}
	}
	var near []string
	for _, word := range asked {
		best, distance := "", max(2, len(word)/3)+1
		for _, k := range slices.Sorted(maps.Keys(known)) {
			d := levenshtein.ComputeDistance(strings.ToLower(word), k)
			if letters(word) == letters(k) {
				d = 1 // only the order of the letters is wrong
			}
			if known[k] && d > 0 && d < distance {
				best, distance = k, d
			}
		}
		if best != "" {
			near = append(near, best)
		}
	}
	if near != nil {
		return fmt.Sprintf("did you mean %s? monosim steps lists all", strings.Join(near, " "))
	}
	return "want words of one, or what it is about, as crash, latency, partition, rollback or traffic; monosim steps lists all"
}

// letters returns the letters of a word in alphabetical order, to compare words with swapped
// letters.
func letters(word string) string {
	list := []rune(strings.ToLower(word))
	slices.Sort(list)
	return string(list)
}

// runSettings lists the settings that scenarios can set and that match the given words.
func runSettings(w io.Writer, asked []string, asJSON bool) error {
	found := []settings.Setting{}
	for _, s := range settings.List() {
		text := strings.ToLower(s.Of + " " + s.Name + " " + s.Meaning)
		if !slices.ContainsFunc(asked, func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) }) {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		return command.BadInput(fmt.Errorf("steps settings: found none with %q, want words of one; monosim steps settings lists all", strings.Join(asked, " ")))
	}
	if asJSON {
		return writeJSON(w, found)
	}
	var b strings.Builder
	of := ""
	for _, s := range found {
		if s.Of != of {
			of = s.Of
			fmt.Fprintf(&b, "%s\n", headings[of])
		}
		fmt.Fprintf(&b, "  %-43s %s", s.Name, s.Meaning)
		if s.Type != "" {
			fmt.Fprintf(&b, " (%s", s.Type)
			if s.Default != "" {
				fmt.Fprintf(&b, "; %s", s.Default)
			}
			b.WriteString(")")
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// headings maps each kind of setting to the line that is printed above its list.
var headings = map[string]string{
	"agent":              `Settings of agents, for: Given the agent setting "NAME" is "VALUE" (type; default)`,
	"job":                `Settings of a training job, for: Given the job setting NAME is "VALUE" (type)`,
	"policy of a layout": `Version policies, for: When ctr:entry is declared with policy "NAME"`,
	"policy of a config": `Version policies, for: When the config of ctr:entry has the policy "NAME"`,
	"error code":         `Error codes, for: Then the reload fails with NAME "text"`,
}

// sentenceText formats the description of a sentence for people.
func sentenceText(d steps.Described) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-5s %s\n        %s\n", d.Kind, d.Sentence, d.Does)
	for _, p := range d.Placeholders {
		fmt.Fprintf(&b, "        {%s}: %s\n", p.Name, p.Accepts)
	}
	fmt.Fprintf(&b, "        example: %s", d.Example)
	if d.Where != "" {
		fmt.Fprintf(&b, " (%s)", d.Where)
	}
	b.WriteString("\n")
	passes := cmp.Or(d.Passes, "never")
	fmt.Fprintf(&b, "        time passes: %s\n", passes)
	return b.String()
}
