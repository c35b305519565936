package steps

import (
	"context"
	"io/fs"
	"math"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/timeline"
)

// Endless as Suite.Seeds runs seed after seed until the context ends.
const Endless = math.MaxInt32

// Suite selects scenarios and says how to run them.
type Suite struct {
	Runner runners.Runner
	// FS holds the files; nil means the host's.
	FS fs.FS
	// Paths lists files, directories, or file:line with any line of a scenario. The line of
	// a row of an outline selects this row alone.
	Paths []string
	// Tags is a tag expression as "@v3 and not (@slow or @outage)", where && and ~ may
	// stand for and and not; empty selects all.
	Tags string
	// Name is a regular expression that the title of a scenario has to match somewhere; that of
	// a row of an outline has its values. Empty selects all.
	Name string
	// Only, when set, selects by what a listing says.
	Only func(Listed) bool
	// Shard and Shards select every Shards-th scenario from the Shard-th on, after all else has
	// selected, so that several machines share them; 0 selects all.
	Shard, Shards int
	// Seed is the first seed, Seeds the number of seeds (0 means 1).
	Seed  uint64
	Seeds int
	// Quirks has the quirks of scenarios that do not set their own.
	Quirks string
	// Sentences are the caller's own, beside those of Vocabulary. A step that two sentences
	// fit is an *InputError.
	Sentences []*Sentence
	// Twice runs everything a second time and compares the traces. Choices are fixed only
	// in the second run, which makes a difference on purpose.
	Twice   bool
	Choices []runners.Choice
	// Explain bounds the lines that explain a failure; 0 means 20, a negative number none.
	// The scenario is run again for them, with the same seed.
	Explain int
	// Instants, when set, knows when scenarios of a file are lost: an explanation begins there.
	Instants func(path string) []timeline.Instant
	// Flags are further flags of the command that repeats a run, as "--runner real".
	Flags string
	// Slower, when set, returns a runner of the same name on a slower clock, nil for none.
	// A run that failed is tried again there, because a busy machine's delays count for
	// less. times counts the runs so far; flags are the Flags that repeat such a run.
	Slower func(times int) (r runners.Runner, flags string)
	// Detail keeps everything that was observed in each result (Result.Log), by Spec.Detail
	// of the cluster.
	Detail bool
	// NoLeaps is Spec.NoLeaps of every cluster, with Twice only of the second run.
	NoLeaps bool
	// FailFast ends the run with the first failure in the order of the runs; everything
	// before it is still run and reported.
	FailFast bool
	// Remark, when set, is told of what is odd in the files and yet no fault, as an outline that
	// has no row.
	Remark func(string)
	// Clock, when set, measures Result.Wall. It is not read otherwise.
	Clock func() time.Time
	// Jobs is how many worlds run at the same time; 0 means one for each core. Neither the
	// results nor their order depend on it.
	Jobs int

	// choosing records where choices were made, while Stream runs with Choices.
	choosing *choosing
	// command, when set, is the command that repeats a run in place of monosim test.
	command string
}

// Run runs every scenario with every seed and keeps all results; [Suite.Stream] keeps none.
// The error is an [*InputError]; failures of scenarios are in the report.
func (s *Suite) Run() (*Report, error) {
	report := &Report{}
	_, err := s.Stream(context.Background(), report)
	if err != nil {
		return nil, err
	}
	return report, nil
}
