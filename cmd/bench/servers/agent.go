package servers

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/serve/programs/bench"
	tfsbench "github.com/monosim/monosim/runners/tfserving/bench"
)

// NewAgent makes the command that benchmarks the agent.
func NewAgent() *cobra.Command {
	o := bench.DefaultOptions()
	var asJSON, check bool
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Measure how often an agent that watches many replicas answers, beside the reference's",
		Long: `Measure an agent of version 1 that watches many replicas: how often it answers
HeartBeat over the loopback, how late at a fixed rate, and what memory it takes; and
how often the reference's own agent does, with MONOLITH_SRC, a checkout of it, and
PYTHON, an interpreter with runners/diff/python/requirements.txt.

Both are programs of their own, over one served ZooKeeper, with a model server each.
Both log warnings only: at the default verbosity each HeartBeat is a line with all
addresses. The aims are for two processors that do nothing else.

The exit code is 0 when everything was measured, 1 when something could not be or,
with --check, an aim was missed, and 2 when what was asked for makes no sense.`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return command.BadInput(err)
			}
			report, err := benchAgent(cmd.ErrOrStderr(), o)
			if err != nil {
				return command.Ended(0, err)
			}
			return printReport(cmd.OutOrStdout(), report, asJSON, check)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.Length.For, "for", o.Length.For, "how long one run of requests is")
	f.IntVar(&o.Rounds, "rounds", o.Rounds, "how many runs to take the median of")
	f.IntVar(&o.Replicas, "replicas", o.Replicas, "how many replicas are watched")
	f.Float64Var(&o.Rate, "rate", o.Rate, "how many requests are due in a second when it is measured how late answers are")
	f.BoolVar(&asJSON, "json", false, "print JSON instead of text")
	f.BoolVar(&check, "check", false, "fail when an aim is missed")
	return cmd
}

// benchAgent measures monosim's agent. It also measures the reference's agent if a checkout of the
// reference is given.
func benchAgent(notes io.Writer, o bench.Options) (*tfsbench.Report, error) {
	monosim, _, remove, err := programs()
	if err != nil {
		return nil, err
	}
	defer remove()
	o.Program = monosim
	if o.Reference, err = bench.ReferenceAgent(); err != nil {
		fmt.Fprintf(notes, "monosim agent only: %v\n", err)
	}
	steps, step := o.Steps(), 0
	o.Progress = func(next string) {
		step++
		fmt.Fprintf(notes, "%d/%d %s\n", step, steps, next)
	}
	return bench.Run(o)
}
