package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/features/steps"
	"github.com/spf13/cobra"
)

// rootCommand runs monosim inside the test process, with all of its commands, and returns what it
// printed.
func rootCommand(args ...string) (stdout string, err error) {
	var out bytes.Buffer
	cmd := newRootCommand()
	cmd.SetOut(&out)
	cmd.SetErr(&bytes.Buffer{})
	cmd.SetArgs(args)
	err = cmd.Execute()
	return out.String(), err
}

func TestWhatNobodyKnowsIsToldWithWhatIsLikeIt(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"tset"}, `unknown command "tset", did you mean test; monosim --help lists them`},
		{[]string{"help", "quirk"}, `unknown command "quirk", did you mean quirks; monosim --help lists them`},
		{[]string{"vectors", "shwo"}, `unknown command "shwo", did you mean show; monosim vectors --help lists them`},
		{[]string{"qqqqqq"}, `unknown command "qqqqqq"; monosim --help lists them`},
		{[]string{"test", "--tag", "@v3"}, "unknown flag: --tag, did you mean --tags; see monosim test --help"},
		{[]string{"sim", "--zzzzz"}, "unknown flag: --zzzzz; see monosim sim --help"},
		{[]string{"quirks", "Q15x2"}, `quirk: found "Q15x2", want an id of the register (Q1 to `},
		{[]string{"steps", "bicycle"}, `steps: found no sentence with "bicycle", want words of one, or what it is about`},
	} {
		_, err := rootCommand(c.args...)
		if command.ExitCode(err) != command.ExitBadInput || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got exit code %d and %v, want %d and %s", c.args, command.ExitCode(err), err, command.ExitBadInput, c.want)
		}
	}
}

func TestValuesOfFlagsAreCompleted(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"test", "--format", ""}, "junit"},
		{[]string{"diff", "--format", ""}, "table"},
		{[]string{"vectors", "verify", "--suite", ""}, "utils"},
		{[]string{"zookeeper", "--profile", ""}, "zookeeper-3.9"},
		{[]string{"test", "builtin:", "--tags", ""}, "@v3"},
		{[]string{"sim", "--quirks", ""}, "fixed"},
		{[]string{"quirks", ""}, "Q152"},
	} {
		out, err := rootCommand(append([]string{"__completeNoDesc"}, c.args...)...)
		if err != nil || !slices.Contains(strings.Split(out, "\n"), c.want) {
			t.Errorf("%v: got %q (%v), want %s among them", c.args, out, err, c.want)
		}
	}
}

func TestQuirksAreListedAndShownWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute under the race detector, on one goroutine")
	}
	out, err := rootCommand("quirks")
	if err != nil || strings.Count(out, "\n") < 205 || !strings.Contains(out, "\nQ152 (fix): ") {
		t.Errorf("got (%v)\n%s\nwant a line for each quirk", err, out)
	}
	out, err = rootCommand("quirks", "Q152", "Q17")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Q152\n  effect     ", "  where      utils.py:146-148\n", "  decision   fix\n  repaired   ",
		"  scenarios  builtin:features/filters.feature:", "\n\nQ17\n", "  not shown  "} {
		if !strings.Contains(out, want) {
			t.Errorf("found no %q in\n%s", want, out)
		}
	}
	out, err = rootCommand("quirks", "--json", "Q25")
	var shown []quirkShown
	if err == nil {
		err = json.Unmarshal([]byte(out), &shown)
	}
	if err != nil || len(shown) != 1 || shown[0].ID != "Q25" || len(shown[0].Cases)+len(shown[0].Scenarios) == 0 {
		t.Errorf("got (%v) %s, want Q25 and what shows it", err, out)
	}
}

func TestStepsAreListed(t *testing.T) {
	out, err := rootCommand("steps", "ZooKeeper", "down")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"When  ZooKeeper goes down( for {duration})\n", "time passes: never: with \"for 12s\" at its end", "When  ZooKeeper is down( for {duration})\n", "{duration}: a time in ms, s, m and h",
		"example: When ZooKeeper is down for ", "that time passes"} {
		if !strings.Contains(out, want) {
			t.Errorf("found no %q in\n%s", want, out)
		}
	}
	out, err = rootCommand("steps", "--json")
	var list []steps.Described
	if err == nil {
		err = json.Unmarshal([]byte(out), &list)
	}
	if want := len(steps.Vocabulary(newSimulation().Faults())); err != nil || len(list) != want {
		t.Errorf("got %d sentences (%v), want %d", len(list), err, want)
	}
}

// Goal: every command has examples, and their flags exist.
func TestEveryCommandHasExamplesThatParse(t *testing.T) {
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		if cmd.Name() == "completion" {
			return // cobra's own
		}
		for _, below := range cmd.Commands() {
			look(below)
		}
		if !cmd.HasParent() {
			return
		}
		lines := 0
		for line := range strings.Lines(cmd.Example) {
			_, called, ok := strings.Cut(line, "monosim ")
			if !ok {
				continue // the line runs another program, such as curl
			}
			lines++
			called, _, _ = strings.Cut(strings.ReplaceAll(strings.TrimSpace(called), " | ", " > "), " > ")
			found, args, err := newRootCommand().Find(wordsOf(called))
			if err != nil || found.CommandPath() != cmd.CommandPath() {
				continue // the line runs another command, which makes a file for this one
			}
			if err := found.ParseFlags(args); err != nil && !found.DisableFlagParsing {
				t.Errorf("%s: %s: %v", cmd.CommandPath(), line, err)
			}
		}
		if lines == 0 {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
	}
	look(newRootCommand())
}

// wordsOf splits a line at spaces, except inside quotes.
func wordsOf(line string) []string {
	var quote rune
	words := strings.FieldsFunc(line, func(r rune) bool {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		}
		return quote == 0 && r == ' '
	})
	for i := range words {
		words[i] = strings.Trim(words[i], `'"`)
	}
	return words
}
