package main

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/vectors/golden"
	"github.com/monosim/monosim/vectors/scope"
)

// completion is what a shell asks for the values of an argument or a flag.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeWith completes with a list that is made when a shell asks.
func completeWith(list func() []string) completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return list(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFlags has shells complete the values of flags by name, in a command and all
// below it that have them; format comes from the command that has it.
func completeFlags(cmd *cobra.Command, lists map[string]func() []string) {
	for name, list := range lists {
		if cmd.Flags().Lookup(name) == nil {
			continue
		}
		if _, done := cmd.GetFlagCompletionFunc(name); !done {
			if err := cmd.RegisterFlagCompletionFunc(name, completeWith(list)); err != nil {
				panic(err) // the flag is there
			}
		}
	}
	for _, below := range cmd.Commands() {
		completeFlags(below, lists)
	}
}

// flagValues are the values of those flags that mean the same everywhere.
var flagValues = map[string]func() []string{
	"suite":  suiteNames,
	"tags":   featureTags,
	"quirks": func() []string { return append([]string{"python", "fixed"}, toggles()...) },
}

func suiteNames() (names []string) {
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		return nil
	}
	for _, s := range suites {
		names = append(names, s.Name)
	}
	return names
}

// featureTags are the tags of the scenarios of this binary.
func featureTags() []string {
	list, err := (&steps.Suite{Runner: newSimulation(), FS: embeddedFS{}, Paths: []string{featureDir}}).List()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(countTags(list)))
}

func quirkIDs() (ids []string) {
	list, err := scope.Quirks()
	if err != nil {
		return nil
	}
	for _, q := range list {
		ids = append(ids, q.ID+"\t"+q.Decision+": "+q.Effect)
	}
	return ids
}

// toggles are the ids of what --quirks can keep or repair.
func toggles() (ids []string) {
	list, err := scope.Quirks()
	if err != nil {
		return nil
	}
	for _, q := range list {
		if q.Decision == scope.Fix {
			ids = append(ids, q.ID+"\t"+q.Effect)
		}
	}
	return ids
}
