package main

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/features/steps/tags"
	"github.com/monosim/monosim/runners/sim"
	"github.com/monosim/monosim/vectors/golden"
	"github.com/monosim/monosim/vectors/scope"
)

// completion is a function that the shell calls to complete an argument or a flag's value.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeWith returns a completion that calls list only when a shell asks for it.
func completeWith(list func() []string) completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return list(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFlags registers completions for flag values, by the flag's name, in a command and all its
// subcommands. A command with a flag --format registers the completion of that flag itself.
func completeFlags(cmd *cobra.Command, lists map[string]func() []string) {
	for name, list := range lists {
		if cmd.Flags().Lookup(name) == nil {
			continue
		}
		if _, done := cmd.GetFlagCompletionFunc(name); !done {
			if err := cmd.RegisterFlagCompletionFunc(name, completeWith(list)); err != nil {
				panic(err) // cannot happen: the flag exists
			}
		}
	}
	for _, below := range cmd.Commands() {
		completeFlags(below, lists)
	}
}

// flagValues has the values of flags that mean the same in every command.
var flagValues = map[string]func() []string{
	"suite":        suiteNames,
	"zookeeper":    func() []string { return []string{"zookeeper-3.8", "zookeeper-3.9"} },
	"model-server": func() []string { return []string{"tfs-2.4", "tfs-head", "python-fake"} },
	"policy":       func() []string { return sim.Policies },
	"quirks":       func() []string { return append([]string{"python", "fixed"}, toggles()...) },
}

func suiteNames() (names []string) {
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		return nil
	}
	return lists.MapOrNil(suites, func(s *golden.Suite) string { return s.Name })
}

// featureTags lists the tags of the scenarios in the features that the arguments name. It lists
// nothing if none of these features exist.
func featureTags(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if paths, err := findFeatures(args); err == nil {
		if list, err := (&steps.Suite{Runner: newSimulation(), FS: featureFS{}, Paths: paths}).List(); err == nil {
			names = escapedTags(list)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func quirkIDs() (ids []string) {
	list, err := scope.Quirks()
	if err != nil {
		return nil
	}
	return lists.MapOrNil(list, func(q scope.Quirk) string { return q.ID + "\t" + q.Decision + ": " + q.Effect })
}

// toggles lists the ids of the quirks that the flag --quirks can switch on or off.
func toggles() (ids []string) {
	list, err := scope.Quirks()
	if err != nil {
		return nil
	}
	return lists.Select(list, func(q scope.Quirk) (string, bool) { return q.ID + "\t" + q.Effect, q.Decision == scope.Fix })
}

// escapedTags lists the tags of scenarios, sorted and escaped as --tags takes them.
func escapedTags(list []steps.Listed) (names []string) {
	return lists.MapOrNil(slices.Sorted(maps.Keys(countTags(list))), tags.Escape)
}
