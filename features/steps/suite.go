package steps

import (
	"context"
	"io/fs"
	"math"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/timeline"
)

// Endless, as the value of Suite.Seeds, means that seeds are run until the context ends.
const Endless = math.MaxInt32

// Suite selects scenarios and says how to run them.
type Suite struct {
	Runner runners.Runner
	// FS holds the files. nil means the machine's file system.
	FS fs.FS
	// Paths lists files, directories, or file:line with any line of a scenario. The line of a row
	// in an outline selects only this row.
	Paths []string
	// Tags is a tag expression such as "@v3 and not (@slow or @outage)". The signs && and ~ mean
	// the same as the words "and" and "not". An empty expression selects all.
	Tags string
	// Name is a regular expression that must match part of the scenario's title. The title of an
	// outline's row contains its values. Empty selects all.
	Name string
	// Only, when set, selects scenarios by their entry in the listing.
	Only func(Listed) bool
	// Shard and Shards divide the selected scenarios among machines. Shard i of n, counted from 1,
	// takes every n-th scenario. 0 takes all.
	Shard, Shards int
	// Seed is the first seed, Seeds the number of seeds (0 means 1).
	Seed  uint64
	Seeds int
	// Quirks is the choice of quirks for scenarios that do not set their own.
	Quirks string
	// Sentences lists the caller's own sentences, in addition to Vocabulary. A step that matches
	// two sentences is an *InputError.
	Sentences []*Sentence
	// Twice runs everything a second time and compares the traces. Choices are fixed only in the
	// second run, so that they cause a difference on purpose.
	Twice   bool
	Choices []runners.Choice
	// Explain is the most lines that explain a failure. 0 means 20, and a negative number none. For
	// the explanation the scenario runs again with the same seed.
	Explain int
	// Instants, if not nil, returns the times at which it was decided that scenarios of a file
	// fail: after them they could hardly pass. An explanation begins at the first of these times.
	Instants func(path string) []timeline.Instant
	// Flags holds further flags for the command that repeats a run, such as "--runner real".
	Flags string
	// Slower, when set, returns a runner with a slower clock, or nil. A failed run is tried again
	// on that runner, because the delays of a busy machine matter less there. times counts the runs
	// so far. flags are the Flags that repeat such a run.
	Slower func(times int) (r runners.Runner, flags string)
	// Detail keeps in each result everything that was observed (Result.Log). It sets Spec.Detail of
	// the cluster.
	Detail bool
	// NoLeaps sets Spec.NoLeaps of every cluster. With Twice it does so only in the second run.
	NoLeaps bool
	// FailFast ends the suite at the first failure in the order of runs. All runs before that are
	// still made and reported.
	FailFast bool
	// Remark, when set, is called with what is odd in the files but not an error, such as an
	// outline without a row.
	Remark func(string)
	// Clock, when set, is used to measure Result.Wall, and for nothing else.
	Clock func() time.Time
	// Jobs is how many runs are made at the same time. 0 means one for each core. Results and their
	// order do not depend on it.
	Jobs int

	// choosing records where choices were made, while Stream runs with Choices.
	choosing *choosing
	// command, when set, replaces monosim test as the command that repeats a run.
	command string
}

// Run runs every scenario with every seed and keeps all results, whereas [Suite.Stream] keeps none.
// The error is an [*InputError]. Failed scenarios are in the report.
func (s *Suite) Run() (*Report, error) {
	report := &Report{}
	_, err := s.Stream(context.Background(), report)
	if err != nil {
		return nil, err
	}
	return report, nil
}
