package steps

import (
	"context"
	"io/fs"

	"github.com/monosim/monosim/runners"
)

// Suite is a choice of scenarios and of how to run them.
type Suite struct {
	Runner runners.Runner
	// FS holds the files; nil means the host's.
	FS fs.FS
	// Paths are files, directories, or file:line with any line of a scenario; that of a
	// row of an outline's examples takes this row alone.
	Paths []string
	// Tags is a tag expression as "@v3 and not (@slow or @outage)", where && and ~ may
	// stand for and and not; empty takes all.
	Tags string
	// Seed is the first seed, Seeds how many there are (0 means 1).
	Seed  uint64
	Seeds int
	// Quirks are those of scenarios that do not say theirs.
	Quirks string
	// Sentences are a caller's own, beside those of Vocabulary; a step that two
	// sentences fit is an *InputError.
	Sentences []*Sentence
	// Twice runs everything a second time and compares the traces. Choices are
	// fixed in the second run, which makes a difference on purpose.
	Twice   bool
	Choices []runners.Choice
	// Explain is how many lines a failure may have on what led to it; 0 means 20, less
	// none. The scenario is run again for them, with the same seed.
	Explain int
	// Flags are what the command that repeats a run has besides, as "--runner real".
	Flags string
	// Slower, when set, is a runner of the same name on a slower clock, nil for none: a run
	// that failed is tried again there, as what a machine is late by is less of it then.
	// times counts the runs of it so far; flags are the Flags that repeat such a run.
	Slower func(times int) (r runners.Runner, flags string)
	// Detail has every result bring along all that was observed (Result.Log); the cluster
	// has Spec.Detail then.
	Detail bool
	// NoLeaps is Spec.NoLeaps of every cluster, with Twice only that of the second run.
	NoLeaps bool
	// FailFast ends the run with the first failure; what comes before it in the order of
	// the files is run and reported.
	FailFast bool
	// Jobs is how many worlds run at the same time; 0 means one for each core. What is
	// found, and in which order it is told, does not depend on it.
	Jobs int

	// choosing has where choices were made, while Stream runs with Choices.
	choosing *choosing
	// command, when set, is what repeats a run in place of monosim test.
	command string
}

// Run runs every scenario with every seed and keeps all results; [Suite.Stream] keeps
// none. The error is an [*InputError]; faults of scenarios are in the report.
func (s *Suite) Run() (*Report, error) {
	report := &Report{}
	_, err := s.Stream(context.Background(), report)
	if err != nil {
		return nil, err
	}
	return report, nil
}
